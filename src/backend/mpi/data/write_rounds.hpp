// SPDX-License-Identifier: MIT
// Files whose bytes an element's position does not tell: text, and whatever is gzipped.
#pragma once

#include "backend/mpi/data/part.hpp"
#include "backend/mpi/data/shared_file.hpp"
#include "tensor/io.hpp"

namespace cyclotron::mpi {

// Collective. Goes through the elements in the order of the file: in each round every rank is handed the elements
// behind those of the rank before it, formats them, and writes them where the text of the others lets them begin.
bool write_rounds(SharedFile& file, tensor::FileKind kind, bool gzipped, const Declaration& tensor,
                  const std::vector<Part>& parts, std::int64_t elements, MPI_Comm comm, Diagnostics& mine,
                  Diagnostics& agreed);

} // namespace cyclotron::mpi
