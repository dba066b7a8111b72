// SPDX-License-Identifier: MIT
// The one place that orders passes: `pipelines.cpp` has an expression for every intermediate representation that a
// target takes. Here is the first of them, from text to a verified program; what the others begin and end with stands
// in compile_kernel.hpp, compile_array.hpp and compile_stream.hpp.
#pragma once

#include "driver/pass_printer.hpp"
#include "frontend/check.hpp"

#include <vector>

namespace cyclotron::driver {

struct FrontEndResult {
  std::optional<frontend::Checked> checked;
  double seconds = 0;
};

// The file must be in `diagnostics.sources()`.
FrontEndResult run_front_end(std::int32_t file, const PipelineOptions& options, Diagnostics& diagnostics);

// Names and summaries of the passes of each pipeline, in order.
struct PassInfo {
  std::string_view name;
  std::string_view summary;
};
struct PipelineInfo {
  std::string_view name;
  std::string_view meaning;
  std::vector<PassInfo> passes;
};
std::vector<PipelineInfo> all_pipelines();

} // namespace cyclotron::driver
