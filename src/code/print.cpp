// SPDX-License-Identifier: MIT
// The text form.
#include "code/ir.hpp"
#include "code/operators.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace cyclotron::code {

namespace {

// Shortest digits that read back as the same number, and always with something that says it is no whole one.
std::string real_text(double value, bool narrow) {
  const std::string suffix = narrow ? "f" : "";
  if (std::isnan(value)) return "nan" + suffix;
  if (std::isinf(value)) return (value < 0 ? "-inf" : "inf") + suffix;
  std::string digits = narrow ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + suffix;
}

std::string number_text(const Number& n) {
  switch (n.scalar) {
  case Scalar::boolean: return n.whole ? "true" : "false";
  case Scalar::i16: return fmt::format("{}i16", n.whole);
  case Scalar::i32: return fmt::format("{}i32", n.whole);
  case Scalar::i64: return fmt::format("{}", n.whole);
  default: return real_text(n.real, n.scalar == Scalar::f32);
  }
}

struct Printed {
  std::string text;
  int level = level_primary;
};

Printed printed(const Expr& expr);

std::string at_level(const Expr& expr, int level) {
  const Printed inside = printed(expr);
  return inside.level < level ? "(" + inside.text + ")" : inside.text;
}

std::string whole(const Expr& expr) { return printed(expr).text; }

Printed printed_unary(const Unary& u) {
  const std::string_view text = row_of(u.op).text;
  if (u.op == UnaryOp::logical_not) return {"not " + at_level(u.operand, level_not), level_not};
  if (u.op != UnaryOp::negate) return {fmt::format("{}({})", text, whole(u.operand))};
  // `-3` is a number, and `-(3)` the negation of one.
  const bool number = ir::as<Number>(u.operand);
  return {number ? fmt::format("-({})", whole(u.operand)) : "-" + at_level(u.operand, level_unary), level_unary};
}

Printed printed_binary(const Binary& b) {
  const BinaryRow& row = row_of(b.op);
  if (row.level == level_primary) return {fmt::format("{}({}, {})", row.text, whole(b.lhs), whole(b.rhs))};
  const int left = row.level == level_comparison ? row.level + 1 : row.level;
  return {fmt::format("{} {} {}", at_level(b.lhs, left), row.text, at_level(b.rhs, row.level + 1)), row.level};
}

std::string place(const std::string& memory, const Expr& index, const Expr& stride, const Expr& mask) {
  return fmt::format("{}[{}{}{}]", memory, whole(index), stride ? " : " + whole(stride) : "",
                     mask ? " if " + whole(mask) : "");
}

Printed printed(const Expr& expr) {
  return ir::match(
      expr,
      [](const Number& n) -> Printed {
        const std::string text = number_text(n);
        return {text, text[0] == '-' ? level_unary : level_primary};
      },
      [](const Variable& v) -> Printed { return {v.name}; }, //
      [](const Lane&) -> Printed { return {"lane"}; },
      [](const Load& l) -> Printed { return {place(l.memory, l.index, l.stride, l.mask)}; },
      [](const Unary& u) { return printed_unary(u); }, //
      [](const Binary& b) { return printed_binary(b); },
      [](const Select& s) -> Printed {
        return {fmt::format("select({}, {}, {})", whole(s.condition), whole(s.then_value), whole(s.else_value))};
      },
      [](const Convert& c) -> Printed { return {fmt::format("{}({})", name_of(c.to), whole(c.operand))}; },
      [](const Spread& s) -> Printed { return {fmt::format("lanes({})", whole(s.operand))}; },
      [](const Shift& s) -> Printed {
        return {fmt::format("shift({}, {}{})", whole(s.operand), s.distance, s.from ? ", " + whole(s.from) : "")};
      },
      [](const Extract& e) -> Printed { return {fmt::format("extract({}, {})", whole(e.operand), whole(e.lane))}; },
      [](const AnyLane& a) -> Printed { return {fmt::format("any({})", whole(a.operand))}; });
}

class KernelPrinter {
public:
  std::string run(const Kernel& kernel) {
    out_ = fmt::format("kernel {} lanes {}\n", kernel.name, kernel.lanes);
    if (!kernel.sizes.empty()) out_ += fmt::format("sizes {}\n", fmt::join(kernel.sizes, ", "));
    for (const Memory& m : kernel.memories)
      out_ += fmt::format("{} {}: {}{}{}\n", role_words[static_cast<std::size_t>(m.role)], m.name, name_of(m.scalar),
                          m.elements ? fmt::format("[{}]", whole(m.elements)) : "", m.once ? " once" : "");
    body(kernel.body);
    return std::move(out_);
  }

private:
  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }

  void body(const Body& list) {
    for (const Statement& s : list) std::visit([&](const auto& kind) { statement(kind); }, s.kind);
  }

  void inside(const std::string& header, const Body& list) {
    line(header);
    ++depth_;
    body(list);
    --depth_;
  }

  void statement(const Declare& d) {
    line(fmt::format("var {}: {}{}", d.name, name_of(d.type), d.value ? " = " + whole(d.value) : ""));
  }
  void statement(const Assign& a) { line(fmt::format("{} = {}", a.name, whole(a.value))); }
  void statement(const Store& s) {
    line(fmt::format("store {} = {}{}", place(s.memory, s.index, s.stride, {}), whole(s.value),
                     s.mask ? " if " + whole(s.mask) : ""));
  }
  void statement(const For& f) {
    inside(fmt::format("{} {} = {} .. {}{}{}", run_words[static_cast<std::size_t>(f.run)], f.variable, whole(f.first),
                       whole(f.end), f.step == 1 ? "" : fmt::format(" step {}", f.step),
                       f.unroll == 0 ? "" : fmt::format(" unroll {}", f.unroll)),
           f.body);
  }
  void statement(const If& i) { inside("if " + whole(i.condition), i.body); }
  void statement(const Barrier&) { line("barrier"); }
  void statement(const Fail& f) { line(fmt::format("fail {} if {}", f.code, whole(f.condition))); }

  std::string out_;
  std::size_t depth_ = 0;
};

} // namespace

std::string print(const Kernel& kernel) { return KernelPrinter().run(kernel); }

std::string print(const Expr& expr) { return printed(expr).text; }

} // namespace cyclotron::code
