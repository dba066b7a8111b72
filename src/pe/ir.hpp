// SPDX-License-Identifier: MIT
// The pe IR: one program per role of processing elements (PEs), at fixed sizes. A PE is a point of a grid; it has
// registers of its own, talks to other PEs through channels, and reads and writes tensors in memory.
//
//   role 5 at 1 <= i <= 2, 1 <= k <= 2
//     step load(i, k)
//       [i,k]_A <- A(i,k)  load
//     for j = 0 .. 7
//       step C(i, j, k)
//         [i,k]_B <- [i-1,k]_B                       # receive
//         [i,k]_C <- [i,k-1]_C
//         [i,k]_B -> [i+1,k]_B                       # send
//         [i,k]_C <- [i,k]_C + [i,k]_A * [i,k]_B     # compute
//         [i,k]_C -> [i,k+1]_C
//
// A step is one point of an iteration space: the unit of time. It names the coordinates of its point, so that every
// index inside is affine in them; `step C(i, j = 4*jo+ji, k)` where one is not the axis or variable of its name.
//
// Invariants (verify.cpp):
//   - names of axes, tensors, registers and channels are words, declared once, and all names used are in scope;
//   - a register is indexed by as many indices as it has extents; types and shapes of expressions agree; a literal has
//     no sign, which is an operator;
//   - every PE of the grid plays at most one role, and one that plays none does nothing.
// One more is found by walking through the program (predict.hpp):
//   - what a PE sends into a channel, the PE at the channel's other end receives, as often and in that order.
#pragma once

#include "recurrence/affine.hpp"
#include "recurrence/ir.hpp"
#include "support/diagnostics.hpp"
#include "tensor/format.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cyclotron::pe {

using recurrence::Affine;
using recurrence::Expr;
using tensor::ValueType;

// --- whole numbers: loop bounds, coordinates ---

struct IndexNode;
using Index = ir::Ref<IndexNode>;

struct Whole {
  std::int64_t value = 0;
  static void fields(auto&, auto&&) {}
  bool operator==(const Whole&) const = default;
};

// An axis of the grid or a loop variable.
struct Variable {
  std::string name;
  static void fields(auto&, auto&&) {}
  bool operator==(const Variable&) const = default;
};

enum class IndexOp {
  add,
  sub,
  mul,
  floor_div,
  mod,
  min,
  max
}; // the divisor is a positive number; mod is never negative

struct Operation {
  IndexOp op;
  Index lhs, rhs;
  static void fields(auto& n, auto&& f) {
    f(n.lhs);
    f(n.rhs);
  }
  bool operator==(const Operation&) const = default;
};

struct IndexNode {
  Span span;
  std::variant<Whole, Variable, Operation> kind;
};

struct Test {
  Index lhs;
  recurrence::Relation relation = recurrence::Relation::less_equal;
  Index rhs;
  bool operator==(const Test&) const = default;
};
using Tests = std::vector<Test>; // all hold

// --- what a step does ---

// A register, or one place of a table: `[i,k]_C`, `[i]_L(j)`. In a ring an index counts modulo its extent.
struct Slot {
  std::string name;
  std::vector<Affine> at; // in the coordinates of the step
  bool operator==(const Slot&) const = default;
};

// How a value comes from memory.
enum class Supply {
  direct,    // by a port of this PE
  boundary,  // by a port at the edge of the grid, from where it flows on
  broadcast, // by a wire to all PEs that load the same element in the same step
};

// `[i,k]_B <- B(k,j)`. With a tile, indices count tiles.
struct Load {
  Slot to;
  std::string tensor;
  std::vector<Affine> indices;
  Supply supply = Supply::direct;
  bool operator==(const Load&) const = default;
};

// `[i,k]_B <- [i-1,k]_B`.
struct Receive {
  Slot to;
  int channel = 0;
  bool operator==(const Receive&) const = default;
};

// `[i,k]_B -> [i+1,k]_B`.
struct Send {
  Slot from;
  int channel = 0;
  bool operator==(const Send&) const = default;
};

// `[i,k]_C <- [i,k]_C + [i,k]_A * [i,k]_B`. An Access in the value is a slot: the register's name and its indices,
// which are expressions affine in the step's coordinates; a Name is a coordinate as a number. There are no reductions.
struct Compute {
  Slot to;
  Expr value;
  bool operator==(const Compute&) const = default;
};

// `C(i,j) <- [i,k]_C`.
struct Store {
  std::string tensor;
  std::vector<Affine> indices;
  Slot from;
  bool operator==(const Store&) const = default;
};

using Action = std::variant<Load, Receive, Send, Compute, Store>;

// --- statements ---

struct Statement;

// `for k = 0 .. 7`: both ends included; with a step of -1 from the larger to the smaller.
struct Loop {
  std::string variable;
  Index first, last;
  std::int64_t step = 1;
  std::vector<Statement> body;
  bool operator==(const Loop&) const;
};

// `if i == 0 or j == 0`: one of the lists holds.
struct If {
  std::vector<Tests> any;
  std::vector<Statement> body;
  bool operator==(const If&) const;
};

// `pass (io, jo)`: the PE goes on when every other PE has come to a pass at least as late (in lexicographic order), or
// has ended. In the array a pass takes at least `cycles`.
struct Pass {
  std::vector<Index> at;
  std::int64_t cycles = 0;
  bool operator==(const Pass&) const = default;
};

struct Step {
  std::string space;
  std::vector<std::pair<std::string, Index>> coordinates; // of the point, in axes and loop variables
  std::vector<Action> actions;
  bool operator==(const Step&) const = default;
};

struct Statement {
  std::variant<Loop, If, Pass, Step> kind;
  bool operator==(const Statement&) const = default;
};

// --- programs ---

struct Axis {
  std::string name;
  std::int64_t first = 0, last = -1; // both included
  bool operator==(const Axis&) const = default;
};

// Which rank of a cluster owns which part: the parts along each of these dimensions are dealt out over the ranks, in
// blocks or in turn. An array has one memory for all and does not look at it.
struct Distribution {
  bool cyclic = false;
  std::vector<int> dims;
  bool operator==(const Distribution&) const = default;
};

// A tensor in memory. `block` has an entry per dimension: 0 where an index names an element, else the extent of a tile,
// and the index counts tiles (the last may be smaller). An access may leave out trailing indices that are 0. A tile
// has a dimension for each entry that is not 0.
struct Memory {
  std::string name;
  ValueType type = ValueType::f64;
  std::vector<std::int64_t> dims;
  std::vector<std::int64_t> block;
  bool is_output = false;
  std::optional<Distribution> distribution = {}; // none: who uses a part, owns it
  bool operator==(const Memory&) const = default;
};

// A place of every PE that uses it: a number or tile, or a table of them.
struct Register {
  std::string name;
  ValueType type = ValueType::f64;
  std::vector<std::int64_t> tile; // its largest extents; empty for a number
  struct Extent {
    std::int64_t first = 0; // the least index
    std::int64_t count = 0;
    bool ring = false; // only the last `count` are kept
    bool operator==(const Extent&) const = default;
  };
  std::vector<Extent> table;
  bool operator==(const Register&) const = default;
};

// From every PE that sends into it to the PE at `offset` from there. Several may have the same value and offset.
struct Channel {
  std::string name; // unique
  std::string value;
  std::vector<std::int64_t> offset; // one per axis
  ValueType type = ValueType::f64;
  std::vector<std::int64_t> tile;
  bool operator==(const Channel&) const = default;
};

struct Role {
  std::string name;
  std::vector<Tests> where; // one of the lists holds, in the axes
  std::vector<Statement> body;
  bool operator==(const Role&) const = default;
};

struct Program {
  std::string name;
  std::map<std::string, std::int64_t> sizes; // for people, and to check inputs
  std::vector<Axis> axes;
  std::vector<bool> torus; // per axis: channels wrap around
  std::vector<Memory> tensors;
  std::vector<Register> registers;
  std::vector<Channel> channels;
  std::vector<Role> roles;
  std::vector<Statement> host; // steps that load, compute and store: elements that need no array, stored before the run
  // Closed forms of the number of cycles that are known, with a text such as `R + C + K - 2`.
  std::string closed_form;
  std::optional<std::int64_t> predicted_cycles;
  bool operator==(const Program&) const = default;

  const Memory* tensor(const std::string& name) const;
  const Register* find_register(const std::string& name) const;
  std::int64_t elements() const; // PEs of the grid, with or without a role
};

// The text form, which is also the file (`.pe`): first the version, last a checksum (file.hpp). parse(print(x)) == x.
std::string print(const Program& program);
std::string print(const Role& role, const Program& program);
std::string print(const Index& index);

// The file must be in `diagnostics.sources()`. Reports another version, a file cut short or damaged, and all that is
// not a program; checks the invariants of problem_of.
std::optional<Program> parse(std::int32_t file, Diagnostics& diagnostics);

// Empty where the invariants hold that need no run, else what is broken.
std::string problem_of(const Program& program);

} // namespace cyclotron::pe
