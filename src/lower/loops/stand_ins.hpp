// SPDX-License-Identifier: MIT
// `tile i by 16` splits the variable i. A part of the program without i may compute elements for parts with i. This
// finds the variable of such a part that plays the role of i there.
#pragma once

#include "lower/loops/parts.hpp"

namespace cyclotron::lower {

// For each part, by the variable that is split: the variable of the part that has the same value as the split one,
// where the part makes an element for another part that it depends on in a circle. Parts are not split yet.
std::vector<std::map<std::string, std::string>> stand_ins(const Parts& parts, const std::vector<Split>& splits);

} // namespace cyclotron::lower
