// SPDX-License-Identifier: MIT
#include "code/check_expression.hpp"

#include "code/operators.hpp"

#include <fmt/format.h>

namespace cyclotron::code {

namespace {

class ExpressionCheck {
public:
  ExpressionCheck(const Scope& scope, const Kernel& kernel, const Surroundings& around)
      : scope_(scope), kernel_(kernel), around_(around) {}

  Type type(const Expr& expr) {
    if (!expr) throw Broken{{{}, "an operand is missing"}};
    at_.push_back(expr);
    const Type result = ir::match(expr, [&](const auto& kind) { return of(kind); });
    at_.pop_back();
    return result;
  }

  bool place(const std::string& memory, const Expr& index, const Expr& stride) {
    const Memory* m = scope_.memory(memory);
    if (!m) fail(fmt::format("there is no memory `{}`", memory));
    if (m->role == Role::scratch && !around_.in_workers)
      fail(fmt::format("`{}` is scratch, and used outside of `workers`", memory));
    if (m->role == Role::shared && !around_.in_blocks)
      fail(fmt::format("`{}` is shared, and used outside of `blocks`", memory));
    const Type i = type(index);
    if (stride) {
      want(index, {Scalar::i64, false}, "an index with a stride");
      want(stride, {Scalar::i64, false}, "a stride");
    } else if (i != Type{Scalar::i64, false} && !(i.lanes && (i.scalar == Scalar::i32 || i.scalar == Scalar::i64))) {
      fail(fmt::format("an index is i64, i32 lanes or i64 lanes, and `{}` is {}", print(index), name_of(i)));
    }
    return stride || i.lanes;
  }

  [[noreturn]] void fail(std::string message) {
    throw Broken{{at_.empty() ? Span{} : at_.back()->span, std::move(message)}};
  }

private:
  Type of(const Number& n) {
    if (n.scalar == Scalar::boolean && n.whole != 0 && n.whole != 1) fail("a truth value is 0 or 1");
    const std::int64_t bits = 8 * bytes_of(n.scalar) - 1;
    if (is_whole(n.scalar) && bits < 63 && (n.whole >> bits) != 0 && (n.whole >> bits) != -1)
      fail(fmt::format("{} does not fit {}", n.whole, name_of(n.scalar)));
    return {n.scalar, false};
  }

  Type of(const Variable& v) {
    const Type* type = scope_.variable(v.name);
    if (!type) fail(fmt::format("`{}` is not declared here", v.name));
    return *type;
  }

  Type of(const Lane&) { return {Scalar::i32, true}; }

  Type of(const Load& l) {
    const bool lanes = place(l.memory, l.index, l.stride);
    if (l.mask) want(l.mask, {Scalar::boolean, lanes}, "the mask of this load");
    return {scope_.memory(l.memory)->scalar, lanes};
  }

  Type of(const Unary& u) {
    const Type type = this->type(u.operand);
    const bool right = u.op == UnaryOp::logical_not                           ? type.scalar == Scalar::boolean
                       : u.op == UnaryOp::negate || u.op == UnaryOp::absolute ? type.scalar != Scalar::boolean
                                                                              : is_float(type.scalar);
    if (!right) fail(fmt::format("`{}` has no meaning for {}", row_of(u.op).text, name_of(type)));
    return type;
  }

  static bool takes(BinaryOp op, Scalar scalar) {
    switch (op) {
    case BinaryOp::floor_div:
    case BinaryOp::mod:
    case BinaryOp::bit_and:
    case BinaryOp::bit_or:
    case BinaryOp::bit_xor: return is_whole(scalar);
    case BinaryOp::pow: return is_float(scalar);
    case BinaryOp::equal:
    case BinaryOp::not_equal: return true;
    case BinaryOp::logical_and:
    case BinaryOp::logical_or: return scalar == Scalar::boolean;
    default: return scalar != Scalar::boolean;
    }
  }

  Type of(const Binary& b) {
    const Type lhs = type(b.lhs), rhs = type(b.rhs);
    const std::string_view text = row_of(b.op).text;
    if (lhs != rhs)
      fail(fmt::format("the operands of `{}` are {} and {} in `{}`", text, name_of(lhs), name_of(rhs),
                       print(at_.back())));
    if (!takes(b.op, lhs.scalar)) fail(fmt::format("`{}` has no meaning for {}", text, name_of(lhs)));
    const bool compares = b.op >= BinaryOp::less && b.op <= BinaryOp::not_equal;
    return {compares ? Scalar::boolean : lhs.scalar, lhs.lanes};
  }

  Type of(const Select& s) {
    const Type type = this->type(s.then_value);
    want(s.else_value, type, "the other value of `select`");
    want(s.condition, {Scalar::boolean, type.lanes}, "the condition of `select`");
    return type;
  }

  Type of(const Convert& c) { return {c.to, type(c.operand).lanes}; }

  Type of(const Spread& s) {
    const Type type = this->type(s.operand);
    if (type.lanes) fail(fmt::format("`lanes` spreads one number, and `{}` is lanes already", print(s.operand)));
    return {type.scalar, true};
  }

  Type lanes_of(const Expr& e, std::string_view what) {
    const Type type = this->type(e);
    if (!type.lanes) fail(fmt::format("`{}` wants lanes, and `{}` is {}", what, print(e), name_of(type)));
    return type;
  }

  Type of(const Shift& s) {
    const Type type = lanes_of(s.operand, "shift");
    if (s.distance == 0 || s.distance >= kernel_.lanes || s.distance <= -kernel_.lanes)
      fail(fmt::format("a shift by {} among {} lanes", s.distance, kernel_.lanes));
    if (s.from) want(s.from, type, "what a shift takes its first lanes from");
    return type;
  }

  Type of(const Extract& e) {
    const Type type = lanes_of(e.operand, "extract");
    want(e.lane, {Scalar::i64, false}, "the number of a lane");
    return {type.scalar, false};
  }

  Type of(const AnyLane& a) {
    want(a.operand, {Scalar::boolean, true}, "what `any` looks at");
    return {Scalar::boolean, false};
  }

  void want(const Expr& e, Type wanted, std::string_view what) {
    const Type found = type(e);
    if (found != wanted) fail(fmt::format("{} is {}, and `{}` is {}", what, name_of(wanted), print(e), name_of(found)));
  }

  const Scope& scope_;
  const Kernel& kernel_;
  const Surroundings& around_;
  std::vector<Expr> at_; // from the outside in
};

} // namespace

Type checked_type(const Expr& expr, const Scope& scope, const Kernel& kernel, const Surroundings& around) {
  return ExpressionCheck(scope, kernel, around).type(expr);
}

bool checked_place(const std::string& memory, const Expr& index, const Expr& stride, Span span, const Scope& scope,
                   const Kernel& kernel, const Surroundings& around) {
  try {
    return ExpressionCheck(scope, kernel, around).place(memory, index, stride);
  } catch (Broken& broken) {
    if (!broken.problem.span.known()) broken.problem.span = span;
    throw;
  }
}

} // namespace cyclotron::code
