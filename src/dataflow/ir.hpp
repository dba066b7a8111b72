// SPDX-License-Identifier: MIT
// The dataflow IR: recurrences over iteration spaces (Cyclotron, section 4). A value belongs to a point of a space, not
// to a tensor; tensors are read where values enter a space and written where they leave it:
//
//   (i, 0, k)_A <- A(i,k)                                          inject
//   (i, j, k)_A <- (i, j-1, k)_A                     : 1 <= j       propagate
//   (i, j, k)_C <- (i, j, k-1)_C + (i, j, k)_A * (i, j, k)_B       compute
//   C(i,j) <- (i, j, p-1)_C                                        export
//
// A space says where and when its points are computed: `place` has a formula per axis of the array, `time` is compared
// in lexicographic order on one PE; at equal times the space that is named first goes first. Points of different PEs
// are ordered only by the values that they exchange.
//
// Invariants (verify.cpp):
//   - the rules of one value of one space have disjoint domains, which lie inside the space;
//   - every value that a rule or an export reads is defined at the point where it is read;
//   - the timing, where there is one, leaves every value the steps that it needs, and every PE one point per step.
#pragma once

#include "recurrence/affine_maps.hpp"
#include "recurrence/types.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::dataflow {

using recurrence::Affine;
using recurrence::Condition;
using recurrence::Expr;
using recurrence::Point;
using tensor::ValueType;

struct Space {
  std::string name;
  std::vector<std::string> coordinates;
  isl::set domain;                  // { [coordinates] }: all its points
  std::map<std::string, Affine> as; // what index variables of the program are here, for lowering; not in the text
  Point place;                      // one per axis
  Point time;                       // of the same length in all spaces
};

struct Value {
  int space = 0;
  std::string name;
  ValueType type = ValueType::f64;
  std::vector<Affine> tile; // its shape; empty for a number
};

// How a value enters a space from memory.
enum class Supply {
  none,      // it does not: it is computed, or comes from another point
  direct,    // to every point that needs it
  boundary,  // at an edge, from where it flows on
  broadcast, // over a wire to all points that need it
};

// `(space)_value <- expr : domain`. In the expression an Access to `space.value` is a value at a point, any other one
// an element of a tensor.
struct Rule {
  int space = 0;
  std::string value;
  isl::set domain; // in the coordinates of the space
  Expr expr;
  Supply supply = Supply::none;
  Span span; // of the equation that it comes from
};

// `tensor(indices) <- (space)_value : domain`.
struct Export {
  int space = 0;
  std::string value;
  isl::set domain;
  std::string tensor;
  Point indices;
  Span span;
};

// `H(i,0) <- gap * i`: what needs no array.
struct Constant {
  std::string tensor;
  std::vector<std::string> names;
  isl::set domain; // { [names] }
  Point indices;
  Expr expr;
  Span span;
};

// At which step a point is computed, counted in each pass from its beginning: one linear formula in names that all
// spaces share, and what it is in the coordinates of each of them. Every value that a point needs was computed early
// enough to get there, at least one step per link, and a PE has one point per step.
struct Timing {
  Affine formula;                           // `i + j + k`
  std::vector<std::optional<Affine>> steps; // per space; nothing where its points come before all others of the pass
};

struct Program {
  std::shared_ptr<recurrence::IslContext> context;   // first, so that it goes last
  std::shared_ptr<const recurrence::Program> source; // tensors, sizes, assumptions and constants
  std::vector<std::string> axes;                     // of the array
  int passes = 0; // so many leading components of time separate passes: all PEs end one before any begins the next
  std::vector<Space> spaces;
  std::vector<Value> values;
  std::vector<Rule> rules;
  std::vector<Export> exports;
  std::vector<Constant> constants;
  std::optional<Timing> timing; // where there is a linear one
  Span timing_span;             // of a text

  const Value& value(int space, const std::string& name) const;
  int space_named(const std::string& name) const; // -1: none
};

// A value in an expression: `C_sum.L`.
std::string key_of(const Space& space, const std::string& value);
struct Reference {
  int space = 0;
  std::string value;
  Point point;
};
std::optional<Reference> reference_of(const recurrence::Access& access, const Program& program);
Expr refer_to(const Program& program, int space, const std::string& value, const Point& point);
Point own_point(const Space& space); // the coordinates themselves

// The text form, in the paper's manner; also how recurrences over points are written by hand. It begins with the
// declarations of the language:
//
//   tensor A(n, p)
//   axes i, j
//   timing t = i + j + k
//   space C(i, j, k) : 0 <= i < n, 0 <= j < m, 0 <= k < p
//     place (i, j)
//     time (k)
//     value A: f32
//     (i, 0, k)_A <- boundary A(i,k)
//     (i, j, k)_A <- (i, j-1, k)_A : 1 <= j
//
// A space whose coordinates are not called like the names of the timing says its own `step i + k`, and `step none`
// where its points come before all others. In the block of a space `_A` is a value of that space, `_A^tri` one of
// another. print(parse(print(x))) == print(x).
std::string print(const Program& program);

// The file must be in `diagnostics.sources()`. Reports what is no dataflow program, and what breaks the invariants.
std::optional<Program> parse(std::int32_t file, Diagnostics& diagnostics);

// The first invariant that is broken: where, and what to do.
struct Problem {
  Span span;
  std::string message;
  std::string hint;
};
std::optional<Problem> find_problem(const Program& program);

// Empty where the invariants hold, else what is broken.
std::string problem_of(const Program& program);

} // namespace cyclotron::dataflow
