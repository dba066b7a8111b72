// SPDX-License-Identifier: MIT
#include "lane_program.hpp"

#include "driver/lanes_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace cyclotron::bench {

LaneProgram::LaneProgram(const std::string& path, const std::string& schedule, recurrence::Bindings bindings,
                         const std::set<std::string>& unwanted) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Unavailable("cannot read " + path);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  front_end_ = driver::run_front_end(sources_.add(path, text), {}, diagnostics_);
  if (!front_end_.checked) fail();
  const auto& schedules = front_end_.checked->unit->schedules;
  const auto wanted =
      std::find_if(schedules.begin(), schedules.end(), [&](const auto& s) { return s.name.name == schedule; });
  if (wanted == schedules.end()) throw Unavailable(fmt::format("{} has no schedule {}", path, schedule));
  driver::ArrayRequest request{&*front_end_.checked, &*wanted, {}, bindings.sizes, {"lanes", {}, unwanted}, {}};
  auto made = driver::make_lanes_code(std::move(request), driver::simd_target(), &bindings, diagnostics_);
  if (!made) fail();
  memories_ = made->code.memories;
  narrow_ = made->code.narrow;
  for (const auto& [size, called] : made->code.sizes) sizes_[called] = bindings.sizes.at(size);
  kernel_ = backend::simd::Kernel::make(std::move(made->code.kernels), {}, diagnostics_);
  if (!kernel_) fail();
}

void LaneProgram::fail() const {
  const std::string text = diagnostics_.render(false);
  throw Unavailable(text.substr(0, text.find('\n')));
}

std::function<void()> LaneProgram::on(const std::map<std::string, void*>& tensors) {
  std::map<std::string, void*> memories;
  for (const auto& [tensor, array] : tensors) memories[memories_.at(tensor)] = array;
  const auto bound = kernel_->bind(sizes_, memories, diagnostics_);
  if (!bound) fail();
  return [call = *bound] {
    if (call.run() != 0) throw Unavailable("the kernel noticed that a number does not fit");
  };
}

} // namespace cyclotron::bench
