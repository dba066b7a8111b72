// SPDX-License-Identifier: MIT
// A .cyc file as a function on borrowed arrays.
#pragma once

#include "backend/c/kernel.hpp"
#include "bench.hpp"
#include "driver/pipelines.hpp"
#include "sparse.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

namespace cyclotron::bench {

using Sizes = std::map<std::string, std::int64_t>;
using Views = std::map<std::string, backend::c::View>;

class Program {
public:
  // Throws Unavailable, with the messages, where it is refused. `schedule` may be empty. `unwanted`: outputs of which
  // only what others need is kept. `wide`: its kernel computes from tensors without copying their positions and
  // coordinates.
  Program(const Bench& bench, const std::string& name, const std::string& schedule,
          const std::set<std::string>& unwanted = {}, bool wide = false);

  // Positions and coordinates are 32 bits wide.
  void call(const Sizes& sizes, const Views& views) const;

  // The same for many calls: what is left is to run the kernel. Lives no longer than this.
  std::function<void()> bound(const Sizes& sizes, const Views& views) const;

  // With the masks that the schedule asks for; they live as long as this.
  backend::c::View view_with_masks(const std::string& tensor, Sparse& s) const;

  const backend::c::Kernel& kernel() const { return *kernel_; }
  const frontend::Checked& checked() const { return *front_end_.checked; }
  Diagnostics& diagnostics() const { return diagnostics_; }
  std::string source() const { return kernel_->source(false, diagnostics_); }
  [[noreturn]] void fail() const; // with what was reported

private:
  void load_edited(const std::string& path);

  Sources sources_;
  mutable Diagnostics diagnostics_{sources_};
  driver::FrontEndResult front_end_;
  std::shared_ptr<const backend::c::Kernel> kernel_;

  mutable std::deque<std::pair<Sparse, Indices>> masks_;

  // An edited C file in its place.
  std::shared_ptr<const backend::c::Library> edited_;
  std::vector<backend::c::Argument> arguments_;
};

// A schedule whose commands make no difference yet.
bool same_code(const Program& a, const Program& b);

} // namespace cyclotron::bench
