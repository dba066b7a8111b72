// SPDX-License-Identifier: MIT
// Files from the wild: sizes, counts and norms agree with what other programs find in them (see data/SOURCES.md).
#include "scratch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace cyclotron::tensor {
namespace {

struct Expected {
  const char* name;
  std::vector<std::int64_t> dims;
  std::int64_t entries;
  ValueType type;
  double sum;
  double norm;
};

class RealFile : public testing::TestWithParam<Expected> {};

TEST_P(RealFile, ReadsAsExpected) {
  const Expected& expected = GetParam();
  Report report;
  const auto entries = read(std::string(CYCLOTRON_TEST_DATA) + "/" + expected.name, {}, report.diagnostics);
  ASSERT_TRUE(entries) << report.text();
  EXPECT_EQ(entries->dims, expected.dims);
  EXPECT_EQ(entries->count(), expected.entries);
  EXPECT_EQ(type_of(entries->values), expected.type);
  const auto tensor = pack(*entries, *format_named("csf", static_cast<int>(expected.dims.size())), report.diagnostics);
  ASSERT_TRUE(tensor) << report.text();
  EXPECT_EQ(problem_of(*tensor), "");
  EXPECT_EQ(tensor->stored(), expected.entries);
  double sum = 0, squares = 0;
  for (std::int64_t p = 0; p < tensor->stored(); ++p) {
    sum += float_at(tensor->values, p);
    squares += float_at(tensor->values, p) * float_at(tensor->values, p);
  }
  EXPECT_NEAR(sum, expected.sum, 1e-9 * std::abs(expected.norm));
  EXPECT_NEAR(std::sqrt(squares), expected.norm, 1e-12 * expected.norm);
}

INSTANTIATE_TEST_SUITE_P(
    All, RealFile,
    testing::Values(Expected{"LFAT5.mtx", {14, 14}, 46, ValueType::f64, 12581499.907366201, 25132818.099574342},
                    Expected{"relat3.mtx", {12, 5}, 24, ValueType::i64, 0.0, 6.928203230275509},
                    Expected{"cage5.mtx", {37, 37}, 233, ValueType::f64, 37.0, 3.8706846958998713},
                    Expected{"karate.mtx", {34, 34}, 156, ValueType::boolean, 156.0, 12.489995996796797},
                    Expected{"west0067.mtx", {67, 67}, 294, ValueType::f64, 34.3087486, 13.121668969819032},
                    Expected{"splatt_small.tns", {2, 3, 2}, 6, ValueType::f64, 21, std::sqrt(91.0)},
                    Expected{"splatt_small4.tns", {2, 2, 3, 3}, 8, ValueType::f64, 25, std::sqrt(97.0)}),
    [](const auto& file) { return std::string(file.param.name).substr(0, std::string(file.param.name).find('.')); });

} // namespace
} // namespace cyclotron::tensor
