// SPDX-License-Identifier: MIT
// Graphs that the tests of streams share, wired by hand.
#pragma once

#include "stream/ir.hpp"

#include <string>

namespace cyclotron::stream {

// A block with every field at its default.
Node block(Block kind);

// x(i) = sum[j](B(i,j) * c(j)), all compressed.
Graph matrix_vector();

// X(i,j) = sum[k](B(i,k) * C(k,j)) in the order i, k, j: a spaccumulator gathers rows.
Graph matrix_product();

// X(i,j) = sum[k](B(i,j) * C(i,k) * D(j,k)), B compressed, C and D dense.
Graph sampled_product();

// Every block of ir.hpp at least once, with every field away from its default; wired so that ports and types fit, but
// it computes nothing.
Graph every_block();

} // namespace cyclotron::stream
