// SPDX-License-Identifier: MIT
// Takes equations apart into the pieces that placement puts into a loop nest. Each reduction of an equation becomes a
// part that accumulates a temporary, and the rest of the equation becomes a part that assigns. Dependences between
// parts say which instance of which part must come before which.
#pragma once

#include "loops/ir.hpp"
#include "recurrence/domains.hpp"

#include <map>

namespace cyclotron::lower {

using loops::Affine;
using loops::Condition;
using recurrence::Expr;

// `tile i by 64 -> io, i`: io = floor(i / 64) is a variable of every part that has i. With stand-ins also of parts that
// a circle of dependences holds together with these: x(i), which is read as x(j) in `x(i) = b(i) - sum[j](L(i,j) *
// x(j))`, is computed in the loop over the blocks of j that has i.
struct Split {
  std::string variable; // what is split
  std::string outer;    // the new variable
  std::int64_t size = 1;
};

// `wavefront i, j`: front = ±i ± j is a variable of every part that has both.
struct Front {
  std::string first, second;
  std::string name;
  std::int64_t first_sign = 1, second_sign = 1;
};

// A tensor that only the nest itself reads needs little memory if its elements are read soon after they are written.
// For that, all parts that write or read it must share a loop: the loop that carries its elements. A part that lacks
// the variable of this loop gets a condition. With the carrier `i` of H, its first coordinate, `H(0,j) = j` runs if i
// == 0.
struct Carrier {
  std::string tensor;
  std::string name;                       // of the loop's variable
  std::vector<std::int64_t> coefficients; // of the tensor's coordinates, whose sum with
  std::int64_t constant = 0;              // this the variable is where an element is written

  Affine at(const std::vector<Affine>& coordinates) const;
};

struct Part {
  int equation = 0;
  Expr target;
  std::optional<recurrence::Reducer> reducer;
  Expr value;                                // reductions replaced by their temporaries
  Expr reduction;                            // what it gathers; empty for an equation
  std::vector<std::string> variables;        // its own names
  std::vector<std::string> target_variables; // those that say which element it writes
  std::vector<Condition> conditions;         // where it runs
  isl::set domain;                           // the same as a set over `variables`
};

struct Dependence {
  std::size_t from = 0, to = 0;
  isl::map relation;    // { [from's variables] -> [to's variables] }
  Expr read;            // the access of `to` that needs `from`
  bool nothing = false; // a temporary that gathers nothing; its use still stands behind it
};

struct Parts {
  std::vector<Part> parts;
  std::vector<Dependence> dependences;
  std::vector<loops::Temporary> temporaries;
  recurrence::Types types; // of the parts' expressions
};

Parts make_parts(const recurrence::Program& program, const recurrence::Types& types, const recurrence::Domains& domains,
                 const std::vector<Split>& splits, const std::vector<Front>& fronts,
                 const std::vector<Carrier>& carriers = {}, bool stand_ins = false);

} // namespace cyclotron::lower
