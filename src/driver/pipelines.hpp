// SPDX-License-Identifier: MIT
// The one place that orders passes.
#pragma once

#include "frontend/check.hpp"

#include <string>
#include <vector>

namespace cyclotron::driver {

struct PassReport {
  std::string_view name;
  double seconds = 0;
};

struct PipelineOptions {
  bool print_after_all = false; // print the IR after each pass that changed it, to stdout
};

struct FrontEndResult {
  std::optional<frontend::Checked> checked;
  std::vector<PassReport> passes;
};

// Text to verified program. The file must be in `diagnostics.sources()`.
FrontEndResult run_front_end(std::int32_t file, const PipelineOptions& options, Diagnostics& diagnostics);

// Names and summaries of all passes, in order.
struct PassInfo {
  std::string_view name;
  std::string_view summary;
};
std::vector<PassInfo> front_end_passes();

} // namespace cyclotron::driver
