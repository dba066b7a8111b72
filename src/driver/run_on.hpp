// SPDX-License-Identifier: MIT
// How each target runs a program for `cyclotron run`: from a checked program and its inputs to its outputs, and what
// there is to tell about it.
#pragma once

#include "driver/commands.hpp"
#include "driver/session.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace cyclotron::driver {

using Outputs = std::map<std::string, tensor::Tensor>;

struct TargetRun {
  const RunOptions& options;
  Session& session;
  const frontend::Checked& checked;
  const recurrence::Bindings& bindings;

  Diagnostics& diagnostics() const { return session.diagnostics(); }
  const recurrence::Program& program() const { return checked.program(); }
};

struct TargetResult {
  Outputs outputs;
  double seconds = 0;      // of the computation alone
  std::string how;         // in a few words: "interpreted in 3 ms"
  std::string schedule;    // that was taken, where that is worth a look; a command a line
  std::string schedule_is; // how it came about; "" where the user gave it
  using Figure = std::variant<std::uint64_t, double>;
  std::vector<std::pair<std::string, Figure>> figures; // what the target counted, for the JSON
};

// Each reports what it refuses.
std::optional<TargetResult> run_on_c(const TargetRun& run);
std::optional<TargetResult> run_on_array(const TargetRun& run);
std::optional<TargetResult> run_on_mpi(const TargetRun& run);
std::optional<TargetResult> run_on_sam(const TargetRun& run);
std::optional<TargetResult> run_on_simd(const TargetRun& run);
std::optional<TargetResult> run_on_cuda(const TargetRun& run);
std::optional<TargetResult> run_on_interpreter(const TargetRun& run);

class Stopwatch {
public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// "35 µs", "1.2 ms", "3.4 s".
std::string duration(double seconds);

} // namespace cyclotron::driver
