// SPDX-License-Identifier: MIT
#include "driver/check_values.hpp"

#include "driver/compare.hpp"
#include "driver/compile_kernel.hpp"
#include "support/pass_clock.hpp"

#include <fmt/format.h>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

using Tensors = std::map<std::string, tensor::Tensor>;

// The interpreter computes every element, stored or not.
double work_of(const Tensors& outputs, const Bindings& bindings) {
  double elements = 1, largest = 1;
  for (const auto& [name, t] : outputs) {
    double all = 1;
    for (std::int64_t n : t.dims) all *= static_cast<double>(n);
    elements = std::max(elements, all);
  }
  for (const auto& [name, size] : bindings.sizes) largest = std::max(largest, static_cast<double>(size));
  return elements * largest;
}

std::optional<Tensors> native(const frontend::Checked& checked, const Bindings& bindings, Diagnostics& diagnostics) {
  const auto kernel = make_kernel({&checked}, diagnostics);
  auto expected = kernel ? kernel->analyse(bindings, diagnostics) : std::nullopt;
  if (expected && !kernel->compute(bindings, *expected, diagnostics)) expected.reset();
  return expected;
}

std::optional<Tensors> interpreted(const frontend::Checked& checked, const Bindings& bindings,
                                   Diagnostics& diagnostics) {
  const TimedPass interpreting("interpret");
  return interpret(checked.program(), checked.types, checked.domains, bindings, {}, diagnostics);
}

} // namespace

std::optional<std::string> check_values(const frontend::Checked& checked, const Bindings& bindings,
                                        const Tensors& outputs, const std::set<std::string>& left_out,
                                        const std::string& who, Diagnostics& diagnostics) {
  const TimedPass comparing("compare-values");
  const bool large = work_of(outputs, bindings) > 30'000'000;
  const auto expected = large ? native(checked, bindings, diagnostics) : interpreted(checked, bindings, diagnostics);
  if (!expected) return std::nullopt;
  const Comparison c = compare(outputs, *expected, left_out);
  if (!c.problem.empty()) {
    diagnostics.error(fmt::format("{} computed something else: {}", who, c.problem));
    return std::nullopt;
  }
  return fmt::format("agree with {}: largest relative difference {:.1e}, of {:.0e} allowed",
                     large ? "native code" : "the interpreter", c.largest, c.allowed);
}

} // namespace cyclotron::driver
