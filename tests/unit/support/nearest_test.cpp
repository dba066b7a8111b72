// SPDX-License-Identifier: MIT
#include "support/nearest.hpp"

#include <gtest/gtest.h>

namespace cyclotron {
namespace {

TEST(Nearest, SlipsOfThePen) {
  const std::vector<std::string> names{"matrix", "vector", "tensor", "x", "A"};
  EXPECT_EQ(nearest("matrxi", names), "matrix");  // letters swapped
  EXPECT_EQ(nearest("vectr", names), "vector");   // one left out
  EXPECT_EQ(nearest("tensorr", names), "tensor"); // one too many
  EXPECT_EQ(nearest("mattix", names), "matrix");  // one wrong
  EXPECT_EQ(nearest("MATRIX", names), "matrix");  // only the case
  EXPECT_EQ(nearest("a", names), "A");
}

TEST(Nearest, FarNamesAreNotOffered) {
  const std::vector<std::string> names{"matrix", "x", "A"};
  EXPECT_EQ(nearest("y", names), "");
  EXPECT_EQ(nearest("scalar", names), "");
  EXPECT_EQ(nearest("", names), "");
  EXPECT_EQ(nearest("matrix", {}), "");
  EXPECT_EQ(nearest(std::string(100000, 'm'), names), "");
}

TEST(Nearest, TheNearestOfSeveral) {
  EXPECT_EQ(nearest("colum", {"columns", "column", "col"}), "column");
  EXPECT_EQ(nearest("tile", {"tile", "tiles"}), "tile");
}

TEST(Nearest, DidYouMean) {
  EXPECT_EQ(did_you_mean("tenser", {"tensor"}), "did you mean `tensor`?");
  EXPECT_EQ(did_you_mean("zebra", {"tensor"}), "");
}

TEST(Nearest, JoinNames) {
  EXPECT_EQ(join_names({}), "");
  EXPECT_EQ(join_names({"a"}), "a");
  EXPECT_EQ(join_names({"a", "b"}), "a and b");
  EXPECT_EQ(join_names({"a", "b", "c"}, "or"), "a, b or c");
}

} // namespace
} // namespace cyclotron
