// SPDX-License-Identifier: MIT
// When the points of a processor are computed: nested steps, shared by spaces as far as the dependences allow.
//
//   time t, j    -->    (0, t, 0, j, 1)  for a space,  (0, t, 1, j, 0)  for one that needs a whole loop over j of it
//   first
//
// The numbers between the steps order spaces that cannot share the next step.
#pragma once

#include "dataflow/flows.hpp"

#include <map>
#include <string>
#include <vector>

namespace cyclotron::lower {

struct TimeOrder {
  std::vector<dataflow::Point> times; // per space
  std::string problem;                // empty, or the dependence that no order of these steps respects
  Span span;
  std::size_t decided = 0; // so many of the outermost steps show the problem, whatever way the others count
};

// `steps`: names, outermost first, with their signs (-1: they count down). By the first `across` of them also values
// that travel between processors flow forward in time; by the others only those that stay.
TimeOrder order_in_time(const dataflow::Program& program, const std::vector<dataflow::PointFlow>& flows,
                        const std::vector<std::string>& steps, const std::map<std::string, int>& signs,
                        std::size_t across);

} // namespace cyclotron::lower
