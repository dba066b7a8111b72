// SPDX-License-Identifier: MIT
#include "backend/mpi/scalapack/rectangle.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

namespace cyclotron::mpi::scalapack {

namespace {

using From = Strided<const double>;
using To = Strided<double>;

// Two doubles in one register of any x86-64 or 64-bit ARM.
using Pair = double __attribute__((vector_size(16)));

// How a value, or a pair of them, is stored.
struct Assign {
  template <class Value> Value operator()(Value, Value from) const { return from; }
};
struct Scale {
  double alpha;
  template <class Value> Value operator()(Value, Value from) const { return alpha * from; }
};
struct Blend {
  double alpha, beta;
  template <class Value> Value operator()(Value to, Value from) const { return alpha * from + beta * to; }
};

template <class Store> void store_one(double& to, double from, Store store) {
  if constexpr (std::is_same_v<Store, Blend>) to = store(to, from);
  else to = store(0.0, from); // what is there is not read
}

template <class Store> void store_pair(double* to, Pair from, Store store) {
  Pair before{};
  if constexpr (std::is_same_v<Store, Blend>) std::memcpy(&before, to, sizeof before);
  const Pair after = store(before, from);
  std::memcpy(to, &after, sizeof after);
}

Pair load_pair(const double* from) {
  Pair loaded;
  std::memcpy(&loaded, from, sizeof loaded);
  return loaded;
}

template <class Store> void along_columns(long rows, long columns, From from, To to, Store store) {
  for (long i = 0; i < rows; ++i) {
    const double* in = from.data + i * from.row;
    double* out = to.data + i * to.row;
    for (long j = 0; j < columns; ++j) store_one(out[j], in[j], store);
  }
}

constexpr long line = 8; // doubles in a cache line

// Whole cache lines of both; `from` is contiguous along rows, `to` along columns.
template <class Store> void transpose_block(From from, To to, Store store) {
  for (long j = 0; j < line; j += 2)
    for (long i = 0; i < line; i += 2) {
      const Pair left = load_pair(from.data + i + j * from.column);
      const Pair right = load_pair(from.data + i + (j + 1) * from.column);
      store_pair(to.data + i * to.row + j, Pair{left[0], right[0]}, store);
      store_pair(to.data + (i + 1) * to.row + j, Pair{left[1], right[1]}, store);
    }
}

template <class Store> void transposing(long rows, long columns, From from, To to, Store store) {
  const long whole_rows = rows - rows % line, whole_columns = columns - columns % line;
  for (long j = 0; j < whole_columns; j += line)
    for (long i = 0; i < whole_rows; i += line) transpose_block(from.at(i, j), to.at(i, j), store);
  for (long i = 0; i < rows; ++i)
    for (long j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
      store_one(to.data[i * to.row + j], from.data[i + j * from.column], store);
}

template <class Store> void anyhow(long rows, long columns, From from, To to, Store store) {
  constexpr long block = 4 * line;
  for (long i0 = 0; i0 < rows; i0 += block)
    for (long j0 = 0; j0 < columns; j0 += block)
      for (long i = i0; i < std::min(rows, i0 + block); ++i)
        for (long j = j0; j < std::min(columns, j0 + block); ++j)
          store_one(to.data[i * to.row + j * to.column], from.data[i * from.row + j * from.column], store);
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
        store_one(to.data[i * to.row + j * to.column], from.data[i * from.row + j * from.column], store);
  });
}

} // namespace cyclotron::mpi::scalapack
