// SPDX-License-Identifier: MIT
// What a design looks like in lanes: elements from left to right, steps downwards. A cell is filled where its element
// computes; lines show how values come to it, and marks what it reads from memory and writes there.
#pragma once

#include "lanes/ir.hpp"
#include "lanes/points.hpp"

#include <string>

namespace cyclotron::lanes_report {

// An SVG file. Of a design that is larger than a page, its first elements and steps.
std::string picture(const lanes::Program& program, const lanes::Sizes& sizes);

} // namespace cyclotron::lanes_report
