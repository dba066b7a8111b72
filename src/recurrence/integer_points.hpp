// SPDX-License-Identifier: MIT
// Whether some whole numbers satisfy affine conditions: the small questions that come by the thousand, without isl.
#pragma once

#include "recurrence/polyhedra.hpp"

#include <optional>
#include <vector>

namespace cyclotron::recurrence {

// Whether there are values of all names, indices and sizes alike, for which all conditions hold. Nothing where this
// simple method cannot tell: then ask isl.
std::optional<bool> has_integer_point(const std::vector<Condition>& conditions);

} // namespace cyclotron::recurrence
