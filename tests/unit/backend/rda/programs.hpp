// SPDX-License-Identifier: MIT
// Pattern programs that the tests print.
#pragma once

#include "pattern/build.hpp"

namespace cyclotron::backend::rda {

// x = B c, B compressed by rows.
pattern::Program spmv();

// A = B (C D) where B has entries, with the program of the paper's figure 4: B and A compressed by rows, C stored by
// rows and D by columns.
pattern::Program sddmm();

// The union x of two sparse vectors b and c, as positions, coordinates and sums; and the product of the two, over their
// intersection.
pattern::Program union_of_rows();
pattern::Program intersection_of_rows();

// The least and the greatest of some numbers, and whether all of them are positive.
pattern::Program extremes(pattern::ValueType type);

// A program that does with a queue what none may: reads it once more than it has numbers, or once less.
pattern::Program queue_misuse(bool empty);

// A histogram in a sparse sram, and what of it is at least a limit, read at random from off the chip.
pattern::Program histogram();

} // namespace cyclotron::backend::rda
