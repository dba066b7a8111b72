// SPDX-License-Identifier: MIT
// From a checked program to graphs of streams, at the sizes of a run: what stands between the passes. The pipeline
// itself is in pipelines.cpp.
#pragma once

#include "driver/pass_printer.hpp"
#include "frontend/check.hpp"
#include "lower/stream/recurrence_to_stream.hpp"
#include "schedule/ir.hpp"

namespace cyclotron::driver {

struct StreamRequest {
  const frontend::Checked* checked = nullptr;
  const schedule::Schedule* schedule = nullptr; // null: the orders of loops are chosen
  std::map<std::string, std::int64_t> sizes{};  // may be empty where only the graph is wanted
  PipelineOptions pipeline{};
};

// Graphs whose extents are formulas of the sizes.
struct LoweredStream {
  StreamRequest request;
  lower::LoweredStream lowered;
};

// What is to be run, at the sizes of a run.
struct SamProgram {
  std::vector<stream::Graph> phases;
  std::vector<std::map<std::string, std::int64_t>> extents; // of the indices of each phase
  std::vector<lower::StreamSplits> splits;                  // of each phase: operands to be stored in tiles
  struct Whole {
    std::vector<std::int64_t> dims;
    tensor::Format format;
  };
  std::map<std::string, Whole> results; // of those that are split or stored otherwise: what they are put together to
};

// The pipeline.
std::optional<SamProgram> compile_sam(StreamRequest request, Diagnostics& diagnostics);

// Extents and shapes of results as numbers; none where the sizes are not known and only the graph is wanted.
SamProgram at_sizes(LoweredStream stream);

} // namespace cyclotron::driver
