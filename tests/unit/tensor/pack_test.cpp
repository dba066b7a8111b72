// SPDX-License-Identifier: MIT
// Packing: the arrays of usual formats spelled out, and that no format loses anything.
#include "random_tensors.hpp"
#include "scratch.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace cyclotron::tensor {
namespace {

using Numbers = std::vector<std::int64_t>;

// 4 x 4: (0,1)=1 (0,3)=2 (2,0)=3 (3,3)=4, given out of order and one of them in two parts.
Entries small_matrix() {
  Entries entries;
  entries.dims = {4, 4};
  entries.coordinates = {{3, 0, 2, 0, 3}, {3, 3, 0, 1, 3}};
  entries.values = std::vector<double>{1.5, 2, 3, 1, 2.5};
  return entries;
}

Tensor packed(Entries entries, const Format& format) {
  Report report;
  auto tensor = pack(std::move(entries), format, report.diagnostics);
  EXPECT_TRUE(tensor.has_value()) << report.text();
  EXPECT_EQ(problem_of(*tensor), "");
  return *tensor;
}

TEST(Pack, Csr) {
  const Tensor a = packed(small_matrix(), *format_named("csr", 2));
  EXPECT_EQ(a.levels[1].positions, (Numbers{0, 2, 2, 3, 4}));
  EXPECT_EQ(a.levels[1].coordinates, (Numbers{1, 3, 0, 3}));
  EXPECT_EQ(a.values, Values(std::vector<double>{1, 2, 3, 4}));
}

TEST(Pack, Csc) {
  const Tensor a = packed(small_matrix(), *format_named("csc", 2));
  EXPECT_EQ(a.levels[1].positions, (Numbers{0, 1, 2, 2, 4}));
  EXPECT_EQ(a.levels[1].coordinates, (Numbers{2, 0, 0, 3}));
  EXPECT_EQ(a.values, Values(std::vector<double>{3, 1, 2, 4}));
}

TEST(Pack, Coordinates) {
  const Tensor a = packed(small_matrix(), *format_named("coo", 2));
  EXPECT_EQ(a.levels[0].positions, (Numbers{0, 4}));
  EXPECT_EQ(a.levels[0].coordinates, (Numbers{0, 0, 2, 3}));
  EXPECT_EQ(a.levels[1].coordinates, (Numbers{1, 3, 0, 3}));
}

TEST(Pack, Bitvector) {
  const Tensor a = packed(small_matrix(), {{LevelKind::dense, LevelKind::bitvector}, {0, 1}});
  EXPECT_EQ(a.levels[1].bits, (std::vector<std::uint64_t>{0b1010, 0, 0b0001, 0b1000}));
  EXPECT_EQ(a.levels[1].positions, (Numbers{0, 2, 2, 3, 4}));
}

TEST(Pack, DenseBelowCompressedFillsBlocks) {
  const Tensor a = packed(small_matrix(), {{LevelKind::compressed, LevelKind::dense}, {0, 1}});
  EXPECT_EQ(a.levels[0].coordinates, (Numbers{0, 2, 3}));
  EXPECT_EQ(a.values, Values(std::vector<double>{0, 1, 0, 2, 3, 0, 0, 0, 0, 0, 0, 4}));
}

TEST(Pack, ScalarSumsItsEntries) {
  Entries entries;
  EXPECT_EQ(packed(entries, dense_format(0)).values, Values(std::vector<double>{0}));
  entries.values = std::vector<std::int64_t>{2, 5};
  EXPECT_EQ(packed(entries, dense_format(0)).values, Values(std::vector<std::int64_t>{7}));
}

TEST(Pack, ExplicitZerosStayInSparseFormats) {
  Entries entries{{3}, {{1}}, std::vector<double>{0}, false};
  EXPECT_EQ(packed(entries, *format_named("coo", 1)).stored(), 1);
}

TEST(Pack, ZerosOfDenseListsAreNotEntries) {
  Entries entries{{2, 2}, {}, std::vector<double>{0, 1, 2, 0}, true};
  const Tensor a = packed(entries, *format_named("csr", 2));
  EXPECT_EQ(a.stored(), 2);
  EXPECT_EQ(dense_view(a), (std::vector<double>{0, 1, 2, 0}));
  EXPECT_EQ(packed(entries, {{LevelKind::dense, LevelKind::dense}, {1, 0}}).values,
            Values(std::vector<double>{0, 2, 1, 0}));
}

TEST(Pack, HugeSizesWithoutElements) {
  constexpr std::int64_t huge = std::int64_t{1} << 40;
  Entries entries{{huge, huge, 0}, {{}, {}, {}}, std::vector<float>{}, false};
  const Tensor a = packed(entries, dense_format(3));
  EXPECT_EQ(a.stored(), 0);
  EXPECT_EQ(unpack(a).count(), 0);
}

// The coordinates do not fit one sort key of 64 bits.
TEST(Pack, HugeSizesInCoordinates) {
  constexpr std::int64_t huge = std::int64_t{1} << 60;
  Entries entries{{huge, huge, 5},
                  {{huge - 1, 3, 3, 0}, {7, 9, 8, huge - 1}, {4, 0, 0, 1}},
                  std::vector<std::int64_t>{1, 2, 3, 4},
                  false};
  const Tensor a = packed(entries, *format_named("csf", 3));
  const std::int64_t at[] = {3, 8, 0};
  EXPECT_EQ(integer_at(a.values, locate(a, at)), 3);
  EXPECT_EQ(a.values, Values(std::vector<std::int64_t>{4, 3, 2, 1}));
}

TEST(Pack, IntegerSumsMustFit) {
  Entries entries{
      {4, 4}, {{2, 2}, {3, 3}}, std::vector<std::int32_t>{std::numeric_limits<std::int32_t>::max(), 1}, false};
  Report report;
  EXPECT_FALSE(pack(entries, *format_named("csr", 2), report.diagnostics));
  EXPECT_EQ(report.text(),
            "error: the entries at (2, 3) of a 4 x 4 tensor of i32 sum to more than it can hold\n"
            "hint: entries with the same coordinates are summed: remove the repeated ones or use `f64`\n");
}

TEST(Pack, RefusesWhatDoesNotFitTogether) {
  const auto message = [](Entries entries, const Format& format) {
    Report report;
    EXPECT_FALSE(pack(std::move(entries), format, report.diagnostics));
    return report.text();
  };
  EXPECT_EQ(message(small_matrix(), dense_format(3)),
            "error: a format of 3 levels cannot hold a 4 x 4 tensor of f64\n");
  EXPECT_EQ(message(small_matrix(), {{LevelKind::singleton, LevelKind::dense}, {0, 1}}),
            "error: the top level cannot be singleton: it would hold one coordinate in all\n");
  Entries outside = small_matrix();
  outside.coordinates[1][2] = 4;
  EXPECT_EQ(message(outside, dense_format(2)), "error: coordinate 4 is outside dimension 1 of size 4\n");
  Entries uneven = small_matrix();
  uneven.coordinates[1].pop_back();
  EXPECT_EQ(message(uneven, dense_format(2)), "error: 4 coordinates in dimension 1 for 5 values\n");
}

RC_GTEST_PROP(Pack, AnyFormatHoldsTheSameElements, ()) {
  const int rank = *rc::gen::inRange(0, 5);
  const Entries entries = random_entries(rank, random_type());
  const Format format = random_format(rank);
  Report report;
  const auto tensor = pack(entries, format, report.diagnostics);
  RC_ASSERT(tensor.has_value());
  RC_ASSERT(problem_of(*tensor) == "");
  RC_ASSERT(dense_view(*tensor) == dense_view(entries));
  const Entries back = unpack(*tensor);
  RC_ASSERT(back.count() == tensor->stored());
  RC_ASSERT(dense_view(back) == dense_view(entries));
  RC_ASSERT(pack(back, format, report.diagnostics) == tensor);
}

// A broken array is noticed wherever it is.
RC_GTEST_PROP(Verify, NoticesDamage, ()) {
  const int rank = *rc::gen::inRange(1, 4);
  Report report;
  auto tensor = pack(random_entries(rank, ValueType::f64), random_format(rank), report.diagnostics);
  RC_ASSERT(tensor.has_value());
  std::vector<std::vector<std::int64_t>*> arrays;
  for (Level& level : tensor->levels)
    for (auto* candidate : {&level.positions, &level.coordinates})
      if (!candidate->empty()) arrays.push_back(candidate);
  if (arrays.empty()) return; // dense throughout, or nothing stored
  std::vector<std::int64_t>& array = *arrays[*rc::gen::inRange<std::size_t>(0, arrays.size())];
  if (*rc::gen::inRange(0, 2)) array.pop_back();
  else array[*rc::gen::inRange<std::size_t>(0, array.size())] += 1000000;
  RC_ASSERT(problem_of(*tensor) != "");
}

} // namespace
} // namespace cyclotron::tensor
