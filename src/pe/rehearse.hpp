// SPDX-License-Identifier: MIT
// A run without values. It finds how many cycles a program takes, and whether PEs wait for each other for ever.
//
// It follows the same contract as the simulator, but shares no code with it, so that the two can be compared:
//   - A step receives what it needs, one channel after another. Let t be the cycle in which the last element is there.
//   - What the step only passes on leaves in cycle t. What it computes leaves in its last cycle, t + cost - 1.
//   - An element arrives `latency` cycles later per hop.
//   - A channel with a depth holds so many elements. A PE that sends into a full channel waits until `response` cycles
//     after an element was received.
//
// PEs meet only through channels and passes. So the outcome does not depend on the order in which PEs are looked at,
// and whether they wait for ever does not depend on latencies. Bandwidth of links and ports to memory are not modelled.
#pragma once

#include "pe/predict.hpp"

#include <functional>

namespace cyclotron::pe {

struct RehearsalOptions {
  std::int64_t depth = 0; // of every channel; 0: unbounded
  std::int64_t latency = 1, response = 1;
  std::function<std::int64_t(const std::string& kernel)> kernel_cycles; // none: one cycle each
  std::int64_t most_work = usual_work;
};

// A PE that cannot go on.
struct Stuck {
  enum class On { receive, send, pass } on = On::receive;
  int element = 0; // row-major
  int channel = -1;
  int other = -1; // the PE it waits for; -1: outside the grid
};

struct Rehearsal {
  std::int64_t cycles = 0;
  std::vector<std::int64_t> pass_cycles; // one per pass; empty where there are none
  std::uint64_t most_waiting = 0;        // elements in one channel at once, in the order of this run
  int stuck = 0;                         // PEs that cannot go on
  // Each waits for the next; the last for the first where it is a circle, else for one that has ended.
  std::vector<Stuck> chain;
  bool circle = false;
};

// Nothing where it would take more work than that.
std::optional<Rehearsal> rehearse(const Program& program, const RehearsalOptions& options = {});

// Who waits for whom, a line each; empty where none is stuck.
std::string describe(const Rehearsal& rehearsal, const Program& program, std::int64_t depth);

// The smallest depth with which no PE is stuck: 0 where none suffices, nothing where a run would take more work than
// that. Found by doubling, then by halving: a program that ends with some depth ends with every larger one.
std::optional<std::int64_t> smallest_depth(const Program& program, std::int64_t most_work = usual_work);

// Whether channels of this depth (0: unbounded) are too shallow, before the run.
struct DepthCheck {
  std::string problem; // who waits for whom; empty where none is stuck
  std::string advice;  // the depth that suffices
};
std::optional<DepthCheck> check_depth(const Program& program, std::int64_t depth, std::int64_t most_work = usual_work);

} // namespace cyclotron::pe
