// SPDX-License-Identifier: MIT
// The text form: a line for each declaration and statement, only the brackets that precedence needs.
#include "pattern/literals.hpp"
#include "pattern/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::pattern {

namespace {

// --- expressions ---

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

Printed printed_number(const Number& n) {
  const std::string text = text_of(n);
  return {text, text[0] == '-' ? level_unary : level_primary};
}

Printed printed_unary(const Unary& u) {
  if (u.op == recurrence::UnaryOp::logical_not) return {"not " + at_level(u.operand, level_not), level_not};
  // `-3` is a number, and `-(3)` the negation of one.
  const Number* number = ir::as<Number>(u.operand);
  if (number && has_literal(number->type)) return {"-(" + whole(u.operand) + ")", level_unary};
  return {"-" + at_level(u.operand, level_unary), level_unary};
}

// Sums and products associate to the left; comparisons do not associate.
Printed printed_binary(const Binary& b) {
  const int own = level_of(b.op);
  const int left = own == level_comparison ? own + 1 : own;
  return {fmt::format("{} {} {}", at_level(b.lhs, left), recurrence::name_of(b.op), at_level(b.rhs, own + 1)), own};
}

Printed printed_call(const Call& call) {
  std::vector<std::string> arguments;
  for (const Expr& e : call.arguments) arguments.push_back(whole(e));
  return {fmt::format("{}({})", recurrence::name_of(call.function), fmt::join(arguments, ", "))};
}

Printed printed_conversion(const Convert& c) {
  if (const auto number = folded(c)) return printed_number(*number);
  return {fmt::format("{}({})", tensor::name_of(c.to), whole(c.operand))};
}

Printed printed(const Expr& expr) {
  return ir::match(
      expr,                                                  //
      [](const Number& n) { return printed_number(n); },     //
      [](const Variable& v) -> Printed { return {v.name}; }, //
      [](const Read& r) -> Printed { return {fmt::format("{}[{}]", r.memory, whole(r.index))}; },
      [](const Dequeue& d) -> Printed { return {fmt::format("deq({})", d.fifo)}; },
      [](const Unary& u) { return printed_unary(u); },   //
      [](const Binary& b) { return printed_binary(b); }, //
      [](const Call& c) { return printed_call(c); },
      [](const Select& s) -> Printed {
        return {fmt::format("select({}, {}, {})", whole(s.condition), whole(s.then_value), whole(s.else_value))};
      },
      [](const Convert& c) { return printed_conversion(c); });
}

// --- parts of statements ---

std::string header_text(const Range& r) { return fmt::format("{} = {} .. {}", r.index, whole(r.first), whole(r.end)); }

std::string header_text(const Scan& s) {
  if (s.b.empty()) return fmt::format("scan({}, {}) -> {}, {}", s.a, whole(s.extent), s.position_a, s.coordinate);
  return fmt::format("scan({} {} {}, {}) -> {}, {}, {}, {}", s.a, s.join == Join::either ? "or" : "and", s.b,
                     whole(s.extent), s.position_a, s.position_b, s.out, s.coordinate);
}

std::string par_text(const Expr& par) {
  const Number* number = par ? ir::as<Number>(par) : nullptr;
  return !par || (number && *number == Number{ValueType::i64, 1, 0}) ? "" : " par " + whole(par);
}

std::string by_text(const std::optional<Reducer>& reducer) {
  return reducer ? fmt::format(" by {}", recurrence::name_of(*reducer)) : "";
}

std::string declaration(const Declare& d) {
  const std::string name = fmt::format("{} {}", word_of(d.kind), d.name);
  if (d.kind == MemoryKind::bits) return fmt::format("{}[{}]", name, whole(d.extent));
  const std::string typed = fmt::format("{}: {}", name, tensor::name_of(d.type));
  return d.kind == MemoryKind::reg ? typed + " = " + whole(d.initial) : fmt::format("{}[{}]", typed, whole(d.extent));
}

std::string declaration(const Dram& d) {
  return fmt::format("dram {} {}: {}[{}] of {} {}{}", d.out ? "out" : "in", d.name, tensor::name_of(d.type),
                     d.extent ? whole(d.extent) : "", d.tensor, word_of(d.array),
                     d.array == ArrayKind::values ? "" : fmt::format(" {}", d.level));
}

// --- statements ---

class ProgramPrinter {
public:
  std::string run(const Program& program) {
    line("pattern " + program.name);
    if (!program.sizes.empty()) line(fmt::format("sizes {}", fmt::join(program.sizes, ", ")));
    for (const Environment& e : program.environment) line(fmt::format("environment {} = {}", e.name, e.value));
    for (const Dram& d : program.drams) line(declaration(d));
    if (!program.body.empty()) out_ += "\n";
    body(program.body);
    return std::move(out_);
  }

private:
  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }

  void body(const Body& list) {
    for (const Statement& s : list) std::visit([&](const auto& kind) { statement(kind); }, s.kind);
  }

  void statement(const Declare& d) { line(declaration(d)); }
  void statement(const Let& l) {
    line(fmt::format("let {}: {} = {}", l.name, tensor::name_of(l.type), whole(l.value)));
  }
  void statement(const Loop& l) {
    const std::string start = l.reg.empty() ? "foreach" : fmt::format("reduce {}{} over", l.reg, by_text(l.reducer));
    const std::string header = std::visit([](const auto& h) { return header_text(h); }, l.header);
    line(fmt::format("{} {}{}", start, header, par_text(l.par)));
    ++depth_;
    body(l.body);
    if (l.value) line("yield " + whole(l.value));
    --depth_;
  }
  void statement(const Load& l) {
    line(fmt::format("load {} from {}[{} .. {}]{}", l.to, l.from, whole(l.first), whole(l.end), par_text(l.par)));
  }
  void statement(const Store& s) {
    line(fmt::format("store {} to {}[{} .. {}]{}", s.from, s.to, whole(s.first), whole(s.end), par_text(s.par)));
  }
  void statement(const Write& w) {
    line(fmt::format("{}{}{} = {}", w.memory, w.index ? fmt::format("[{}]", whole(w.index)) : "", by_text(w.reducer),
                     whole(w.value)));
  }
  void statement(const Enqueue& e) { line(fmt::format("enq({}, {})", e.fifo, whole(e.value))); }
  void statement(const SetBits& s) { line(fmt::format("set {} from {} count {}", s.bits, s.fifo, whole(s.count))); }
  void statement(const If& i) {
    line("if " + whole(i.condition));
    ++depth_;
    body(i.body);
    --depth_;
  }

  std::string out_;
  std::size_t depth_ = 0;
};

} // namespace

std::string print(const Program& program) { return ProgramPrinter().run(program); }

std::string print(const Expr& expr) { return printed(expr).text; }

} // namespace cyclotron::pattern
