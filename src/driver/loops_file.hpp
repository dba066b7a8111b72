// SPDX-License-Identifier: MIT
// `.loops` files: a program, then a line `loops` with the order, then the loops themselves.
//
//   tensor A(n, m): csr
//   tensor x(m)
//   tensor y(n)
//
//   y(i) = sum[j](A(i,j) * x(j))
//
//   loops i, j
//   forall i
//     forall j
//       ty(i) += A(i,j) * x(j)
//     y(i) = ty(i)
//
// The equations say what is computed, and the loops how; a reader of the file checks that they agree. A schedule in
// the file has the commands that are about data (mask, marching, precompute), and a line `only y` after `loops` names
// the outputs that are wanted.
#pragma once

#include "lower/loops/precompute.hpp"
#include "lower/loops/recurrence_to_loops.hpp"

#include <memory>
#include <string>
#include <vector>

namespace cyclotron::driver {

bool is_loops_file(const std::string& path);

// What the text says besides the program.
struct LoopsFile {
  std::vector<recurrence::Binder> only; // outputs that are wanted; none: all
  lower::Precomputed precomputed;       // the program with the workspaces of its schedule
  std::shared_ptr<const lower::LoweredLoops> loops;
};

std::string print_loops_file(const frontend::Checked& checked, const schedule::Schedule* schedule,
                             const std::vector<std::string>& only, const lower::LoweredLoops& loops,
                             const recurrence::Program& precomputed);

// Where the line `loops` of a text begins; nothing where it has none.
std::optional<std::size_t> find_loops(std::string_view text);

// The only schedule of the program in such a file, if there is one, may say nothing about loops. False where that was
// reported.
bool check_schedules_of_loops_file(const frontend::Checked& checked, Diagnostics& diagnostics);

// Reads the loops from the byte `begin` of the file on, and checks that they compute the equations of `checked`, in an
// order in which everything is there when it is read.
std::optional<LoopsFile> read_loops(std::int32_t file, std::size_t begin, const frontend::Checked& checked,
                                    Diagnostics& diagnostics);

} // namespace cyclotron::driver
