// SPDX-License-Identifier: MIT
// A .cyc file in the lanes of vectors, as a function on borrowed arrays.
#pragma once

#include "backend/simd/kernel.hpp"
#include "bench.hpp"
#include "driver/pipelines.hpp"
#include "recurrence/interpret.hpp"

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace cyclotron::bench {

class LaneProgram {
public:
  // Throws Unavailable, with the first message, where it is refused. `path`: of a .cyc file. `schedule`: the name of
  // one in that file. The kernel is for these sizes and inputs: inputs that are not given may be anything, but for
  // whole numbers, which it may compute with fewer bits if they are small.
  LaneProgram(const std::string& path, const std::string& schedule, recurrence::Bindings bindings,
              const std::set<std::string>& unwanted = {});

  bool narrow() const { return narrow_; } // inputs that are whole numbers are taken as int16_t

  // A run on these arrays, by the names of tensors: dense, in row-major order. Lives no longer than this.
  std::function<void()> on(const std::map<std::string, void*>& tensors);

private:
  [[noreturn]] void fail() const;

  Sources sources_;
  Diagnostics diagnostics_{sources_};
  driver::FrontEndResult front_end_;
  std::shared_ptr<const backend::simd::Kernel> kernel_;
  std::map<std::string, std::int64_t> sizes_;
  std::map<std::string, std::string> memories_; // of tensors: what the kernel calls them
  bool narrow_ = false;
};

} // namespace cyclotron::bench
