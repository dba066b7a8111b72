// SPDX-License-Identifier: MIT
// What counts as the same result.
#include "driver/compare.hpp"

#include <gtest/gtest.h>

namespace cyclotron::driver {
namespace {

template <class T> std::map<std::string, tensor::Tensor> vector_x(const std::vector<T>& values) {
  tensor::Tensor x;
  x.dims = {static_cast<std::int64_t>(values.size())};
  x.format = tensor::dense_format(1);
  x.levels.emplace_back().size = x.dims[0];
  x.values = values;
  return {{"x", x}};
}

TEST(Compare, RoundingIsAllowedOtherDifferencesAreNot) {
  const auto right = vector_x<double>({1, 100, 0.5});
  EXPECT_EQ(compare(vector_x<double>({1, 100 + 1e-8, 0.5}), right).problem, "");
  EXPECT_EQ(compare(vector_x<double>({1, 100, 0.5 + 1e-8}), right).problem, "`x(2)` is 0.50000001 where 0.5 is right");
}

TEST(Compare, WholeNumbersAreExact) {
  const auto right = vector_x<std::int64_t>({1'000'000'000'000, 7});
  EXPECT_EQ(compare(right, right).problem, "");
  EXPECT_EQ(compare(vector_x<std::int64_t>({1'000'000'000'000, 8}), right).problem, "`x(1)` is 8 where 7 is right");
}

TEST(Compare, WhatIsLeftOfLargeTermsIsRoundedAsThey) {
  const auto right = vector_x<double>({1e12, 2});
  EXPECT_EQ(compare(vector_x<double>({1e12, 2.05}), right).problem, "");
  EXPECT_EQ(compare(vector_x<double>({1e12, 2.2}), right).problem, "`x(1)` is 2.2 where 2 is right");
}

TEST(Compare, WhatIsNoNumberMustBeSoInBoth) {
  const auto right = vector_x<double>({NAN, INFINITY});
  EXPECT_EQ(compare(right, right).problem, "");
  EXPECT_NE(compare(vector_x<double>({NAN, 1e300}), right).problem, "");
  EXPECT_NE(compare(vector_x<double>({0, INFINITY}), right).problem, "");
}

} // namespace
} // namespace cyclotron::driver
