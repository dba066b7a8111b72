// SPDX-License-Identifier: MIT
// Joiners of two sides, each with coordinates and any number of references that go with them.
//
// A joiner has a register for each side, and fills both in its first cycle. It then makes a step only when both sides
// have something to fill them with again, even where it advances one.
#include "backend/sam/blocks.hpp"

#include <fmt/format.h>

namespace cyclotron::sam {
namespace {

// What one step does: which sides go on, and which of them is in the output.
struct Step {
  bool takes[2] = {false, false};
  bool puts = false;
  bool has[2] = {false, false}; // else `N` stands for its references
  bool fills = false;           // with a filler
};

constexpr Step both = {{true, true}, true, {true, true}, false};
constexpr Step nothing_of_both = {{true, true}, true, {false, false}, false};
constexpr Step skip_first = {{true, false}, false, {}, false};
constexpr Step skip_second = {{false, true}, false, {}, false};
constexpr Step only_first = {{true, false}, true, {true, false}, false};
constexpr Step only_second = {{false, true}, true, {false, true}, false};

constexpr Step skip_both = {{true, true}, false, {}, false};
constexpr Step filler_for_first = {{true, false}, true, {false, false}, true};
constexpr Step filler_for_second = {{false, true}, true, {false, false}, true};
constexpr Step filler_for_both = {{true, true}, true, {false, false}, true};

Token filler() { return {.payload = {.whole = 1}, .kind = TokenKind::empty}; }
bool is_filler(const Token& token) { return token.is_empty() && token.payload.whole == 1; }

Step intersect(const Token& a, const Token& b, bool keeps_empty) {
  if (a.is_empty() || b.is_empty()) {
    if (a.is_stop()) return skip_second;
    return b.is_stop() ? skip_first : keeps_empty ? nothing_of_both : skip_both;
  }
  if (a.is_stop()) return b.is_stop() ? both : skip_second;
  if (b.is_stop()) return skip_first;
  if (a.payload.whole == b.payload.whole) return both;
  return a.payload.whole < b.payload.whole ? skip_first : skip_second;
}

// An `N` that is alone in its fiber is dropped only at the end of a chain of unions: on the way it takes its cycles, as
// in the published model, but as a filler, which says that another side does have this fiber.
Step unite(const Token& a, const Token& b, bool last, bool keeps_empty) {
  if (a.is_stop()) return b.is_stop() ? both : !b.is_empty() ? only_second : last ? skip_second : filler_for_second;
  if (b.is_stop()) return !a.is_empty() ? only_first : last ? skip_first : filler_for_first;
  if (a.is_empty() && b.is_empty()) {
    const bool absent = !is_filler(a) && !is_filler(b);
    if (last) return absent && keeps_empty ? both : skip_both;
    return absent ? both : filler_for_both;
  }
  if (a.is_empty()) return only_second;
  if (b.is_empty()) return only_first;
  if (a.payload.whole == b.payload.whole) return both;
  return a.payload.whole < b.payload.whole ? only_first : only_second;
}

struct Side {
  Side(const Unit& u, std::size_t first, std::size_t width)
      : unit(u), wires(u.in.begin() + static_cast<std::ptrdiff_t>(first),
                       u.in.begin() + static_cast<std::ptrdiff_t>(first + 1 + width)),
        held(1 + width) {}

  Input* missing() const {
    for (Input* wire : wires)
      if (wire->empty()) return wire;
    return nullptr;
  }
  void look() const {
    for (Input* wire : wires) wire->look();
  }
  void load() {
    for (std::size_t i = 0; i < wires.size(); ++i) held[i] = wires[i]->take();
    const Token& crd = held[0];
    for (std::size_t i = 1; i < wires.size(); ++i)
      if ((held[i].is_stop() != crd.is_stop()) || (held[i].is_done() != crd.is_done()))
        fail(unit,
             fmt::format("has coordinates with {} where their references have {}", describe(crd), describe(held[i])));
  }
  const Token& crd() const { return held[0]; }

  const Unit& unit;
  std::vector<Input*> wires;
  std::vector<Token> held;
};

void put(Unit& unit, const Step& step, const Side (&sides)[2]) {
  Token crd = step.fills ? filler() : empty();
  if (step.has[0]) crd = sides[0].crd();
  else if (step.has[1]) crd = sides[1].crd();
  unit.out[0].put(crd);
  std::size_t port = 1;
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t i = 1; i < sides[s].held.size(); ++i)
      unit.out[port++].put(step.has[s] ? sides[s].held[i] : empty());
}

// Tells the scanner of each side how far it may skip ahead: to the coordinate, or stop, that the other side has, once.
class Skips {
public:
  explicit Skips(Unit& unit, std::size_t first) : has_(first < unit.out.size()) {
    if (has_) out_ = {&unit.out[first], &unit.out[first + 1]};
  }
  void put(const Step& step, const Side (&sides)[2]) {
    if (!has_) return;
    const bool one = step.takes[0] != step.takes[1];
    for (std::size_t s = 0; s < 2; ++s) {
      const Token& other = sides[1 - s].crd();
      const bool tells = one ? step.takes[s] : other.is_stop();
      if (tells && is_new_[1 - s]) out_[s]->put(other);
    }
    for (std::size_t s = 0; s < 2; ++s) is_new_[s] = step.takes[s];
  }

private:
  bool has_;
  std::array<Output*, 2> out_ = {};
  std::array<bool, 2> is_new_ = {true, true};
};

void check(const Unit& unit, const Token& a, const Token& b) {
  if (a.is_done() != b.is_done() || (a.is_stop() && b.is_stop() && a.level != b.level))
    fail(unit, fmt::format("has {} on one side where the other has {}: their shapes differ", describe(a), describe(b)));
}

} // namespace

Body join(Unit& unit, Join kind, std::size_t first_width, std::size_t second_width, bool last, bool keeps_empty) {
  Side sides[2] = {Side(unit, 0, first_width), Side(unit, 1 + first_width, second_width)};
  Skips skips(unit, 1 + first_width + second_width);
  Step step = both; // fills the registers
  step.puts = false;
  bool filled = false, moved[2] = {true, true};
  for (;;) {
    for (std::size_t s = 0; s < 2; ++s) {
      if (!moved[s]) continue; // what is next there has been looked at
      while (Input* wire = sides[s].missing()) co_await wire->until_element();
      sides[s].look();
    }
    if (step.puts) {
      for (Output& out : unit.out)
        while (!out.has_room()) co_await out.until_room();
      put(unit, step, sides);
    }
    if (filled) skips.put(step, sides);
    filled = true;
    for (std::size_t s = 0; s < 2; ++s) {
      moved[s] = step.takes[s];
      if (moved[s]) sides[s].load();
    }
    unit.self.work(1);
    const Token &a = sides[0].crd(), &b = sides[1].crd();
    check(unit, a, b);
    if (a.is_done()) break;
    step = kind == Join::intersection ? intersect(a, b, !last || keeps_empty) : unite(a, b, last, keeps_empty);
  }
  for (Output& out : unit.out)
    while (!out.has_room()) co_await out.until_room();
  put(unit, both, sides);
  unit.self.work(1);
}

} // namespace cyclotron::sam
