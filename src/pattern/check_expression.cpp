// SPDX-License-Identifier: MIT
#include "pattern/check_expression.hpp"

#include "pattern/words.hpp"

#include <fmt/format.h>

#include <limits>

namespace cyclotron::pattern {

using recurrence::BinaryOp;
using recurrence::Function;
using tensor::is_float;
using tensor::name_of;

namespace {

class ExpressionCheck {
public:
  explicit ExpressionCheck(const Scope& scope) : scope_(scope) {}

  ValueType type(const Expr& expr) {
    if (!expr) fail("an operand is missing");
    at_.push_back(expr);
    const ValueType result = ir::match(expr, [&](const auto& kind) { return of(kind); });
    at_.pop_back();
    return result;
  }

private:
  Span span() const { return at_.empty() ? Span{} : at_.back()->span; }
  [[noreturn]] void fail(std::string message) { throw Broken{{span(), std::move(message)}}; }

  void want(const Expr& e, ValueType wanted, std::string_view what) {
    const ValueType found = type(e);
    if (found == wanted) return;
    at_.push_back(e);
    fail(fmt::format("{} is {}, and `{}` is {}", what, name_of(wanted), print(e), name_of(found)));
  }

  [[noreturn]] void fail_meaning(std::string_view operation, ValueType type) {
    fail(fmt::format("`{}` has no meaning for {}", operation, name_of(type)));
  }

  ValueType of(const Number& n) {
    using small = std::numeric_limits<std::int32_t>;
    if (n.type == ValueType::boolean && n.whole != 0 && n.whole != 1) fail("a truth value is 0 or 1");
    if (n.type == ValueType::i32 && (n.whole < small::min() || n.whole > small::max()))
      fail(fmt::format("{} does not fit i32", n.whole));
    return n.type;
  }

  ValueType of(const Variable& v) {
    const Named& named = known(v.name, span(), scope_);
    switch (named.kind) {
    case NameKind::value:
    case NameKind::reg: return named.type;
    case NameKind::constant:
      fail(fmt::format("`{}` is an environment constant, which only parallel factors name", v.name));
    case NameKind::fifo: fail(fmt::format("`{0}` is a fifo, and is read by `let x: … = deq({0})`", v.name));
    case NameKind::bits: fail(fmt::format("`{}` is bits, which only `scan` reads", v.name));
    default: fail(fmt::format("`{0}` is {1}, and is read as `{0}[…]`", v.name, describe(named.kind)));
    }
  }

  ValueType of(const Read& r) {
    const Named& named = known(r.memory, span(), scope_);
    if (!is_sram(named.kind) && named.kind != NameKind::dram)
      fail(fmt::format("only an sram or a dram is read by an index, and `{}` is {}", r.memory, describe(named.kind)));
    want(r.index, ValueType::i64, "an index");
    return named.type;
  }

  ValueType of(const Dequeue& d) {
    fail(fmt::format("`deq({})` stands inside of an expression: it may only be the whole value of a `let`", d.fifo));
  }

  ValueType of(const Unary& u) {
    const ValueType type = this->type(u.operand);
    const bool truth = u.op == recurrence::UnaryOp::logical_not;
    if (truth != (type == ValueType::boolean)) fail_meaning(recurrence::name_of(u.op), type);
    return type;
  }

  ValueType of(const Binary& b) {
    const ValueType lhs = type(b.lhs), rhs = type(b.rhs);
    const std::string_view text = recurrence::name_of(b.op);
    if (lhs != rhs)
      fail(fmt::format("the operands of `{}` are {} and {} in `{}`", text, name_of(lhs), name_of(rhs),
                       print(at_.back())));
    const bool equality = b.op == BinaryOp::equal || b.op == BinaryOp::not_equal;
    if (!equality && recurrence::is_logical(b.op) != (lhs == ValueType::boolean)) fail_meaning(text, lhs);
    if (recurrence::is_comparison(b.op)) return ValueType::boolean;
    // As in the language, a quotient of whole numbers is a real one.
    return b.op == BinaryOp::div && !is_float(lhs) ? ValueType::f64 : lhs;
  }

  ValueType of(const Call& c) {
    const std::string_view text = recurrence::name_of(c.function);
    const Arity arity = arity_of(c.function);
    if (c.arguments.size() < arity.least || c.arguments.size() > arity.most)
      fail(fmt::format("`{}` takes {}, found {}", text, text_of(arity), c.arguments.size()));
    const ValueType first = type(c.arguments[0]);
    for (const Expr& e : c.arguments) {
      const ValueType other = type(e);
      if (other != first)
        fail(fmt::format("the arguments of `{}` are {} and {} in `{}`", text, name_of(first), name_of(other),
                         print(at_.back())));
    }
    const bool whole_too = c.function == Function::min || c.function == Function::max || c.function == Function::abs;
    if (whole_too ? first == ValueType::boolean : !is_float(first)) fail_meaning(text, first);
    return first;
  }

  ValueType of(const Select& s) {
    want(s.condition, ValueType::boolean, "the condition of `select`");
    const ValueType type = this->type(s.then_value);
    want(s.else_value, type, "the other value of `select`");
    return type;
  }

  ValueType of(const Convert& c) {
    type(c.operand);
    return c.to;
  }

  const Scope& scope_;
  std::vector<Expr> at_; // from the outside in
};

} // namespace

ValueType checked_type(const Expr& expr, const Scope& scope) { return ExpressionCheck(scope).type(expr); }

const Named& known(const std::string& name, Span span, const Scope& scope) {
  const Named* found = scope.find(name);
  if (!found) throw Broken{{span, fmt::format("`{}` is not declared here", name)}};
  return *found;
}

bool reduces(Reducer reducer, ValueType type) {
  const bool truth = reducer == Reducer::any || reducer == Reducer::all;
  return truth == (type == ValueType::boolean);
}

} // namespace cyclotron::pattern
