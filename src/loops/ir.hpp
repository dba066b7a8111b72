// SPDX-License-Identifier: MIT
// The loops IR: a loop nest over abstract tensors, before any format is chosen. It is the paper's recurrence index
// notation:
//
//   for i
//     for j < i
//       forall k < j
//         tL(i,j) += L(i,k) * L(j,k)
//       L(i,j) = (A(i,j) - tL(i,j)) / L(j,j)
//
// A `for` carries a dependence from one iteration to a later one; a `forall` carries none (the running value of a
// reduction aside). Temporaries start out as the identity of their reducer.
//
// Invariants (verify.cpp):
//   - the variables of a loop are new in their scope, and every name in a statement is in scope;
//   - a statement writes an output or a temporary; only temporaries are accumulated;
//   - a temporary is read only after what accumulates it.
#pragma once

#include "recurrence/polyhedra.hpp"
#include "recurrence/types.hpp"
#include "support/diagnostics.hpp"

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cyclotron::loops {

using recurrence::Affine;
using recurrence::Condition;
using recurrence::Expr;

// value / divisor: rounded up as a lower bound, down as an (inclusive) upper one.
struct Bound {
  Affine value;
  std::int64_t divisor = 1;
  bool operator==(const Bound&) const = default;
};

// From the largest of the lower bounds to the smallest of the upper ones.
struct Range {
  std::vector<Bound> lower;
  std::vector<Bound> upper;
  bool operator==(const Range&) const = default;
};

// `tL(i,j) += L(i,k) * L(j,k)`, `L(i,i) = sqrt(A(i,i) - tL(i,i))`.
struct Statement {
  Expr target; // an Access
  std::optional<recurrence::Reducer> reducer;
  Expr value;
  std::vector<Condition> guard; // what must hold and the loops around do not see to
  int equation = 0;             // of the program
  const recurrence::Access& access() const { return std::get<recurrence::Access>(target->kind); }
};

struct Node;

// `for i`, `forall j < i`. Where statements with different ranges share a loop it runs from the least to the
// greatest, and guards keep each to its own.
struct Loop {
  std::string variable;
  bool rising = true;
  bool forall = false;
  bool reduces = false; // some temporary is accumulated over this variable
  std::vector<Range> ranges;
  std::vector<Condition> guard;
  bool parallel = false;
  std::int64_t vector_width = 0; // 0: not asked for; -1: as the compiler likes
  std::int64_t unroll = 0;
  std::vector<Node> body;
};

struct Node {
  std::variant<Loop, Statement> kind;
};

// `tL(i,j)`: where a reduction gathers its value.
struct Temporary {
  std::string name;
  recurrence::Reducer reducer;
  tensor::ValueType type = tensor::ValueType::f64;
  std::vector<std::string> variables; // of the equation, and of the reductions around this one
  std::vector<Affine> shape;          // of a tile; empty for a number
  int equation = 0;
};

struct Nest {
  std::vector<Node> body;
  std::vector<Temporary> temporaries;
  recurrence::Types types; // of every expression

  // Equations may use the same name for theirs.
  const Temporary* temporary(const std::string& name, int equation) const;
};

// What a person is shown besides the nest itself: which nodes, and lines of text at some places.
struct Remarks {
  std::function<bool(const Node&)> shown;
  std::function<std::vector<std::string>(const Loop&)> at_top; // of the body
  std::function<std::vector<std::string>(const Node&)> behind;
};

// The text form, as the paper writes it. Bounds that the tensors imply are left out.
std::string print(const Nest& nest, const recurrence::Program& program, const Remarks& remarks = {});
std::string print(const Statement& statement);
std::string header(const Loop& loop, const recurrence::Program& program);

// Reads the text form back, from the byte `begin` of the file on; the program says what tensors, sizes and equations
// there are, and the types of their expressions. The file must be in `diagnostics.sources()`.
std::optional<Nest> parse(std::int32_t file, const recurrence::Program& program, const recurrence::Types& types,
                          Diagnostics& diagnostics, std::size_t begin = 0);

// Empty where the invariants hold, else what is broken.
std::string problem_of(const Nest& nest, const recurrence::Program& program);

// Calls f on each statement with the loops around it, outermost first.
void each_statement(const std::vector<Node>& body,
                    const std::function<void(const Statement&, const std::vector<const Loop*>&)>& f);

// Whether the iterations of a loop around this statement add to the same element. `around` has all loops around it.
bool accumulates_over(const Statement& statement, const std::vector<const Loop*>& around, const Loop& loop);

// `{ [loops, others] : conditions }` where a statement runs, by the ranges and guards around it.
isl::set domain_of(const Statement& statement, const std::vector<const Loop*>& around,
                   const recurrence::IslContext& context, const recurrence::Program& program,
                   std::vector<Condition> conditions = {}, const std::vector<std::string>& others = {});

// The variable's range by the tensors that the statements index with it alone, where these agree.
std::optional<Affine> implied_size(const Loop& loop, const recurrence::Program& program);

} // namespace cyclotron::loops
