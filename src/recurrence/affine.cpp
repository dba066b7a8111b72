// SPDX-License-Identifier: MIT
#include "recurrence/affine.hpp"

#include <fmt/format.h>

namespace cyclotron::recurrence {

namespace {

// Coefficients beyond this are refused: no index needs them, and sums of products must stay inside 64 bits.
constexpr std::int64_t largest = std::int64_t{1} << 31;

struct Failure {
  NotAffine why;
};

Affine checked(Affine a, Span span) {
  bool fits = std::abs(a.constant) <= largest;
  for (const auto& [name, c] : a.terms) fits = fits && std::abs(c) <= largest;
  if (!fits) throw Failure{{span, "the numbers in it are too large"}};
  return a;
}

Affine convert(const Expr& expr, const Program& program, int let_depth);

Affine convert_binary(const Binary& b, Span span, const Program& program, int depth) {
  if (b.op != BinaryOp::add && b.op != BinaryOp::sub && b.op != BinaryOp::mul) {
    const std::string why = b.op == BinaryOp::div ? "a division" : "a comparison";
    throw Failure{{span, why}};
  }
  const Affine lhs = convert(b.lhs, program, depth);
  const Affine rhs = convert(b.rhs, program, depth);
  if (b.op == BinaryOp::add) return checked(lhs + rhs, span);
  if (b.op == BinaryOp::sub) return checked(lhs - rhs, span);
  if (lhs.is_constant()) return checked(lhs.constant * rhs, span);
  if (rhs.is_constant()) return checked(rhs.constant * lhs, span);
  throw Failure{{span, "a product of two variables"}};
}

Affine convert_name(const Name& name, Span span, const Program& program, int depth) {
  if (name.kind != NameKind::constant) return {{{name.id, 1}}, 0};
  const LetDecl* let = program.let(name.id);
  if (!let || depth > 100) bug("a constant is not defined");
  try {
    return convert(let->value, program, depth + 1);
  } catch (const Failure&) {
    throw Failure{{span, fmt::format("`{}` is not a whole number", name.id)}};
  }
}

Affine convert(const Expr& expr, const Program& program, int depth) {
  const Span span = expr->span;
  const auto refuse = [&](std::string why) -> Affine { throw Failure{{span, std::move(why)}}; };
  return match(
      expr,
      [&](const Number& n) {
        return n.integer ? checked(Affine{{}, *n.integer}, span) : refuse("not a whole number");
      },
      [&](const Boolean&) { return refuse("not a number"); },
      [&](const Name& n) { return convert_name(n, span, program, depth); },
      [&](const Access& a) { return refuse(fmt::format("depends on the data in `{}`", a.tensor)); },
      [&](const Unary& u) {
        if (u.op != UnaryOp::negate) return refuse("not a number");
        return -1 * convert(u.operand, program, depth);
      },
      [&](const Binary& b) { return convert_binary(b, span, program, depth); },
      [&](const Call& c) { return refuse(fmt::format("a call of `{}`", name_of(c.function))); },
      [&](const Select&) { return refuse("a call of `select`"); },
      [&](const Reduce&) { return refuse("a reduction"); },
      [&](const KernelCall& k) { return refuse(fmt::format("a call of `{}`", k.kernel)); });
}

} // namespace

std::int64_t Affine::coefficient(const std::string& name) const {
  const auto at = terms.find(name);
  return at == terms.end() ? 0 : at->second;
}

std::int64_t Affine::evaluate(const std::function<std::int64_t(const std::string&)>& value_of) const {
  std::int64_t sum = constant;
  for (const auto& [name, c] : terms) sum += c * value_of(name);
  return sum;
}

Affine operator+(Affine a, const Affine& b) {
  a.constant += b.constant;
  for (const auto& [name, c] : b.terms)
    if ((a.terms[name] += c) == 0) a.terms.erase(name);
  return a;
}

Affine operator-(const Affine& a, const Affine& b) { return a + -1 * b; }

Affine operator*(std::int64_t factor, Affine a) {
  if (factor == 0) return {};
  a.constant *= factor;
  for (auto& [name, c] : a.terms) c *= factor;
  return a;
}

std::variant<Affine, NotAffine> affine_of(const Expr& expr, const Program& program) {
  try {
    return convert(expr, program, 0);
  } catch (const Failure& failure) {
    return failure.why;
  }
}

Affine accepted_affine(const Expr& expr, const Program& program) {
  const auto result = affine_of(expr, program);
  if (const Affine* a = std::get_if<Affine>(&result)) return *a;
  bug("an index expression that was accepted is not affine: " + print(expr));
}

std::string print(const Affine& affine) {
  std::string out;
  for (const auto& [name, c] : affine.terms) {
    if (c < 0) {
      out += out.empty() ? "-" : " - ";
    } else if (!out.empty()) {
      out += " + ";
    }
    out += std::abs(c) == 1 ? name : fmt::format("{}*{}", std::abs(c), name);
  }
  if (out.empty()) return std::to_string(affine.constant);
  if (affine.constant != 0) out += fmt::format(" {} {}", affine.constant < 0 ? '-' : '+', std::abs(affine.constant));
  return out;
}

} // namespace cyclotron::recurrence
