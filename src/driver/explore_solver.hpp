// SPDX-License-Identifier: MIT
// The solver of a sweep: compiles a schedule, and simulates it on a machine. What it claims is checked elsewhere.
#pragma once

#include "driver/compile_array.hpp"
#include "driver/explore_sweep.hpp"
#include "explore/points.hpp"
#include "explore/problem.hpp"

namespace cyclotron::driver {

// A schedule to try; the text is what stands between the braces of `schedule NAME { … }`.
struct Candidate {
  explore::Choice choice;
  std::string text;
  std::string name; // "" for one that was enumerated
};

class ExploreSolver {
public:
  explicit ExploreSolver(const ExploreSweep& sweep) : sweep_(sweep), own_(sweep) {}

  // `refused: …`, or no verdict yet. `program` is the same for schedules that give the same programs.
  explore::Point compile(const Candidate& candidate);

  // With cycles where it ran.
  explore::Point simulate(const Candidate& candidate, std::int64_t latency, std::int64_t depth);

private:
  explore::Point start(const Candidate& candidate);

  const ExploreSweep& sweep_;
  OwnProgram own_;
  // Points of one schedule come one after another.
  std::string last_text_;
  std::optional<CompiledArray> last_;
  std::string last_refusal_;
};

} // namespace cyclotron::driver
