// SPDX-License-Identifier: MIT
// The checker of a sweep. Of a point it takes only the schedule and the machine, and checks all that the solver claims.
// It reads the schedule as a user would write it and compiles it anew. It compares the values with the interpreter's,
// and the cycles, PEs, messages and memory with those of a run without values, which shares no code with the simulator.
#pragma once

#include "driver/explore_sweep.hpp"
#include "explore/points.hpp"
#include "pe/ir.hpp"
#include "tensor/tensor.hpp"

namespace cyclotron::driver {

class ExploreChecker {
public:
  // `expected`: the outputs by the interpreter.
  ExploreChecker(const ExploreSweep& sweep, const std::map<std::string, tensor::Tensor>& expected)
      : sweep_(sweep), expected_(expected), own_(sweep) {}

  // `ok`, or `wrong: …`. A point without cycles keeps its verdict where PEs do wait for ever.
  std::string verdict(const explore::Point& point);

private:
  // "" where they are right.
  std::string compile(const std::string& text);
  std::string check_values();
  std::string check_costs(const explore::Point& point) const;

  const ExploreSweep& sweep_;
  const std::map<std::string, tensor::Tensor>& expected_;
  OwnProgram own_;
  std::string last_text_, last_problem_; // of the schedule read last
  std::optional<pe::Program> program_;
};

} // namespace cyclotron::driver
