// SPDX-License-Identifier: MIT
// Inputs straight to their owners: every rank reads or makes what it holds, and nobody ever holds a whole tensor.
#pragma once

#include "backend/mpi/data/part.hpp"
#include "support/diagnostics.hpp"
#include "tensor/generate.hpp"

#include <mpi.h>

#include <variant>

namespace cyclotron::mpi {

// A file (`.npy`, `.mtx`, `.tns`, each also gzipped), a recipe, or a tensor that every rank has in memory.
using Source = std::variant<std::string, tensor::Recipe, const tensor::Tensor*>;

// How much is on its way at a time; the results do not depend on it.
struct Limits {
  std::int64_t text = std::int64_t{1} << 18; // bytes of a text file that a rank reads per round
  std::int64_t elements = 0;                 // that a rank sends per round; 0: as many as are sensible
};

// Collective. Fills the parts with what the sequential program would bind to this tensor, bit for bit, in words of the
// declared type. False on all ranks, with the same single error, where any rank finds one.
//   .npy       each rank reads the bytes of its own elements
//   .mtx .tns  each rank parses a share of the file and sends the entries to their owners
//   gzipped    rank 0 unpacks and parses, and sends on
//   recipes    each rank makes its own elements, or, where they depend on each other, an equal share of all
bool read(const Source& source, const Declaration& tensor, const std::vector<Part>& parts, MPI_Comm comm,
          Diagnostics& diagnostics, const Limits& limits = {});

} // namespace cyclotron::mpi
