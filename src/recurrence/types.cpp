// SPDX-License-Identifier: MIT
#include "recurrence/types.hpp"

#include "recurrence/kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace cyclotron::recurrence {

using tensor::is_float;
using tensor::ValueType;

const ExprType* Types::find(const Expr& expr) const {
  const auto at = table_.find(expr.get());
  return at == table_.end() ? nullptr : &at->second;
}

const ExprType& Types::of(const Expr& expr) const {
  const auto at = table_.find(expr.get());
  if (at == table_.end()) bug("an expression has no type: " + print(expr));
  return at->second;
}

namespace {

int width(ValueType t) {
  switch (t) {
  case ValueType::boolean: return 0;
  case ValueType::i32: return 1;
  case ValueType::i64: return 2;
  case ValueType::f32: return 3;
  case ValueType::f64: return 4;
  }
  bug("unknown type");
}

constexpr std::size_t most_dimensions = 16;

ExprType number(ValueType type, bool literal = false) { return {type, literal, {}}; }

std::string describe(const ExprType& t) {
  std::string out = t.literal && is_float(t.type) ? "a real number"
                    : t.literal                   ? "a whole number"
                                                  : std::string(tensor::name_of(t.type));
  if (t.is_number()) return out;
  std::string dims;
  for (const Affine& d : t.shape) dims += (dims.empty() ? "" : ", ") + print(d);
  return fmt::format("a tile of {} by ({})", out, dims);
}

class Typer {
public:
  Typer(const Program& program, Diagnostics& diagnostics) : program_(program), diagnostics_(diagnostics) {}

  Types run() {
    check_declarations();
    for (const Equation& e : program_.equations) check_equation(e);
    return std::move(types_);
  }

private:
  // --- affine places ---

  struct AffinePlace {
    std::string what;
    const char* made_of = "indices and sizes";
    const char* example = "2*i + j - 1";
    const char* data_hint =
        "an element cannot be chosen by data; sum over all and select one: `sum[c](select(c == p(i), S(c), 0))`";
  };

  void check_affine(const Expr& expr, const AffinePlace& place) {
    const auto result = affine_of(expr, program_);
    const NotAffine* why = std::get_if<NotAffine>(&result);
    if (!why) return;
    if (why->reason.find("too large") != std::string::npos) {
      diagnostics_.error(why->span, fmt::format("{} is out of range", place.what)).label(why->reason);
      return;
    }
    Diagnostic& d = diagnostics_.error(why->span, fmt::format("{} is not affine in {}", place.what, place.made_of));
    d.label(why->reason);
    if (why->reason.starts_with("depends on")) d.with_hint(place.data_hint);
    else
      d.with_hint(fmt::format("write a sum of {} with constant factors, such as `{}`", place.made_of, place.example));
  }

  void check_declarations() {
    for (const TensorDecl& t : program_.tensors)
      if (t.dims.size() > most_dimensions)
        diagnostics_.error(
            t.span, fmt::format("`{}` has {} dimensions, more than {}", t.name.name, t.dims.size(), most_dimensions));
    for (const TensorDecl& t : program_.tensors)
      for (const Expr& d : t.dims)
        check_affine(d, {fmt::format("dimension `{}` of `{}`", print(d), t.name.name), "sizes", "2*n + 1"});
    for (const Assumption& a : program_.assumptions)
      for (const Expr& e : a.constraint.operands) check_affine(e, {fmt::format("`{}`", print(e)), "sizes", "2*n + 1"});
    for (const LetDecl& l : program_.lets) {
      ExprType t = type_of(l.value);
      t.literal = t.type != ValueType::boolean;
      constants_[l.name.name] = t;
    }
  }

  void check_equation(const Equation& equation) {
    const Access& target = equation.access();
    const TensorDecl& decl = *program_.tensor(target.tensor);
    for (const Constraint& c : equation.constraints)
      for (const Expr& e : c.operands)
        check_affine(e,
                     {fmt::format("constraint `{}`", print(c)), "indices and sizes", "2*i + j - 1",
                      "a constraint is about indices; to choose by data write `select(condition, x, y)` on the right"});
    if (!target.step && program_.is_stepped(target.tensor))
      diagnostics_
          .error(equation.target->span, fmt::format("`{}` is defined step by step, but not here", target.tensor))
          .with_hint(fmt::format("write the step this is: `{}^0(…)` for the first, say", target.tensor));
    target_is_number_ = target.indices.size() == decl.dims.size();
    const ExprType want = type_of(equation.target);
    const ExprType have = type_of(equation.value);
    if (!have.is_number() && have.shape != want.shape) {
      diagnostics_.error(equation.value->span, fmt::format("the value is {}, but `{}` is {}", describe(have),
                                                           print(equation.target), describe(want)));
      return;
    }
    check_storable(equation, decl, have);
  }

  void check_storable(const Equation& equation, const TensorDecl& decl, const ExprType& have) {
    const bool to_bool = decl.type == ValueType::boolean && have.type != ValueType::boolean;
    const bool to_integer = !is_float(decl.type) && is_float(have.type);
    if (!to_bool && !to_integer) return;
    Diagnostic& d =
        diagnostics_.error(equation.value->span, fmt::format("`{}` holds {}, but the value is {}", decl.name.name,
                                                             tensor::name_of(decl.type), describe(have)));
    d.note(decl.span, "it is declared here");
    if (to_bool) d.with_hint("write a comparison such as `x != 0`, or `true` and `false`");
    else d.with_hint(fmt::format("declare `{}` as f64; `/`, sqrt, exp, log and pow give real numbers", decl.name.name));
  }

  // --- expressions ---

  ExprType type_of(const Expr& expr) {
    ExprType type = match(
        expr, [&](const Number& n) { return type_of_number(n); },
        [&](const Boolean&) { return number(ValueType::boolean); }, [&](const Name& n) { return type_of_name(n); },
        [&](const Access& a) { return type_of_access(a, expr); },
        [&](const Unary& u) { return type_of_unary(u, expr); },
        [&](const Binary& b) { return type_of_binary(b, expr); }, [&](const Call& c) { return type_of_call(c, expr); },
        [&](const Select& s) { return type_of_select(s, expr); },
        [&](const Reduce& r) { return type_of_reduce(r, expr); },
        [&](const KernelCall& k) { return type_of_kernel(k, expr); });
    types_.set(expr, type);
    return type;
  }

  // A whole literal that needs 64 bits does not shrink to i32.
  static ExprType type_of_number(const Number& n) {
    if (!n.integer) return number(ValueType::f64, true);
    return number(ValueType::i64, *n.integer <= std::numeric_limits<std::int32_t>::max());
  }

  ExprType type_of_name(const Name& name) {
    if (name.kind != NameKind::constant) return number(ValueType::i64, true);
    return constants_.at(name.id);
  }

  ExprType type_of_access(const Access& access, const Expr& expr) {
    const TensorDecl& decl = *program_.tensor(access.tensor);
    if (access.step) {
      check_affine(*access.step, {fmt::format("step `{}` of `{}`", print(*access.step), access.tensor)});
      if (!program_.is_stepped(access.tensor))
        diagnostics_.error(expr->span, fmt::format("`{}` has no steps", access.tensor))
            .note(decl.span, "it is declared here, and no equation defines it with a superscript")
            .with_hint("leave the superscript out; for a power write `pow(x, 2)`");
    }
    for (const Expr& i : access.indices) check_affine(i, {fmt::format("index `{}` of `{}`", print(i), access.tensor)});
    ExprType result = number(decl.type);
    const std::size_t given = access.indices.size(), rank = decl.dims.size();
    if (given > rank || (given < rank && target_is_number_ && !inside_kernel_)) {
      diagnostics_
          .error(expr->span,
                 fmt::format("`{}` has {} dimension{}, but {} {} given", access.tensor, rank, rank == 1 ? "" : "s",
                             given == 0   ? "no index"
                             : given == 1 ? "1 index"
                                          : std::to_string(given) + " indices",
                             given <= 1 ? "is" : "are"))
          .note(decl.span, "it is declared here");
      return result;
    }
    if (given < rank && !is_float(decl.type))
      diagnostics_
          .error(expr->span,
                 fmt::format("tiles are of f64 or f32, but `{}` holds {}", access.tensor, tensor::name_of(decl.type)))
          .note(decl.span, "it is declared here");
    for (std::size_t d = given; d < rank; ++d) {
      const auto dim = affine_of(decl.dims[d], program_);
      if (const Affine* a = std::get_if<Affine>(&dim)) result.shape.push_back(*a);
    }
    return result;
  }

  ExprType type_of_unary(const Unary& u, const Expr&) {
    ExprType t = type_of(u.operand);
    if (u.op == UnaryOp::logical_not) {
      require_bool(u.operand, t, "not");
      return number(ValueType::boolean);
    }
    if (t.type == ValueType::boolean) t.type = ValueType::i64;
    return t;
  }

  ExprType type_of_binary(const Binary& b, const Expr& expr) {
    const ExprType lhs = type_of(b.lhs), rhs = type_of(b.rhs);
    if (is_logical(b.op)) {
      require_bool(b.lhs, lhs, name_of(b.op));
      require_bool(b.rhs, rhs, name_of(b.op));
      return number(ValueType::boolean);
    }
    if (!lhs.is_number() || !rhs.is_number()) return type_of_tile_binary(b, expr, lhs, rhs);
    if (is_comparison(b.op)) return number(ValueType::boolean);
    ExprType result = promote(lhs, rhs);
    if (b.op == BinaryOp::div) result = to_real(result);
    return result;
  }

  ExprType type_of_tile_binary(const Binary& b, const Expr& expr, const ExprType& lhs, const ExprType& rhs) {
    ExprType result = promote(lhs, rhs);
    const bool both = !lhs.is_number() && !rhs.is_number();
    result.shape = lhs.is_number() ? rhs.shape : lhs.shape;
    if ((b.op == BinaryOp::add || b.op == BinaryOp::sub) && both) {
      if (lhs.shape != rhs.shape)
        diagnostics_.error(expr->span, fmt::format("`{}` is {}, but `{}` is {}", print(b.lhs), describe(lhs),
                                                   print(b.rhs), describe(rhs)));
      return result;
    }
    if (b.op == BinaryOp::mul && !both) return result;
    if (b.op == BinaryOp::div && rhs.is_number()) {
      ExprType real = to_real(result);
      real.shape = result.shape;
      return real;
    }
    const std::string hint =
        b.op == BinaryOp::mul   ? fmt::format("write `GEMM({}, {})` for a matrix product", print(b.lhs), print(b.rhs))
        : b.op == BinaryOp::div ? fmt::format("write `TRSM({}, {})` for a triangular solve", print(b.rhs), print(b.lhs))
                                : "compare and add numbers with numbers, tiles with tiles";
    diagnostics_
        .error(expr->span, fmt::format("`{}` does not apply to {} and {}", name_of(b.op), describe(lhs), describe(rhs)))
        .with_hint(hint);
    return result;
  }

  static ExprType to_real(ExprType t) {
    if (!is_float(t.type)) t.type = ValueType::f64;
    return t;
  }

  void require_bool(const Expr& expr, const ExprType& t, std::string_view by) {
    if (t.type == ValueType::boolean && t.is_number()) return;
    diagnostics_.error(expr->span, fmt::format("`{}` needs a condition, but `{}` is {}", by, print(expr), describe(t)))
        .with_hint(fmt::format("compare it: `{} != 0`", print(expr)));
  }

  void require_number(const Expr& expr, const ExprType& t, std::string_view by) {
    if (t.is_number()) return;
    const std::string hint = by == "sqrt" ? fmt::format("write `POTRF({})` for a Cholesky factor", print(expr)) : "";
    diagnostics_.error(expr->span, fmt::format("`{}` applies to numbers, but `{}` is {}", by, print(expr), describe(t)))
        .with_hint(hint);
  }

  ExprType type_of_call(const Call& call, const Expr&) {
    ExprType result;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const ExprType t = type_of(call.arguments[i]);
      require_number(call.arguments[i], t, name_of(call.function));
      result = i == 0 ? number(t.type, t.literal) : promote(result, number(t.type, t.literal));
    }
    if (result.type == ValueType::boolean) result = number(ValueType::i64);
    const bool exact =
        call.function == Function::min || call.function == Function::max || call.function == Function::abs;
    return exact ? result : to_real(result);
  }

  ExprType type_of_select(const Select& s, const Expr& expr) {
    require_bool(s.condition, type_of(s.condition), "select");
    const ExprType a = type_of(s.then_value), b = type_of(s.else_value);
    if (a.shape != b.shape)
      diagnostics_.error(expr->span, fmt::format("`select` chooses between {} and {}", describe(a), describe(b)))
          .with_hint("both must have one shape");
    if (a.type == ValueType::boolean && b.type == ValueType::boolean) return a;
    ExprType result = promote(a, b);
    result.shape = a.shape;
    return result;
  }

  ExprType type_of_reduce(const Reduce& reduce, const Expr&) {
    ExprType t = type_of(reduce.body);
    if (reduce.reducer == Reducer::any || reduce.reducer == Reducer::all) {
      require_bool(reduce.body, t, name_of(reduce.reducer));
      return number(ValueType::boolean);
    }
    if (reduce.reducer != Reducer::sum) require_number(reduce.body, t, name_of(reduce.reducer));
    if (t.type == ValueType::boolean) t.type = ValueType::i64;
    return t;
  }

  // Binds the letters of the kernel's shape rule to the dimensions of its arguments.
  ExprType type_of_kernel(const KernelCall& call, const Expr& expr) {
    const Kernel& kernel = *kernel_named(call.kernel);
    if (target_is_number_)
      diagnostics_.error(expr->span, fmt::format("`{}` makes a tile, but the left-hand side is a number", call.kernel))
          .with_hint("leave the tile's own indices out on the left: `X(i) = …` for `tensor X(t, b, b)`");
    std::map<char, Affine> bound;
    ExprType result = number(ValueType::f64);
    const bool outer = std::exchange(inside_kernel_, true);
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
      const ExprType t = type_of(call.arguments[i]);
      const std::string_view letters = kernel.arguments[i];
      result.type = i == 0 ? t.type : promote(number(result.type), number(t.type)).type;
      bool fits = t.shape.size() == letters.size();
      for (std::size_t d = 0; fits && d < letters.size(); ++d)
        fits = bound.emplace(letters[d], t.shape[d]).first->second == t.shape[d];
      if (!fits)
        diagnostics_
            .error(call.arguments[i]->span,
                   fmt::format("`{}` needs {} here, but `{}` is {}", call.kernel, shape_rule(letters, bound),
                               print(call.arguments[i]), describe(t)))
            .with_hint(fmt::format("`{}` computes {}", call.kernel, kernel.meaning));
    }
    inside_kernel_ = outer;
    if (!is_float(result.type)) result.type = ValueType::f64;
    for (char letter : kernel.result) result.shape.push_back(bound.count(letter) ? bound[letter] : Affine{});
    return result;
  }

  static std::string shape_rule(std::string_view letters, const std::map<char, Affine>& bound) {
    std::string dims;
    for (char letter : letters)
      dims += (dims.empty() ? "" : ", ") + (bound.count(letter) ? print(bound.at(letter)) : std::string(1, letter));
    return fmt::format("a tile by ({})", dims);
  }

  const Program& program_;
  Diagnostics& diagnostics_;
  Types types_;
  std::map<std::string, ExprType> constants_;
  bool target_is_number_ = true;
  bool inside_kernel_ = false;
};

} // namespace

ExprType promote(const ExprType& a, const ExprType& b) {
  if (a.literal && b.literal)
    return number(is_float(a.type) || is_float(b.type) ? ValueType::f64 : ValueType::i64, true);
  if (a.literal || b.literal) {
    const ExprType& literal = a.literal ? a : b;
    const ExprType& other = a.literal ? b : a;
    if (is_float(literal.type) && !is_float(other.type)) return number(ValueType::f64);
    return number(other.type == ValueType::boolean ? ValueType::i64 : other.type);
  }
  const ValueType wider = width(a.type) >= width(b.type) ? a.type : b.type;
  return number(wider == ValueType::boolean ? ValueType::i64 : wider);
}

Types infer_types(const Program& program, Diagnostics& diagnostics) { return Typer(program, diagnostics).run(); }

} // namespace cyclotron::recurrence
