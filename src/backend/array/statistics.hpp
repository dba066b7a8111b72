// SPDX-License-Identifier: MIT
// What a simulated run of an array was like: the one form from which tables, pictures and timelines are made.
#pragma once

#include "engine/process.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::array {

using engine::Time;

// One step of a PE, where steps are recorded.
struct StepRecord {
  Time begin = 0, end = 0;
  int space = 0; // into Statistics::spaces
};

struct PeStatistics {
  std::vector<std::int64_t> at;                   // its coordinates
  int role = -1;                                  // into Statistics::roles; -1: it does nothing
  Time computing = 0, receiving = 0, sending = 0; // cycles spent in steps, waiting to receive, waiting to send
  Time operating = 0;                             // of those in steps, in which an operation of the program is computed
  Time begin = 0, end = 0;                        // of its first and last step; idle before and after
  std::uint64_t steps = 0, loads = 0, stores = 0, received = 0, sent = 0;
  std::uint64_t memory_bytes = 0;          // of its registers
  std::vector<engine::Interval> intervals; // only where recorded
  std::vector<StepRecord> step_records;    // only where recorded
};

// One channel between two PEs; broadcasts and memory ports are not among them.
struct LinkStatistics {
  std::string channel; // of the program
  std::string value;
  int from = 0, to = 0; // into Statistics::pes
  std::uint64_t messages = 0, bytes = 0;
  std::uint64_t most_waiting = 0; // elements in it at once, at most
};

struct Statistics {
  std::string program;
  std::string schedule;
  std::vector<std::string> axes;
  std::vector<std::int64_t> extents; // of the grid, one per axis
  std::vector<std::string> spaces, roles;
  Time cycles = 0;
  std::string closed_form;       // "" where none is known
  std::optional<Time> predicted; // by the closed form, which is for links of one cycle
  Time link_latency = 1;
  std::vector<PeStatistics> pes; // row-major over the grid
  std::vector<LinkStatistics> links;
  std::vector<std::uint64_t> active; // per cycle, or per `cycles_per_bin` cycles: PEs that compute
  Time cycles_per_bin = 1;
  double seconds = 0; // that the simulation took
  std::uint64_t channel_operations = 0;

  // Of all PEs of the grid over all cycles: the part spent in steps, and the part in which operations of the program
  // are computed, not only values moved, as in the steps of a prefetch.
  double utilisation() const;
  double operating() const;
};

} // namespace cyclotron::array
