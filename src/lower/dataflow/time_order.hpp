// SPDX-License-Identifier: MIT
// When the points of a processor are computed: nested steps, shared by spaces as far as the dependences allow.
//
//   time t, j    -->    (0, t, 0, j, 1)  for a space,  (0, t, 1, j, 0)  for one that needs a whole loop over j of it
//   first
//
// The numbers between the steps order spaces that cannot share the next step.
#pragma once

#include "dataflow/ir.hpp"

#include <map>
#include <string>
#include <vector>

namespace cyclotron::lower {

// Who reads whom: { [reader's point] -> [producer's point] }.
struct PointFlow {
  int reader = 0, producer = 0;
  std::string value;
  isl::map points;
  Span span;
  std::int64_t hops = 0; // between their places; 0 also where that is not one number
};
std::vector<PointFlow> flows_of(const dataflow::Program& program);

// { x -> y : f(x) relation g(y) }, where x and y are points of two spaces.
isl::map related(const dataflow::Program& program, int reader, const recurrence::Affine& f,
                 recurrence::Relation relation, int producer, const recurrence::Affine& g);

// The part of a flow that stays on one processor.
isl::map local_part(const dataflow::Program& program, const PointFlow& flow);

struct TimeOrder {
  std::vector<dataflow::Point> times; // per space
  std::string problem;                // empty, or the dependence that no order of these steps respects
  Span span;
};

// `steps`: names, outermost first, with their signs (-1: they count down). With `across` also values that travel
// between processors flow forward in time; else only those that stay.
TimeOrder order_in_time(const dataflow::Program& program, const std::vector<std::string>& steps,
                        const std::map<std::string, int>& signs, bool across);

} // namespace cyclotron::lower
