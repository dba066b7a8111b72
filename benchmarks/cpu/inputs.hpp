// SPDX-License-Identifier: MIT
// Synthetic sparse inputs: uniform, power law, band; the same on every machine.
#pragma once

#include "sparse.hpp"

namespace cyclotron::bench {

Sparse uniform(const std::vector<std::int64_t>& dims, std::int64_t nonzeros, unsigned seed, const std::string& format);
// Every dimension skewed: coordinate c of a shuffled list appears in proportion to 1 / (c+1)^alpha.
Sparse power_law(const std::vector<std::int64_t>& dims, std::int64_t nonzeros, double alpha, unsigned seed,
                 const std::string& format);
// The diagonal and `others` entries in each row, at most `half` away from it.
Sparse band(std::int64_t n, int half, int others, unsigned seed);

std::vector<double> dense(std::size_t count, unsigned seed); // in (0, 1)

} // namespace cyclotron::bench
