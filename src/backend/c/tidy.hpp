// SPDX-License-Identifier: MIT
// Generated C as a person would have written it.
#pragma once

#include <string>

namespace cyclotron::backend::c {

// Expressions are put together with brackets around every part. This drops those around a whole right-hand side, a
// whole argument or a whole condition: `x = (a + b);`, `exp((a - b))`, `if ((a == b))`. Comments and lines for the
// preprocessor are left alone.
std::string without_needless_brackets(const std::string& text);

// Drops `const int64_t i = A_crd[p];` where the rest of its block does not mention i. Blocks are known by their
// indentation.
std::string without_unused_coordinates(const std::string& text);

} // namespace cyclotron::backend::c
