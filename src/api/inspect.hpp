// SPDX-License-Identifier: MIT
// A look at the arrays of a view before anyone relies on them.
#pragma once

#include "cyclotron/view.hpp"
#include "tensor/format.hpp"

#include <cstdint>
#include <string>

namespace cyclotron::api {

struct Inspected {
  std::string problem;     // to follow "the view of `A`: "; "" where there is none
  std::int64_t stored = 0; // how many values there are
};

// Looks at lengths only, as far as they are known, or (`all`) at every entry of positions, coordinates and bits.
Inspected inspect(const View::Data& view, const tensor::Format& format, bool all);

// Of the index arrays of a view that was inspected: the same for the same structure in the same width, and else
// different but for a chance of one in 2^64.
std::uint64_t fingerprint(const View::Data& view, const tensor::Format& format);

} // namespace cyclotron::api
