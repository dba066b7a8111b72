// SPDX-License-Identifier: MIT
// Pairs of sparse vectors with structure, for the study of accelerator structures (figure 17 of the paper shows them).
#pragma once

#include "tensor/tensor.hpp"

#include <cstdint>

namespace cyclotron::study {

struct VectorPair {
  tensor::Entries first, second;
};

// The vectors take turns: a run of `length` nonzeros of one, then one of the other, which have no coordinate in common.
// Such couples stand at random distances.
//   first   ####       ####
//   second      ####       ####
VectorPair runs(std::int64_t size, std::int64_t nonzeros, std::int64_t length, std::uint64_t seed);

// Blocks of `length` nonzeros at random places, and in the second vector a quarter to three quarters of a block further
// on, so that a part of each overlaps.
//   first   ########        ########
//   second     ########       ########
VectorPair blocks(std::int64_t size, std::int64_t nonzeros, std::int64_t length, std::uint64_t seed);

} // namespace cyclotron::study
