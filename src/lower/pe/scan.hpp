// SPDX-License-Identifier: MIT
// Loops that visit points in the order of their times: a schedule tree for isl, and isl's loops as statements of a PE.
//
//   c0: (k) at (k, 0), c1: (k, i) at (k, 1, i)   -->   for k = …
//                                                        c0(k)
//                                                        for i = …
//                                                          c1(k, i)
#pragma once

#include "dataflow/ir.hpp"
#include "lower/pe/ast_to_statements.hpp"

namespace cyclotron::lower {

// Points that are visited alike. Times are of the same length in all visits of a scan, and the names differ.
struct Visit {
  std::string name;
  std::vector<std::string> coordinates;
  dataflow::Point time;
  isl::set points; // { [coordinates] }
};

constexpr int all_levels = 64; // more than there are

// `known`: what holds of the parameters. Ranges where different points are visited get loops of their own, in the loops
// over the first `levels` components of time; of fewer from then on, where that takes long.
std::vector<pe::Statement> scan(const dataflow::Program& program, const std::vector<Visit>& visits,
                                const isl::set& known, const MakeStatement& make, int& levels);

} // namespace cyclotron::lower
