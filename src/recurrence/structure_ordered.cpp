// SPDX-License-Identifier: MIT
#include "recurrence/structure_solve.hpp"

namespace cyclotron::recurrence::structure {

bool run_in_order(const Group&, const std::vector<const Rule*>&, IslContext&, Store&) { return false; }

} // namespace cyclotron::recurrence::structure
