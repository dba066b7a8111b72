// SPDX-License-Identifier: MIT
// The types and shapes of expressions as the language defines them, for the naive evaluator.
#pragma once

#include "recurrence/ir.hpp"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace cyclotron::fuzz {

struct NaiveType {
  tensor::ValueType type = tensor::ValueType::f64;
  bool adapts = false; // literals, indices and sizes take the type of what they meet
};

class NaiveTypes {
public:
  using Extent = std::function<std::int64_t(const recurrence::Expr&)>;
  NaiveTypes(const recurrence::Program& program, Extent extent) : program_(program), extent_(std::move(extent)) {}

  NaiveType of(const recurrence::Expr& expr);
  static NaiveType meet(NaiveType a, NaiveType b);

  // The dimensions of a tile; empty for a number.
  std::vector<std::int64_t> shape_of(const recurrence::Expr& expr) const;

private:
  NaiveType find(const recurrence::Expr& expr);
  NaiveType of_call(const recurrence::Call& call);

  const recurrence::Program& program_;
  Extent extent_;
  std::unordered_map<const recurrence::ExprNode*, NaiveType> known_;
};

} // namespace cyclotron::fuzz
