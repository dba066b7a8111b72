// SPDX-License-Identifier: MIT
// Expressions made ready for the interpreter: sizes replaced by numbers, index variables by slots, tensors by
// numbers, and every change of type written out. Nothing else changes.
#pragma once

#include "recurrence/domains.hpp"
#include "recurrence/kernels.hpp"
#include "recurrence/types.hpp"

#include <map>

namespace cyclotron::recurrence {

// constant + sum of coefficient * slot.
struct LinearForm {
  std::int64_t constant = 0;
  std::vector<std::pair<int, std::int64_t>> terms;

  std::int64_t evaluate(const std::int64_t* slots) const {
    std::int64_t sum = constant;
    for (const auto& [slot, c] : terms) sum += c * slots[slot];
    return sum;
  }
};

struct LinearCondition {
  LinearForm form;
  Condition::Kind kind;
  bool holds(const std::int64_t* slots) const {
    const std::int64_t v = form.evaluate(slots);
    return kind == Condition::Kind::nonnegative ? v >= 0 : kind == Condition::Kind::zero ? v == 0 : v != 0;
  }
};

// One variable of a reduction: its range at these sizes, and the conditions that tighten it once the variables
// before it are known.
struct LoopVariable {
  int slot = 0;
  std::int64_t first = 0;
  std::int64_t last = -1;
  std::vector<std::pair<LinearCondition, std::int64_t>> tighten; // with this variable's coefficient
};

struct Code {
  enum class Op { constant, index, access, convert, negate, logical_not, binary, call, select, reduce, kernel };
  Op op = Op::constant;
  tensor::ValueType type = tensor::ValueType::f64;
  bool is_tile = false;
  Span span;
  std::vector<Code> operands;
  std::vector<std::int64_t> dims;      // of a tile
  double real = 0;                     // constant
  std::int64_t whole = 0;              // constant
  LinearForm form;                     // index: a value made of index variables and sizes
  int tensor = 0;                      // access
  bool last_step = false;              // access: a stepped tensor read without a step
  std::vector<LinearForm> coordinates; // access: step first where there is one
  BinaryOp binary{};
  Function function{};
  Reducer reducer{};
  const Kernel* kernel = nullptr;
  std::vector<LoopVariable> loops;         // reduce
  std::vector<LinearCondition> conditions; // reduce
};

struct EquationCode {
  const EquationDomain* domain = nullptr;
  int tensor = 0;
  std::vector<LinearForm> coordinates; // of the target: step first where there is one
  std::vector<LinearCondition> conditions;
  std::vector<std::int64_t> first, extent; // box around the domain, per index
  Code value;
  int slots = 0;
};

// The box around a set at given sizes, per variable; nothing where the set is empty there.
std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>>
box_of(const isl::set& set, const Program& program, const std::map<std::string, std::int64_t>& sizes);

// Tensors are numbered in the order of the program's declarations.
EquationCode make_code(const EquationDomain& equation, const Program& program, const Types& types,
                       const Domains& domains, const std::map<std::string, std::int64_t>& sizes);

} // namespace cyclotron::recurrence
