// SPDX-License-Identifier: MIT
// The code IR: what a C or CUDA programmer writes, before it is text. Loops, typed variables, memories, and vectors of
// a fixed number of lanes:
//
//   kernel conv1d lanes 16
//   sizes m, r
//   in x: f32
//   out z: f32
//   workers b = 0 .. (m + 15) // 16          # the iterations run at once, on cores or on warps
//     var acc: f32 lanes = 0
//     for q = 0 .. r unroll 4
//       acc = acc + x[b * 16 + q : 1] * lanes(w[q])
//     store z[b * 16 : 1] = acc if b * 16 + lane < m
//
// A vector of lanes is a vector register on a CPU, and one number in each thread of a warp on a GPU. Everything else is
// the same for all lanes. `x[i : s]` is one element per lane: lane l has x[i + s*l]; `x[v]`, where v is a vector, has
// x[v of the lane]; `x[i]` is one number.
//
// Whole numbers wrap around; a division rounds towards zero, `//` and `%` round down and want a positive divisor.
// What a mask switches off is not done: nothing is loaded (the lane gets 0), stored or failed there.
//
// Invariants (verify.cpp):
//   - names are words and declared once in their scope; what is read has been declared before;
//   - operands have the types that their operation wants, and all of them lanes or none; `lanes(e)` spreads a number;
//   - loop bounds and the conditions of `if` are one for all lanes;
//   - `blocks` stand in no loop, `workers` in none but `blocks` and serial loops inside of these; what is declared
//     outside a loop whose iterations run at once is not assigned inside of it;
//   - `barrier` and memories that are `shared` are used inside `blocks` only, and no barrier inside `workers` or `if`.
#pragma once

#include "ir/node.hpp"
#include "support/diagnostics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cyclotron::code {

enum class Scalar { boolean, i16, i32, i64, f32, f64 };

struct Type {
  Scalar scalar = Scalar::i64;
  bool lanes = false; // a vector of them
  bool operator==(const Type&) const = default;
};

struct ExprNode;
using Expr = ir::Ref<ExprNode>;

// `3`, `0.5f`, `true`: one number.
struct Number {
  Scalar scalar = Scalar::i64;
  std::int64_t whole = 0; // of whole numbers and truth values
  double real = 0;        // of the others; may be infinite
  static void fields(auto&, auto&&) {}
  bool operator==(const Number&) const = default;
};

// A variable, a loop's, or a size (i64).
struct Variable {
  std::string name;
  static void fields(auto&, auto&&) {}
  bool operator==(const Variable&) const = default;
};

// `lane`: 0, 1, 2, … as i32.
struct Lane {
  static void fields(auto&, auto&&) {}
  bool operator==(const Lane&) const = default;
};

// `x[i]`, `x[i : s]`, `x[v]`, and ` if mask` where only some lanes load. Indices are i64; of a vector i32 or i64.
struct Load {
  std::string memory;
  Expr index;
  Expr stride; // may be missing
  Expr mask;   // may be missing; lanes where the load has lanes
  static void fields(auto& n, auto&& f) {
    f(n.index);
    f(n.stride);
    f(n.mask);
  }
  bool operator==(const Load&) const = default;
};

enum class UnaryOp { negate, logical_not, absolute, sqrt, exp, log };
struct Unary {
  UnaryOp op;
  Expr operand;
  static void fields(auto& n, auto&& f) { f(n.operand); }
  bool operator==(const Unary&) const = default;
};

// `min` and `max` of floating-point numbers as the interpreter has them: a NaN on either side gives NaN.
enum class BinaryOp {
  add,
  sub,
  mul,
  div,
  floor_div,
  mod,
  min,
  max,
  pow,
  less,
  less_equal,
  equal,
  not_equal,
  logical_and, // both sides are evaluated
  logical_or,
  bit_and, // of whole numbers
  bit_or,
  bit_xor,
};
struct Binary {
  BinaryOp op;
  Expr lhs, rhs;
  static void fields(auto& n, auto&& f) {
    f(n.lhs);
    f(n.rhs);
  }
  bool operator==(const Binary&) const = default;
};

// `select(c, a, b)`: both sides are evaluated.
struct Select {
  Expr condition, then_value, else_value;
  static void fields(auto& n, auto&& f) {
    f(n.condition);
    f(n.then_value);
    f(n.else_value);
  }
  bool operator==(const Select&) const = default;
};

// `f64(e)`: another type; lanes stay lanes. A truth value is 0 or 1.
struct Convert {
  Scalar to = Scalar::i64;
  Expr operand;
  static void fields(auto& n, auto&& f) { f(n.operand); }
  bool operator==(const Convert&) const = default;
};

// `lanes(e)`: the same number in every lane.
struct Spread {
  Expr operand;
  static void fields(auto& n, auto&& f) { f(n.operand); }
  bool operator==(const Spread&) const = default;
};

// `shift(v, d, from)`: lane l gets lane l-d of v. Lanes that come from outside of v come from the vector beside it:
// for d > 0 lane l < d gets lane W+l-d of `from`, for d < 0 lane l >= W+d gets lane l-d-W of it. Without `from` these
// lanes may be anything. |d| < W, and not 0.
struct Shift {
  Expr operand;
  std::int64_t distance = 1;
  Expr from; // may be missing
  static void fields(auto& n, auto&& f) {
    f(n.operand);
    f(n.from);
  }
  bool operator==(const Shift&) const = default;
};

// `extract(v, e)`: one lane as a number; the same e for all.
struct Extract {
  Expr operand, lane;
  static void fields(auto& n, auto&& f) {
    f(n.operand);
    f(n.lane);
  }
  bool operator==(const Extract&) const = default;
};

// `any(v)`: whether some lane is true.
struct AnyLane {
  Expr operand;
  static void fields(auto& n, auto&& f) { f(n.operand); }
  bool operator==(const AnyLane&) const = default;
};

struct ExprNode {
  Span span;
  std::variant<Number, Variable, Lane, Load, Unary, Binary, Select, Convert, Spread, Shift, Extract, AnyLane> kind;
};

struct Statement;
using Body = std::vector<Statement>;

// `var x: f32 lanes = e`; without a value it is 0.
struct Declare {
  std::string name;
  Type type;
  Expr value; // may be missing
};

// `x = e`.
struct Assign {
  std::string name;
  Expr value;
};

// `store z[i : s] = e if mask`.
struct Store {
  std::string memory;
  Expr index;
  Expr stride; // may be missing
  Expr value;
  Expr mask; // may be missing
};

// `for q = 0 .. r`: the end is not included; one after the other. `workers b = 0 .. n`: in any order, at once, each by
// one core or one warp; what a worker has written into `scratch` is its own. `blocks o = 0 .. n`: in any order, at
// once, each by one block of warps, or one core; `workers` inside are the warps of the block, and share `shared`.
enum class Run { serial, blocks, workers };
struct For {
  std::string variable; // i64
  Expr first, end;
  std::int64_t step = 1; // not 0; below 0 it counts down, and the end is still not included
  Run run = Run::serial;
  std::int64_t unroll = 0; // 0: as the compiler likes
  Body body;
};

struct If {
  Expr condition;
  Body body;
};

// All warps of a block wait for each other; nothing on a CPU.
struct Barrier {};

// `fail 2 if e`: the kernel's answer is 2 if e holds, in any lane; of several, the smallest number wins. It goes on.
struct Fail {
  std::int64_t code = 1;
  Expr condition;
};

struct Statement {
  std::variant<Declare, Assign, Store, For, If, Barrier, Fail> kind;
};

// `in`: read only; `out`: written, and read; `scratch`: memory of each worker's own, so many elements, not set to
// anything; `shared`: memory that the warps of a block share (on a CPU: of the worker's own), so many elements.
enum class Role { in, out, scratch, shared };
struct Memory {
  std::string name;
  Scalar scalar = Scalar::f64;
  Role role = Role::in;
  Expr elements; // of scratch and shared, in the sizes; of shared a number
};

struct Kernel {
  std::string name;
  std::int64_t lanes = 16;
  std::vector<std::string> sizes; // i64, given by the caller
  std::vector<Memory> memories;
  Body body;
};

// parse(print(x)) == x, by text.
std::string print(const Kernel& kernel);
std::string print(const Expr& expr);
std::string_view name_of(Scalar scalar);
std::int64_t bytes_of(Scalar scalar);

// The file must be in `diagnostics.sources()`. Reports what is no kernel and what breaks the invariants.
std::optional<Kernel> parse(std::int32_t file, Diagnostics& diagnostics);

// Empty where the invariants hold, else what is broken.
std::string problem_of(const Kernel& kernel);

} // namespace cyclotron::code
