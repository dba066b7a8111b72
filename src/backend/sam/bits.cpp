// SPDX-License-Identifier: MIT
// Levels as words of bits. A fiber is as many words as its size needs, zeros included, so that the place of a word says
// which coordinates it stands for.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

#include <bit>

namespace cyclotron::sam {
namespace {

std::uint64_t bits_of(const Token& token) { return static_cast<std::uint64_t>(token.payload.whole); }
Token word(std::uint64_t bits) { return data(static_cast<std::int64_t>(bits)); }

} // namespace

Body collect_bits(Unit& unit, std::int64_t width, std::int64_t size, Fibers& to) {
  Input& in = unit.input(0);
  const auto none = [&] {
    return BitFiber{std::vector<std::uint64_t>(static_cast<std::size_t>((size + width - 1) / width)), {}};
  };
  BitFiber fiber = none();
  bool any = false;
  for (bool ended = false; !ended;) {
    if (in.empty()) co_await in.until_element();
    const Token token = in.take();
    if (token.is_data()) {
      const std::int64_t c = token.payload.whole;
      if (c < 0 || c >= size) fail(unit, fmt::format("has coordinate {}, but its size is {}", c, size));
      fiber.words[static_cast<std::size_t>(c / width)] |= std::uint64_t{1} << (c % width);
      any = true;
    } else if (!token.is_empty()) {
      if (any) {
        to.put(fiber);
        fiber = none();
        any = false;
        unit.step();
      }
      to.put({{}, token});
    }
    unit.step();
    ended = token.is_done();
  }
}

Body put_bits(Unit& unit, Fibers& from) {
  Output &bv = unit.out[0], &ref = unit.out[1];
  std::int64_t before = 0;
  for (bool ended = false; !ended;) {
    if (from.empty()) co_await from.until_element();
    const BitFiber fiber = from.take();
    for (const std::uint64_t bits : fiber.words) {
      for (Output& out : unit.out)
        while (!out.has_room()) co_await out.until_room();
      bv.put(word(bits));
      ref.put(data(before));
      before += std::popcount(bits);
      unit.step();
    }
    if (!fiber.words.empty()) continue;
    for (Output& out : unit.out)
      while (!out.has_room()) co_await out.until_room();
    bv.put(fiber.end);
    ref.put(fiber.end);
    unit.step();
    ended = fiber.end.is_done();
  }
}

Body expand_bits(Unit& unit, std::int64_t width, bool reference_a_bit) {
  Input &bv = unit.input(0), &refs = unit.input(1);
  Output &crd = unit.out[0], &ref = unit.out[1];
  std::int64_t first = 0; // coordinate that a word's first bit stands for
  for (bool ended = false; !ended;) {
    if (bv.empty()) co_await bv.until_element();
    const Token token = bv.take();
    Token reference = token;
    if (!token.is_data() || !reference_a_bit) {
      if (refs.empty()) co_await refs.until_element();
      reference = refs.take();
      if (reference.kind() != token.kind())
        fail(unit, fmt::format("has {} where its references have {}", describe(token), describe(reference)));
    }
    if (token.is_data()) {
      const std::uint64_t all = bits_of(token);
      for (std::uint64_t bits = all; bits != 0; bits &= bits - 1) {
        if (reference_a_bit) {
          if (refs.empty()) co_await refs.until_element();
          reference = refs.take();
        }
        for (Output& out : unit.out)
          while (!out.has_room()) co_await out.until_room();
        crd.put(data(first + std::countr_zero(bits)));
        ref.put(reference);
        if (!reference_a_bit) ++reference.payload.whole;
        unit.step();
      }
      if (all == 0) unit.step();
      first += width;
      continue;
    }
    for (Output& out : unit.out)
      while (!out.has_room()) co_await out.until_room();
    crd.put(token);
    ref.put(reference);
    unit.step();
    first = 0;
    ended = token.is_done();
  }
}

// A word and a reference each side; out come words, and a reference a bit: the first together with its word. A fiber
// that is a single stop, or `N`, stands for zeros.
Body join_bits(Unit& unit, Join kind) {
  Output& bv = unit.out[0];
  Token sides[2][2]; // word and reference
  bool taken[2] = {false, false};
  for (bool ended = false; !ended;) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (taken[i / 2]) continue;
      if (unit.in[i]->empty()) co_await unit.in[i]->until_element();
      sides[i / 2][i % 2] = unit.in[i]->take();
    }
    const Token &a = sides[0][0], &b = sides[1][0];
    if (a.is_empty() != b.is_empty() && (a.is_stop() || b.is_stop())) { // `N` alone in its fiber
      for (std::size_t s = 0; s < 2; ++s) taken[s] = sides[s][0].is_stop();
      unit.step();
      continue;
    }
    const bool words = a.is_data() || b.is_data();
    if (words ? a.is_done() || b.is_done() : a.kind() != b.kind() || a.level() != b.level())
      fail(unit,
           fmt::format("has {} on one side where the other has {}: their shapes differ", describe(a), describe(b)));
    for (std::size_t s = 0; s < 2; ++s) taken[s] = words && !sides[s][0].is_data();
    for (Output& out : unit.out)
      while (!out.has_room()) co_await out.until_room();
    if (!words) {
      bv.put(a);
      for (std::size_t s = 0; s < 2; ++s) unit.out[1 + s].put(sides[s][1]);
      unit.step();
      ended = a.is_done();
      continue;
    }
    const std::uint64_t own[2] = {a.is_data() ? bits_of(a) : 0, b.is_data() ? bits_of(b) : 0};
    std::uint64_t bits = kind == Join::intersection ? own[0] & own[1] : own[0] | own[1];
    bv.put(word(bits));
    do {
      for (std::size_t s = 0; s < 2 && bits != 0; ++s) {
        Output& out = unit.out[1 + s];
        while (!out.has_room()) co_await out.until_room();
        const std::uint64_t bit = bits & -bits;
        out.put((own[s] & bit) == 0 ? empty() : data(sides[s][1].payload.whole + std::popcount(own[s] & (bit - 1))));
      }
      unit.step();
      bits &= bits - 1;
    } while (bits != 0);
    // `N` is used up by the first word against it; its stop stands for the other zeros.
    for (std::size_t s = 0; s < 2; ++s)
      if (taken[s] && sides[s][0].is_empty()) taken[s] = false;
  }
}

} // namespace cyclotron::sam
