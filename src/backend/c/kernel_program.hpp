// SPDX-License-Identifier: MIT
// The two ends of the way from a program to the C of a kernel; `driver/pipelines.cpp` says what lies between them.
//
//   program, schedule   -->   KernelProgram     what the kernel computes: with workspaces, masks and marching
//   loops               -->   Written           one form of it in C
#pragma once

#include "backend/c/build.hpp"
#include "backend/c/emit.hpp"
#include "frontend/check.hpp"
#include "lower/loops/recurrence_to_loops.hpp"

#include <compare>

namespace cyclotron::backend::c {

struct KernelOptions {
  std::string name = "kernel"; // of the C function
  std::string title;           // for the comment on top of the C file
  std::set<std::string> all_steps;
  std::set<std::string> unwanted; // outputs that the caller does not want: computed as far as others need them
  std::shared_ptr<const lower::LoweredLoops> loops{}; // of a `.loops` file; null: they are placed
  bool wide = false; // `compute` uses the 64-bit positions and coordinates of its tensors, not copies in 32 bits
  BuildOptions build;
};

// How whole numbers are computed: each is right where the one before finds a number too large for it.
enum class Arithmetic { quick, plain, careful };

struct Form {
  bool wide = false; // positions and coordinates have 64 bits
  Arithmetic arithmetic = Arithmetic::quick;
  auto operator<=>(const Form&) const = default;
};

struct KernelProgram {
  const frontend::Checked* written = nullptr; // as the user has it; outlives the kernel
  std::optional<schedule::Schedule> schedule; // the user's
  KernelOptions options;
  lower::Precomputed precomputed;
  std::set<std::string> internal; // tensors that the kernel keeps to itself: unwanted dense outputs, workspaces
  std::vector<Mask> masks;
  std::vector<Marching> marching;

  // With the workspaces that the schedule asks for.
  const frontend::Checked& checked() const { return precomputed.checked ? *precomputed.checked : *written; }
  const schedule::Schedule* own_schedule() const { return schedule ? &*schedule : nullptr; }
};

// Of the unwanted outputs of a program, those that a kernel keeps to itself.
std::set<std::string> internal_of(const recurrence::Program& program, const std::set<std::string>& unwanted);

// The commands that are about loops and data rather than other machines: `mask` and `marching` go to the program, the
// others are checked. False where an error was reported.
bool read_data_commands(KernelProgram& program, Diagnostics& diagnostics);

struct Written {
  Emitted emitted;
  std::vector<std::string> order; // of the loops
};

// Warns of commands that change nothing.
std::optional<Written> write_kernel(const KernelProgram& program, const lower::LoweredLoops& loops, Form form,
                                    Diagnostics& diagnostics);

} // namespace cyclotron::backend::c
