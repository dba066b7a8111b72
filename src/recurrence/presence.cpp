// SPDX-License-Identifier: MIT
#include "recurrence/presence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::recurrence {

Presence both(const Presence& a, const Presence& b) {
  if (a.is_always() || b.kind == Presence::Kind::never) return b;
  if (b.is_always() || a.kind == Presence::Kind::never) return a;
  return {Presence::Kind::all_of, "", {a, b}};
}

Presence either(const Presence& a, const Presence& b) {
  if (a.is_always() || b.kind == Presence::Kind::never) return a;
  if (b.is_always() || a.kind == Presence::Kind::never) return b;
  return {Presence::Kind::any_of, "", {a, b}};
}

Presence nonzero(const Expr& expr, const std::function<bool(const Access&)>& is_sparse,
                 const std::function<Presence(const Access&)>& temporary) {
  const auto of = [&](const Expr& e) { return nonzero(e, is_sparse, temporary); };
  return match(
      expr, [](const Number& n) { return n.value == 0 ? Presence::never() : Presence::always(); },
      [](const Boolean& b) { return b.value ? Presence::always() : Presence::never(); },
      [](const Name&) { return Presence::always(); },
      [&](const Access& a) { return is_sparse(a) ? Presence::of(print(expr)) : temporary(a); },
      [&](const Unary& u) { return u.op == UnaryOp::negate ? of(u.operand) : Presence::always(); },
      [&](const Binary& b) {
        switch (b.op) {
        case BinaryOp::add:
        case BinaryOp::sub:
        case BinaryOp::less:
        case BinaryOp::greater:
        case BinaryOp::not_equal:
        case BinaryOp::logical_or: return either(of(b.lhs), of(b.rhs));
        case BinaryOp::mul:
        case BinaryOp::logical_and: return both(of(b.lhs), of(b.rhs));
        case BinaryOp::div: return of(b.lhs);
        default: return Presence::always();
        }
      },
      [&](const Call& c) {
        if (c.function == Function::exp || c.function == Function::log || c.function == Function::pow)
          return Presence::always();
        Presence any = Presence::never();
        for (const Expr& e : c.arguments) any = either(any, of(e));
        return any;
      },
      [&](const Select& s) {
        // A branch counts only where its condition can hold: `select(G(i,j) > 0, 1, 0)` needs G(i,j).
        return either(both(of(s.condition), of(s.then_value)), of(s.else_value));
      },
      [](const Reduce&) { return Presence::always(); }, [](const KernelCall&) { return Presence::always(); });
}

namespace {

// The value of an expression with one access zero, where that alone decides it.
std::optional<double> value_without(const Expr& expr, const std::string& absent) {
  const auto of = [&](const Expr& e) { return value_without(e, absent); };
  return match(
      expr, [](const Number& n) { return std::optional<double>(n.value); },
      [](const Boolean& b) { return std::optional<double>(b.value ? 1 : 0); },
      [](const Name&) { return std::optional<double>(); },
      [&](const Access&) { return print(expr) == absent ? std::optional<double>(0) : std::nullopt; },
      [&](const Unary& u) -> std::optional<double> {
        const auto x = of(u.operand);
        if (!x) return std::nullopt;
        return u.op == UnaryOp::negate ? -*x : (*x == 0 ? 1.0 : 0.0);
      },
      [&](const Binary& b) -> std::optional<double> {
        const auto x = of(b.lhs), y = of(b.rhs);
        const bool zero = (x && *x == 0) || (y && *y == 0);
        if (b.op == BinaryOp::mul && zero) return 0.0;
        if (b.op == BinaryOp::logical_and && zero) return 0.0;
        if (b.op == BinaryOp::logical_or && ((x && *x != 0) || (y && *y != 0))) return 1.0;
        if (!x || !y) return std::nullopt;
        switch (b.op) {
        case BinaryOp::add: return *x + *y;
        case BinaryOp::sub: return *x - *y;
        case BinaryOp::mul: return *x * *y;
        case BinaryOp::less: return *x < *y;
        case BinaryOp::less_equal: return *x <= *y;
        case BinaryOp::greater: return *x > *y;
        case BinaryOp::greater_equal: return *x >= *y;
        case BinaryOp::equal: return *x == *y;
        case BinaryOp::not_equal: return *x != *y;
        case BinaryOp::logical_and: return *x != 0 && *y != 0;
        case BinaryOp::logical_or: return *x != 0 || *y != 0;
        case BinaryOp::div: return std::nullopt;
        }
        return std::nullopt;
      },
      [](const Call&) { return std::optional<double>(); },
      [&](const Select& s) -> std::optional<double> {
        const auto condition = of(s.condition);
        if (!condition) return std::nullopt;
        return of(*condition != 0 ? s.then_value : s.else_value);
      },
      [](const Reduce&) { return std::optional<double>(); }, [](const KernelCall&) { return std::optional<double>(); });
}

bool is_identity(double value, Reducer reducer) {
  switch (reducer) {
  case Reducer::sum:
  case Reducer::any: return value == 0;
  case Reducer::prod:
  case Reducer::all: return value == 1;
  case Reducer::min: return std::isinf(value) && value > 0;
  case Reducer::max: return std::isinf(value) && value < 0;
  }
  return false;
}

} // namespace

Presence not_identity(const Expr& expr, Reducer reducer, const std::function<bool(const Access&)>& is_sparse) {
  std::set<std::string> tried;
  Presence result = Presence::always();
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    const Access* a = as<Access>(e);
    if (!a || !is_sparse(*a)) return;
    const std::string text = print(e);
    if (!tried.insert(text).second) return;
    const auto value = value_without(expr, text);
    if (value && is_identity(*value, reducer)) result = both(result, Presence::of(text));
  });
  return result;
}

Presence restricted(const Presence& p, const std::set<std::string>& known) {
  switch (p.kind) {
  case Presence::Kind::always:
  case Presence::Kind::never: return p;
  case Presence::Kind::atom: return known.count(p.atom) ? p : Presence::always();
  case Presence::Kind::all_of: return both(restricted(p.parts[0], known), restricted(p.parts[1], known));
  case Presence::Kind::any_of: return either(restricted(p.parts[0], known), restricted(p.parts[1], known));
  }
  return Presence::always();
}

std::optional<std::vector<std::string>>
cover(const Presence& p, const std::string& preferred,
      const std::function<bool(const std::string&, const std::string&)>& better) {
  switch (p.kind) {
  case Presence::Kind::always: return std::nullopt;
  case Presence::Kind::never: return std::vector<std::string>{};
  case Presence::Kind::atom: return std::vector<std::string>{p.atom};
  case Presence::Kind::all_of: {
    const auto a = cover(p.parts[0], preferred, better), b = cover(p.parts[1], preferred, better);
    if (!a || !b) return a ? a : b;
    const auto is_preferred = [&](const auto& list) { return list.size() == 1 && list[0] == preferred; };
    if (is_preferred(*a)) return a;
    if (is_preferred(*b)) return b;
    if (a->size() == 1 && b->size() == 1) return better((*b)[0], (*a)[0]) ? b : a;
    return b->size() < a->size() ? b : a;
  }
  case Presence::Kind::any_of: {
    auto a = cover(p.parts[0], preferred, better);
    const auto b = cover(p.parts[1], preferred, better);
    if (!a || !b) return std::nullopt;
    for (const std::string& x : *b)
      if (std::find(a->begin(), a->end(), x) == a->end()) a->push_back(x);
    return a;
  }
  }
  return std::nullopt;
}

bool follows(const Presence& p, const std::string& atom) {
  switch (p.kind) {
  case Presence::Kind::always: return true;
  case Presence::Kind::never: return false;
  case Presence::Kind::atom: return p.atom == atom;
  case Presence::Kind::all_of: return follows(p.parts[0], atom) && follows(p.parts[1], atom);
  case Presence::Kind::any_of: return follows(p.parts[0], atom) || follows(p.parts[1], atom);
  }
  return false;
}

bool needs(const Presence& p, const std::string& atom) {
  switch (p.kind) {
  case Presence::Kind::always: return false;
  case Presence::Kind::never: return true;
  case Presence::Kind::atom: return p.atom == atom;
  case Presence::Kind::all_of: return needs(p.parts[0], atom) || needs(p.parts[1], atom);
  case Presence::Kind::any_of: return needs(p.parts[0], atom) && needs(p.parts[1], atom);
  }
  return false;
}

} // namespace cyclotron::recurrence
