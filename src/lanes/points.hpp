// SPDX-License-Identifier: MIT
// Points one by one, at sizes that are numbers: for figures and pictures.
#pragma once

#include "dataflow/ir.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cyclotron::lanes {

using Sizes = std::map<std::string, std::int64_t>;
using Whole = std::vector<std::int64_t>; // the coordinates of a point

// f of every point of the set; false where there are more than `most`.
bool each_point(const isl::set& set, const Sizes& sizes, std::int64_t most, const std::function<void(const Whole&)>& f);

// A formula in the coordinates of a space, at one of its points.
std::int64_t value_at(const recurrence::Affine& formula, const dataflow::Space& space, const Whole& point,
                      const Sizes& sizes);

} // namespace cyclotron::lanes
