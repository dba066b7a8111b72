// SPDX-License-Identifier: MIT
// The pattern IR: parallel patterns over explicit memories, as a reconfigurable dataflow architecture runs them (Hsu et
// al., "Stardust: Compiling Sparse Tensor Algebra to a Reconfigurable Dataflow Architecture"). A program has the arrays
// of its tensors off the chip, and says for each memory on the chip what is moved there, and when:
//
//   pattern spmv
//   sizes m, n
//   dram in B2_pos_d: i64[m + 1] of B positions 2
//   dram in B2_crd_d: i64[] of B coordinates 2
//   dram in B_vals_d: f64[] of B values
//   dram in c_vals_d: f64[n] of c values
//   dram out x_vals_d: f64[m] of x values
//
//   sram B2_pos: i64[m + 1]
//   load B2_pos from B2_pos_d[0 .. m + 1] par 16
//   sparse sram c_vals: f64[n]
//   load c_vals from c_vals_d[0 .. n] par 16
//   sram x_vals: f64[m]
//   foreach i = 0 .. m par 2
//     let j_first: i64 = B2_pos[i]
//     let j_end: i64 = B2_pos[i + 1]
//     fifo B2_crd: i64[16]
//     load B2_crd from B2_crd_d[j_first .. j_end]
//     fifo B_vals: f64[16]
//     load B_vals from B_vals_d[j_first .. j_end]
//     reg tx: f64 = 0.0
//     reduce tx by sum over p = j_first .. j_end par 16
//       let j: i64 = deq(B2_crd)
//       let B: f64 = deq(B_vals)
//       yield B * c_vals[j]
//     x_vals[i] = tx
//   store x_vals to x_vals_d[0 .. m]
//
// Memories, from far to near. `dram`: an array of a tensor, which the host fills (`in`) or reads back (`out`, zero at
// first); without an extent it is as long as the tensor has entries. `sram`: filled before it is read, element by
// element or by a load. `sparse sram`: the same, for addresses in any order. `fifo`: read once, in the order of
// writing, and empty at the end of its scope; the number is its depth, which does not bound what passes through it.
// `reg`: one number. `bits`: one bit per coordinate, none set at first. A memory is there from its declaration to the
// end of the body, anew in each iteration.
//
// Headers. `p = first .. end par 16`: so many iterations at once, of which none needs another. `scan(a or b, n) -> pa,
// pb, out, j`: the coordinates below n that are set in one of the bit vectors, or in both (`and`), in rising order; pa
// is how many set bits of a are before it, or -1 where a has none there; out counts the iterations; j is the
// coordinate. `scan(a, n) -> pa, j`.
//
// Numbers are literals of one type: `3` is an i64, `3.0` an f64; `f32(e)` converts. Whole numbers that do not fit their
// type are an error where the interpreter of equations has one.
//
// Invariants (verify.cpp):
//   - names are declared once in their scope, and before they are used; operands have the types that they need;
//   - a memory is used as its kind allows: an sram by an index, a fifo by `enq` and `deq`, a register by its name;
//   - loads go from dram to sram or fifo, stores from there to a dram that is `out`;
//   - a fifo is read where it was filled: in the scope of its declaration or in loops inside of it;
//   - `yield` ends the body of a `reduce`, and nothing else.
// What depends on numbers is checked by the interpreter: that elements are written before they are read, that a fifo is
// neither read empty nor left with something in it, that indices are inside.
#pragma once

#include "recurrence/ir.hpp"
#include "support/diagnostics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cyclotron::pattern {

using recurrence::Reducer;
using tensor::ValueType;

struct ExprNode;
using Expr = ir::Ref<ExprNode>;

// `3`, `2.5`, `inf`, `true`; of other types as `f32(2.5)`, folded into one number by print and parse.
struct Number {
  ValueType type = ValueType::i64;
  std::int64_t whole = 0; // of whole numbers and truth values
  double real = 0;        // of the others
  static void fields(auto&, auto&&) {}
  bool operator==(const Number&) const = default;
};

// A `let`, an index of a pattern, a size (i64), or a register.
struct Variable {
  std::string name;
  static void fields(auto&, auto&&) {}
  bool operator==(const Variable&) const = default;
};

// `x[i]`: of an sram, or of a dram that is read at random.
struct Read {
  std::string memory;
  Expr index;
  static void fields(auto& n, auto&& f) { f(n.index); }
  bool operator==(const Read&) const = default;
};

// `deq(q)`: takes the next number. Stands alone as the value of a `let`.
struct Dequeue {
  std::string fifo;
  static void fields(auto&, auto&&) {}
  bool operator==(const Dequeue&) const = default;
};

// `-x`, `not x`.
struct Unary {
  recurrence::UnaryOp op;
  Expr operand;
  static void fields(auto& n, auto&& f) { f(n.operand); }
  bool operator==(const Unary&) const = default;
};

// Of operands of one type.
struct Binary {
  recurrence::BinaryOp op;
  Expr lhs, rhs;
  static void fields(auto& n, auto&& f) {
    f(n.lhs);
    f(n.rhs);
  }
  bool operator==(const Binary&) const = default;
};

// `min(x, y)`, `sqrt(x)`.
struct Call {
  recurrence::Function function;
  std::vector<Expr> arguments;
  static void fields(auto& n, auto&& f) { f(n.arguments); }
  bool operator==(const Call&) const = default;
};

// `select(c, x, y)`: only the chosen one is evaluated.
struct Select {
  Expr condition, then_value, else_value;
  static void fields(auto& n, auto&& f) {
    f(n.condition);
    f(n.then_value);
    f(n.else_value);
  }
  bool operator==(const Select&) const = default;
};

// `f64(x)`.
struct Convert {
  ValueType to = ValueType::f64;
  Expr operand;
  static void fields(auto& n, auto&& f) { f(n.operand); }
  bool operator==(const Convert&) const = default;
};

struct ExprNode {
  Span span;
  std::variant<Number, Variable, Read, Dequeue, Unary, Binary, Call, Select, Convert> kind;
};

struct Statement;
using Body = std::vector<Statement>;

// Which array of a tensor a dram is. `level` counts from 1, in storage order; values have none.
enum class ArrayKind { positions, coordinates, values };
struct Dram {
  std::string name;
  ValueType type = ValueType::f64;
  bool out = false;
  Expr extent; // missing: as long as the tensor has entries
  std::string tensor;
  ArrayKind array = ArrayKind::values;
  int level = 0;
};

// `sram x: f64[n]`, `sparse sram x: f64[n]`, `fifo q: i64[16]`, `reg t: f64 = 0.0`, `bits b[n]`.
enum class MemoryKind { sram, sparse_sram, fifo, reg, bits };
struct Declare {
  MemoryKind kind = MemoryKind::sram;
  std::string name;
  ValueType type = ValueType::f64; // not of bits
  Expr extent;                     // not of registers
  Expr initial;                    // of registers
};

// `let j: i64 = deq(B2_crd)`.
struct Let {
  std::string name;
  ValueType type = ValueType::i64;
  Expr value;
};

// `p = first .. end`.
struct Range {
  std::string index;
  Expr first, end;
};

// `scan(a or b, n) -> pa, pb, out, j`.
enum class Join { either, both };
struct Scan {
  std::string a, b; // bit vectors; b may be ""
  Join join = Join::either;
  Expr extent;
  std::string position_a, position_b, out, coordinate; // position_b and out where there is a b
};

// `foreach p = 0 .. n par 2`, `reduce t by sum over scan(a, n) -> pa, j par 16`. Of a reduction, `value` is what each
// iteration yields, and the register has their combination with what it had before.
struct Loop {
  std::variant<Range, Scan> header;
  Expr par;        // a number, or the name of an environment constant
  std::string reg; // "": foreach
  Reducer reducer = Reducer::sum;
  Body body;
  Expr value;
};

// `load x from x_d[first .. end] par 16`: into an sram from its element 0 on, or into a fifo.
struct Load {
  std::string to, from;
  Expr first, end;
  Expr par; // may be missing: 1
};

// `store x to x_d[first .. end]`: an sram from its element 0 on; a fifo: as many as these.
struct Store {
  std::string from, to;
  Expr first, end;
  Expr par; // may be missing: 1
};

// `x[i] = e`, `x[i] by sum = e`; `t = e` of a register.
struct Write {
  std::string memory;
  Expr index;                     // missing: a register
  std::optional<Reducer> reducer; // combined with what is there
  Expr value;
};

// `enq(q, e)`.
struct Enqueue {
  std::string fifo;
  Expr value;
};

// `set b from q count n`: takes n coordinates from a fifo, and sets their bits.
struct SetBits {
  std::string bits, fifo;
  Expr count;
};

// `if c`: only then.
struct If {
  Expr condition;
  Body body;
};

struct Statement {
  std::variant<Declare, Let, Loop, Load, Store, Write, Enqueue, SetBits, If> kind;
  Span span = {};
};

// `environment ip = 16`: a constant that parallel factors may name.
struct Environment {
  std::string name;
  std::int64_t value = 1;
};

struct Program {
  std::string name;
  std::vector<std::string> sizes;
  std::vector<Environment> environment;
  std::vector<Dram> drams;
  Body body;

  const Dram* dram(const std::string& name) const;
};

// parse(print(x)) == x, by text.
std::string print(const Program& program);
std::string print(const Expr& expr);

// The file must be in `diagnostics.sources()`. Reports what is no program and what breaks the invariants.
std::optional<Program> parse(std::int32_t file, Diagnostics& diagnostics);

struct Problem {
  Span span;
  std::string message;
};
// The first place where the invariants do not hold; nothing where they do.
std::optional<Problem> find_problem(const Program& program);
std::string problem_of(const Program& program); // its message, or ""

} // namespace cyclotron::pattern
