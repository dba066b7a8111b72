// SPDX-License-Identifier: MIT
// Texts in double quotes: a backslash stands before a quote or a backslash that belongs to the text.
#pragma once

#include <string>
#include <string_view>

namespace cyclotron {

// With its quotes, ready to be read again.
std::string quote(std::string_view text);

// What stands between the quotes, as the text it means.
std::string unquote(std::string_view inside);

} // namespace cyclotron
