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

// A schedule as programs of PEs.
struct Built {
  explore::Point head;                        // what is known before it runs; `refused: …`, or no verdict yet
  std::shared_ptr<const pe::Program> program; // null where it was refused
};

class ExploreSolver {
public:
  explicit ExploreSolver(const ExploreSweep& sweep) : sweep_(sweep), own_(sweep) {}

  // The parameter `program` is the same for schedules that give the same programs.
  const Built& compile(const Candidate& candidate);

  // With cycles where it ran.
  explore::Point simulate(const Built& built, std::int64_t tile, std::int64_t latency, std::int64_t depth);

private:
  const ExploreSweep& sweep_;
  OwnProgram own_;
  std::string last_text_; // points of one schedule come one after another
  Built last_;
};

} // namespace cyclotron::driver
