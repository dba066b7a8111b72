// SPDX-License-Identifier: MIT
// How the values of a nest are kept: which steps of a stepped tensor, and where each temporary gathers.
#pragma once

#include "loops/ir.hpp"
#include "recurrence/domains.hpp"

#include <map>
#include <set>

namespace cyclotron::backend::c {

// A statement and the loops around it, outermost first.
struct Placed {
  const loops::Statement* statement = nullptr;
  std::vector<const loops::Loop*> loops;
};

// Which steps of a stepped tensor are in memory.
struct StepPlan {
  bool all = true; // every step; else `kept` of them, used in turn
  std::int64_t kept = 0;
  bool clear = false; // a slot holds elements that its next step does not define: it is cleared in between
  std::optional<std::int64_t> initial; // the last step that is written before the loop
  const loops::Loop* loop = nullptr;   // the loop over steps, where folded
  std::set<std::int64_t> written;      // steps that the loop's iteration t writes, as t + this
};

// scalar:   a variable, declared in the innermost loop that its accumulation and its use share.
// in_place: the memory of the element that it becomes part of.
// array:    a workspace, over the indices that those shared loops do not fix.
struct TemporaryPlan {
  enum class Kind { scalar, in_place, array };
  Kind kind = Kind::scalar;
  const loops::Loop* shared = nullptr; // the innermost loop around all uses; null: the whole kernel
  std::size_t shared_depth = 0;        // how many loops are around them
  const loops::Statement* last_use = nullptr;
  std::vector<std::size_t> kept; // array: which coordinates of the access index it
  bool counted = false;          // points that were left out stand for zeros: count those that were not
};

// What is in memory of an internal tensor whose elements are read soon after they are written: those of one iteration
// of the loops `outside`, and of `slots` iterations of `loop`, used in turn.
struct Fold {
  std::vector<const loops::Loop*> outside;
  const loops::Loop* loop = nullptr; // null: only `outside`
  std::int64_t slots = 1;
  recurrence::Affine first, last; // iterations of `loop`, where `drift` needs them
  // An element may take the place of the one, `slots` iterations older, that is read only to compute it. That one
  // stands this much before it in the last dimension kept: so places move along in that time.
  std::int64_t drift = 0;
  std::map<std::string, recurrence::Affine> steps; // in which iteration of `loop` an element was written, by access
  std::vector<std::size_t> kept;                   // dimensions
};

struct Plan {
  std::vector<Placed> statements;
  std::map<std::string, StepPlan> steps;
  std::map<std::string, Fold> folds;                                // of internal tensors
  std::map<std::pair<std::string, int>, TemporaryPlan> temporaries; // by name and equation
};

// Coordinates of an access: the step first where there is one.
std::vector<recurrence::Affine> coordinates_of(const recurrence::Access& access, const recurrence::Program& program);

Plan make_plan(const loops::Nest& nest, const recurrence::Program& program, const recurrence::Domains& domains,
               const std::set<std::string>& all_steps, const std::set<std::string>& internal);

} // namespace cyclotron::backend::c
