// SPDX-License-Identifier: MIT
// Runs a kernel on arguments that bind.hpp has checked: the second phase, in which values are computed.
#pragma once

#include "api/bind.hpp"
#include "api/raise.hpp"
#include "recurrence/isl_limit.hpp"

namespace cyclotron::detail {

// What stands behind Call. Everything that it looks at lives as long as it does, but for the caller's arrays.
struct CallState {
  std::shared_ptr<const AnalysisState> analysis;
  api::BoundInputs inputs;
  std::vector<OutputState> fresh; // memory for outputs that have none yet, in the order of the analysis
  std::vector<void*> values;      // where each output goes
  std::optional<backend::c::Kernel::BoundCall> compiled = {};
  // Outputs in the memory of a device, and that memory where it is ours.
  std::map<std::size_t, std::shared_ptr<const DeviceTensorState>> on_device = {};

  void run() const;
  void run_or_leave() const; // where it fails, outputs are as they were
};

} // namespace cyclotron::detail

namespace cyclotron::api {

// isl's own exception, where it reaches its limit, as ours.
template <class F> auto within_isl_limit(F f) {
  auto result = recurrence::unless_too_hard(f);
  if (!result) raise("the index sets of this program have too many cases at these sizes");
  return std::move(*result);
}

// Outputs into the arrays that are named, and the others into some that are dropped.
std::shared_ptr<const detail::CallState> bound_call(std::shared_ptr<const detail::AnalysisState> analysis,
                                                    BoundInputs inputs, const Arguments& outputs);

// Outputs into the arrays of the analysis.
void compute_own(const std::shared_ptr<detail::AnalysisState>& analysis, BoundInputs inputs);

} // namespace cyclotron::api
