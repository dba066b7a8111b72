// SPDX-License-Identifier: MIT
#include "pattern/build.hpp"

namespace cyclotron::pattern::build {

using recurrence::BinaryOp;
using recurrence::Function;

Expr number(std::int64_t value) { return Number{ValueType::i64, value, 0}; }
Expr zero(ValueType type) { return Number{type, 0, 0}; }
Expr constant(ValueType type, double real, std::int64_t whole) {
  return tensor::is_float(type) ? Number{type, 0, real} : Number{type, whole, 0};
}
Expr variable(std::string name) { return Variable{std::move(name)}; }
Expr read(std::string memory, Expr index) { return Read{std::move(memory), std::move(index)}; }
Expr dequeue(std::string fifo) { return Dequeue{std::move(fifo)}; }

std::optional<std::int64_t> known(const Expr& expr) {
  const Number* n = expr ? ir::as<Number>(expr) : nullptr;
  return n && n->type == ValueType::i64 ? std::optional(n->whole) : std::nullopt;
}

Expr add(Expr a, Expr b) {
  const auto x = known(a), y = known(b);
  if (x && y) return number(*x + *y);
  if (x == 0) return b;
  if (y == 0) return a;
  if (y && *y < 0) return Binary{BinaryOp::sub, a, number(-*y)};
  return Binary{BinaryOp::add, std::move(a), std::move(b)};
}

Expr sub(Expr a, Expr b) {
  const auto x = known(a), y = known(b);
  if (x && y) return number(*x - *y);
  if (y == 0) return a;
  if (a == b) return number(0);
  return Binary{BinaryOp::sub, std::move(a), std::move(b)};
}

Expr mul(Expr a, Expr b) {
  const auto x = known(a), y = known(b);
  if (x && y) return number(*x * *y);
  if (x == 0 || y == 0) return number(0);
  if (x == 1) return b;
  if (y == 1) return a;
  return Binary{BinaryOp::mul, std::move(a), std::move(b)};
}

Expr min(Expr a, Expr b) {
  if (a == b) return a;
  return Call{Function::min, {std::move(a), std::move(b)}};
}

Expr max(Expr a, Expr b) {
  if (a == b) return a;
  return Call{Function::max, {std::move(a), std::move(b)}};
}

Expr both(Expr a, Expr b) {
  if (!a) return b;
  if (!b) return a;
  return Binary{BinaryOp::logical_and, std::move(a), std::move(b)};
}

Expr compare(BinaryOp op, Expr a, Expr b) { return Binary{op, std::move(a), std::move(b)}; }

Expr choose(Expr condition, Expr a, Expr b) {
  if (!condition || a == b) return a;
  return Select{std::move(condition), std::move(a), std::move(b)};
}

Expr convert(Expr expr, ValueType from, ValueType to) {
  if (from == to) return expr;
  return Convert{to, std::move(expr)};
}

Statement declare(MemoryKind kind, std::string name, ValueType type, Expr extent, Expr initial) {
  return {Declare{kind, std::move(name), type, std::move(extent), std::move(initial)}};
}
Statement let(std::string name, ValueType type, Expr value) { return {Let{std::move(name), type, std::move(value)}}; }
Statement load(std::string to, std::string from, Expr first, Expr end, Expr par) {
  return {Load{std::move(to), std::move(from), std::move(first), std::move(end), std::move(par)}};
}
Statement store(std::string from, std::string to, Expr first, Expr end, Expr par) {
  return {Store{std::move(from), std::move(to), std::move(first), std::move(end), std::move(par)}};
}
Statement write(std::string memory, Expr index, Expr value, std::optional<Reducer> reducer) {
  return {Write{std::move(memory), std::move(index), reducer, std::move(value)}};
}
Statement enqueue(std::string fifo, Expr value) { return {Enqueue{std::move(fifo), std::move(value)}}; }
Statement when(Expr condition, Body body) { return {If{std::move(condition), std::move(body)}}; }
Statement foreach (std::string index, Expr first, Expr end, Body body, Expr par) {
  if (!par) par = number(1);
  return {Loop{Range{std::move(index), std::move(first), std::move(end)},
               std::move(par),
               "",
               Reducer::sum,
               std::move(body),
               {}}};
}

} // namespace cyclotron::pattern::build
