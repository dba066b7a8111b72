// SPDX-License-Identifier: MIT
// Affine expressions in indices and sizes: what index expressions, dimensions and constraints mean.
#pragma once

#include "recurrence/ir.hpp"

#include <functional>
#include <map>
#include <string>
#include <variant>

namespace cyclotron::recurrence {

// constant + sum of coefficient * name; names with coefficient 0 are not kept.
struct Affine {
  std::map<std::string, std::int64_t> terms;
  std::int64_t constant = 0;

  bool is_constant() const { return terms.empty(); }
  std::int64_t coefficient(const std::string& name) const;
  bool operator==(const Affine&) const = default;

  // The value where every name has the value that `value_of` gives.
  std::int64_t evaluate(const std::function<std::int64_t(const std::string&)>& value_of) const;
};

Affine operator+(Affine a, const Affine& b);
Affine operator-(const Affine& a, const Affine& b);
Affine operator*(std::int64_t factor, Affine a);

// Why an expression is not affine, and which part of it.
struct NotAffine {
  Span span;
  std::string reason;
};

// `let` constants are replaced by their values.
std::variant<Affine, NotAffine> affine_of(const Expr& expr, const Program& program);

// For expressions that the front end has accepted already.
Affine accepted_affine(const Expr& expr, const Program& program);

// `affine` where names have been replaced: `i -> 4*io + ii`.
Affine substitute(const Affine& affine, const std::map<std::string, Affine>& by);

// An expression that stands for the formula, sizes and indices by name.
Expr expression_of(const Affine& affine, const Program& program);

// `2*i + n - 1`, in the order of names.
std::string print(const Affine& affine);

// Quotients rounded down and up, whatever the signs.
inline std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}
inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return -floor_div(-a, b); }

} // namespace cyclotron::recurrence
