// SPDX-License-Identifier: MIT
// Text to a program whose names are not resolved yet. The grammar is in docs/language.md.
#pragma once

#include "frontend/unit.hpp"

namespace cyclotron::frontend {

// The file must be in `diagnostics.sources()`. Reports every statement that does not parse and goes on with the next.
Unit parse(std::int32_t file, Diagnostics& diagnostics);

// Words that cannot be the name of a tensor: those of the language, and kernels.
bool is_reserved(std::string_view name);

} // namespace cyclotron::frontend
