// SPDX-License-Identifier: MIT
// Who reads whom: the dependences between the points of a program.
#pragma once

#include "dataflow/ir.hpp"

namespace cyclotron::dataflow {

// { [reader's point] -> [producer's point] } for one read of a rule.
struct PointFlow {
  int reader = 0, producer = 0;
  std::string value;
  isl::map points;
  Span span;
  std::int64_t hops = 0; // between their places; 0 also where that is not one number
};
std::vector<PointFlow> flows_of(const Program& program);

// { x -> y : f(x) relation g(y) }, where x and y are points of two spaces.
isl::map related(const Program& program, int reader, const Affine& f, recurrence::Relation relation, int producer,
                 const Affine& g);

// The part of a flow that stays on one processor.
isl::map local_part(const Program& program, const PointFlow& flow);

} // namespace cyclotron::dataflow
