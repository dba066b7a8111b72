// SPDX-License-Identifier: MIT
// A part of a generated tensor holds, bit for bit, what the whole tensor has there.
#include "scratch.hpp"
#include "tensor/generate.hpp"
#include "tensor/generators/random_bits.hpp"

#include <gtest/gtest.h>

namespace cyclotron::tensor {
namespace {

using Sizes = std::vector<std::int64_t>;

struct Case {
  const char* recipe;
  Sizes dims;
  ValueType type = ValueType::f64;
};

const Case cases[] = {
    {"zeros", {5, 7}},
    {"ones", {4, 3, 2}, ValueType::i32},
    {"constant(2.5)", {9}},
    {"random(seed=3)", {11, 6}},
    {"random(seed=3, low=-2, high=5)", {3, 4, 5}, ValueType::f32},
    {"random", {}},
    {"random(density=0.4, seed=1)", {9, 8}},
    {"random(density=0.05, seed=1)", {20, 21}},
    {"random", {7, 9}, ValueType::boolean},
    {"integers(-5, 5, seed=2)", {6, 5}, ValueType::i64},
    {"integers(0, 9, density=0.3)", {6, 5}, ValueType::i32},
    {"stochastic(seed=4)", {5, 6}},
    {"stochastic", {3, 0}},
    {"stochastic", {6}},
    {"range(start=1, step=0.1)", {13}},
    {"permutation(seed=5)", {12}, ValueType::i64},
    {"permutation(seed=5)", {7, 7}},
    {"letters(\"hello, world\")", {12}, ValueType::i64},
    {"dna(seed=1)", {17}, ValueType::i32},
    {"identity", {8, 8}},
    {"tridiagonal(lower=1, diagonal=4, upper=-1)", {9, 9}, ValueType::i64},
    {"banded(lower=2, upper=1, seed=1)", {9, 9}},
    {"spd(seed=1)", {10, 10}},
    {"spd(seed=1)", {1, 1}},
    {"spd(density=0.5, seed=1)", {10, 10}},
    {"spd(density=0.1, seed=1)", {12, 12}},
    {"triangular(seed=1)", {10, 10}},
    {"triangular(upper=1, seed=1)", {9, 9}, ValueType::f32},
    {"triangular(density=0.6)", {9, 9}},
    {"triangular(density=0.1, upper=1)", {11, 11}},
    {"laplacian2d", {16, 16}},
    {"laplacian3d", {27, 27}, ValueType::i32},
    {"rmat(edges=60, seed=1)", {8, 8}},
};

Box random_box(const Sizes& dims, const RandomBits& random, std::uint64_t number) {
  Box box;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const auto size = static_cast<std::uint64_t>(dims[d]);
    box.first.push_back(static_cast<std::int64_t>(random.below(size + 1, number * 16 + 2 * d)));
    const auto left = static_cast<std::uint64_t>(dims[d] - box.first[d]);
    box.count.push_back(static_cast<std::int64_t>(random.below(left + 1, number * 16 + 2 * d + 1)));
  }
  return box;
}

void expect_part(const Case& c, const Entries& whole, const Box& box) {
  Report report;
  const Recipe recipe = *parse_recipe(c.recipe, report.diagnostics);
  const auto part = generate_part(recipe, {c.dims, c.type, "A"}, box, report.diagnostics);
  ASSERT_TRUE(part.has_value()) << report.text();
  EXPECT_EQ(part->dims, box.count);
  EXPECT_EQ(type_of(part->values), c.type);
  const std::vector<double> all = dense_view(whole);
  std::vector<double> expected;
  for_each_row(box, [&](const std::int64_t* at, std::int64_t, std::int64_t length) {
    const auto from = all.begin() + position_of(at, c.dims);
    expected.insert(expected.end(), from, from + length);
  });
  EXPECT_EQ(dense_view(*part), expected);
}

TEST(GeneratePart, IsThatPartOfTheWhole) {
  for (const Case& c : cases) {
    SCOPED_TRACE(c.recipe);
    Report report;
    const auto whole = generate(*parse_recipe(c.recipe, report.diagnostics), {c.dims, c.type, "A"}, report.diagnostics);
    ASSERT_TRUE(whole.has_value()) << report.text();
    expect_part(c, *whole, whole_box(c.dims));
    const RandomBits random(7, 1);
    for (std::uint64_t number = 0; number < 20; ++number) expect_part(c, *whole, random_box(c.dims, random, number));
  }
}

TEST(GeneratePart, LargerThanMemory) {
  Report report;
  const std::int64_t n = std::int64_t{1} << 30; // 2^60 elements
  const Recipe recipe = *parse_recipe("triangular", report.diagnostics);
  const auto part = generate_part(recipe, {{n, n}, ValueType::f64, "A"}, {{n - 2, n - 1}, {2, 1}}, report.diagnostics);
  ASSERT_TRUE(part.has_value()) << report.text();
  EXPECT_EQ(dense_view(*part)[0], 0);
  EXPECT_GE(dense_view(*part)[1], 1);
}

TEST(GeneratePart, WhoIsMadeByElement) {
  const auto by_element = [](const char* text, ValueType type = ValueType::f64) {
    Report report;
    return is_made_by_element(*parse_recipe(text, report.diagnostics), {{4, 4}, type, "A"});
  };
  EXPECT_TRUE(by_element("random"));
  EXPECT_TRUE(by_element("spd"));
  EXPECT_TRUE(by_element("identity"));
  EXPECT_FALSE(by_element("random(density=0.5)"));
  EXPECT_FALSE(by_element("random", ValueType::boolean));
  EXPECT_FALSE(by_element("spd(density=0.5)"));
  EXPECT_FALSE(by_element("rmat"));
  EXPECT_FALSE(by_element("stochastic"));
}

TEST(GeneratePart, WhatTilesCut) {
  Report report;
  const auto found = uncut(*parse_recipe("tiles(random(seed=1), 2, 3)", report.diagnostics),
                           {{4, 5, 2, 3}, ValueType::f32, "A"}, report.diagnostics);
  ASSERT_TRUE(found.has_value()) << report.text();
  EXPECT_EQ(to_string(std::get<Recipe>(found->source)), "random(seed=1)");
  EXPECT_EQ(found->request.dims, (Sizes{8, 15}));
  EXPECT_EQ(found->request.type, ValueType::f32);
  EXPECT_EQ(found->tiles, (Sizes{2, 3}));
  const auto file = uncut(*parse_recipe("tiles(\"a.mtx\", 2, 3)", report.diagnostics), {}, report.diagnostics);
  ASSERT_TRUE(file.has_value()) << report.text();
  EXPECT_EQ(std::get<std::string>(file->source), "a.mtx");
}

} // namespace
} // namespace cyclotron::tensor
