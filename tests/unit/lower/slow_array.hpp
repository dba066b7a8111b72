// SPDX-License-Identifier: MIT
// A slow array, independent of the simulator: PEs take turns, queues are unbounded, numbers are doubles. It knows no
// time: a program that gives the right values here gives them in any machine whose queues are deep enough.
#pragma once

#include "pe/ir.hpp"

#include <map>
#include <string>
#include <vector>

namespace cyclotron::lower {

// Row-major values of each tensor.
using Memories = std::map<std::string, std::vector<double>>;

struct SlowRun {
  Memories memory;
  std::string problem; // empty where every PE came to its end and every queue is empty
  std::int64_t messages = 0;
};

SlowRun run_slowly(const pe::Program& program, Memories memory);

} // namespace cyclotron::lower
