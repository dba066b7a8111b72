// SPDX-License-Identifier: MIT
// Two functions timed in turns: ours, theirs, ours, theirs. On a machine that others use, only that gives a ratio.
//
// Time is that of the calling thread on a processor, which leaves out what others took; where threads work for us, it
// is the time on the wall.
#pragma once

#include <functional>

namespace cyclotron::bench {

// One side of a comparison. `prepare` puts back what `run` destroys, and is not timed.
struct Side {
  std::function<void()> run;
  std::function<void()> prepare = {};
  bool threads = false; // several work: time on the wall
};

struct Medians {
  double ours = 0, rival = 0; // seconds a call
  double ratio = 0;           // median of the ratios of neighbours: rival / ours
  int rounds = 0;
};

// Both were called before, and are warm. At least seven rounds and a quarter of the time; all of it where the median of
// the ratios is not settled before.
Medians measure(const Side& ours, const Side& rival, double seconds);

double seconds_of(const Side& side); // one call

} // namespace cyclotron::bench
