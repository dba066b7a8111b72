// SPDX-License-Identifier: MIT
#include "code/interpret.hpp"

#include "code/arithmetic.hpp"
#include "code/scope.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace cyclotron::code {

namespace {

struct Value {
  Type type;
  std::vector<Word> words; // one, or one for each lane
};

struct Stopped {
  Problem problem;
};

class Interpreter {
public:
  Interpreter(const Kernel& kernel, std::map<std::string, Bytes>& memories, Choices choices)
      : kernel_(kernel), given_(memories), choices_(choices), lanes_(static_cast<std::size_t>(kernel.lanes)) {}

  std::int64_t run(const std::map<std::string, std::int64_t>& sizes) {
    for (const std::string& name : kernel_.sizes) {
      const auto size = sizes.find(name);
      if (size == sizes.end()) stop({}, fmt::format("the size `{}` is not given", name));
      declare(name, whole(size->second));
    }
    for (const Memory& m : kernel_.memories)
      if ((m.role == Role::in || m.role == Role::out) && !given_.count(m.name))
        stop({}, fmt::format("the memory `{}` is not given", m.name));
    body(kernel_.body);
    return failure_;
  }

private:
  static Value whole(std::int64_t number) { return {{Scalar::i64, false}, {{number, 0}}}; }

  [[noreturn]] static void stop(Span span, std::string message) { throw Stopped{{span, std::move(message)}}; }

  Word anything(Scalar scalar) const { return convert({choices_.anything, 0}, Scalar::i64, scalar); }

  // --- variables and memories ---

  void declare(const std::string& name, Value value) { variables_.emplace_back(name, std::move(value)); }

  Value& variable(const std::string& name) {
    const auto found =
        std::find_if(variables_.rbegin(), variables_.rend(), [&](const auto& v) { return v.first == name; });
    return found->second;
  }

  const Memory& memory(const std::string& name) const {
    return *std::find_if(kernel_.memories.begin(), kernel_.memories.end(),
                         [&](const Memory& m) { return m.name == name; });
  }

  Bytes& bytes_of_memory(const Memory& m) {
    return m.role == Role::in || m.role == Role::out ? given_.at(m.name) : own_[m.name];
  }

  // Those of one role as they are where a worker or a block begins.
  void renew(Role role) {
    for (const Memory& m : kernel_.memories) {
      if (m.role != role) continue;
      const std::int64_t elements = std::max<std::int64_t>(0, number(m.elements));
      Bytes& bytes = own_[m.name];
      bytes.resize(static_cast<std::size_t>(elements * bytes_of(m.scalar)));
      for (std::int64_t e = 0; e < elements; ++e)
        write_word(bytes.data() + e * bytes_of(m.scalar), m.scalar, anything(m.scalar));
    }
  }

  // --- elements ---

  struct Place {
    const Memory& memory;
    Bytes& bytes;
    bool lanes = false;
    std::vector<std::int64_t> elements; // one, or one for each lane
    std::vector<Word> on;               // the mask, all true where there is none
  };

  Place place(const std::string& name, const Expr& index, const Expr& stride, const Expr& mask) {
    const Value at = value(index);
    const Memory& m = memory(name);
    Place result{m, bytes_of_memory(m), stride || at.type.lanes, {}, {}};
    const std::size_t count = result.lanes ? lanes_ : 1;
    const std::int64_t step = stride ? number(stride) : 0;
    for (std::size_t l = 0; l < count; ++l) {
      const Word offset = apply(BinaryOp::mul, Scalar::i64, {static_cast<std::int64_t>(l), 0}, {step, 0});
      result.elements.push_back(apply(BinaryOp::add, Scalar::i64, at.words[at.type.lanes ? l : 0], offset).whole);
    }
    result.on = mask ? value(mask).words : std::vector<Word>(count, Word{1, 0});
    return result;
  }

  std::byte* element(const Place& place, std::size_t lane, Span span) {
    const std::int64_t bytes = bytes_of(place.memory.scalar), own = place.elements[lane];
    const std::int64_t elements = static_cast<std::int64_t>(place.bytes.size()) / bytes;
    if (own < 0 || own >= elements)
      stop(span, fmt::format("`{}[{}]` is outside of its {} elements{}", place.memory.name, own, elements,
                             place.lanes ? fmt::format(", in lane {}", lane) : ""));
    return place.bytes.data() + own * bytes;
  }

  // --- expressions ---

  std::int64_t number(const Expr& expr) { return value(expr).words[0].whole; }

  Value value(const Expr& expr) {
    try {
      return ir::match(expr, [&](const auto& kind) { return of(kind, expr->span); });
    } catch (const Undefined& undefined) {
      stop(expr->span, fmt::format("{}, in `{}`", undefined.message, print(expr)));
    }
  }

  Value of(const Number& n, Span) { return {{n.scalar, false}, {word_of(n)}}; }
  Value of(const Variable& v, Span) { return variable(v.name); }

  Value of(const Lane&, Span) {
    Value result{{Scalar::i32, true}, {}};
    for (std::size_t l = 0; l < lanes_; ++l) result.words.push_back({static_cast<std::int64_t>(l), 0});
    return result;
  }

  Value of(const Load& load, Span span) {
    const Place from = place(load.memory, load.index, load.stride, load.mask);
    Value result{{from.memory.scalar, from.lanes}, {}};
    for (std::size_t l = 0; l < from.elements.size(); ++l)
      result.words.push_back(from.on[l].whole ? read_word(element(from, l, span), from.memory.scalar) : Word{});
    return result;
  }

  Value of(const Unary& u, Span) {
    Value result = value(u.operand);
    for (Word& w : result.words) w = apply(u.op, result.type.scalar, w);
    return result;
  }

  Value of(const Binary& b, Span) {
    const Value lhs = value(b.lhs), rhs = value(b.rhs);
    const bool compares = b.op >= BinaryOp::less && b.op <= BinaryOp::not_equal;
    Value result{{compares ? Scalar::boolean : lhs.type.scalar, lhs.type.lanes}, {}};
    for (std::size_t l = 0; l < lhs.words.size(); ++l)
      result.words.push_back(apply(b.op, lhs.type.scalar, lhs.words[l], rhs.words[l]));
    return result;
  }

  Value of(const Select& s, Span) {
    const Value condition = value(s.condition), other = value(s.else_value);
    Value result = value(s.then_value);
    for (std::size_t l = 0; l < result.words.size(); ++l)
      if (!condition.words[l].whole) result.words[l] = other.words[l];
    return result;
  }

  Value of(const Convert& c, Span) {
    Value result = value(c.operand);
    for (Word& w : result.words) w = convert(w, result.type.scalar, c.to);
    result.type.scalar = c.to;
    return result;
  }

  Value of(const Spread& s, Span) {
    const Value one = value(s.operand);
    return {{one.type.scalar, true}, std::vector<Word>(lanes_, one.words[0])};
  }

  Value of(const Shift& s, Span) {
    const Value operand = value(s.operand);
    const Value beside =
        s.from ? value(s.from) : Value{operand.type, std::vector(lanes_, anything(operand.type.scalar))};
    const auto width = static_cast<std::int64_t>(lanes_);
    Value result{operand.type, {}};
    for (std::int64_t l = 0; l < width; ++l) {
      const std::int64_t source = l - s.distance;
      const bool inside = source >= 0 && source < width;
      const std::int64_t lane = inside ? source : source < 0 ? source + width : source - width;
      result.words.push_back((inside ? operand : beside).words[static_cast<std::size_t>(lane)]);
    }
    return result;
  }

  Value of(const Extract& e, Span span) {
    const Value operand = value(e.operand);
    const std::int64_t lane = number(e.lane);
    if (lane < 0 || lane >= kernel_.lanes) stop(span, fmt::format("there is no lane {} of {}", lane, kernel_.lanes));
    return {{operand.type.scalar, false}, {operand.words[static_cast<std::size_t>(lane)]}};
  }

  Value of(const AnyLane& a, Span) {
    const Value operand = value(a.operand);
    const bool any = std::any_of(operand.words.begin(), operand.words.end(), [](Word w) { return w.whole != 0; });
    return {{Scalar::boolean, false}, {{any ? 1 : 0, 0}}};
  }

  // --- statements ---

  void body(const Body& list) {
    const std::size_t before = variables_.size();
    for (const Statement& s : list) std::visit([&](const auto& kind) { run(kind, s.span); }, s.kind);
    variables_.resize(before);
  }

  void run(const Declare& d, Span) {
    declare(d.name, d.value ? value(d.value) : Value{d.type, std::vector<Word>(d.type.lanes ? lanes_ : 1)});
  }

  void run(const Assign& a, Span) {
    Value next = value(a.value);
    variable(a.name) = std::move(next);
  }

  void run(const Store& s, Span span) {
    const Value stored = value(s.value);
    const Place to = place(s.memory, s.index, s.stride, s.mask);
    for (std::size_t i = 0; i < to.elements.size(); ++i) {
      const std::size_t lane = choices_.backwards ? to.elements.size() - 1 - i : i;
      if (!to.on[lane].whole) continue;
      if (to.memory.once && !stored_once_[s.memory].insert(to.elements[lane]).second)
        stop(span, fmt::format("element {} of `{}` is stored to again", to.elements[lane], s.memory));
      write_word(element(to, lane, span), to.memory.scalar, stored.words[lane]);
    }
  }

  void run(const For& f, Span) {
    const std::int64_t first = number(f.first), end = number(f.end);
    const bool serial = f.run == Run::serial;
    const auto iterate = [&](std::int64_t at) {
      if (!serial) renew(f.run == Run::workers ? Role::scratch : Role::shared);
      const std::size_t before = variables_.size();
      declare(f.variable, whole(at));
      body(f.body);
      variables_.resize(before);
    };
    if (f.step > 0 ? first >= end : first <= end) return;
    // The distance from the first to the last that is reached, which may not fit a number with a sign.
    const auto a = static_cast<std::uint64_t>(first), step = static_cast<std::uint64_t>(f.step);
    const std::uint64_t far =
        f.step > 0 ? static_cast<std::uint64_t>(end) - a - 1 : a - static_cast<std::uint64_t>(end) - 1;
    const std::uint64_t last = far / (f.step > 0 ? step : 0 - step);
    for (std::uint64_t i = 0;; ++i) {
      iterate(static_cast<std::int64_t>(a + (choices_.backwards && !serial ? last - i : i) * step));
      if (i == last) return;
    }
  }

  void run(const If& i, Span) {
    if (number(i.condition)) body(i.body);
  }

  void run(const Barrier&, Span) {} // a block is done by one worker after the other

  void run(const Fail& f, Span) {
    const Value condition = value(f.condition);
    for (const Word& w : condition.words)
      if (w.whole && (failure_ == 0 || f.code < failure_)) failure_ = f.code;
  }

  const Kernel& kernel_;
  std::map<std::string, Bytes>& given_;
  const Choices choices_;
  const std::size_t lanes_;
  std::map<std::string, Bytes> own_;                          // scratch and shared memory
  std::map<std::string, std::set<std::int64_t>> stored_once_; // elements, by memory
  std::vector<std::pair<std::string, Value>> variables_;
  std::int64_t failure_ = 0;
};

} // namespace

Outcome interpret(const Kernel& kernel, const std::map<std::string, std::int64_t>& sizes,
                  std::map<std::string, Bytes>& memories, Choices choices) {
  try {
    return {Interpreter(kernel, memories, choices).run(sizes), std::nullopt};
  } catch (const Stopped& stopped) {
    return {0, stopped.problem};
  }
}

} // namespace cyclotron::code
