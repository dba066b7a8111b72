// SPDX-License-Identifier: MIT
// The counts of the published table of primitives, on its first three expressions.
#include "unit/stream/graphs.hpp"

#include "stream/counts.hpp"

#include <gtest/gtest.h>

namespace cyclotron::stream {
namespace {

TEST(Counts, Table) {
  EXPECT_EQ(to_table({{"SpMV", counts_of(matrix_vector())},
                      {"SpM*SpM", counts_of(matrix_product())},
                      {"SDDMM", counts_of(sampled_product())}}),
            "         Level scanner  Repeat  Intersect  Union  ALU  Reduce  Crd drop  Level writer  Array\n"
            "SpMV                 3       1          1      0    1       1         1             2      2\n"
            "SpM*SpM              4       2          1      0    1       1         0             3      2\n"
            "SDDMM                6       3          3      0    2       1         1             3      3\n");
}

TEST(Counts, PhasesAddUp) {
  const Counts both = counts_of(std::vector<Graph>{matrix_vector(), matrix_product()});
  EXPECT_EQ(both, (Counts{.scan = 7,
                          .repeat = 3,
                          .intersect = 2,
                          .unite = 0,
                          .alu = 2,
                          .reduce = 2,
                          .drop = 1,
                          .write = 5,
                          .array = 4,
                          .other = 0}));
}

TEST(Counts, BlocksWithoutColumn) {
  // locate, bvconvert, bvexpand, split, flatten, parallelize, serialize, crdvals, crdmask, crdplace, lookup, buffer
  const Counts counts = counts_of(every_block());
  EXPECT_EQ(counts.other, 12);
  EXPECT_EQ(counts.alu, 23);
  EXPECT_NE(to_table({{"all", counts}}).find("Array  Other\n"), std::string::npos);
}

} // namespace
} // namespace cyclotron::stream
