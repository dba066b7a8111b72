// SPDX-License-Identifier: MIT
// "Did you mean ...?": the nearest of some names to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cyclotron {

// The candidate at the smallest edit distance, or "" where none is near enough to be a plausible slip.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

// " ; did you mean `x`?" ready to append to a hint, or "".
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// "a, b and c".
std::string join_names(const std::vector<std::string>& names, std::string_view last = "and");

} // namespace cyclotron
