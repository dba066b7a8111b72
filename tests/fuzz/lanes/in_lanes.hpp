// SPDX-License-Identifier: MIT
// One program as `run --target=simd` and `run --target=cuda` compile it, for many sizes.
#pragma once

#include "driver/lanes_code.hpp"
#include "driver/pipelines.hpp"
#include "fuzz/lane_kernel.hpp"

#include <string>

namespace cyclotron::fuzz {

using LaneSizes = std::map<std::string, std::int64_t>;

class InLanes {
public:
  // Compiled once: `largest` are the sizes for which whole numbers must fit. `schedule`: its name; "" for the first one
  // of the program, or for none where it has none.
  InLanes(const std::string& text, const std::string& schedule, RunsOn machine, const LaneSizes& largest);

  // With random inputs: what is wrong; "" where the values are those of the interpreter, within the tolerances of
  // driver::compare.
  std::string compare_with_interpreter(const LaneSizes& sizes);

private:
  std::optional<driver::LaneKernels> lower(const std::string& schedule, const LaneSizes& largest);

  Sources sources_;
  Diagnostics diagnostics_{sources_};
  driver::FrontEndResult front_end_;
  RunsOn machine_;
  std::optional<LaneKernel> kernel_;
};

} // namespace cyclotron::fuzz
