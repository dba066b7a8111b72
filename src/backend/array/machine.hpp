// SPDX-License-Identifier: MIT
// The hardware that an array is simulated on. By default a link takes one cycle, and nothing else costs time or has a
// limit.
#pragma once

#include "engine/process.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace cyclotron::array {

using engine::Time;

struct Machine {
  // Links. An element is a number or a tile.
  Time link_latency = 1;                 // cycles per hop
  Time link_interval = 0;                // cycles between two elements on a link, at least; 0: any number a cycle
  std::int64_t link_bytes_per_cycle = 0; // 0: an element of any size leaves in one cycle
  std::size_t fifo_depth = 0;            // elements on their way or waiting, per link; 0: as many as there are
  Time response_latency = 1;             // from when an element is received to when its room can be used again

  // Memory. Addresses are known ahead, so that a latency is paid once per pass, and then elements come one after
  // another.
  bool broadcast_network = true; // wires from memory to many PEs at once
  Time broadcast_latency = 0;
  Time memory_latency = 0;          // of ports at the boundary
  std::int64_t loads_per_cycle = 0; // of a port: every PE at the boundary has one; 0: any number

  std::int64_t register_bytes = 0; // of a PE, at most; 0: any number

  // Kernels. One that is not named takes `cycles_per_multiply_add` for each of its multiply-adds, rounded up; where
  // that is 0, one cycle.
  std::map<std::string, Time> kernel_cycles = {};
  double cycles_per_multiply_add = 0;
};

// About the simulation, not the machine.
struct SimulationSettings {
  bool records = false;             // what every PE did when: intervals and steps
  std::uint64_t shuffle = 0;        // as engine::SimulationOptions
  std::uint64_t expected_steps = 0; // of all PEs, to show how far it is; 0: unknown
};

} // namespace cyclotron::array
