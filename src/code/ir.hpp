// SPDX-License-Identifier: MIT
// The code IR: what a C or CUDA programmer writes, before it is text. Loops, typed variables, memories, and vectors of
// a fixed number of lanes:
//
//   kernel conv1d lanes 16
//   sizes m, r
//   in x: f32
//   in w: f32
//   out z: f32
//   workers b = 0 .. (m + 15) // 16          # the iterations run at once, on cores or on groups of threads
//     var live: bool lanes = lanes(b * 16) + i64(lane) < lanes(m)
//     var acc: f32 lanes
//     for q = 0 .. r unroll 4
//       acc = acc + x[b * 16 + q : 1 if live] * lanes(w[q])
//     store z[b * 16 : 1] = acc if live
//
// A vector of lanes is a vector register on a CPU. On a GPU it is one number in each thread of a group, which is as
// many threads of a warp as there are lanes. Everything else is the same for all lanes. `x[i : s]` is one element per
// lane: lane l has x[i + s*l]; `x[v]`, where v is a vector, has x[v of the lane]; `x[i]` is one number.
//
// Numbers are literals of one type: `3` is an i64, `3i32` and `3i16` are smaller, `0.5` and `inf` are f64, `0.5f` and
// `inff` are f32. No type turns into another by itself: `f32(e)` converts, `lanes(e)` spreads.
//
// Whole numbers wrap around; a division rounds towards zero, `//` and `%` round down and want a positive divisor. No
// divisor is 0, not even in a lane that is not wanted. What a mask switches off is not done: nothing is loaded (the
// lane gets 0), stored or failed there.
//
// Operators from loose to tight, as in Python: or; and; not; < <= == != (and > >=, which turn around); |; ^; &; + -;
// * / // %; -.
//
// Invariants (verify.cpp):
//   - names are words, none of them ours, and declared once in their scope; what is read has been declared before;
//   - there are 1, 2, 4, … or 64 lanes;
//   - operands have the types that their operation wants, and all of them lanes or none;
//   - loop bounds and the conditions of `if` are one for all lanes; bodies are not empty;
//   - `blocks` stand in no loop, `workers` in none but `blocks` and serial loops inside of these; what is declared
//     outside a loop whose iterations run at once is not assigned inside of it;
//   - `store` and all that has to do with memories of role `scratch` stands inside `workers`;
//   - `barrier` and memories that are `shared` are used inside `blocks` only, and no barrier inside `workers` or `if`;
//   - outermost loops whose iterations run at once do not wait for each other, so what one of them stores is loaded
//     nowhere else.
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
  double real = 0;        // of the others; may be infinite or NaN
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

// `x[i]`, `x[i : s]`, `x[v]`, and `x[v if mask]` where only some lanes load. Indices are i64; of a vector i32 or i64.
struct Load {
  std::string memory;
  Expr index;
  Expr stride; // may be missing
  Expr mask;   // may be missing; lanes where the load has lanes, else one truth value
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

// `f64(e)`: another type; lanes stay lanes. A truth value is 0 or 1, and what is not 0 is true. What has a fraction is
// cut towards zero, and must then fit.
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

// `extract(v, e)`: lane e, an i64, as a number.
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

// `store z[i : s] = e if mask`. Where several lanes store to one element, any of them may win.
struct Store {
  std::string memory;
  Expr index;
  Expr stride; // may be missing
  Expr value;
  Expr mask; // may be missing
};

// `for q = 0 .. r step 2 unroll 4`: the end is not included; one after the other. The bounds are computed once, before.
// `workers b = 0 .. n`: in any order, at once, each by one core or one group of threads; what a worker has written into
// `scratch` is its own, and gone when it ends. `blocks o = 0 .. n`: in any order, at once, each by one block of groups,
// or one core; `workers` inside are the groups of the block, and share `shared`. Outside of `workers`, all groups
// compute the same.
enum class Run { serial, blocks, workers };
struct For {
  std::string variable; // i64
  Expr first, end;
  std::int64_t step = 1; // not 0; below 0 it counts down, and the end is still not included
  Run run = Run::serial;
  std::int64_t unroll = 0; // of a serial loop; 0: as the compiler likes
  Body body;
};

struct If {
  Expr condition;
  Body body;
};

// `barrier`: all groups of a block wait for each other, and see what the others have stored; nothing on a CPU.
struct Barrier {};

// `fail 2 if e`: the kernel's answer is 2 if e holds, in any lane; of several, the smallest number wins. Numbers are 1
// or more. It goes on.
struct Fail {
  std::int64_t code = 1;
  Expr condition;
};

struct Statement {
  std::variant<Declare, Assign, Store, For, If, Barrier, Fail> kind;
  Span span = {}; // of the text that it was read from
};

// `in x: f32`: read only; `out z: f32`: written, and read; `scratch s: f32[m]`: memory of each worker's own, so many
// elements, not set to anything; `shared t: f32[64]`: memory that the workers of a block share, so many elements. No
// two memories overlap. `out z: f32 once`: no element is stored to twice, and none is loaded, so that stores need not
// wait for each other.
enum class Role { in, out, scratch, shared };
struct Memory {
  std::string name;
  Scalar scalar = Scalar::f64;
  Role role = Role::in;
  Expr elements; // of scratch: arithmetic in the sizes, divided by numbers only; of shared: a number; of others missing
  bool once = false; // of what is written
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
std::string name_of(Type type); // `f32 lanes`
std::optional<Scalar> scalar_named(std::string_view name);
std::int64_t bytes_of(Scalar scalar);
bool is_float(Scalar scalar);
bool is_whole(Scalar scalar); // not a truth value

// Whether it may be the name of something: a word that is none of ours.
bool is_name(std::string_view text);
// `wanted`, with `_` behind it where it is a word of ours.
std::string name_from(const std::string& wanted);

// The file must be in `diagnostics.sources()`. Reports what is no kernel and what breaks the invariants.
std::optional<Kernel> parse(std::int32_t file, Diagnostics& diagnostics);

// The first place where the invariants do not hold; nothing where they do.
struct Problem {
  Span span;
  std::string message;
};
std::optional<Problem> find_problem(const Kernel& kernel);
std::string problem_of(const Kernel& kernel); // its message, or ""

// The bytes of scratch that each worker needs at these sizes, which are in the order of the kernel. Every memory begins
// at a multiple of `scratch_alignment`. `with_shared`: the shared memories too, behind the others. The largest number
// where it is more than fits.
constexpr std::int64_t scratch_alignment = 64;
std::int64_t scratch_bytes(const Kernel& kernel, const std::vector<std::int64_t>& sizes, bool with_shared);

} // namespace cyclotron::code
