// SPDX-License-Identifier: MIT
// What each tensor does while an array computes, seen from its recurrences alone:
//
//   stationary   a value stays at its place while time passes: it is used again, or added to, there
//   streamed     it comes from a neighbour and goes on to another
//   broadcast    it comes over a wire to all who need it
//   local        every place reads or writes its own elements, each once
//
// The family of a schedule is named by its stationary tensors.
#pragma once

#include "dataflow/ir.hpp"

#include <map>
#include <string>

namespace cyclotron::explore {

enum class Motion { local, broadcast, streamed, stationary };

// By tensor; a value that is neither a copy of a tensor nor leaves the array goes by its own name.
std::map<std::string, Motion> motions_of(const dataflow::Program& program);

std::string family_of(const std::map<std::string, Motion>& motions); // `A, C stationary`
std::string describe(const std::map<std::string, Motion>& motions);  // `A streamed, B broadcast, C stationary`

} // namespace cyclotron::explore
