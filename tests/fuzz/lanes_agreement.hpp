// SPDX-License-Identifier: MIT
// A program in the lanes of vectors beside the interpreter.
#pragma once

#include "fuzz/array_agreement.hpp"
#include "fuzz/lane_kernel.hpp"
#include "lanes/ir.hpp"

namespace cyclotron::fuzz {

struct LaneShape {
  std::int64_t lanes = 4;
  std::int64_t per_lane = 0; // 0: as many as are chosen
  lanes::Layout layout = lanes::Layout::striped;
  RunsOn machine = RunsOn::interpreter;
};

struct LanesOutcome {
  enum class Kind { agrees, refused, differs } kind = Kind::agrees;
  std::string text = {};
};

// With the same tolerances as on an array.
LanesOutcome run_in_lanes(const frontend::Checked& checked, const schedule::Schedule* schedule, const SizeValues& sizes,
                          const Tensors& inputs, const LaneShape& shape, const Sources& sources);

} // namespace cyclotron::fuzz
