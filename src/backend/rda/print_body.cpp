// SPDX-License-Identifier: MIT
#include "backend/rda/mentions.hpp"
#include "backend/rda/printer.hpp"

#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::backend::rda {

using namespace pattern;
using recurrence::BinaryOp;
using recurrence::Function;

namespace {

// Whether combining with it changes nothing.
bool is_identity(Reducer reducer, const Expr& expr) {
  const Number* n = ir::as<Number>(expr);
  if (!n) return false;
  const bool real = tensor::is_float(n->type), narrow = n->type == ValueType::i32;
  switch (reducer) {
  case Reducer::sum: return real ? n->real == 0 : n->whole == 0;
  case Reducer::prod: return real ? n->real == 1 : n->whole == 1;
  case Reducer::min:
    if (real) return std::isinf(n->real) && n->real > 0;
    return n->whole == (narrow ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max());
  case Reducer::max:
    if (real) return std::isinf(n->real) && n->real < 0;
    return n->whole == (narrow ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min());
  case Reducer::any: return n->whole == 0;
  case Reducer::all: return n->whole != 0;
  }
  bug("unknown reducer");
}

const char* function_text(Reducer reducer) {
  switch (reducer) {
  case Reducer::sum: return "_ + _";
  case Reducer::prod: return "_ * _";
  case Reducer::min: return "min(_, _)";
  case Reducer::max: return "max(_, _)";
  case Reducer::any: return "_ || _";
  case Reducer::all: return "_ && _";
  }
  bug("unknown reducer");
}

// The operation of a sparse SRAM on an element.
const char* atomic_text(Reducer reducer) {
  switch (reducer) {
  case Reducer::sum: return "add";
  case Reducer::prod: return "mul";
  case Reducer::min: return "min";
  case Reducer::max: return "max";
  case Reducer::any: return "or";
  case Reducer::all: return "and";
  }
  bug("unknown reducer");
}

Expr combined(Reducer reducer, const Expr& a, const Expr& b) {
  switch (reducer) {
  case Reducer::sum: return Binary{BinaryOp::add, a, b};
  case Reducer::prod: return Binary{BinaryOp::mul, a, b};
  case Reducer::min: return Call{Function::min, {a, b}};
  case Reducer::max: return Call{Function::max, {a, b}};
  case Reducer::any: return Binary{BinaryOp::logical_or, a, b};
  case Reducer::all: return Binary{BinaryOp::logical_and, a, b};
  }
  bug("unknown reducer");
}

bool declares(const Statement& statement, const std::string& name) {
  const Declare* d = std::get_if<Declare>(&statement.kind);
  return d && d->name == name;
}

// Where a statement stands.
struct At {
  const Body& list;
  std::size_t place;
};

// Whether a reduction begins with a register that has just been declared and has what changes nothing: then it needs
// not know what the register has.
bool begins_anew(const At& at, const Loop& loop) {
  for (std::size_t i = at.place; i-- > 0;) {
    if (declares(at.list[i], loop.reg)) return is_identity(loop.reducer, std::get<Declare>(at.list[i].kind).initial);
    if (mentions(at.list[i], loop.reg)) return false;
  }
  return false;
}

// Whether a loop is the last one that looks at a bit vector, so that it may take the bits out.
bool is_last_look(const At& at, const Loop& loop, const std::string& bits) {
  const auto here = at.list.begin() + static_cast<std::ptrdiff_t>(at.place);
  const auto names_it = [&](const Statement& s) { return mentions(s, bits); };
  return std::any_of(at.list.begin(), here, [&](const Statement& s) { return declares(s, bits); }) &&
         std::none_of(loop.body.begin(), loop.body.end(), names_it) && std::none_of(here + 1, at.list.end(), names_it);
}

class BodyPrinter {
public:
  BodyPrinter(Scope& scope, const ExpressionPrinter& expressions, Lines& lines)
      : scope_(scope), expressions_(expressions), lines_(lines) {}

  void body(const Body& list) {
    for (std::size_t i = 0; i < list.size(); ++i)
      std::visit([&](const auto& kind) { statement(kind, At{list, i}); }, list[i].kind);
  }

private:
  const std::string& text(const std::string& name) const { return scope_.of(name).text; }
  std::string passed(const Expr& expr) const { return expressions_.passed(expr); }

  // --- memories ---

  static Kind kind_of(MemoryKind kind) {
    switch (kind) {
    case MemoryKind::sram: return Kind::sram;
    case MemoryKind::sparse_sram: return Kind::sparse_sram;
    case MemoryKind::fifo: return Kind::fifo;
    case MemoryKind::reg: return Kind::reg;
    case MemoryKind::bits: return Kind::bits;
    }
    bug("unknown memory");
  }

  std::string made(const Declare& d) const {
    const std::string type = expressions_.type(d.type);
    switch (d.kind) {
    case MemoryKind::sram: return fmt::format("SRAM[{}]({})", type, passed(d.extent));
    case MemoryKind::sparse_sram: return fmt::format("SparseSRAM[{}]({})", type, passed(d.extent));
    case MemoryKind::fifo: return fmt::format("FIFO[{}]({})", type, passed(d.extent));
    case MemoryKind::reg: return fmt::format("Reg[{}]({})", type, expressions_.initial(d.initial));
    case MemoryKind::bits: return fmt::format("BitVector({})", passed(d.extent));
    }
    bug("unknown memory");
  }

  void statement(const Declare& d, const At&) {
    const std::string memory = made(d);
    lines_.add(fmt::format("val {} = {}", scope_.declare(d.name, kind_of(d.kind), d.extent), memory));
  }

  void statement(const Let& l, const At&) {
    const std::string value = expressions_.print(l.value);
    lines_.add(fmt::format("val {} = {}", scope_.declare(l.name, Kind::value), value));
  }

  void statement(const Load& l, const At&) {
    lines_.add(fmt::format("{} load {}({} par {})", text(l.to), text(l.from), expressions_.slice(l.first, l.end),
                           expressions_.par(l.par)));
  }

  void statement(const Store& s, const At&) {
    if (scope_.of(s.from).kind != Kind::fifo) {
      lines_.add(fmt::format("{}({} par {}) store {}", text(s.to), expressions_.slice(s.first, s.end),
                             expressions_.par(s.par), text(s.from)));
      return;
    }
    lines_.add(fmt::format("{} stream_store_vec({}, {}, {})", text(s.to), passed(s.first), text(s.from),
                           passed(length(s.first, s.end))));
  }

  // Of `a .. a + n`, it is n.
  static Expr length(const Expr& first, const Expr& end) {
    const Number* n = ir::as<Number>(first);
    if (n && n->whole == 0) return end;
    const Binary* sum = ir::as<Binary>(end);
    return sum && sum->op == BinaryOp::add && sum->lhs == first ? sum->rhs : Expr(Binary{BinaryOp::sub, end, first});
  }

  void statement(const Write& w, const At&) {
    const std::string& name = text(w.memory);
    if (!w.index) {
      const Expr value = w.reducer ? combined(*w.reducer, Variable{w.memory}, w.value) : w.value;
      lines_.add(fmt::format("{} := {}", name, passed(value)));
      return;
    }
    if (w.reducer && scope_.of(w.memory).kind == Kind::sparse_sram) {
      lines_.add(fmt::format("{}.RMW({}, {}, \"{}\", \"unordered\", Seq())", name, passed(w.index), passed(w.value),
                             atomic_text(*w.reducer)));
      return;
    }
    const Expr value = w.reducer ? combined(*w.reducer, Read{w.memory, w.index}, w.value) : w.value;
    lines_.add(fmt::format("{}({}) = {}", name, passed(w.index), passed(value)));
  }

  void statement(const Enqueue& e, const At&) { lines_.add(fmt::format("{}.enq({})", text(e.fifo), passed(e.value))); }

  // The first number shifts the coordinates, the second is how many there could be.
  void statement(const SetBits& s, const At&) {
    lines_.add(fmt::format("gen_bitvector(0, {}, {}, {}, {})", passed(scope_.of(s.bits).extent), passed(s.count),
                           text(s.fifo), text(s.bits)));
  }

  void statement(const If& i, const At&) {
    lines_.open(fmt::format("if ({}) {{", expressions_.print(i.condition)));
    scope_.open();
    body(i.body);
    scope_.close();
    lines_.close();
  }

  // --- loops ---

  std::string header(const Range& r, const Loop& loop, const At&) const {
    return fmt::format("{} par {}", expressions_.counter(r.first, r.end), expressions_.par(loop.par));
  }

  std::string header(const Scan& s, const Loop& loop, const At& at) const {
    const auto bits = [&](const std::string& name, bool again) {
      return text(name) + (!again && is_last_look(at, loop, name) ? ".deq" : ".peek");
    };
    const std::string start = fmt::format("Scan(par = {}, len = {}, ", expressions_.par(loop.par), passed(s.extent));
    if (s.b.empty()) return start + bits(s.a, false) + ")";
    return fmt::format("{}\"{}\", {}, {})", start, s.join == Join::either ? "or" : "and", bits(s.a, s.a == s.b),
                       bits(s.b, false));
  }

  std::string indices(const Range& r) { return scope_.declare(r.index, Kind::value); }

  std::string indices(const Scan& s) {
    std::string list = scope_.declare(s.position_a, Kind::value);
    if (!s.b.empty()) {
      list += ", " + scope_.declare(s.position_b, Kind::value);
      list += ", " + scope_.declare(s.out, Kind::value);
    }
    return "(" + list + ", " + scope_.declare(s.coordinate, Kind::value) + ")";
  }

  void statement(const Loop& l, const At& at) {
    const std::string pattern =
        l.reg.empty() ? "Foreach" : fmt::format("{}({})", begins_anew(at, l) ? "Reduce" : "Fold", text(l.reg));
    const std::string iterations = std::visit([&](const auto& h) { return header(h, l, at); }, l.header);
    scope_.open();
    const std::string names = std::visit([&](const auto& h) { return indices(h); }, l.header);
    lines_.open(fmt::format("{}({}) {{ {} =>", pattern, iterations, names));
    body(l.body);
    if (l.value) lines_.add(expressions_.print(l.value));
    scope_.close();
    lines_.close(l.reg.empty() ? "}" : fmt::format("}} {{ {} }}", function_text(l.reducer)));
  }

  Scope& scope_;
  const ExpressionPrinter& expressions_;
  Lines& lines_;
};

} // namespace

void print_body(const Body& body, Scope& scope, const ExpressionPrinter& expressions, Lines& lines) {
  BodyPrinter(scope, expressions, lines).body(body);
}

} // namespace cyclotron::backend::rda
