// SPDX-License-Identifier: MIT
// Where an internal tensor need not be in memory as a whole: a loop carries its elements from where they are written
// to where they are read, and only those of a few iterations are kept.
#pragma once

#include "backend/c/plan.hpp"

namespace cyclotron::backend::c {

// By tensor. Those that are not named are kept whole.
std::map<std::string, Fold> find_folds(const std::vector<Placed>& statements, const recurrence::Program& program,
                                       const recurrence::Domains& domains, const std::set<std::string>& internal);

} // namespace cyclotron::backend::c
