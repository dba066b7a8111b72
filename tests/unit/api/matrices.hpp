// SPDX-License-Identifier: MIT
// What the tests of kernels share: options, small matrices, the message of an error.
#pragma once

#include "cyclotron/cyclotron.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cyclotron::test {

// Kernels of tests are compiled fast, and into a folder of their own.
inline Options quick(const std::string& target = "c") {
  Options options;
  options.target = target;
  options.flags = {"-O0"};
  options.cache_folder = testing::TempDir() + "cyclotron_api_test";
  return options;
}

inline std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.message();
  }
  return "no error";
}

template <class I> struct Sparse {
  std::int64_t rows = 0, columns = 0;
  std::vector<I> positions{0}, coordinates;
  std::vector<double> values;

  View view() { return csr_view(rows, columns, positions, coordinates, values); }
};

template <class I> Sparse<I> compressed(const std::vector<std::vector<double>>& dense_rows) {
  Sparse<I> a;
  a.rows = static_cast<std::int64_t>(dense_rows.size());
  a.columns = a.rows == 0 ? 0 : static_cast<std::int64_t>(dense_rows[0].size());
  for (const std::vector<double>& row : dense_rows) {
    for (std::size_t c = 0; c < row.size(); ++c)
      if (row[c] != 0) {
        a.coordinates.push_back(static_cast<I>(c));
        a.values.push_back(row[c]);
      }
    a.positions.push_back(static_cast<I>(a.coordinates.size()));
  }
  return a;
}

// An arrow: its Cholesky factor fills in below row `first`.
template <class I> Sparse<I> arrow(int n) {
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(n), std::vector<double>(static_cast<std::size_t>(n)));
  for (int i = 0; i < n; ++i) {
    const auto r = static_cast<std::size_t>(i);
    rows[r][r] = n + 1 + i;
    rows[r][0] = rows[0][r] = i == 0 ? n : 1;
  }
  return compressed<I>(rows);
}

inline const char* const cholesky_text = R"(
tensor A(n, n): csr
tensor L(n, n): csr
L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j) : k < j, j < i
L(i,i) = sqrt(A(i,i) - sum[k](L(i,k) * L(i,k)))      : k < i
)";

inline const char* const product_text = "tensor B(m, n): csr\ntensor c(n)\ntensor x(m)\nx(i) = B(i,j) * c(j)\n";

// Whether L times its transpose is A, which is symmetric.
template <class I> void expect_factor(const Sparse<I>& a, const Output& factor) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.rows; ++j) {
      double is = 0, wanted = 0;
      for (std::int64_t k = 0; k < a.rows; ++k) is += factor.at(i, k) * factor.at(j, k);
      const auto r = static_cast<std::size_t>(i);
      for (auto p = a.positions[r]; p < a.positions[r + 1]; ++p)
        if (a.coordinates[static_cast<std::size_t>(p)] == j) wanted = a.values[static_cast<std::size_t>(p)];
      EXPECT_NEAR(is, wanted, 1e-9) << i << ", " << j;
    }
}

} // namespace cyclotron::test
