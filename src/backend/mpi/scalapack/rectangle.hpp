// SPDX-License-Identifier: MIT
// Copying a rectangle of doubles between two places with strides of their own, which is most of what redistribution
// does: between column-major and row-major it transposes, in blocks of whole cache lines.
#pragma once

namespace cyclotron::mpi::scalapack {

template <class Value> struct Strided {
  Value* data;
  long row, column; // strides; negative ones run backwards

  Strided at(long i, long j) const { return {data + i * row + j * column, row, column}; }
};

// to = alpha * from + beta * to. Where beta is 0, `to` is not read, so that what it held (a NaN) is gone.
void copy_rectangle(long rows, long columns, Strided<const double> from, Strided<double> to, double alpha, double beta);

// The same for the elements with i + offset >= j: on and under a diagonal.
void copy_lower(long rows, long columns, long offset, Strided<const double> from, Strided<double> to, double alpha,
                double beta);

} // namespace cyclotron::mpi::scalapack
