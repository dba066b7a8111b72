// SPDX-License-Identifier: MIT
// Expressions as sums of terms and products of factors, and with other names.
#pragma once

#include "recurrence/ir.hpp"

#include <map>

namespace cyclotron::lower {

struct Term {
  recurrence::Expr value;
  bool negative = false;
};

// `a - (b + c)` is a, -b, -c.
bool is_sum_of_terms(const recurrence::Expr& expr);
std::vector<Term> terms_of(const recurrence::Expr& expr);
recurrence::Expr sum_of(const std::vector<Term>& terms, Span span);

// `a * b * (c + d)` is a, b, c + d.
std::vector<recurrence::Expr> factors_of(const recurrence::Expr& expr);
recurrence::Expr product_of(const std::vector<recurrence::Expr>& factors, Span span);

// Other names for indices, bound ones included; all at once.
recurrence::Expr with_names(const recurrence::Expr& expr, const std::map<std::string, std::string>& names);
recurrence::Constraint with_names(recurrence::Constraint constraint, const std::map<std::string, std::string>& names);

} // namespace cyclotron::lower
