// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4): names things by their content, and finds damaged files.
#pragma once

#include <string>
#include <string_view>

namespace cyclotron {

// 64 hexadecimal digits in lower case.
std::string sha256(std::string_view bytes);

} // namespace cyclotron
