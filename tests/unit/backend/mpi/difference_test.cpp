// SPDX-License-Identifier: MIT
// The largest difference between tensors that nobody has as a whole.
#include "backend/mpi/data/difference.hpp"

#include "backend/mpi/data/write.hpp"
#include "world.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace cyclotron::mpi {
namespace {

using tensor::ValueType;

const Declaration matrix{"C", {9, 7}, ValueType::f64};

Source recipe(const char* text) {
  Report report;
  return *tensor::parse_recipe(text, report.diagnostics);
}

void set(const Held& held, std::vector<std::int64_t> at, double value) {
  for (const Part& part : held.parts)
    if (part.box.contains(at.data())) {
      for (std::size_t d = 0; d < at.size(); ++d) at[d] -= part.box.first[d];
      part.values[tensor::position_of(at.data(), part.box.count)].real = value;
      return;
    }
}

TEST(MaxDifference, FromARecipeAndAFile) {
  const SharedFolder folder;
  const Held held(random_boxes(matrix.dims, 8, 4));
  Report report;
  const Source source = recipe("constant(4)");
  ASSERT_TRUE(read(source, matrix, held.parts, MPI_COMM_WORLD, report.diagnostics));
  ASSERT_TRUE(write(folder.path("c.mtx"), matrix, held.parts, MPI_COMM_WORLD, report.diagnostics));
  auto found = max_difference(held.parts, matrix, source, MPI_COMM_WORLD, report.diagnostics);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->largest, 0);
  EXPECT_EQ(found->at, std::vector<std::int64_t>{});
  set(held, {2, 3}, 5);
  set(held, {8, 6}, 3.5);
  for (const Source& from : {source, Source(folder.path("c.mtx"))}) {
    found = max_difference(held.parts, matrix, from, MPI_COMM_WORLD, report.diagnostics);
    ASSERT_TRUE(found.has_value()) << report.text();
    EXPECT_EQ(found->largest, 0.25);
    EXPECT_EQ(found->at, (std::vector<std::int64_t>{2, 3}));
    EXPECT_EQ(found->found, 5);
    EXPECT_EQ(found->expected, 4);
  }
  set(held, {0, 0}, NAN);
  found = max_difference(held.parts, matrix, source, MPI_COMM_WORLD, report.diagnostics);
  EXPECT_EQ(found->largest, INFINITY);
  EXPECT_FALSE(max_difference(held.parts, matrix, folder.path("d.npy"), MPI_COMM_WORLD, report.diagnostics));
  EXPECT_NE(report.text().find("no such file"), std::string::npos);
}

TEST(MaxDifference, BetweenDistributions) {
  Report report;
  for (std::uint64_t seed = 1; seed < 6; ++seed)
    for (std::int64_t elements : {0, 1, 10}) {
      const Held a(random_boxes(matrix.dims, 8, seed)), b(random_boxes(matrix.dims, 5, seed + 1));
      ASSERT_TRUE(read(recipe("random(seed=1)"), matrix, a.parts, MPI_COMM_WORLD, report.diagnostics));
      ASSERT_TRUE(read(recipe("random(seed=1)"), matrix, b.parts, MPI_COMM_WORLD, report.diagnostics));
      const Limits limits{.elements = elements};
      auto found = max_difference(a.parts, b.parts, matrix, MPI_COMM_WORLD, report.diagnostics, limits);
      ASSERT_TRUE(found.has_value()) << report.text();
      EXPECT_EQ(found->largest, 0);
      set(b, {4, 5}, -3);
      set(a, {4, 5}, 3);
      found = max_difference(a.parts, b.parts, matrix, MPI_COMM_WORLD, report.diagnostics, limits);
      EXPECT_EQ(found->largest, 2);
      EXPECT_EQ(found->at, (std::vector<std::int64_t>{4, 5}));
      EXPECT_EQ(max_difference(a.parts, a.parts, matrix, MPI_COMM_WORLD, report.diagnostics)->largest, 0);
    }
}

TEST(Redistribute, Integers) {
  Report report;
  const Declaration whole{"C", {5, 3, 4}, ValueType::i32};
  const Held a(random_boxes(whole.dims, 8, 1)), b(random_boxes(whole.dims, 6, 2));
  const Source source = recipe("integers(-100, 100)");
  ASSERT_TRUE(read(source, whole, a.parts, MPI_COMM_WORLD, report.diagnostics));
  ASSERT_TRUE(redistribute(a.parts, b.parts, whole, MPI_COMM_WORLD, report.diagnostics, {.elements = 3}));
  expect_parts(b.parts, *bind_sequentially(source, whole, report.diagnostics));
}

TEST(Redistribute, WhatNobodyHas) {
  Report report;
  const Held wanted(world_rank() == world_size() - 1 ? std::vector<Box>{{{1, 1}, {2, 2}}} : std::vector<Box>{});
  const Held held(world_rank() == 0 ? std::vector<Box>{{{0, 0}, {2, 7}}} : std::vector<Box>{});
  EXPECT_FALSE(redistribute(held.parts, wanted.parts, matrix, MPI_COMM_WORLD, report.diagnostics));
  EXPECT_EQ(report.text(), fmt::format("error: rank {} needs 4 elements of `C`, but only 2 of them are held by any "
                                       "rank\n",
                                       world_size() - 1));
}

} // namespace
} // namespace cyclotron::mpi
