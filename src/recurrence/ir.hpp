// SPDX-License-Identifier: MIT
// The recurrence IR: equations over tensors, as the user wrote them.
//
// Invariants, once the front end has accepted a program (verify.cpp checks those that are structural):
//   - every name is resolved: an index is bound by its equation's left-hand side or by a reduction around it;
//   - index expressions, dimensions and constraints are affine in indices, sizes and integer constants;
//   - each element of a tensor is defined by at most one equation, for all sizes;
//   - every read is inside its tensor, for all sizes; an element that no equation defines is zero;
//   - expressions are evaluated as they stand: operands left to right, reductions in rising order of their
//     variables, `select`, `and` and `or` only as far as needed.
#pragma once

#include "ir/node.hpp"
#include "tensor/format.hpp"
#include "tensor/recipe.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cyclotron::recurrence {

using ir::as;
using ir::match;

struct ExprNode;
using Expr = ir::Ref<ExprNode>;

// A name where it is introduced.
struct Binder {
  std::string name;
  Span span;
  bool operator==(const Binder& other) const { return name == other.name; }
};

enum class Relation { less, less_equal, greater, greater_equal, equal, not_equal };

// `a <= b < c`: holds when every neighbouring pair is so related.
struct Constraint {
  std::vector<Expr> operands;
  std::vector<Relation> relations; // one fewer than operands
  Span span;
  static void fields(auto& n, auto&& f) { f(n.operands); }
  bool operator==(const Constraint& o) const { return operands == o.operands && relations == o.relations; }
};

// `3`, `0.5`, `inf`. Whole literals keep their integer value; the others have only `value`.
struct Number {
  double value = 0;
  std::optional<std::int64_t> integer;
  static void fields(auto&, auto&&) {}
  bool operator==(const Number&) const = default;
};

// `true`, `false`.
struct Boolean {
  bool value = false;
  static void fields(auto&, auto&&) {}
  bool operator==(const Boolean&) const = default;
};

enum class NameKind { unresolved, index, size, constant };

// `i`, `n`, `alpha`: an index variable, a size or a `let` constant used as a value or in an index expression.
struct Name {
  std::string id;
  NameKind kind = NameKind::unresolved;
  static void fields(auto&, auto&&) {}
  bool operator==(const Name&) const = default;
};

// `A(i, j-1)`, `D^(k-1)(i, j)`, `s`: an element of a tensor; with fewer indices than dimensions, a tile of it.
// A tensor that is defined step by step and read without a step gives its last step.
struct Access {
  std::string tensor;
  std::optional<Expr> step;
  std::vector<Expr> indices;
  static void fields(auto& n, auto&& f) {
    f(n.step);
    f(n.indices);
  }
  bool operator==(const Access&) const = default;
};

enum class UnaryOp { negate, logical_not };

// `-x`, `not x`.
struct Unary {
  UnaryOp op;
  Expr operand;
  static void fields(auto& n, auto&& f) { f(n.operand); }
  bool operator==(const Unary&) const = default;
};

enum class BinaryOp {
  add,
  sub,
  mul,
  div,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or
};

// `x + y`, `x < y`, `x and y`.
struct Binary {
  BinaryOp op;
  Expr lhs;
  Expr rhs;
  static void fields(auto& n, auto&& f) {
    f(n.lhs);
    f(n.rhs);
  }
  bool operator==(const Binary&) const = default;
};

enum class Function { min, max, sqrt, abs, exp, log, pow };

// `min(x, y, z)`, `sqrt(x)`.
struct Call {
  Function function;
  std::vector<Expr> arguments;
  static void fields(auto& n, auto&& f) { f(n.arguments); }
  bool operator==(const Call&) const = default;
};

// `select(condition, x, y)`: only the chosen one is evaluated. Where the condition is affine in indices and
// sizes it also restricts where the reads inside each branch happen.
struct Select {
  Expr condition;
  Expr then_value;
  Expr else_value;
  static void fields(auto& n, auto&& f) {
    f(n.condition);
    f(n.then_value);
    f(n.else_value);
  }
  bool operator==(const Select&) const = default;
};

enum class Reducer { sum, prod, min, max, any, all };

// `sum[k, l](body)`. The constraints of the equation that mention k or l restrict it; an empty one gives the
// reducer's identity.
struct Reduce {
  Reducer reducer;
  std::vector<Binder> variables;
  Expr body;
  static void fields(auto& n, auto&& f) { f(n.body); }
  bool operator==(const Reduce&) const = default;
};

// `GEMM(A(i,k), B(k,j))`: a kernel of the kernel table on tiles.
struct KernelCall {
  std::string kernel;
  std::vector<Expr> arguments;
  static void fields(auto& n, auto&& f) { f(n.arguments); }
  bool operator==(const KernelCall&) const = default;
};

struct ExprNode {
  Span span;
  std::variant<Number, Boolean, Name, Access, Unary, Binary, Call, Select, Reduce, KernelCall> kind;
};

// `tensor A(n, n+1): f32 csr`.
struct TensorDecl {
  Binder name;
  std::vector<Expr> dims;
  tensor::ValueType type = tensor::ValueType::f64;
  tensor::Format format;
  Span span;
  bool operator==(const TensorDecl& o) const {
    return name == o.name && dims == o.dims && type == o.type && format == o.format;
  }
};

// `let alpha = 1 / sqrt(64)`: a name for an expression in numbers, sizes and earlier constants.
struct LetDecl {
  Binder name;
  Expr value;
  Span span;
  bool operator==(const LetDecl& o) const { return name == o.name && value == o.value; }
};

// `assume 2 <= n`.
struct Assumption {
  Constraint constraint;
  Span span;
  bool operator==(const Assumption& o) const { return constraint == o.constraint; }
};

// A list of numbers written out: `[[1, 2], [3, 4]]`, row-major with its shape.
struct WrittenOut {
  std::vector<std::int64_t> dims;
  std::vector<Number> values;
  bool operator==(const WrittenOut&) const = default;
};

// `default A = spd(n=200, seed=1)`, `default A = "a.mtx"`, `default n = 20`, `default w = [0.5, 1, 0.5]`.
struct DefaultDecl {
  Binder name;
  std::variant<tensor::Recipe, std::string, WrittenOut> value;
  Span value_span;
  Span span;
  bool operator==(const DefaultDecl& o) const;
};

// `L(i,j) = value : constraints`.
struct Equation {
  Expr target; // an Access
  Expr value;
  std::vector<Constraint> constraints;
  Span span;
  const Access& access() const { return std::get<Access>(target->kind); }
  bool operator==(const Equation& o) const {
    return target == o.target && value == o.value && constraints == o.constraints;
  }
};

struct Program {
  std::vector<TensorDecl> tensors;
  std::vector<LetDecl> lets;
  std::vector<Assumption> assumptions;
  std::vector<DefaultDecl> defaults;
  std::vector<Equation> equations;
  std::vector<Binder> sizes; // in order of appearance; filled by name resolution
  bool operator==(const Program& o) const {
    return tensors == o.tensors && lets == o.lets && assumptions == o.assumptions && defaults == o.defaults &&
           equations == o.equations;
  }

  const TensorDecl* tensor(std::string_view name) const;
  bool is_output(std::string_view name) const;
  bool is_stepped(std::string_view name) const; // some equation defines it with a superscript
  bool is_size(std::string_view name) const;
  const LetDecl* let(std::string_view name) const;
  std::vector<const TensorDecl*> inputs() const;
  std::vector<const TensorDecl*> outputs() const;
};

// Names as the language spells them.
std::string_view name_of(Relation relation);
std::string_view name_of(UnaryOp op);
std::string_view name_of(BinaryOp op);
std::string_view name_of(Function function);
std::string_view name_of(Reducer reducer);
std::optional<Function> function_named(std::string_view name);
std::optional<Reducer> reducer_named(std::string_view name);
bool is_comparison(BinaryOp op);
bool is_logical(BinaryOp op);
Relation relation_of(BinaryOp comparison);

// The text that the parser reads; parse(print(x)) == x.
std::string print(const Expr& expr);
std::string print_index(const Expr& expr); // without blanks, as inside an access: `2*i+j-1`
std::string print(const Constraint& constraint);
std::string print(const Equation& equation);
std::string print(const TensorDecl& decl);
std::string print(const Program& program);

// Empty where the structural invariants hold, else what is broken. Run after every pass.
std::string problem_of(const Program& program);

} // namespace cyclotron::recurrence
