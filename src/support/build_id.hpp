// SPDX-License-Identifier: MIT
// Which build of our own code is running.
#pragma once

#include <string>

namespace cyclotron {

// The build id that the linker gave to the program or shared library that this function is part of: a hash of all that
// is in it, so another one after every change. "" where it gave none.
const std::string& build_id();

} // namespace cyclotron
