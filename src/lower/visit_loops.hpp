// SPDX-License-Identifier: MIT
// Loops that visit points in the order of their times: a schedule tree for isl, which makes the loops.
//
//   c0: (k) at (k, 0), c1: (k, i) at (k, 1, i)   -->   for k = …
//                                                        c0(k)
//                                                        for i = …
//                                                          c1(k, i)
#pragma once

#include "recurrence/affine_maps.hpp"

#include <isl/ast.h>

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::lower {

// Points that are visited alike. Times are of the same length in all visits of a scan, and the names differ.
struct Visit {
  std::string name;
  std::vector<std::string> coordinates;
  recurrence::Point time;
  isl::set points; // { [coordinates] }
};

constexpr int all_levels = 64; // more than there are

// `known`: what holds of the parameters. Ranges where different points are visited get loops of their own, in the loops
// over the first `levels` components of time; of fewer from then on, where that takes long. The caller frees the node.
//
// `apart`: coordinates, which all visits then have in common, whose loops are made apart from those of all others. Only
// there ranges get loops of their own; everything else is tested inside.
//
// `unrolled`: components of time whose iterations are written out, so that their numbers stand where the points are
// visited. They are of a fixed number.
isl_ast_node* visit_loops(const recurrence::IslContext& context, const recurrence::Program& program,
                          const std::vector<Visit>& visits, const isl::set& known, int& levels,
                          const std::optional<isl::set>& apart = std::nullopt, const std::vector<bool>& unrolled = {});

} // namespace cyclotron::lower
