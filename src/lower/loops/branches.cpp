// SPDX-License-Identifier: MIT
#include "lower/loops/branches.hpp"

#include "recurrence/implied.hpp"

#include <limits>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

// A conjunction of comparisons, or nothing.
struct SaysConjunction {
  Said always() const { return {}; }
  Said never() const { return {}; }
  Said unknown() const { return {}; }
  Said condition(const Condition& c) const { return {{c}, true}; }
  Said both(Said a, const Said& b) const {
    a.conditions.insert(a.conditions.end(), b.conditions.begin(), b.conditions.end());
    return {std::move(a.conditions), a.all && b.all};
  }
  Said either(const Said&, const Said&) const { return {}; }
};

} // namespace

Said said_by(const Expr& condition, bool value, const Program& program) {
  return implied(condition, value, program, SaysConjunction{});
}

std::vector<Condition> with(std::vector<Condition> conditions, const Said& said) {
  conditions.insert(conditions.end(), said.conditions.begin(), said.conditions.end());
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
    if (!(taken || is_nothing(s->then_value)) || !whole || !part || whole->type != part->type) break;
    const Said said = said_by(s->condition, taken, program);
    if (!said.all) break;
    conditions = with(std::move(conditions), said);
    body = rest;
  }
  return body;
}

} // namespace cyclotron::lower
