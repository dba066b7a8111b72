// SPDX-License-Identifier: MIT
// What messages about programs that have no lanes say of who can run them.
#pragma once

namespace cyclotron::lower {

constexpr const char* other_targets = "`--target=array` simulates it, and `--target=c` compiles the equations";

} // namespace cyclotron::lower
