// SPDX-License-Identifier: MIT
// How far a result in parts is from what it should be, without anybody having the whole of it.
#pragma once

#include "backend/mpi/data/read.hpp"

#include <optional>

namespace cyclotron::mpi {

// The largest difference, relative to the larger of 1 and the expected value: infinite where one of the two alone is
// no number or infinite, and 0 where both are the same.
struct Difference {
  double largest = 0;
  std::vector<std::int64_t> at; // the first element of the lowest rank that has it; empty where nothing differs
  double found = 0, expected = 0;
};

// Collective, with the same result on all ranks; nothing, with an error, where the source cannot be read. Needs as much
// memory again as the parts take.
std::optional<Difference> max_difference(const std::vector<Part>& parts, const Declaration& tensor,
                                         const Source& expected, MPI_Comm comm, Diagnostics& diagnostics,
                                         const Limits& limits = {});

// The same between two distributions of a tensor, which need not be the same; `expected` must have every element that
// `parts` have.
std::optional<Difference> max_difference(const std::vector<Part>& parts, const std::vector<Part>& expected,
                                         const Declaration& tensor, MPI_Comm comm, Diagnostics& diagnostics,
                                         const Limits& limits = {});

// Collective. Fills `to` from parts that are distributed in another way.
bool redistribute(const std::vector<Part>& from, const std::vector<Part>& to, const Declaration& tensor, MPI_Comm comm,
                  Diagnostics& diagnostics, const Limits& limits = {});

} // namespace cyclotron::mpi
