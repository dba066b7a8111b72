// SPDX-License-Identifier: MIT
// Blocks on values: arrays, ALUs, and reducers of one fiber to one value.
#include "backend/sam/blocks.hpp"
#include "backend/sam/burst.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace cyclotron::sam {
namespace {

template <class T> Word word_of(T number) {
  if constexpr (std::is_floating_point_v<T>) return {.real = static_cast<double>(number)};
  else return {.whole = static_cast<std::int64_t>(number)};
}

template <class T> Body load(Unit& unit, const std::vector<T>& values) {
  const auto fetch = [&values](const Token& later) {
    const auto at = static_cast<std::size_t>(later.payload.whole);
    if (at < values.size()) __builtin_prefetch(values.data() + at);
  };
  const auto each = [&unit, &values](const Token& token, Time now) {
    const bool is_data = token.is_data(); // behind a union nobody can guess it: no branch depends on it
    if (!is_data && !token.is_empty()) return token;
    const auto at = static_cast<std::size_t>(is_data ? token.payload.whole : 0);
    if (at < values.size()) return value(word_of(is_data ? values[at] : T{}));
    if (!is_data) return value(word_of(T{}));
    fail(unit, now, fmt::format("has {} values, but was asked for number {}", values.size(), token.payload.whole));
  };
  return map(unit, each, fetch);
}

[[noreturn, gnu::noinline]] void refuse_operands(const Unit& unit, Time now, Token first, Token other) {
  if (first.is_empty() && other.is_empty()) fail(unit, now, "has `N` in an operand: only values were expected");
  fail(
      unit, now,
      fmt::format("has {} in one operand where another has {}: their shapes differ", describe(first), describe(other)));
}

bool fits(Token first, Token other) {
  return other.kind() == first.kind() && !first.is_empty() && other.level() == first.level();
}

template <std::size_t count> struct Compute {
  Unit& unit;
  Calculation calculation;
  Operands operands;
  std::size_t taken = 0; // of the operands
  Token first = {};      // of them; then the result

  Need work() { return work(std::make_index_sequence<count>()); }

  template <std::size_t... port> Need work(std::index_sequence<port...>) {
    Clock clock(unit.self);
    Taking in[] = {Taking(unit.input(port))...};
    Sending out(unit.out[0]);
    Token token = first;
    for (;;) {
      const bool all = (take(port, in[port], token, clock) && ...);
      if (!all || !out.has_room()) {
        first = token;
        return all ? Need{.room = &unit.out[0]} : Need{.token = &unit.input(taken)};
      }
      out.put(token.is_data() ? value(calculated(clock.now())) : token, clock);
      unit.step(clock);
      if (token.is_done()) return {};
      taken = 0;
    }
  }

  // Whether the operand is there.
  bool take(std::size_t port, Taking& in, Token& token, Clock& clock) {
    if (taken > port) return true;
    if (in.empty()) return false;
    const Token next = in.take(clock);
    if (port == 0) token = next;
    if (!fits(token, next)) refuse_operands(unit, clock.now(), token, next);
    const Operands::Port& p = operands.ports[port];
    operands.words[p.place] = p.from == p.to ? next.payload : convert(next.payload, p.from, p.to);
    taken = port + 1;
    return true;
  }

  Word calculated(Time now) const {
    const char* problem = nullptr;
    const Word word = calculate(calculation, operands.words.data(), problem);
    if (problem) fail(unit, now, problem);
    return word;
  }
};

struct Reduce {
  Unit& unit;
  Combination combination;
  bool keeps_empty;
  Word total = recurrence::identity_of(combination.reducer, combination.type);
  bool any = false;
  // The stop or end for which there was no room, and whether its value is out.
  bool holds = false, valued = false;
  Token held = {};

  Need work() {
    Clock clock(unit.self);
    Taking in(unit.input(0));
    Sending out(unit.out[0]);
    for (;;) {
      if (!holds) {
        if (in.empty()) return {.token = &unit.input(0)};
        held = in.take(clock);
        if (held.is_data()) {
          add(held.payload, clock.now());
          unit.step(clock);
          continue;
        }
        if (held.is_empty()) {
          unit.step(clock);
          continue;
        }
      }
      holds = true;
      if (!end_fiber(out, clock)) return {.room = &unit.out[0]};
      holds = valued = false;
      if (held.is_done()) return {};
    }
  }

  void add(Word word, Time now) {
    const char* problem = nullptr;
    total = combine(combination, total, word, problem);
    if (problem) fail(unit, now, problem);
    any = true;
  }

  // Whether there was room for all of it. The stop comes in a cycle of its own, with or without a value before it.
  bool end_fiber(Sending& out, Clock& clock) {
    if (!valued && held.is_stop()) {
      if (!out.has_room()) return false;
      if (held.hollow() == 0 && (any || keeps_empty)) out.put(value(total), clock);
      total = recurrence::identity_of(combination.reducer, combination.type);
      any = false;
      valued = true;
      unit.step(clock);
      if (held.level() == 0) return true;
    }
    if (!out.has_room()) return false;
    out.put(held.is_done() ? done() : stop(held.level() - 1, std::max(held.hollow() - 1, 0)), clock);
    unit.step(clock);
    return true;
  }
};

} // namespace

Body load_values(Unit& unit, const tensor::Values& values) {
  return std::visit([&](const auto& array) { return load(unit, array); }, values);
}

Body compute(Unit& unit, Calculation calculation, Operands operands) {
  switch (unit.in.size()) {
  case 1: return work_off(Compute<1>{unit, calculation, std::move(operands)});
  case 2: return work_off(Compute<2>{unit, calculation, std::move(operands)});
  case 3: return work_off(Compute<3>{unit, calculation, std::move(operands)});
  default: bug("an ALU has one to three operands that are not constant");
  }
}

Body reduce(Unit& unit, Combination combination, bool keeps_empty) {
  return work_off(Reduce{unit, combination, keeps_empty});
}

} // namespace cyclotron::sam
