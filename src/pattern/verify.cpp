// SPDX-License-Identifier: MIT
// The invariants: names, types, and which statement may use which kind of memory.
#include "pattern/check_expression.hpp"
#include "pattern/words.hpp"

#include <fmt/format.h>

namespace cyclotron::pattern {

using tensor::name_of;

namespace {

class Verifier {
public:
  explicit Verifier(const Program& program) : program_(program) {}

  void run() {
    head();
    for (const Statement& s : program_.body) statement(s);
  }

private:
  [[noreturn]] void fail(std::string message) { throw Broken{{span_, std::move(message)}}; }

  // --- the head ---

  void head() {
    new_name(program_.name, "a program");
    for (const std::string& size : program_.sizes) declare({size, NameKind::value, ValueType::i64}, "a size");
    for (const Environment& e : program_.environment) {
      declare({e.name, NameKind::constant, ValueType::i64}, "a constant");
      if (e.value < 1) fail(fmt::format("the constant `{}` is {}: parallel factors are 1 or more", e.name, e.value));
    }
    // Before the drams have names: nothing has been loaded yet.
    for (const Dram& d : program_.drams)
      if (d.extent) want(d.extent, ValueType::i64, fmt::format("the extent of `{}`", d.name));
    for (const Dram& d : program_.drams) dram(d);
  }

  void dram(const Dram& d) {
    span_ = d.extent ? d.extent->span : Span{};
    declare({d.name, NameKind::dram, d.type}, "a dram");
    if (!is_word(d.tensor)) fail(fmt::format("`{}` is no name of a tensor", d.tensor));
    if (d.array == ArrayKind::values ? d.level != 0 : d.level < 1)
      fail(fmt::format("`{}` has level {}: levels of positions and coordinates count from 1, values have none", d.name,
                       d.level));
    if (d.array != ArrayKind::values && d.type != ValueType::i64)
      fail(fmt::format("`{}` has {}, which are i64, not {}", d.name, word_of(d.array), name_of(d.type)));
    span_ = {};
  }

  void new_name(const std::string& name, std::string_view what) {
    if (!is_name(name)) fail(fmt::format("`{}` cannot be the name of {}", name, what));
  }

  void declare(Named named, std::string_view what) {
    new_name(named.name, what);
    if (scope_.find(named.name)) fail(fmt::format("`{}` is declared twice", named.name));
    scope_.declare(std::move(named));
  }

  // --- what statements are made of ---

  ValueType type(const Expr& e) { return checked_type(e, scope_); }

  void want(const Expr& e, ValueType wanted, const std::string& what) {
    const ValueType found = type(e);
    if (found == wanted) return;
    throw Broken{{e->span, fmt::format("{} is {}, and `{}` is {}", what, name_of(wanted), print(e), name_of(found))}};
  }

  const Named& find(const std::string& name) { return known(name, span_, scope_); }

  void want_kind(const Named& named, bool right, std::string_view rule) {
    if (!right) fail(fmt::format("{}, and `{}` is {}", rule, named.name, describe(named.kind)));
  }

  void want_same(const Named& a, const Named& b) {
    if (a.type != b.type)
      fail(fmt::format("`{}` holds {}, and `{}` {}", a.name, name_of(a.type), b.name, name_of(b.type)));
  }

  void want_reducer(Reducer reducer, const Named& named) {
    if (!reduces(reducer, named.type))
      fail(fmt::format("`{}` has no meaning for {}, which `{}` holds", recurrence::name_of(reducer),
                       name_of(named.type), named.name));
  }

  void check_par(const Expr& par) {
    const Number* number = ir::as<Number>(par);
    const Variable* variable = ir::as<Variable>(par);
    if (number && number->type == ValueType::i64) {
      if (number->whole < 1) fail_par(par, fmt::format("a parallel factor is 1 or more, not {}", number->whole));
    } else if (!variable || known(variable->name, par->span, scope_).kind != NameKind::constant) {
      fail_par(par, fmt::format("a parallel factor is a number or an environment constant, and `{}` is neither",
                                print(par)));
    }
  }
  [[noreturn]] void fail_par(const Expr& par, std::string message) { throw Broken{{par->span, std::move(message)}}; }

  // --- statements ---

  void statement(const Statement& s) {
    span_ = s.span;
    try {
      std::visit([&](const auto& kind) { check(kind); }, s.kind);
    } catch (Broken& broken) {
      if (!broken.problem.span.known()) broken.problem.span = s.span;
      throw;
    }
  }

  void body(const Body& list) {
    scope_.open();
    for (const Statement& s : list) statement(s);
    scope_.close();
  }

  void check(const Declare& d) {
    const bool reg = d.kind == MemoryKind::reg;
    if (reg ? !d.initial || d.extent : !d.extent || d.initial)
      fail(fmt::format("`{}` is {}, which has {}", d.name, describe(kind_of(d.kind)),
                       reg ? "a first value and no extent" : "an extent and no first value"));
    if (reg) want(d.initial, d.type, fmt::format("the first value of `{}`", d.name));
    else if (d.kind == MemoryKind::fifo) check_depth(d);
    else want(d.extent, ValueType::i64, fmt::format("the extent of `{}`", d.name));
    declare({d.name, kind_of(d.kind), d.type}, "a memory");
  }

  void check_depth(const Declare& d) {
    const Number* depth = ir::as<Number>(d.extent);
    if (!depth || depth->type != ValueType::i64 || depth->whole < 1)
      throw Broken{
          {d.extent->span, fmt::format("the depth of a fifo is a number from 1 up, and not `{}`", print(d.extent))}};
  }

  void check(const Let& l) {
    const Dequeue* dequeue = l.value ? ir::as<Dequeue>(l.value) : nullptr;
    if (dequeue) {
      const Named& fifo = known(dequeue->fifo, l.value->span, scope_);
      want_kind(fifo, fifo.kind == NameKind::fifo, "`deq` reads a fifo");
      if (fifo.type != l.type)
        fail(fmt::format("the value of `{}` is {}, and `{}` holds {}", l.name, name_of(l.type), fifo.name,
                         name_of(fifo.type)));
    } else {
      want(l.value, l.type, fmt::format("the value of `{}`", l.name));
    }
    declare({l.name, NameKind::value, l.type}, "a value");
  }

  void check(const Load& l) {
    const Named& to = find(l.to);
    const Named& from = find(l.from);
    want_kind(from, from.kind == NameKind::dram, "`load` comes from a dram");
    want_kind(to, is_sram(to.kind) || to.kind == NameKind::fifo, "`load` goes into an sram or a fifo");
    want_same(to, from);
    slice(l.first, l.end, l.par);
  }

  void check(const Store& s) {
    const Named& from = find(s.from);
    const Named& to = find(s.to);
    want_kind(to, to.kind == NameKind::dram, "`store` goes to a dram");
    want_kind(from, is_sram(from.kind) || from.kind == NameKind::fifo, "`store` comes from an sram or a fifo");
    if (!program_.dram(s.to)->out) fail(fmt::format("`store` goes to a dram that is `out`, and `{}` is `in`", s.to));
    want_same(from, to);
    slice(s.first, s.end, s.par);
  }

  void slice(const Expr& first, const Expr& end, const Expr& par) {
    want(first, ValueType::i64, "the first index");
    want(end, ValueType::i64, "the end");
    if (par) check_par(par);
  }

  void check(const Write& w) {
    const Named& named = find(w.memory);
    if (w.index) {
      want_kind(named, is_sram(named.kind), "only an sram is written by an index");
      want(w.index, ValueType::i64, "an index");
    } else {
      want_kind(named, named.kind == NameKind::reg, "only a register is written by its name");
    }
    if (w.reducer) want_reducer(*w.reducer, named);
    want(w.value, named.type, fmt::format("what is written to `{}`", w.memory));
  }

  void check(const Enqueue& e) {
    const Named& fifo = find(e.fifo);
    want_kind(fifo, fifo.kind == NameKind::fifo, "`enq` writes to a fifo");
    want(e.value, fifo.type, fmt::format("what is written to `{}`", e.fifo));
  }

  void check(const SetBits& s) {
    const Named& bits = find(s.bits);
    const Named& fifo = find(s.fifo);
    want_kind(bits, bits.kind == NameKind::bits, "`set` sets bits");
    want_kind(fifo, fifo.kind == NameKind::fifo, "`set` takes coordinates from a fifo");
    if (fifo.type != ValueType::i64)
      fail(fmt::format("coordinates are i64, and `{}` holds {}", s.fifo, name_of(fifo.type)));
    want(s.count, ValueType::i64, "the number of coordinates");
  }

  void check(const If& i) {
    want(i.condition, ValueType::boolean, "a condition");
    if (i.body.empty()) fail("this `if` has no body");
    body(i.body);
  }

  // --- loops ---

  void check(const Loop& l) {
    const bool reduces = !l.reg.empty();
    if (reduces != bool(l.value))
      fail(reduces ? "the body of this `reduce` does not end with `yield`" : "a `foreach` yields a value");
    if (!reduces && l.body.empty()) fail("this `foreach` has no body");
    if (reduces) {
      const Named& reg = find(l.reg);
      want_kind(reg, reg.kind == NameKind::reg, "a reduction needs a register");
      want_reducer(l.reducer, reg);
    }
    const Span own = span_;
    scope_.open();
    std::visit([&](const auto& header) { check_header(header); }, l.header);
    if (!l.par) fail("this loop has no parallel factor");
    check_par(l.par);
    for (const Statement& s : l.body) statement(s);
    span_ = own;
    if (reduces) want(l.value, find(l.reg).type, fmt::format("what `{}` reduces", l.reg));
    scope_.close();
  }

  void check_header(const Range& r) {
    want(r.first, ValueType::i64, "the first index");
    want(r.end, ValueType::i64, "the end");
    declare({r.index, NameKind::value, ValueType::i64}, "an index");
  }

  void check_header(const Scan& s) {
    const bool two = !s.b.empty();
    if (two == s.position_b.empty() || two == s.out.empty())
      fail(
          "a scan of two gives two positions, a count and a coordinate, and a scan of one a position and a coordinate");
    for (const std::string& name : two ? std::vector{s.a, s.b} : std::vector{s.a}) {
      const Named& bits = find(name);
      want_kind(bits, bits.kind == NameKind::bits, "`scan` reads bits");
    }
    want(s.extent, ValueType::i64, "the number of coordinates");
    for (const std::string& name :
         two ? std::vector{s.position_a, s.position_b, s.out, s.coordinate} : std::vector{s.position_a, s.coordinate})
      declare({name, NameKind::value, ValueType::i64}, "what a scan gives");
  }

  const Program& program_;
  Scope scope_;
  Span span_; // of what is being checked
};

} // namespace

std::optional<Problem> find_problem(const Program& program) {
  try {
    Verifier(program).run();
    return std::nullopt;
  } catch (const Broken& broken) {
    return broken.problem;
  }
}

std::string problem_of(const Program& program) {
  const auto problem = find_problem(program);
  return problem ? problem->message : "";
}

} // namespace cyclotron::pattern
