// SPDX-License-Identifier: MIT
#include "pattern/interpret.hpp"

#include "recurrence/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace cyclotron::pattern {

using ir::match;

namespace {

// A memory, or a variable: a register without a declaration.
struct Cell {
  MemoryKind kind = MemoryKind::reg;
  bool is_dram = false;
  ValueType type = ValueType::i64;
  std::vector<Word>* dram = nullptr; // of the host
  std::vector<Word> words;           // of an sram; a register has one
  std::vector<bool> written;         // of an sram, and bit by bit of bits
  std::deque<Word> queue;
};

struct Mistake {
  std::string message;
};

class Interpreter {
public:
  Interpreter(const Program& program, Arrays& arrays) : program_(program), arrays_(arrays) {}

  std::optional<Stopped> run() {
    try {
      open();
      run_all(program_.body);
      close();
    } catch (const Mistake& mistake) {
      return Stopped{mistake.message, true};
    } catch (const Undefined& undefined) {
      return Stopped{undefined.message, false};
    }
    return std::nullopt;
  }

private:
  // --- names ---

  void open() {
    cells_.emplace_back();
    for (const std::string& size : program_.sizes) define(size, whole_value(arrays_.sizes.at(size)));
    for (const Environment& e : program_.environment) define(e.name, whole_value(e.value));
    for (const Dram& d : program_.drams) {
      std::vector<Word>& words = arrays_.drams[d.name];
      if (d.out && d.extent) words.resize(static_cast<std::size_t>(number(d.extent)), recurrence::zero_of(d.type));
      Cell& cell = cells_.back()[d.name];
      cell.is_dram = true;
      cell.type = d.type;
      cell.dram = &words;
    }
  }

  void close() {
    for (const auto& [name, cell] : cells_.back())
      if (!cell.queue.empty())
        throw Mistake{fmt::format("the fifo `{}` still holds {} at the end of its scope", name, cell.queue.size())};
    cells_.pop_back();
  }

  void define(const std::string& name, Value value) {
    Cell& cell = cells_.back()[name];
    cell = {};
    cell.type = value.type;
    cell.words = {value.word};
  }

  Cell& cell(const std::string& name) {
    for (auto scope = cells_.rbegin(); scope != cells_.rend(); ++scope)
      if (const auto at = scope->find(name); at != scope->end()) return at->second;
    throw Mistake{fmt::format("there is no `{}` here", name)};
  }

  // --- expressions ---

  std::int64_t number(const Expr& expr) { return value(expr).whole(); }

  Value value(const Expr& expr) {
    return match(
        expr, [](const Number& n) { return value_of(n); },
        [&](const Variable& v) {
          const Cell& c = cell(v.name);
          return Value{c.type, c.words.at(0)};
        },
        [&](const Read& r) { return read(r.memory, number(r.index)); },
        [&](const Dequeue& d) { return dequeue(d.fifo); },
        [&](const Unary& u) { return compute(u.op, value(u.operand)); }, [&](const Binary& b) { return binary(b); },
        [&](const Call& c) {
          std::vector<Value> arguments;
          for (const Expr& e : c.arguments) arguments.push_back(value(e));
          return compute(c.function, arguments);
        },
        [&](const Select& s) { return value(value(s.condition).truth() ? s.then_value : s.else_value); },
        [&](const Convert& c) { return convert(value(c.operand), c.to); });
  }

  // As in the language, the right side of `and` and `or` only where it is needed.
  Value binary(const Binary& b) {
    const Value left = value(b.lhs);
    if (b.op == recurrence::BinaryOp::logical_and && !left.truth()) return left;
    if (b.op == recurrence::BinaryOp::logical_or && left.truth()) return left;
    return compute(b.op, left, value(b.rhs));
  }

  Value read(const std::string& name, std::int64_t index) {
    const Cell& c = cell(name);
    const std::vector<Word>& words = c.is_dram ? *c.dram : c.words;
    check_inside(name, index, words.size());
    const auto at = static_cast<std::size_t>(index);
    if (!c.is_dram && !c.written[at]) throw Mistake{fmt::format("`{}[{}]` is read before it is written", name, index)};
    return {c.type, words[at]};
  }

  static void check_inside(const std::string& name, std::int64_t index, std::size_t size) {
    if (index < 0 || index >= static_cast<std::int64_t>(size))
      throw Mistake{fmt::format("`{}[{}]` is outside: it has {} elements", name, index, size)};
  }

  Value dequeue(const std::string& name) {
    Cell& c = cell(name);
    if (c.queue.empty()) throw Mistake{fmt::format("the fifo `{}` is read, and empty", name)};
    const Word word = c.queue.front();
    c.queue.pop_front();
    return {c.type, word};
  }

  // --- statements ---

  void run_all(const Body& body) {
    for (const Statement& s : body) std::visit([this](const auto& kind) { run(kind); }, s.kind);
  }

  void run_inside(const Body& body) {
    cells_.emplace_back();
    run_all(body);
    close();
  }

  void run(const Declare& d) {
    const std::int64_t extent = d.extent ? number(d.extent) : 1;
    if (extent < 0) throw Mistake{fmt::format("`{}` would have {} elements", d.name, extent)};
    Cell c;
    c.kind = d.kind;
    c.type = d.kind == MemoryKind::bits ? ValueType::boolean : d.type;
    if (d.kind == MemoryKind::reg) c.words = {value(d.initial).word};
    if (d.kind == MemoryKind::sram || d.kind == MemoryKind::sparse_sram)
      c.words.assign(static_cast<std::size_t>(extent), recurrence::zero_of(d.type));
    if (d.kind != MemoryKind::reg && d.kind != MemoryKind::fifo)
      c.written.assign(static_cast<std::size_t>(extent), false);
    cells_.back()[d.name] = std::move(c);
  }

  void run(const Let& l) { define(l.name, value(l.value)); }

  void run(const Loop& loop) {
    if (const auto* range = std::get_if<Range>(&loop.header)) {
      const std::int64_t end = number(range->end);
      for (std::int64_t i = number(range->first); i < end; ++i)
        iterate(loop, [&] { define(range->index, whole_value(i)); });
      return;
    }
    scan(loop, std::get<Scan>(loop.header));
  }

  template <class Indices> void iterate(const Loop& loop, Indices define_indices) {
    cells_.emplace_back();
    define_indices();
    run_all(loop.body);
    const std::optional<Value> yielded = loop.reg.empty() ? std::nullopt : std::optional(value(loop.value));
    close();
    if (yielded) update(loop.reg, loop.reducer, *yielded);
  }

  void update(const std::string& reg, std::optional<Reducer> reducer, Value with) {
    Cell& c = cell(reg);
    c.words.at(0) = reducer ? combine(*reducer, {c.type, c.words.at(0)}, with).word : with.word;
  }

  void scan(const Loop& loop, const Scan& s) {
    const std::int64_t extent = number(s.extent);
    std::int64_t before_a = 0, before_b = 0, out = 0;
    for (std::int64_t i = 0; i < extent; ++i) {
      const bool a = bit(s.a, i), b = !s.b.empty() && bit(s.b, i);
      const bool goes = s.b.empty() ? a : s.join == Join::either ? a || b : a && b;
      if (goes)
        iterate(loop, [&] {
          define(s.position_a, whole_value(a ? before_a : -1));
          define(s.coordinate, whole_value(i));
          if (s.b.empty()) return;
          define(s.position_b, whole_value(b ? before_b : -1));
          define(s.out, whole_value(out));
        });
      before_a += a ? 1 : 0;
      before_b += b ? 1 : 0;
      out += goes ? 1 : 0;
    }
  }

  bool bit(const std::string& name, std::int64_t index) {
    const Cell& c = cell(name);
    check_inside(name, index, c.written.size());
    return c.written[static_cast<std::size_t>(index)];
  }

  void run(const Load& l) {
    const std::int64_t first = number(l.first), end = number(l.end);
    const std::vector<Word>& from = *cell(l.from).dram;
    Cell& to = cell(l.to);
    for (std::int64_t i = first; i < end; ++i) {
      check_inside(l.from, i, from.size());
      const Word word = from[static_cast<std::size_t>(i)];
      if (to.kind == MemoryKind::fifo) to.queue.push_back(word);
      else write(l.to, to, i - first, word);
    }
  }

  void run(const Store& s) {
    const std::int64_t first = number(s.first), end = number(s.end);
    std::vector<Word>& to = *cell(s.to).dram;
    const bool grows = !program_.dram(s.to)->extent;
    if (grows && end > static_cast<std::int64_t>(to.size()))
      to.resize(static_cast<std::size_t>(end), recurrence::zero_of(cell(s.to).type));
    for (std::int64_t i = first; i < end; ++i) {
      check_inside(s.to, i, to.size());
      to[static_cast<std::size_t>(i)] =
          cell(s.from).kind == MemoryKind::fifo ? dequeue(s.from).word : read(s.from, i - first).word;
    }
  }

  static void write(const std::string& name, Cell& c, std::int64_t index, Word word) {
    check_inside(name, index, c.words.size());
    c.words[static_cast<std::size_t>(index)] = word;
    c.written[static_cast<std::size_t>(index)] = true;
  }

  void run(const Write& w) {
    const Value with = value(w.value);
    if (!w.index) return update(w.memory, w.reducer, with);
    const std::int64_t index = number(w.index);
    write(w.memory, cell(w.memory), index,
          w.reducer ? combine(*w.reducer, read(w.memory, index), with).word : with.word);
  }

  void run(const Enqueue& e) {
    const Word word = value(e.value).word;
    cell(e.fifo).queue.push_back(word);
  }

  void run(const SetBits& s) {
    const std::int64_t count = number(s.count);
    Cell& bits = cell(s.bits);
    for (std::int64_t n = 0; n < count; ++n) {
      const std::int64_t index = dequeue(s.fifo).whole();
      check_inside(s.bits, index, bits.written.size());
      bits.written[static_cast<std::size_t>(index)] = true;
    }
  }

  void run(const If& i) {
    if (value(i.condition).truth()) run_inside(i.body);
  }

  const Program& program_;
  Arrays& arrays_;
  std::vector<std::map<std::string, Cell>> cells_; // innermost scope last
};

} // namespace

std::optional<Stopped> interpret(const Program& program, Arrays& arrays) { return Interpreter(program, arrays).run(); }

} // namespace cyclotron::pattern
