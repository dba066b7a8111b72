// SPDX-License-Identifier: MIT
// Results straight from their owners into one file, which appears whole or not at all.
#pragma once

#include "backend/mpi/data/part.hpp"
#include "support/diagnostics.hpp"

#include <mpi.h>

namespace cyclotron::mpi {

// Collective. Writes `.npy`, `.mtx` or `.tns`, each also gzipped, as the sequential program writes a dense tensor: the
// same bytes, but for gzip's. The parts of all ranks must make up the tensor. The file is written beside its target,
// by all ranks, and takes its place once all have succeeded; else it is removed, what was there before stays, and all
// ranks return false with the same error. `elements` is how many elements a rank formats per round, where the file is
// text or gzipped.
bool write(const std::string& path, const Declaration& tensor, const std::vector<Part>& parts, MPI_Comm comm,
           Diagnostics& diagnostics, std::int64_t elements = std::int64_t{1} << 17);

} // namespace cyclotron::mpi
