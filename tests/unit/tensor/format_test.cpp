// SPDX-License-Identifier: MIT
// Names of formats and types, and which formats are refused.
#include "tensor/format.hpp"

#include <gtest/gtest.h>

namespace cyclotron::tensor {
namespace {

constexpr LevelKind dense = LevelKind::dense;
constexpr LevelKind compressed = LevelKind::compressed;
constexpr LevelKind singleton = LevelKind::singleton;
constexpr LevelKind bitvector = LevelKind::bitvector;

TEST(Format, NamesReadBack) {
  for (int rank = 0; rank <= 5; ++rank)
    for (const std::string& name : format_names()) {
      const auto format = format_named(name, rank);
      if (!format) continue;
      EXPECT_EQ(problem_of(*format), "");
      EXPECT_EQ(format_named(to_string(*format), rank), format);
    }
}

TEST(Format, UsualNames) {
  EXPECT_EQ(to_string(dense_format(0)), "dense");
  EXPECT_EQ(to_string(dense_format(3)), "dense");
  EXPECT_EQ(to_string({{dense, compressed}, {0, 1}}), "csr");
  EXPECT_EQ(to_string({{dense, compressed}, {1, 0}}), "csc");
  EXPECT_EQ(to_string({{compressed, compressed}, {0, 1}}), "dcsr");
  EXPECT_EQ(to_string({{compressed, singleton, singleton}, {0, 1, 2}}), "coo");
  EXPECT_EQ(to_string({{compressed, compressed, compressed}, {0, 1, 2}}), "csf");
  EXPECT_EQ(to_string({{dense, bitvector}, {0, 1}}), "{dense, bitvector}");
  EXPECT_EQ(to_string({{dense, dense}, {1, 0}}), "{dense, dense} order (1,0)");
  EXPECT_EQ(format_named("csr", 3), std::nullopt);
  EXPECT_EQ(format_named("coo", 0), std::nullopt);
  EXPECT_EQ(format_named("nonsense", 2), std::nullopt);
}

TEST(Format, Problems) {
  EXPECT_EQ(problem_of({{dense, compressed}, {0}}), "the format has 2 levels but its order names 1 dimensions");
  EXPECT_EQ(problem_of({{dense, compressed}, {0, 0}}), "the order (0,0) does not name each dimension from 0 to 1 once");
  EXPECT_EQ(problem_of({{dense, compressed}, {1, 2}}), "the order (1,2) does not name each dimension from 0 to 1 once");
  EXPECT_EQ(problem_of({{singleton}, {0}}), "the top level cannot be singleton: it would hold one coordinate in all");
  EXPECT_EQ(
      problem_of({{dense, singleton}, {0, 1}}),
      "level 2 cannot be singleton below a dense level: each coordinate there could have only one entry; the level "
      "above must be compressed or singleton");
  EXPECT_EQ(problem_of({{bitvector, singleton}, {0, 1}}),
            "level 2 cannot be singleton below a bitvector level: each coordinate there could have only one entry; the "
            "level above must be compressed or singleton");
  EXPECT_EQ(problem_of({{dense, compressed, dense}, {0, 1, 2}}), "");
  EXPECT_EQ(problem_of({{compressed, singleton, bitvector}, {2, 1, 0}}), "");
}

TEST(Format, IsDense) {
  EXPECT_TRUE(is_dense(dense_format(0)));
  EXPECT_TRUE(is_dense({{dense, dense}, {1, 0}}));
  EXPECT_FALSE(is_dense({{dense, compressed}, {0, 1}}));
}

TEST(Format, ValueTypes) {
  for (const char* name : {"f64", "f32", "i32", "i64", "bool"}) EXPECT_EQ(name_of(*value_type_named(name)), name);
  EXPECT_EQ(value_type_named("float"), std::nullopt);
  EXPECT_EQ(size_of(ValueType::f32), 4);
  EXPECT_EQ(size_of(ValueType::boolean), 1);
  for (const char* name : {"dense", "compressed", "singleton", "bitvector"})
    EXPECT_EQ(name_of(*level_kind_named(name)), name);
  EXPECT_EQ(level_kind_named("sparse"), std::nullopt);
}

} // namespace
} // namespace cyclotron::tensor
