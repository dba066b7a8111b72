// SPDX-License-Identifier: MIT
// The programs of examples/, said in C++.
#pragma once

#include "cyclotron/cyclotron.hpp"

#include <functional>
#include <map>
#include <string>

namespace cyclotron::test {

using Programs = std::map<std::string, std::function<Program()>>;

void add_linear_algebra(Programs& programs);
void add_sequences(Programs& programs);
void add_steps_and_tiles(Programs& programs);

} // namespace cyclotron::test
