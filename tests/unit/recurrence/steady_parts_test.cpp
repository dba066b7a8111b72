// SPDX-License-Identifier: MIT
// Formulas that are steady on parts of a set, and the vectors along which an access reads the same element.
#include "recurrence/steady_parts.hpp"

#include "recurrence/integer_kernel.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace cyclotron::recurrence {
namespace {

struct OneSize {
  IslContext context;
  Program program;
  OneSize() { program.sizes = {{"n", {}}}; }

  isl::set set(const std::vector<std::string>& names, const std::string& text) const {
    return make_set(context, program, names, {text});
  }
  std::string parts(const std::vector<std::string>& names, const std::string& where, const Point& formulas) const {
    const auto found = steady_parts(context, program, set(names, where), names, formulas);
    if (!found) return "none";
    std::string out;
    for (const SteadyPart& p : *found) {
      std::vector<std::string> values;
      for (const Affine& v : p.value) values.push_back(print(v));
      out += fmt::format("({}) on {}\n", fmt::join(values, ", "), to_string(p.domain));
    }
    return out;
  }
};

Affine term(const std::string& n, std::int64_t factor = 1) { return Affine{{{n, factor}}, 0}; }

TEST(SteadyParts, ANumberHasOnePart) {
  const OneSize test;
  EXPECT_EQ(test.parts({"i"}, "0 <= i < n", {Affine{{}, 3}, term("n")}),
            "(3, n) on [n] -> { [i] : n >= 0 and 0 <= i < n }\n");
}

TEST(SteadyParts, EachValueHasItsPart) {
  const OneSize test;
  EXPECT_EQ(test.parts({"p"}, "0 <= p < 2", {Affine{{}, 1} - term("p", 2)}),
            "(-1) on [n] -> { [p = 1] : n >= 0 }\n(1) on [n] -> { [p = 0] : n >= 0 }\n");
}

TEST(SteadyParts, AValueMayDependOnSizes) {
  const OneSize test;
  EXPECT_EQ(test.parts({"p"}, "0 <= p and (p = 0 or p = n - 1)", {term("p")}),
            "(0) on [n] -> { [p = 0] : n >= 0 }\n(n - 1) on [n] -> { [p = -1 + n] : n >= 2 }\n");
}

TEST(SteadyParts, OrThereAreTooMany) {
  const OneSize test;
  EXPECT_EQ(test.parts({"i", "j"}, "0 <= i < n and 0 <= j < n", {term("i") - term("j")}), "none");
  EXPECT_EQ(test.parts({"i"}, "i >= 0", {term("i", -1)}), "none") << "without a least value";
}

TEST(SteadyParts, TwoPointsShowThatAFormulaIsNotSteady) {
  const OneSize test;
  const auto points = unsteady_points(test.context, test.program, test.set({"i"}, "0 <= i < n"), {"i"}, {term("i")});
  ASSERT_TRUE(points);
  EXPECT_EQ(points->describe(), "n = 2, i = 0, i' = 1");
  EXPECT_FALSE(unsteady_points(test.context, test.program, test.set({"i"}, "i = 4"), {"i"}, {term("i")}));
}

// Two predecessors that one formula happens to describe: (q, p-1), and (q-1, 1) where p is 0.
TEST(UniformPieces, OneForEachDistance) {
  const OneSize test;
  const isl::map map(test.context.get(), "[n] -> { [q, p] -> [q, p - 1] : 0 <= q < n and p = 1; "
                                         "[q, p] -> [q - 1, 1] : 1 <= q < n and p = 0 }");
  const auto pieces = uniform_pieces_of(test.context, map, {"q", "p"}, test.program);
  ASSERT_TRUE(pieces);
  ASSERT_EQ(pieces->size(), 2u);
  for (const Piece& piece : *pieces) {
    const Point distance{piece.point[0] - term("q"), piece.point[1] - term("p")};
    EXPECT_EQ(test.parts({"q", "p"}, "p = 3", distance).substr(0, 2), distance[0].constant == 0 ? "(0" : "(-");
  }
}

TEST(IntegerKernel, OfOneRow) {
  EXPECT_EQ(integer_kernel({{1, 1}}, 2), (std::vector<Vector>{{-1, 1}}));
  EXPECT_EQ(integer_kernel({{2, 1}}, 2), (std::vector<Vector>{{1, -2}}));
  EXPECT_EQ(integer_kernel({{0, 0}}, 2).size(), 2u);
  EXPECT_EQ(integer_kernel({}, 3).size(), 3u);
  EXPECT_TRUE(integer_kernel({{1, 0}, {1, 2}}, 2).empty());
}

// Every small vector that the rows take to zero is made of the basis, by whole numbers: adding it changes nothing.
RC_GTEST_PROP(IntegerKernel, HasAllSmallVectors, ()) {
  const auto entry = rc::gen::inRange<std::int64_t>(-3, 4);
  const auto rows = *rc::gen::container<std::vector<Vector>>(2, rc::gen::container<Vector>(3, entry));
  const std::vector<Vector> basis = integer_kernel(rows, 3);
  for (const Vector& e : basis)
    for (const Vector& row : rows) RC_ASSERT(dot(row, e) == 0);
  const auto is_in = [&](const Vector& v) { // by the sums of multiples up to a bound that these entries do not reach
    const std::int64_t most = 24;
    if (basis.empty()) return v == Vector{0, 0, 0};
    if (basis.size() == 3) return true;
    for (std::int64_t a = -most; a <= most; ++a)
      for (std::int64_t b = basis.size() > 1 ? -most : 0; b <= (basis.size() > 1 ? most : 0); ++b) {
        bool same = true;
        for (std::size_t c = 0; c < 3; ++c) same &= v[c] == a * basis[0][c] + (basis.size() > 1 ? b * basis[1][c] : 0);
        if (same) return true;
      }
    return false;
  };
  for (std::int64_t x = -2; x <= 2; ++x)
    for (std::int64_t y = -2; y <= 2; ++y)
      for (std::int64_t z = -2; z <= 2; ++z)
        if (dot(rows[0], {x, y, z}) == 0 && dot(rows[1], {x, y, z}) == 0) RC_ASSERT(is_in({x, y, z}));
}

} // namespace
} // namespace cyclotron::recurrence
