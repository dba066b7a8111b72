// SPDX-License-Identifier: MIT
// What makes a text a `.pe` file: its first line says the version, its last the SHA-256 of all before it.
#pragma once

#include "support/diagnostics.hpp"

#include <string>

namespace cyclotron::pe {

constexpr int file_version = 1;

// `cyclotron pe 1`, the declarations and roles, and the checksum.
std::string sealed(const std::string& declarations);

// Reports a file of another version, one that was cut short, and one that was changed since it was written.
bool check_seal(std::int32_t file, Diagnostics& diagnostics);

} // namespace cyclotron::pe
