// SPDX-License-Identifier: MIT
// Which variables stand for variables that are split, in parts that do not have these.
#pragma once

#include "lower/loops/parts.hpp"

namespace cyclotron::lower {

// For each part, by the variable that is split: where the part makes an element for another part of its circle, the
// variable of its own that is the same there. Of parts as they are before anything is split.
std::vector<std::map<std::string, std::string>> stand_ins(const Parts& parts, const std::vector<Split>& splits);

} // namespace cyclotron::lower
