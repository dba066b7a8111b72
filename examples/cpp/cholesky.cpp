// SPDX-License-Identifier: MIT
// Sparse Cholesky factorization of a matrix that the caller holds in compressed rows: where the factor has nonzeros is
// found once, its values are computed for every new set of values.
#include <cyclotron/cyclotron.hpp>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

using namespace cyclotron;

// The five-point Laplacian of a square grid, in compressed rows.
struct Grid {
  std::int64_t rows;
  std::vector<std::int32_t> positions{0}, columns;
  std::vector<double> values;

  explicit Grid(std::int32_t side) : rows(side * side) {
    for (std::int32_t r = 0; r < rows; ++r) {
      if (r >= side) columns.push_back(r - side);
      if (r % side > 0) columns.push_back(r - 1);
      columns.push_back(r);
      if (r % side < side - 1) columns.push_back(r + 1);
      if (r < rows - side) columns.push_back(r + side);
      positions.push_back(static_cast<std::int32_t>(columns.size()));
    }
    values.assign(columns.size(), -1);
  }

  void set_diagonal(double value) {
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int32_t p = positions[r]; p < positions[r + 1]; ++p)
        if (columns[p] == r) values[p] = value;
  }
};

Program cholesky() {
  Index i("i"), j("j"), k("k");
  Size n("n");
  Tensor A("A", {n, n}, csr), L("L", {n, n}, csr);

  Program p("cholesky");
  p += L(i, j) = (A(i, j) - sum[k](L(i, k) * L(j, k))) / L(j, j), where(k < j, j < i);
  p += L(i, i) = sqrt(A(i, i) - sum[k](L(i, k) * L(i, k))), where(k < i);
  return p;
}

int main() try {
  const Kernel kernel = cholesky().compile();

  Grid grid(10);
  const View matrix = csr_view(grid.rows, grid.rows, grid.positions, grid.columns, grid.values);
  Analysis analysis = kernel.analyse({{"A", matrix}});
  const Output factor = analysis["L"];
  std::printf("A stores %zu values, L %lld\n", grid.values.size(), static_cast<long long>(factor.stored()));

  for (double diagonal : {4.0, 4.5, 5.0}) {
    grid.set_diagonal(diagonal); // where the view looks
    kernel.compute({{"A", matrix}}, analysis);
    std::printf("diagonal %.1f: L(0,0) = %.6f, L(99,99) = %.6f\n", diagonal, factor.at(0, 0), factor.at(99, 99));
  }

  std::span<const double> values = factor.values<double>();
  std::span<const std::int32_t> columns = factor.coordinates<std::int32_t>(1);
  std::printf("the last value is in column %d: %.6f\n", columns.back(), values.back());
} catch (const std::exception& error) {
  std::fputs(error.what(), stderr);
  return 1;
}
