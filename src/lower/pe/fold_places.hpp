// SPDX-License-Identifier: MIT
// Many logical PEs of an axis on few: PE i mod 4 does what PEs i, i+4, ... would have done, one after the other.
#pragma once

#include "dataflow/ir.hpp"
#include "lower/mapping.hpp"

namespace cyclotron::lower {

// space C(i, k), place (i), time (k)   -->   space C(i, k, i_turn) : 4*i_turn <= i < 4*i_turn + 4
//                                            place (i - 4*i_turn), time (k, i_turn)
// on an axis `i_pe`; rules are split where the values that they read are of another turn. Turns rise or fall, whichever
// has fewer values that are read before their time. The program has fixed sizes.
struct Folded {
  dataflow::Program program;
  std::vector<bool> wraps; // per axis: the last PE is a neighbour of the first
};
std::optional<Folded> fold_places(const dataflow::Program& program, const std::vector<Fold>& folds,
                                  Diagnostics& diagnostics);

} // namespace cyclotron::lower
