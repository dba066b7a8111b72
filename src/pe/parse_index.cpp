// SPDX-License-Identifier: MIT
// Whole numbers and conditions. They are read as expressions of the language and then taken apart.
#include "pe/parser.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::pe {

using namespace recurrence;
using frontend::TokenKind;

Index FileParser::index() {
  in_index_ = true;
  const Expr expr = sum();
  in_index_ = false;
  return index_of(expr);
}

Index FileParser::index_of(const Expr& expr) {
  const Span span = expr->span;
  if (const Number* n = as<Number>(expr); n && n->integer) return {Whole{*n->integer}, span};
  if (const Name* n = as<Name>(expr)) {
    if (std::find(scope_.begin(), scope_.end(), n->id) == scope_.end()) fail_scope(n->id, span, scope_);
    return {Variable{n->id}, span};
  }
  if (const Unary* u = as<Unary>(expr); u && u->op == UnaryOp::negate) {
    if (const Number* n = as<Number>(u->operand); n && n->integer) return {Whole{-*n->integer}, span};
    return {Operation{IndexOp::sub, Whole{0}, index_of(u->operand)}, span};
  }
  if (const Binary* b = as<Binary>(expr)) {
    if (b->op == BinaryOp::add) return {Operation{IndexOp::add, index_of(b->lhs), index_of(b->rhs)}, span};
    if (b->op == BinaryOp::sub) return {Operation{IndexOp::sub, index_of(b->lhs), index_of(b->rhs)}, span};
    if (b->op == BinaryOp::mul) return {Operation{IndexOp::mul, index_of(b->lhs), index_of(b->rhs)}, span};
  }
  if (const Call* c = as<Call>(expr); c && c->arguments.size() == 2) {
    const Index lhs = index_of(c->arguments[0]), rhs = index_of(c->arguments[1]);
    if (c->function == Function::min) return {Operation{IndexOp::min, lhs, rhs}, span};
    if (c->function == Function::max) return {Operation{IndexOp::max, lhs, rhs}, span};
  }
  if (const Access* a = as<Access>(expr)) return call_of(*a, expr);
  fail({TokenKind::name, {}, span}, "expected a whole number of axes and variables",
       "it is made of `+`, `-`, `*`, `floor(x/4)`, `mod(x, 4)`, `min(x, y)` and `max(x, y)`");
}

// `floor(x/4)` and `mod(x, 4)`.
Index FileParser::call_of(const Access& call, const Expr& expr) {
  if (call.tensor == "mod" && call.indices.size() == 2)
    return {Operation{IndexOp::mod, index_of(call.indices[0]), index_of(call.indices[1])}, expr->span};
  const Binary* quotient = call.tensor == "floor" && call.indices.size() == 1 ? as<Binary>(call.indices[0]) : nullptr;
  if (quotient && quotient->op == BinaryOp::div)
    return {Operation{IndexOp::floor_div, index_of(quotient->lhs), index_of(quotient->rhs)}, expr->span};
  fail({TokenKind::name, {}, expr->span}, fmt::format("`{}` is no function of whole numbers", print(expr)),
       "there are `floor(x/4)`, `mod(x, 4)`, `min(x, y)` and `max(x, y)`");
}

// `1 <= i, k == 0 or i == 3`.
std::vector<Tests> FileParser::alternatives() {
  std::vector<Tests> any;
  if (accept("false")) return any;
  do any.push_back(tests());
  while (accept("or"));
  return any;
}

// A chain `1 <= i <= 2` is two tests.
Tests FileParser::tests() {
  Tests all;
  if (accept("true")) return all;
  do {
    Index lhs = index();
    auto relation = accept_relation();
    if (!relation) fail_expected("a comparison in the condition", "write one such as `1 <= i <= 2`");
    do {
      Index rhs = index();
      all.push_back({lhs, *relation, rhs});
      lhs = rhs;
    } while ((relation = accept_relation()));
  } while (accept(",") || accept("and"));
  return all;
}

void FileParser::fail_scope(const std::string& name, Span span, const Names& known) {
  fail({TokenKind::name, {}, span}, fmt::format("`{}` is not in scope here", name),
       known.empty() ? "no names are"
                     : fmt::format("in scope {} {}{}", known.size() == 1 ? "is" : "are", join_names(known),
                                   did_you_mean(name, known)));
}

} // namespace cyclotron::pe
