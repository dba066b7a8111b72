// SPDX-License-Identifier: MIT
// From format to format and from type to type.
#include "random_tensors.hpp"
#include "scratch.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

namespace cyclotron::tensor {
namespace {

Tensor vector_of(Values values, const Format& format = dense_format(1)) {
  Report report;
  const auto count = static_cast<std::int64_t>(size_of(values));
  return *pack(Entries{{count}, {}, std::move(values), true}, format, report.diagnostics);
}

RC_GTEST_PROP(Convert, BetweenAnyFormats, ()) {
  const int rank = *rc::gen::inRange(0, 5);
  Report report;
  const auto tensor = pack(random_entries(rank, random_type()), random_format(rank), report.diagnostics);
  RC_ASSERT(tensor.has_value());
  const Format format = random_format(rank);
  const auto other = convert(*tensor, format, report.diagnostics);
  RC_ASSERT(other.has_value());
  RC_ASSERT(problem_of(*other) == "");
  RC_ASSERT(other->format == format);
  RC_ASSERT(dense_view(*other) == dense_view(*tensor));
  if (rank > 0 && format.levels.back() != LevelKind::dense) RC_ASSERT(other->stored() == nonzeros(*tensor));
}

RC_GTEST_PROP(Convert, TypesThatCanHoldTheValues, ()) {
  const int rank = *rc::gen::inRange(0, 4);
  const ValueType from = random_type();
  const ValueType to = random_type();
  Report report;
  const auto tensor = pack(random_entries(rank, from), random_format(rank), report.diagnostics);
  const auto other = convert_type(*tensor, to, report.diagnostics);
  RC_ASSERT(other.has_value());
  RC_ASSERT(problem_of(*other) == "");
  RC_ASSERT(other->type() == to);
  std::vector<double> expected = dense_view(*tensor);
  if (to == ValueType::boolean)
    for (double& x : expected) x = x != 0 ? 1 : 0;
  RC_ASSERT(dense_view(*other) == expected);
}

std::string type_error(Values values, ValueType type, const Format& format = dense_format(1)) {
  Report report;
  EXPECT_FALSE(convert_type(vector_of(std::move(values), format), type, report.diagnostics));
  return report.text();
}

TEST(ConvertType, NamesTheElement) {
  EXPECT_EQ(type_error(std::vector<double>{1, 0, 2.5}, ValueType::i32, *format_named("coo", 1)),
            "error: the value `2.5` at (2) cannot be stored as i32\n"
            "hint: only whole numbers in range become integers: use `f64`, or change the data\n");
  EXPECT_EQ(type_error(std::vector<double>{std::nan("")}, ValueType::i64),
            "error: the value `nan` at (0) cannot be stored as i64\n"
            "hint: only whole numbers in range become integers: use `f64`, or change the data\n");
  EXPECT_EQ(type_error(std::vector<std::int64_t>{5, 3000000000}, ValueType::i32),
            "error: the value `3000000000` at (1) cannot be stored as i32\n"
            "hint: use a wider type, or change the data\n");
  EXPECT_EQ(type_error(std::vector<double>{1e300}, ValueType::f32),
            "error: the value `1e+300` at (0) cannot be stored as f32\n"
            "hint: use a wider type, or change the data\n");
}

TEST(ConvertType, Limits) {
  Report report;
  constexpr double power63 = 9223372036854775808.0;
  EXPECT_TRUE(convert_type(vector_of(std::vector<double>{-power63}), ValueType::i64, report.diagnostics));
  EXPECT_FALSE(convert_type(vector_of(std::vector<double>{power63}), ValueType::i64, report.diagnostics));
  EXPECT_TRUE(
      convert_type(vector_of(std::vector<double>{2147483647.0, -2147483648.0}), ValueType::i32, report.diagnostics));
  EXPECT_FALSE(convert_type(vector_of(std::vector<float>{2147483648.0f}), ValueType::i32, report.diagnostics));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(convert_type(vector_of(std::vector<double>{infinity, 1e-300}), ValueType::f32, report.diagnostics));
}

TEST(Zeros, RowMajor) {
  Report report;
  const auto tensor = zeros({2, 3}, ValueType::i32, "C", report.diagnostics);
  ASSERT_TRUE(tensor);
  EXPECT_EQ(problem_of(*tensor), "");
  EXPECT_EQ(tensor->values, Values(std::vector<std::int32_t>(6)));
}

TEST(Entries, SpellOut) {
  Entries entries{{2, 2}, {}, std::vector<double>{0, 1, 2, 0}, true};
  Entries fewer = entries;
  spell_out(entries);
  EXPECT_EQ(entries.coordinates, (std::vector<std::vector<std::int64_t>>{{0, 0, 1, 1}, {0, 1, 0, 1}}));
  drop_zeros(fewer);
  EXPECT_EQ(fewer.coordinates, (std::vector<std::vector<std::int64_t>>{{0, 1}, {1, 0}}));
}

} // namespace
} // namespace cyclotron::tensor
