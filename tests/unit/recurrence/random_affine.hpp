// SPDX-License-Identifier: MIT
// Random affine expressions and conditions as trees, and their values found by walking the tree.
#pragma once

#include "recurrence/affine.hpp"

#include <rapidcheck.h>

#include <map>
#include <string>

namespace cyclotron::recurrence {

using Values = std::map<std::string, std::int64_t>;

inline Expr whole(std::int64_t n) { return Expr(Number{static_cast<double>(n), n}); }
inline Expr index(const std::string& name) { return Expr(Name{name, NameKind::index}); }

// Sums, differences and multiples of i, j, n and small numbers.
inline Expr random_affine(int depth) {
  switch (*rc::gen::inRange(0, depth <= 0 ? 2 : 6)) {
  case 0: return whole(*rc::gen::resize(100, rc::gen::inRange(0, 6)));
  case 1: {
    const std::string name = *rc::gen::element<std::string>("i", "j", "n");
    return Expr(Name{name, name == "n" ? NameKind::size : NameKind::index});
  }
  case 2: return Expr(Binary{BinaryOp::add, random_affine(depth - 1), random_affine(depth - 1)});
  case 3: return Expr(Binary{BinaryOp::sub, random_affine(depth - 1), random_affine(depth - 1)});
  case 4: return Expr(Unary{UnaryOp::negate, random_affine(depth - 1)});
  default: {
    const Expr factor = whole(*rc::gen::resize(100, rc::gen::inRange(0, 4))), rest = random_affine(depth - 1);
    return *rc::gen::arbitrary<bool>() ? Expr(Binary{BinaryOp::mul, factor, rest})
                                       : Expr(Binary{BinaryOp::mul, rest, factor});
  }
  }
}

inline std::int64_t value_of(const Expr& expr, const Values& values) {
  if (const Number* n = as<Number>(expr)) return *n->integer;
  if (const Name* n = as<Name>(expr)) return values.at(n->id);
  if (const Unary* u = as<Unary>(expr)) return -value_of(u->operand, values);
  const Binary& b = *as<Binary>(expr);
  const std::int64_t x = value_of(b.lhs, values), y = value_of(b.rhs, values);
  return b.op == BinaryOp::add ? x + y : b.op == BinaryOp::sub ? x - y : x * y;
}

inline bool compare(BinaryOp op, std::int64_t x, std::int64_t y) {
  switch (op) {
  case BinaryOp::less: return x < y;
  case BinaryOp::less_equal: return x <= y;
  case BinaryOp::greater: return x > y;
  case BinaryOp::greater_equal: return x >= y;
  case BinaryOp::equal: return x == y;
  default: return x != y;
  }
}

inline BinaryOp random_comparison() {
  return *rc::gen::element(BinaryOp::less, BinaryOp::less_equal, BinaryOp::greater, BinaryOp::greater_equal,
                           BinaryOp::equal, BinaryOp::not_equal);
}

inline Values random_values() {
  Values values;
  for (const char* name : {"i", "j", "n"}) values[name] = *rc::gen::resize(100, rc::gen::inRange(-9, 10));
  return values;
}

} // namespace cyclotron::recurrence
