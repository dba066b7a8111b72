// SPDX-License-Identifier: MIT
#include "recurrence/affine.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::recurrence {

namespace {

__extension__ using Wide = __int128;

// Numbers beyond these are refused: no index needs them, and a product with a size must stay inside 64 bits.
constexpr std::int64_t largest_coefficient = std::int64_t{1} << 20;
constexpr std::int64_t largest_constant = std::int64_t{1} << 40;

struct Refusal {
  NotAffine why;
};

Affine checked(Affine a, Span span) {
  bool fits = std::abs(a.constant) <= largest_constant;
  for (const auto& [name, c] : a.terms) fits = fits && std::abs(c) <= largest_coefficient;
  if (!fits) throw Refusal{{span, "the numbers in it are too large"}};
  return a;
}

Affine scaled(std::int64_t factor, const Affine& a, Span span) {
  const bool large = std::abs(factor) > largest_coefficient && !a.is_constant();
  const Wide constant = static_cast<Wide>(factor) * a.constant;
  if (large || constant > largest_constant || constant < -largest_constant)
    throw Refusal{{span, "the numbers in it are too large"}};
  return checked(factor * a, span);
}

// The constants met so far; each is worked out once, however often it is used.
using Constants = std::map<std::string, std::variant<Affine, NotAffine>>;

Affine convert(const Expr& expr, const Program& program, Constants& constants);

Affine convert_binary(const Binary& b, Span span, const Program& program, Constants& constants) {
  if (b.op != BinaryOp::add && b.op != BinaryOp::sub && b.op != BinaryOp::mul) {
    const std::string why = b.op == BinaryOp::div ? "a division" : "a comparison";
    throw Refusal{{span, why}};
  }
  const Affine lhs = convert(b.lhs, program, constants);
  const Affine rhs = convert(b.rhs, program, constants);
  if (b.op == BinaryOp::add) return checked(lhs + rhs, span);
  if (b.op == BinaryOp::sub) return checked(lhs - rhs, span);
  if (lhs.is_constant()) return scaled(lhs.constant, rhs, span);
  if (rhs.is_constant()) return scaled(rhs.constant, lhs, span);
  throw Refusal{{span, "a product of two variables"}};
}

// Constants refer only to earlier ones, so working them out in order needs no recursion.
Affine convert_name(const Name& name, Span span, const Program& program, Constants& constants) {
  if (name.kind != NameKind::constant) return {{{name.id, 1}}, 0};
  for (const LetDecl& let : program.lets) {
    if (!constants.count(let.name.name)) {
      try {
        constants.emplace(let.name.name, convert(let.value, program, constants));
      } catch (const Refusal& failure) {
        constants.emplace(let.name.name, failure.why);
      }
    }
    if (let.name.name != name.id) continue;
    if (const Affine* a = std::get_if<Affine>(&constants.at(name.id))) return *a;
    throw Refusal{{span, fmt::format("`{}` is not a whole number", name.id)}};
  }
  bug("a constant is not defined");
}

Affine convert(const Expr& expr, const Program& program, Constants& constants) {
  const Span span = expr->span;
  const auto refuse = [&](std::string why) -> Affine { throw Refusal{{span, std::move(why)}}; };
  return match(
      expr,
      [&](const Number& n) {
        return n.integer ? checked(Affine{{}, *n.integer}, span) : refuse("not a whole number");
      },
      [&](const Boolean&) { return refuse("not a number"); },
      [&](const Name& n) { return convert_name(n, span, program, constants); },
      [&](const Access& a) { return refuse(fmt::format("depends on the data in `{}`", a.tensor)); },
      [&](const Unary& u) {
        if (u.op != UnaryOp::negate) return refuse("not a number");
        return -1 * convert(u.operand, program, constants);
      },
      [&](const Binary& b) { return convert_binary(b, span, program, constants); },
      [&](const Call& c) { return refuse(fmt::format("a call of `{}`", name_of(c.function))); },
      [&](const Select&) { return refuse("a call of `select`"); }, [&](const Reduce&) { return refuse("a reduction"); },
      [&](const KernelCall& k) { return refuse(fmt::format("a call of `{}`", k.kernel)); });
}

} // namespace

std::int64_t Affine::coefficient(const std::string& name) const {
  const auto at = terms.find(name);
  return at == terms.end() ? 0 : at->second;
}

std::int64_t Affine::evaluate(const std::function<std::int64_t(const std::string&)>& value_of) const {
  Wide sum = constant;
  for (const auto& [name, c] : terms) sum += static_cast<Wide>(c) * value_of(name);
  constexpr Wide limit = std::int64_t{1} << 62; // far beyond anything that can be stored
  return static_cast<std::int64_t>(std::clamp(sum, -limit, limit));
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
    Constants constants;
    return convert(expr, program, constants);
  } catch (const Refusal& failure) {
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

Affine substitute(const Affine& affine, const std::map<std::string, Affine>& by) {
  Affine result{{}, affine.constant};
  for (const auto& [name, c] : affine.terms) {
    const auto at = by.find(name);
    result = result + c * (at == by.end() ? Affine{{{name, 1}}, 0} : at->second);
  }
  return result;
}

Expr expression_of(const Affine& affine, const Program& program) {
  Expr sum;
  const auto add = [&](const Expr& term, bool negative) {
    if (!sum) sum = negative ? Expr(Unary{UnaryOp::negate, term}) : term;
    else sum = Expr(Binary{negative ? BinaryOp::sub : BinaryOp::add, sum, term});
  };
  for (const bool positive : {true, false}) // `n - i`, not `-i + n`
    for (const auto& [name, c] : affine.terms) {
      if ((c > 0) != positive) continue;
      const Expr own(Name{name, program.is_size(name) ? NameKind::size : NameKind::index});
      const std::int64_t size = c > 0 ? c : -c;
      add(size == 1 ? own : Expr(Binary{BinaryOp::mul, Expr(Number{static_cast<double>(size), size}), own}), c < 0);
    }
  if (!sum || affine.constant != 0) {
    const std::int64_t c = affine.constant, size = c >= 0 ? c : -c;
    add(Expr(Number{static_cast<double>(size), size}), c < 0);
  }
  return sum;
}

} // namespace cyclotron::recurrence
