// SPDX-License-Identifier: MIT
// Which processor this is: what `-march=native` compiles for.
#pragma once

#include <string>

namespace cyclotron::backend::c {

// Differs between processors that a compiler may generate different instructions for.
const std::string& cpu_identity();

} // namespace cyclotron::backend::c
