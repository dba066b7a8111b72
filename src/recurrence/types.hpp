// SPDX-License-Identifier: MIT
// The type and shape of every expression.
//
// Types widen bool -> i32 -> i64 -> f32 -> f64. Literals, index variables and sizes take the type of what they
// are combined with. `/`, `sqrt`, `exp`, `log` and `pow` always compute in floating point, so an integer is
// never divided with its remainder silently lost; storing a floating-point value in an integer tensor is an error.
#pragma once

#include "recurrence/affine.hpp"
#include "support/diagnostics.hpp"

#include <unordered_map>

namespace cyclotron::recurrence {

struct ExprType {
  tensor::ValueType type = tensor::ValueType::f64;
  bool literal = false;      // adapts to what it is combined with
  std::vector<Affine> shape; // empty for a number, else the dimensions of a tile

  bool is_number() const { return shape.empty(); }
};

class Types {
public:
  const ExprType& of(const Expr& expr) const;
  const ExprType* find(const Expr& expr) const; // null for index expressions, which have none
  void set(const Expr& expr, ExprType type) { table_[expr.get()] = std::move(type); }

private:
  std::unordered_map<const ExprNode*, ExprType> table_;
};

// The type in which two operands meet.
ExprType promote(const ExprType& a, const ExprType& b);

// Infers all types; reports ranks and shapes that disagree, index expressions and constraints that are not
// affine, superscripts that do not fit, and values that a tensor cannot hold.
Types infer_types(const Program& program, Diagnostics& diagnostics);

} // namespace cyclotron::recurrence
