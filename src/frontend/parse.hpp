// SPDX-License-Identifier: MIT
// Text to a program whose names are not resolved yet. The grammar is in docs/language.md.
#pragma once

#include "frontend/unit.hpp"

namespace cyclotron::frontend {

// The file must be in `diagnostics.sources()`. Reports every statement that does not parse and goes on with the next.
Unit parse(std::int32_t file, Diagnostics& diagnostics);

} // namespace cyclotron::frontend
