// SPDX-License-Identifier: MIT
// A run of streams for the terminal.
#pragma once

#include "backend/sam_report/figures.hpp"

#include <string>

namespace cyclotron::sam {

// For each phase: cycles and tokens, how busy each block was, what each stream carried, the critical path where it was
// recorded, who waits for whom where the run got stuck.
std::string summary(const Phases& phases);

} // namespace cyclotron::sam
