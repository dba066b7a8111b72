// SPDX-License-Identifier: MIT
#include "lower/branches.hpp"

#include <limits>
#include <map>

namespace cyclotron::lower {

using namespace recurrence;

bool is_affine(const Expr& condition, bool value, const Program& program) {
  if (const Unary* u = as<Unary>(condition); u && u->op == UnaryOp::logical_not)
    return is_affine(u->operand, !value, program);
  const Binary* b = as<Binary>(condition);
  if (b && is_logical(b->op))
    return (b->op == BinaryOp::logical_and) == value && is_affine(b->lhs, value, program) &&
           is_affine(b->rhs, value, program);
  return b && is_comparison(b->op) && std::holds_alternative<Affine>(affine_of(b->lhs, program)) &&
         std::holds_alternative<Affine>(affine_of(b->rhs, program));
}

std::vector<Condition> with(std::vector<Condition> conditions, const Expr& condition, bool value,
                            const Program& program) {
  if (const Unary* u = as<Unary>(condition); u && u->op == UnaryOp::logical_not)
    return with(std::move(conditions), u->operand, !value, program);
  const Binary* b = as<Binary>(condition);
  if (!b) return conditions;
  if (is_logical(b->op)) {
    if ((b->op == BinaryOp::logical_and) != value) return conditions;
    return with(with(std::move(conditions), b->lhs, value, program), b->rhs, value, program);
  }
  if (!is_comparison(b->op)) return conditions;
  const auto lhs = affine_of(b->lhs, program), rhs = affine_of(b->rhs, program);
  if (!std::holds_alternative<Affine>(lhs) || !std::holds_alternative<Affine>(rhs)) return conditions;
  static const std::map<Relation, Relation> opposite{
      {Relation::less, Relation::greater_equal}, {Relation::greater_equal, Relation::less},
      {Relation::greater, Relation::less_equal}, {Relation::less_equal, Relation::greater},
      {Relation::equal, Relation::not_equal},    {Relation::not_equal, Relation::equal}};
  const Relation relation = relation_of(b->op);
  conditions.push_back(
      condition_of(std::get<Affine>(lhs), value ? relation : opposite.at(relation), std::get<Affine>(rhs)));
  return conditions;
}

Expr identity(Reducer reducer, tensor::ValueType type) {
  if (type == tensor::ValueType::boolean) return Expr(Boolean{reducer == Reducer::all});
  if (reducer == Reducer::sum || reducer == Reducer::prod || reducer == Reducer::any || reducer == Reducer::all) {
    const std::int64_t one = reducer == Reducer::prod || reducer == Reducer::all;
    return Expr(Number{static_cast<double>(one), one});
  }
  const bool least = reducer == Reducer::min; // of nothing is the greatest number
  if (tensor::is_float(type)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return Expr(Number{least ? infinity : -infinity, std::nullopt});
  }
  const auto limit = [&]<class T>(T) -> std::int64_t {
    return least ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min();
  };
  const std::int64_t number = type == tensor::ValueType::i32 ? limit(std::int32_t{}) : limit(std::int64_t{});
  return Expr(Number{static_cast<double>(number), number});
}

Expr narrowed(const Reduce& reduce, std::vector<Condition>& conditions, const Types& types, const Program& program) {
  const auto is_nothing = [&](const Expr& e) {
    const Number* n = as<Number>(e);
    const Boolean* b = as<Boolean>(e);
    switch (reduce.reducer) {
    case Reducer::sum: return n && n->value == 0;
    case Reducer::prod: return n && n->value == 1;
    case Reducer::any: return b && !b->value;
    case Reducer::all: return b && b->value;
    default: return false;
    }
  };
  Expr body = reduce.body;
  while (const Select* s = as<Select>(body)) {
    const bool taken = is_nothing(s->else_value);
    const Expr& rest = taken ? s->then_value : s->else_value;
    const ExprType *whole = types.find(body), *part = types.find(rest);
    if (!(taken || is_nothing(s->then_value)) || !is_affine(s->condition, taken, program) || !whole || !part ||
        whole->type != part->type)
      break;
    conditions = with(std::move(conditions), s->condition, taken, program);
    body = rest;
  }
  return body;
}

} // namespace cyclotron::lower
