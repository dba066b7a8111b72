// SPDX-License-Identifier: MIT
#include "frontend/describe.hpp"

#include <fmt/format.h>

namespace cyclotron::frontend {

using namespace recurrence;

std::string describe_element(const Expr& expr, const Program& program,
                             const std::function<std::int64_t(const std::string&)>& value_of) {
  const Access& access = *as<Access>(expr);
  std::string out = access.tensor;
  if (access.step) {
    const std::int64_t step = accepted_affine(*access.step, program).evaluate(value_of);
    out += step < 0 ? fmt::format("^({})", step) : fmt::format("^{}", step);
  }
  if (access.indices.empty()) return out;
  std::string indices;
  for (const Expr& i : access.indices)
    indices += fmt::format("{}{}", indices.empty() ? "" : ", ", accepted_affine(i, program).evaluate(value_of));
  return out + "(" + indices + ")";
}

// Names with positive coefficients on one side, the others moved across.
std::string describe_condition(const Condition& condition) {
  Affine left, right;
  for (const auto& [name, c] : condition.affine.terms) (c > 0 ? left : right).terms[name] = std::abs(c);
  std::int64_t constant = condition.affine.constant;
  if (condition.kind == Condition::Kind::nonnegative && constant == -1 && !right.terms.empty() && !left.terms.empty())
    return print(right) + " < " + print(left);
  (constant > 0 ? left : right).constant = std::abs(constant);
  const char* relation = condition.kind == Condition::Kind::zero      ? "=="
                         : condition.kind == Condition::Kind::nonzero ? "!="
                                                                      : nullptr;
  if (relation) return fmt::format("{} {} {}", print(left), relation, print(right));
  return left.terms.empty() ? fmt::format("{} <= {}", print(right), print(left))
                            : fmt::format("{} >= {}", print(left), print(right));
}

} // namespace cyclotron::frontend
