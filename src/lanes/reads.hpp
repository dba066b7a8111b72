// SPDX-License-Identifier: MIT
// How every value that a rule reads comes to it. This follows from the program; nothing is decided here.
//
// Within a strip, the rules of one time are done in `rule_order`, each for all elements at once: all of them read
// before any of them writes, and a rule changes only elements that it computes.
//
// Registers. A value has one vector for each element that a lane has, and as many more as its oldest readers ask for.
// They are counted in steps of the innermost component, all other components being what they are: number `back` is what
// was computed `back` steps before. They rotate at the beginning of every step, from the first to the last in which the
// strip computes anything, also in steps between them in which it computes nothing: `back` counts steps, not points.
// Nothing is read from a register before it has been computed, so what registers begin with does not matter.
//   - `coalesced`: one register, which does not rotate. All that reads what was computed a step before comes before the
//     rule that replaces it.
//   - `held`: one register, which does not rotate: it can be read at any later time, until it is replaced.
// Components behind the innermost are phases, which are numbers, or unrolled: they order what is done within one step.
// Where loops are unrolled, each of their iterations has registers of its own: a slot (slots.hpp). Steps are those of
// the loop around them.
//
// Between strips. Where a value comes from an element of the strip before (behind, where strips fall), it is not in a
// register. A copy of an input is loaded again (`load`). Any other value goes to memory when it is computed in one of
// the last `reach` elements of its strip (the first, where strips fall), under its time, where the next strip finds it
// (`memory`). A strip writes there while it reads what the strip before has left: so there are two such memories, used
// in turns, and a worker has its own.
//
// Tables. What is too far away in time or place for registers is in memory under its own coordinates (`table`), from
// the moment when it is computed.
#pragma once

#include "lanes/flows.hpp"
#include "lanes/ir.hpp"

#include <set>

namespace cyclotron::lanes {

enum class Fetch {
  here,      // computed at the same time and element, just before
  registers, // computed `back` steps before, `distance` places before: a register, shifted where distance is not 0
  held,      // computed at some earlier time, `distance` places before, after which nothing has replaced it there
  table,     // in memory, under its own coordinates
};

// Where the part of a value comes from that another strip has computed.
enum class Edge {
  none,
  load,   // a copy of an input is loaded again
  memory, // the strip before has left it there
};

struct Read {
  Flow flow;
  Fetch fetch = Fetch::here;
  std::int64_t distance = 0; // reader's place - producer's place
  std::int64_t back = 0;     // steps of the innermost component
  Edge edge = Edge::none;
};

// What is kept of a value.
struct Keep {
  std::int64_t back = 0;  // so many steps back it is read from registers
  bool coalesced = false; // what was computed last and what is computed now share a register; only where `back` is 1
  bool held = false;      // elements that do not compute keep what they have
  bool table = false;     // it goes to memory, under its coordinates
  std::int64_t reach = 0; // so many elements at the end of a strip go to memory, for the next one
  std::set<std::size_t> slots = {}; // from which it is read at a later step; of others only what is computed now counts

  // Vectors in each slot that something is kept in.
  std::int64_t registers() const { return back + (coalesced ? 0 : 1); }
};

struct Reads {
  std::vector<Read> reads;
  std::vector<Keep> keeps;              // as flow.values
  std::vector<std::size_t> rule_order;  // of all rules: at one time in this order
  std::optional<std::size_t> innermost; // the component of time that registers count
  std::int64_t registers = 0;           // of vectors: all values, and the inputs that are placed in registers

  const Read& of(std::size_t rule, const dataflow::Reference& what) const;
};

// The invariants hold.
Reads reads_of(const Program& program);

} // namespace cyclotron::lanes
