// SPDX-License-Identifier: MIT
// The phases of a program: one for each equation, in an order in which all that a phase reads has been computed.
//
// A tensor that several equations define is computed in pieces, which are then put together. An equation that reads
// what others of the same tensor define reads their pieces; one that needs itself, through whatever others, is a
// recurrence, which no stream graph can run.
#pragma once

#include "frontend/check.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::lower {

// What an access reads where that is not the whole tensor: the name of a piece; empty: nothing, which is zero.
using StreamReads = std::map<const recurrence::ExprNode*, std::string>;

struct StreamPhase {
  const recurrence::Equation* equation = nullptr; // null: pieces are put together
  std::string tensor;                             // of the program
  std::string name;                               // under which the result is stored
  std::vector<std::string> pieces;
  StreamReads reads;
};

// `new_name` gives a name of a tensor's piece. Recurrences are reported.
std::vector<StreamPhase> stream_phases(const frontend::Checked& checked,
                                       const std::function<std::string(const std::string&)>& new_name,
                                       Diagnostics& diagnostics);

} // namespace cyclotron::lower
