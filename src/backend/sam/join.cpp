// SPDX-License-Identifier: MIT
// Joiners of two sides, each with coordinates and any number of references that go with them.
//
// A joiner has a register for each side, and fills both in its first cycle. It then makes a step only when both sides
// have something to fill them with again, even where it advances one.
#include "backend/sam/blocks.hpp"
#include "backend/sam/burst.hpp"

#include <fmt/format.h>

#include <vector>

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

Token filler() { return {.payload = {.whole = 1}, .tag = tag_of(TokenKind::empty)}; }
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

// The wires of one side, and the tokens in its register. While the block works they stay in the wires.
struct Side {
  Side(const Unit& u, std::size_t first_port, std::size_t width)
      : unit(u), first(first_port), kept(1 + width), held(1 + width) {}

  void begin() {
    wires.reserve(held.size());
    for (std::size_t i = wires.size(); i < held.size(); ++i) wires.emplace_back(*unit.in[first + i]);
    for (Taking& wire : wires) wire.load();
    for (std::size_t i = 0; i < held.size(); ++i) held[i] = &kept[i];
  }
  void end() {
    for (std::size_t i = 0; i < held.size(); ++i) kept[i] = *held[i];
    for (Taking& wire : wires) wire.store();
  }

  Input* missing() const {
    for (const Taking& wire : wires)
      if (wire.empty()) return &wire.channel();
    return nullptr;
  }
  void look(Clock& clock) {
    for (Taking& wire : wires) wire.look(clock);
  }
  void load(Clock& clock) {
    for (std::size_t i = 0; i < held.size(); ++i) held[i] = &wires[i].take(clock);
    for (std::size_t i = 1; i < held.size(); ++i)
      if ((held[i]->is_stop() != crd().is_stop()) || (held[i]->is_done() != crd().is_done()))
        fail(
            unit, clock.now(),
            fmt::format("has coordinates with {} where their references have {}", describe(crd()), describe(*held[i])));
  }
  const Token& crd() const { return *held[0]; }

  const Unit& unit;
  std::size_t first; // of its ports
  std::vector<Taking> wires;
  std::vector<Token> kept;
  std::vector<const Token*> held;
};

class Joiner {
public:
  Joiner(Unit& unit, Join kind, std::size_t first_width, std::size_t second_width, bool last, bool keeps_empty)
      : unit_(unit), kind_(kind), last_(last),
        keeps_empty_(keeps_empty), sides_{Side(unit, 0, first_width), Side(unit, 1 + first_width, second_width)},
        skips_(1 + first_width + second_width) {
    step_.puts = false;
  }

  Need work() {
    Clock clock(unit_.self);
    const Session session(*this);
    return work(clock);
  }

private:
  // There are as many wires as the graph says, so they cannot be variables of a function; they outlive it, but what
  // they have written back is complete whenever it ends.
  struct Session {
    explicit Session(Joiner& j) : joiner(j) {
      for (Side& side : joiner.sides_) side.begin();
      joiner.outs_.reserve(joiner.unit_.out.size());
      for (std::size_t i = joiner.outs_.size(); i < joiner.unit_.out.size(); ++i)
        joiner.outs_.emplace_back(joiner.unit_.out[i]);
      for (Sending& out : joiner.outs_) out.load();
    }
    ~Session() {
      for (Sending& out : joiner.outs_) out.store();
      for (Side& side : joiner.sides_) side.end();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    Joiner& joiner;
  };

  Need work(Clock& clock) {
    while (!ended_) {
      for (std::size_t s = 0; s < 2; ++s) {
        if (!moved_[s]) continue; // what is next there has been looked at
        if (Input* wire = sides_[s].missing()) return {.token = wire};
        sides_[s].look(clock);
      }
      if (step_.puts) {
        if (Output* full = full_one()) return {.room = full};
        put(step_, clock);
      }
      if (filled_ && skips_ < outs_.size()) put_skips(clock);
      filled_ = true;
      for (std::size_t s = 0; s < 2; ++s) {
        moved_[s] = step_.takes[s];
        if (moved_[s]) sides_[s].load(clock);
      }
      unit_.step(clock);
      decide(clock.now());
    }
    if (Output* full = full_one()) return {.room = full};
    put(both, clock);
    unit_.step(clock);
    return {};
  }

  void decide(Time now) {
    const Token &a = sides_[0].crd(), &b = sides_[1].crd();
    if (a.is_done() != b.is_done() || (a.is_stop() && b.is_stop() && a.level() != b.level()))
      fail(unit_, now,
           fmt::format("has {} on one side where the other has {}: their shapes differ", describe(a), describe(b)));
    ended_ = a.is_done();
    step_ = kind_ == Join::intersection ? intersect(a, b, !last_ || keeps_empty_) : unite(a, b, last_, keeps_empty_);
  }

  Output* full_one() {
    for (std::size_t i = 0; i < outs_.size(); ++i)
      if (!outs_[i].has_room()) return &unit_.out[i];
    return nullptr;
  }

  void put(const Step& step, Clock& clock) {
    Token crd = step.fills ? filler() : empty();
    if (step.has[0]) crd = sides_[0].crd();
    else if (step.has[1]) crd = sides_[1].crd();
    outs_[0].put(crd, clock);
    std::size_t port = 1;
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t i = 1; i < sides_[s].held.size(); ++i)
        outs_[port++].put(step.has[s] ? *sides_[s].held[i] : empty(), clock);
  }

  // Tells the scanner of each side how far it may skip ahead: to the coordinate, or stop, that the other side has,
  // once.
  void put_skips(Clock& clock) {
    const bool one = step_.takes[0] != step_.takes[1];
    for (std::size_t s = 0; s < 2; ++s) {
      const Token& other = sides_[1 - s].crd();
      const bool tells = one ? step_.takes[s] : other.is_stop();
      if (tells && is_new_[1 - s]) outs_[skips_ + s].put(other, clock);
    }
    for (std::size_t s = 0; s < 2; ++s) is_new_[s] = step_.takes[s];
  }

  Unit& unit_;
  Join kind_;
  bool last_, keeps_empty_;
  Side sides_[2];
  std::vector<Sending> outs_;
  std::size_t skips_;             // the first port of skip wires, where there are any
  bool is_new_[2] = {true, true}; // what a skip wire would tell
  Step step_ = both;              // the next one; the first fills the registers
  bool filled_ = false, ended_ = false;
  bool moved_[2] = {true, true};
};

} // namespace

Body join(Unit& unit, Join kind, std::size_t first_width, std::size_t second_width, bool last, bool keeps_empty) {
  return work_off(Joiner(unit, kind, first_width, second_width, last, keeps_empty));
}

} // namespace cyclotron::sam
