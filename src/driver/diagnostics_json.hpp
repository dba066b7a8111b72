// SPDX-License-Identifier: MIT
// Errors and warnings as JSON, for editors and other programs.
#pragma once

#include "support/diagnostics.hpp"

#include <nlohmann/json_fwd.hpp>

namespace cyclotron::driver {

// A list in the order of the text: severity, message, file, line, column (null where there is none), label (the words
// beside the carets), notes of the same form, hints.
nlohmann::ordered_json to_json(const Diagnostics& diagnostics);

} // namespace cyclotron::driver
