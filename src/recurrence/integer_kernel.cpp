// SPDX-License-Identifier: MIT
#include "recurrence/integer_kernel.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace cyclotron::recurrence {

std::vector<Vector> rows_of(const Point& formulas, const std::vector<std::string>& names) {
  std::vector<Vector> rows;
  for (const Affine& f : formulas) {
    rows.emplace_back();
    for (const std::string& n : names) rows.back().push_back(f.coefficient(n));
  }
  return rows;
}

std::int64_t dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), std::int64_t{0});
}

// Starts with all unit vectors. For each row, Euclid's algorithm on the products with the vectors leaves at most one
// vector whose product is not zero; that one goes. What is added to a vector is a multiple of another one, so that
// together they always make up all vectors that earlier rows take to zero.
std::vector<Vector> integer_kernel(const std::vector<Vector>& rows, std::size_t columns) {
  std::vector<Vector> basis;
  for (std::size_t c = 0; c < columns; ++c) {
    basis.emplace_back(columns, 0);
    basis.back()[c] = 1;
  }
  for (const Vector& row : rows) {
    const auto smaller = [&](const Vector& a, const Vector& b) {
      const std::int64_t x = std::abs(dot(row, a)), y = std::abs(dot(row, b));
      return x != 0 && (y == 0 || x < y);
    };
    for (;;) {
      const auto least = std::min_element(basis.begin(), basis.end(), smaller);
      if (least == basis.end() || dot(row, *least) == 0) break;
      bool reduced = false;
      for (auto v = basis.begin(); v != basis.end(); ++v) {
        const std::int64_t factor = v == least ? 0 : dot(row, *v) / dot(row, *least);
        for (std::size_t c = 0; c < columns; ++c) (*v)[c] -= factor * (*least)[c];
        reduced |= v != least && dot(row, *v) != 0;
      }
      if (reduced) continue;
      basis.erase(least);
      break;
    }
  }
  return basis;
}

} // namespace cyclotron::recurrence
