// SPDX-License-Identifier: MIT
// Expressions of the language as code. The types are those of recurrence/types.hpp: literals and indices take the type
// of what they are combined with, and division and roots compute in floating point.
#pragma once

#include "lower/code/operations.hpp"
#include "recurrence/types.hpp"

#include <functional>

namespace cyclotron::lower {

class Expressions {
public:
  // What an access reads, and what an index or a size is, as an i64.
  using Read = std::function<Operations::Value(const recurrence::Access&)>;
  using Index = std::function<code::Expr(const std::string&)>;

  Expressions(Operations& operations, const recurrence::Program& program, Read read, Index index)
      : operations_(operations), program_(program), read_(std::move(read)), index_(std::move(index)) {}

  // The value as a number of that type.
  code::Expr of(const recurrence::Expr& expr, code::Scalar type);

private:
  struct Typed {
    Operations::Value value;
    recurrence::ExprType type;
  };

  Typed typed(const recurrence::Expr& expr);
  Typed number(const recurrence::Number& number);
  Typed name(const recurrence::Name& name);
  Typed unary(const recurrence::Unary& unary);
  Typed binary(const recurrence::Binary& binary);
  Typed logical(const recurrence::Binary& binary);
  Typed call(const recurrence::Call& call);
  Typed select(const recurrence::Select& select);
  Typed only_where(const code::Expr& condition, bool of_indices, const recurrence::Expr& expr);
  Typed converted(Typed typed, const recurrence::ExprType& type);

  Operations& operations_;
  const recurrence::Program& program_;
  Read read_;
  Index index_;
};

} // namespace cyclotron::lower
