// SPDX-License-Identifier: MIT
#include "recurrence/implied.hpp"

#include <fmt/format.h>

namespace cyclotron::recurrence {

std::optional<Condition> affine_comparison(const Binary& comparison, bool value, const Program& program) {
  if (!is_comparison(comparison.op)) return std::nullopt;
  const auto lhs = affine_of(comparison.lhs, program), rhs = affine_of(comparison.rhs, program);
  if (!std::holds_alternative<Affine>(lhs) || !std::holds_alternative<Affine>(rhs)) return std::nullopt;
  const Condition c = condition_of(std::get<Affine>(lhs), relation_of(comparison.op), std::get<Affine>(rhs));
  return value ? c : negated(c);
}

namespace {

struct SaysText {
  std::string always() const { return ""; }
  std::string never() const { return "1 = 0"; }
  std::string unknown() const { return ""; }
  std::string condition(const Condition& c) const { return isl_text(c); }
  std::string both(const std::string& a, const std::string& b) const {
    return a.empty() ? b : b.empty() ? a : fmt::format("({} and {})", a, b);
  }
  std::string either(const std::string& a, const std::string& b) const {
    return a.empty() || b.empty() ? "" : fmt::format("({} or {})", a, b);
  }
};

} // namespace

std::string implied_text(const Expr& expr, bool value, const Program& program) {
  return implied(expr, value, program, SaysText{});
}

} // namespace cyclotron::recurrence
