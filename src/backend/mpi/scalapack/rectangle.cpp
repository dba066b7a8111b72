// SPDX-License-Identifier: MIT
#include "backend/mpi/scalapack/rectangle.hpp"

#include <algorithm>
#include <utility>

namespace cyclotron::mpi {

namespace {

using From = Strided<const double>;
using To = Strided<double>;

struct Assign {
  void operator()(double& to, double from) const { to = from; }
};
struct Scale {
  double alpha;
  void operator()(double& to, double from) const { to = alpha * from; }
};
struct Blend {
  double alpha, beta;
  void operator()(double& to, double from) const { to = alpha * from + beta * to; }
};

template <class Store> void along_columns(long rows, long columns, From from, To to, Store store) {
  for (long i = 0; i < rows; ++i) {
    const double* in = from.data + i * from.row;
    double* out = to.data + i * to.row;
    for (long j = 0; j < columns; ++j) store(out[j], in[j]);
  }
}

constexpr long line = 8; // doubles in a cache line

// `from` is contiguous along rows, `to` along columns.
template <class Store> void transposing(long rows, long columns, From from, To to, Store store) {
  const long whole_rows = rows - rows % line, whole_columns = columns - columns % line;
  for (long i = 0; i < whole_rows; i += line)
    for (long j = 0; j < whole_columns; j += line) {
      double block[line][line];
      for (long y = 0; y < line; ++y)
        for (long x = 0; x < line; ++x) block[x][y] = from.data[i + x + (j + y) * from.column];
      for (long x = 0; x < line; ++x)
        for (long y = 0; y < line; ++y) store(to.data[(i + x) * to.row + j + y], block[x][y]);
    }
  for (long i = 0; i < rows; ++i)
    for (long j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
      store(to.data[i * to.row + j], from.data[i + j * from.column]);
}

template <class Store> void anyhow(long rows, long columns, From from, To to, Store store) {
  constexpr long block = 4 * line;
  for (long i0 = 0; i0 < rows; i0 += block)
    for (long j0 = 0; j0 < columns; j0 += block)
      for (long i = i0; i < std::min(rows, i0 + block); ++i)
        for (long j = j0; j < std::min(columns, j0 + block); ++j)
          store(to.data[i * to.row + j * to.column], from.data[i * from.row + j * from.column]);
}

template <class Store> void copy(long rows, long columns, From from, To to, Store store) {
  if (to.row == 1 && to.column != 1) { // seen the other way round, its columns are contiguous
    std::swap(rows, columns);
    std::swap(from.row, from.column);
    std::swap(to.row, to.column);
  }
  if (to.column == 1 && from.column == 1) along_columns(rows, columns, from, to, store);
  else if (to.column == 1 && from.row == 1) transposing(rows, columns, from, to, store);
  else anyhow(rows, columns, from, to, store);
}

// Calls `body` with the cheapest way to store.
template <class Body> void with_store(double alpha, double beta, Body body) {
  if (beta != 0) body(Blend{alpha, beta});
  else if (alpha != 1) body(Scale{alpha});
  else body(Assign{});
}

} // namespace

void copy_rectangle(long rows, long columns, From from, To to, double alpha, double beta) {
  with_store(alpha, beta, [&](auto store) { copy(rows, columns, from, to, store); });
}

void copy_lower(long rows, long columns, long offset, From from, To to, double alpha, double beta) {
  with_store(alpha, beta, [&](auto store) {
    for (long i = 0; i < rows; ++i)
      for (long j = 0; j < std::min(columns, i + offset + 1); ++j)
        store(to.data[i * to.row + j * to.column], from.data[i * from.row + j * from.column]);
  });
}

} // namespace cyclotron::mpi
