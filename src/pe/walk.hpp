// SPDX-License-Identifier: MIT
// The way of a PE through its program, without values: which steps it takes, in order, and what each of them receives
// and sends. No condition depends on a value, so the way is known before the run.
#pragma once

#include "pe/place.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cyclotron::pe {

// Whether two slots may be the same place.
bool may_meet(const Slot& a, const Slot& b);

// What a step does. In time, all receives come first, then what is sent on as it came, then what was computed.
struct StepShape {
  std::vector<int> receives, forwards, sends; // channels
  std::int64_t loads = 0, stores = 0;
  std::int64_t broadcasts = 0;           // of the loads
  std::vector<std::string> direct_loads; // the tensors that are loaded by a port of the PE itself
  bool takes_time = false;               // it does more than load what is there already
  std::vector<std::string> kernels;      // that it calls
};

struct PassNumber {
  std::vector<std::int64_t> at;
  std::int64_t cycles = 0;
};

// The program of a role as a list of jumps, steps and passes.
class Walk {
public:
  Walk(const Role& role, const Program& program);

  enum class Stop { step, pass, end, tired };

  // Where a PE is. `work` counts down by one for each instruction; at 0 the walk is tired.
  struct Cursor {
    std::vector<std::int64_t> values; // of axes and loops
    int next = 0;                     // instruction
    int reached = 0;                  // step or pass
  };
  Cursor begin(const Element& element) const;
  Stop advance(Cursor& cursor, std::int64_t& work) const;

  const std::vector<StepShape>& steps() const { return steps_; }
  const StepShape& step(const Cursor& cursor) const { return steps_[static_cast<std::size_t>(cursor.reached)]; }
  PassNumber pass(const Cursor& cursor) const;

private:
  // A whole number over the values: a tree in a list.
  struct Form {
    enum Kind { whole, value, operation } kind = whole;
    std::int64_t number = 0; // or which value
    IndexOp op = IndexOp::add;
    int lhs = 0, rhs = 0;
  };
  struct Comparison {
    int lhs = 0, rhs = 0;
    recurrence::Relation relation = recurrence::Relation::equal;
  };
  struct Instruction {
    enum Kind { loop, next, branch, step, pass, end } kind = end;
    int operand = 0;         // the loop's value, which its last one follows; the branch, step or pass
    int target = 0;          // where to go on behind the loop or branch, or back in it
    int first = 0, last = 0; // forms
    std::int64_t by = 1;
  };
  struct PassForms {
    std::vector<int> at;
    std::int64_t cycles = 0;
  };
  using Names = std::vector<std::string>;

  void add(const std::vector<Statement>& body, Names& names);
  void add(const Loop& loop, Names& names);
  void add(const If& branch, Names& names);
  int form(const Index& index, const Names& names);
  std::int64_t evaluate(int form, const std::vector<std::int64_t>& values) const;
  bool holds(int branch, const std::vector<std::int64_t>& values) const;
  int here() const { return static_cast<int>(instructions_.size()); }

  std::vector<Instruction> instructions_;
  std::vector<Form> forms_;
  std::vector<std::vector<std::vector<Comparison>>> branches_;
  std::vector<StepShape> steps_;
  std::vector<PassForms> passes_;
  std::size_t values_ = 0;
};

} // namespace cyclotron::pe
