// SPDX-License-Identifier: MIT
// Blocks on values: arrays, ALUs, and reducers of one fiber to one value.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

#include <type_traits>

namespace cyclotron::sam {
namespace {

template <class T> Word word_of(T number) {
  if constexpr (std::is_floating_point_v<T>) return {.real = static_cast<double>(number)};
  else return {.whole = static_cast<std::int64_t>(number)};
}

template <class T> Body load(Unit& unit, const std::vector<T>& values) {
  Input& in = unit.input(0);
  Output& out = unit.out[0];
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    Token token = in.take();
    while (!out.has_room()) co_await out.until_room();
    if (token.is_data()) {
      const auto at = static_cast<std::size_t>(token.payload.whole);
      if (at >= values.size())
        fail(unit, fmt::format("has {} values, but was asked for number {}", values.size(), token.payload.whole));
      token.payload = word_of(values[at]);
    } else if (token.is_empty()) {
      token = value(word_of(T{}));
    }
    out.put(token);
    unit.step();
    ended = token.is_done();
  }
}

void check_operand(const Unit& unit, const Token& first, const Token& other) {
  if (other.kind != first.kind || (first.is_stop() && other.level != first.level))
    fail(unit, fmt::format("has {} in one operand where another has {}: their shapes differ", describe(first),
                           describe(other)));
  if (first.is_empty()) fail(unit, "has `N` in an operand: only values were expected");
}

} // namespace

Body load_values(Unit& unit, const tensor::Values& values) {
  return std::visit([&](const auto& array) { return load(unit, array); }, values);
}

Body compute(Unit& unit, Calculation calculation, Operands operands) {
  Output& out = unit.out[0];
  const char* problem = nullptr;
  for (bool ended = false; !ended;) {
    Token token;
    for (std::size_t i = 0; i < unit.in.size(); ++i) {
      Input& in = *unit.in[i];
      if (in.empty()) co_await in.until_element();
      const Token taken = in.take();
      if (i == 0) token = taken;
      check_operand(unit, token, taken);
      const Operands::Port& port = operands.ports[i];
      operands.words[port.place] = port.from == port.to ? taken.payload : convert(taken.payload, port.from, port.to);
    }
    while (!out.has_room()) co_await out.until_room();
    if (token.is_data()) token.payload = calculate(calculation, operands.words.data(), problem);
    if (problem) fail(unit, problem);
    out.put(token);
    unit.step();
    ended = token.is_done();
  }
}

Body reduce(Unit& unit, Combination combination, bool keeps_empty) {
  Input& in = unit.input(0);
  Output& out = unit.out[0];
  const Word identity = identity_of(combination);
  Word total = identity;
  bool any = false;
  const char* problem = nullptr;
  for (;;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    if (token.is_data()) {
      total = combine(combination, total, token.payload, problem);
      if (problem) fail(unit, problem);
      any = true;
    } else if (token.is_stop()) {
      while (!out.has_room()) co_await out.until_room();
      if (token.hollow == 0 && (any || keeps_empty)) out.put(value(total));
      total = identity;
      any = false;
      if (token.level > 0) { // its stop comes in a cycle of its own, with or without a value before it
        unit.step();
        while (!out.has_room()) co_await out.until_room();
        out.put(stop(token.level - 1, token.hollow > 0 ? token.hollow - 1 : 0));
      }
    } else if (token.is_done()) {
      break;
    }
    unit.step();
  }
  while (!out.has_room()) co_await out.until_room();
  out.put(done());
  unit.step();
}

} // namespace cyclotron::sam
