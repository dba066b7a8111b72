// SPDX-License-Identifier: MIT
// The kernels of the kernel table on plain buffers, by the machine's BLAS and LAPACK: the same values up to rounding,
// the same failures, and the speed that the table's loops do not aim at.
//
// One difference is left: where a pivot of POTRF is no number (NaN in, or an overflow), all rows below it become NaN,
// which in the loops are so only from the pivot's column on.
#pragma once

#include "recurrence/failures.hpp"

#include <cstdint>
#include <string_view>

namespace cyclotron::mpi {

struct Operand {
  const double* values;     // row-major, without gaps
  const std::int64_t* dims; // as many as the kernel table's shape rule has letters
};

struct BlasKernel {
  std::string_view name;
  bool accumulates; // any alpha and beta; others are called with alpha 1 and beta 0 only
  int in_place;     // the argument that may be the same memory as `to`, or -1

  // to = beta * to + alpha * kernel(arguments). `to` is not read where beta is 0, and has no use after a failure.
  recurrence::Failure (*call)(const Operand* arguments, double alpha, double beta, double* to,
                              const std::int64_t* to_dims);
};

// Nothing where the BLAS has no such kernel: then the table's loops must do.
const BlasKernel* blas_kernel(std::string_view kernel_name);

// No extent of a tile may be larger: the BLAS counts in 32 bits.
extern const std::int64_t largest_tile_extent;

} // namespace cyclotron::mpi
