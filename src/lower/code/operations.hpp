// SPDX-License-Identifier: MIT
// Arithmetic as the language has it: a whole number that does not fit its type, a division by zero, the root or the
// logarithm of a negative number are noticed. What is noticed is gathered in two variables, `overflow` and `undefined`.
#pragma once

#include "code/build.hpp"
#include "lower/code/names.hpp"
#include "recurrence/ir.hpp"

#include <string>
#include <vector>

namespace cyclotron::lower {

// How whole numbers are computed.
struct Arithmetic {
  bool checked = true; // what does not fit its type is noticed; else nothing that does not fit can occur
  bool narrow = false; // an i32 is kept in 16 bits, because all of them fit

  code::Scalar scalar_of(tensor::ValueType type) const;
};

constexpr std::int64_t overflow_code = 1, undefined_code = 2; // of the kernel's answer

class Operations {
public:
  // `lanes`: vectors, else numbers. The two variables must be declared where something was noticed.
  Operations(bool lanes, const Arithmetic& arithmetic, FreshNames& names)
      : lanes_(lanes), arithmetic_(arithmetic), names_(names), overflow_(names("overflow")),
        undefined_(names("undefined")) {}

  struct Value {
    code::Expr expr;
    code::Scalar scalar;
  };

  // Where statements go, and the lanes that count there (missing: all).
  code::Body* body = nullptr;
  code::Expr mask;
  // What conditions on indices say around what is written now (missing: nothing). Elsewhere a read may be outside of
  // its tensor.
  code::Expr inside;

  code::Scalar scalar_of(tensor::ValueType type) const { return arithmetic_.scalar_of(type); }
  Value constant(double real, std::int64_t whole, code::Scalar scalar) const;
  Value converted(const Value& value, code::Scalar to);
  Value unary(recurrence::UnaryOp op, const Value& operand);
  Value binary(recurrence::BinaryOp op, const Value& lhs, const Value& rhs); // of one type
  Value call(recurrence::Function function, const std::vector<Value>& arguments);
  Value named(const Value& value);  // a variable, so that it is computed once
  Value copied(const Value& value); // a variable of its own, that nobody assigns

  // What to do before all statements, and behind them.
  void declare_flags(code::Body& to) const;
  void fail_by_flags(code::Body& to) const;

private:
  code::Expr same(const code::Expr& number) const { return lanes_ ? code::build::spread(number) : number; }
  code::Expr zero(code::Scalar scalar) const;
  void flag_overflow(const code::Expr& condition);
  void flag_undefined(const code::Expr& condition);
  void flag(const std::string& name, const code::Expr& condition);
  Value whole(recurrence::BinaryOp op, const Value& lhs, const Value& rhs);
  void flag_product(const Value& a, const Value& b, const Value& product);
  void flag_product_with(std::int64_t factor, const Value& a);
  Value absolute(const Value& value);
  Value in_double(code::UnaryOp op, const Value& value);

  bool lanes_;
  Arithmetic arithmetic_;
  FreshNames& names_;
  std::string overflow_, undefined_;
  bool may_overflow_ = false, may_be_undefined_ = false;
};

} // namespace cyclotron::lower
