// SPDX-License-Identifier: MIT
// Steps of a tensor that share memory. U^t(i,j) may be written over U^(t-1)(i,j) if everything that reads the old value
// is computed before.
#pragma once

#include "backend/c/plan.hpp"

namespace cyclotron::backend::c {

// Whether, within each iteration of the loop over steps, every read of `name` at step loop + oldest comes before its
// element is written again, or is part of what writes it. A `forall` may run in any order, so within one only the same
// iteration will do.
bool may_overwrite(const std::string& name, const loops::Loop& loop, std::int64_t oldest,
                   const std::vector<Placed>& statements, const recurrence::Program& program,
                   const recurrence::Domains& domains);

} // namespace cyclotron::backend::c
