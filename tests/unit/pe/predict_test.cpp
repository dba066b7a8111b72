// SPDX-License-Identifier: MIT
// What is said before a run, against counts derived by hand.
#include "pe/place.hpp"
#include "pe/predict.hpp"
#include "unit/pe/programs.hpp"

#include <gtest/gtest.h>

namespace cyclotron::pe {
namespace {

TEST(Place, RolesAndChannels) {
  const Program program = parsed(weight_stationary(3, 4, 2));
  const Grid grid(program);
  ASSERT_EQ(grid.size(), 12);
  std::vector<int> roles;
  for (const Element& e : grid.elements()) roles.push_back(e.role);
  EXPECT_EQ(roles, (std::vector<int>{0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8}));
  EXPECT_EQ(grid.elements()[6].at, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(grid.name(6), "[1,2]");
  const Channel &down = program.channels[0], &right = program.channels[1];
  EXPECT_EQ(grid.target(6, down), 10);
  EXPECT_EQ(grid.source(6, down), 2);
  EXPECT_EQ(grid.target(10, down), -1);
  EXPECT_EQ(grid.source(8, right), -1);
  EXPECT_EQ(grid.hops(right), 1);
}

TEST(Place, Torus) {
  const Program program = parsed(sealed("program \"p\"\naxis p = -2 .. 2 torus\naxis q = 0 .. 1\n"
                                        "channel far: f64 [p,q]_x -> [p+4,q-1]_x\n"));
  const Grid grid(program);
  EXPECT_EQ(grid.hops(program.channels[0]), 2);
  EXPECT_EQ(grid.name(grid.target(3, program.channels[0])), "[-2,0]");
  EXPECT_EQ(grid.name(grid.source(8, program.channels[0])), "[-2,1]");
  EXPECT_EQ(grid.target(2, program.channels[0]), -1);
}

TEST(Place, WholeNumbers) {
  const auto value_of = [](const std::string&) { return std::int64_t{-7}; };
  const auto value = [&](IndexOp op, std::int64_t by) {
    return evaluate(Index(Operation{op, Index(Variable{"i"}), Index(Whole{by})}), value_of);
  };
  EXPECT_EQ(value(IndexOp::floor_div, 4), -2);
  EXPECT_EQ(value(IndexOp::mod, 4), 1);
  EXPECT_EQ(value(IndexOp::floor_div, 7), -1);
  EXPECT_EQ(value(IndexOp::mod, 7), 0);
  EXPECT_EQ(value(IndexOp::min, 4), -7);
  EXPECT_EQ(value(IndexOp::max, 4), 4);
  EXPECT_EQ(value(IndexOp::mul, std::int64_t{1} << 62), std::numeric_limits<std::int64_t>::min());
}

TEST(Predict, WeightStationary) {
  for (const int rows : {1, 2, 3, 6})
    for (const int columns : {1, 2, 3, 5})
      for (const int steps : {1, 4}) {
        const auto prediction = predict(parsed(weight_stationary(rows, columns, steps)));
        ASSERT_TRUE(prediction);
        EXPECT_EQ(prediction->problem, "");
        ASSERT_EQ(prediction->elements.size(), static_cast<std::size_t>(rows * columns));
        std::uint64_t loads = 0, stores = 0;
        for (const ElementPrediction& e : prediction->elements) {
          EXPECT_EQ(e.steps, static_cast<std::uint64_t>(steps));
          EXPECT_EQ(e.memory_bytes, 24U);
          loads += e.loads;
          stores += e.stores;
        }
        EXPECT_EQ(loads, static_cast<std::uint64_t>(rows * columns + columns * steps));
        EXPECT_EQ(stores, static_cast<std::uint64_t>(rows * steps));
        ASSERT_EQ(prediction->links.size(), static_cast<std::size_t>((rows - 1) * columns + rows * (columns - 1)));
        for (const LinkPrediction& l : prediction->links) {
          EXPECT_EQ(l.sent, static_cast<std::uint64_t>(steps));
          EXPECT_EQ(l.received, l.sent);
          EXPECT_EQ(l.bytes, 8 * l.sent);
        }
      }
}

TEST(Predict, TriangularSolve) {
  constexpr int n = 7;
  const auto prediction = predict(parsed(triangular_solve(n)));
  ASSERT_TRUE(prediction);
  ASSERT_EQ(prediction->links.size(), n - 1U);
  for (std::size_t i = 0; i < n; ++i) {
    const ElementPrediction& e = prediction->elements[i];
    EXPECT_EQ(e.steps, i + 1);
    EXPECT_EQ(e.loads, i + 2);
    EXPECT_EQ(e.stores, 1U);
    EXPECT_EQ(e.received, i);
    EXPECT_EQ(e.sent, i + 1 == n ? 0 : i + 1);
    EXPECT_EQ(e.memory_bytes, 8U * (n + 2));
    if (i == 0) continue;
    const LinkPrediction& l = prediction->links[i - 1];
    EXPECT_EQ(std::make_pair(l.from, l.to), std::make_pair(static_cast<int>(i) - 1, static_cast<int>(i)));
    EXPECT_EQ(l.sent, i);
  }
}

TEST(Predict, Summary) {
  const Program program = parsed(weight_stationary(3, 3, 8));
  EXPECT_EQ(summary(*predict(program), program),
            "9 PEs in 9 roles take 72 steps\n"
            "33 loads (32 from the boundary, 1 in the middle of the array: A), 24 stores\n"
            "96 messages of 768 bytes on 12 links of 2 channels, at most 64 bytes "
            "on one\n"
            "at most 24 bytes of registers in a PE\n");
}

TEST(Predict, TilesAndElementsWithoutARole) {
  const Program program = parsed(sealed("program \"p\"\naxis i = 0 .. 2\n"
                                        "register x(0 .. 3 ring) by (4,2): f32\n"
                                        "channel on by (4,2): f32 [i]_x -> [i+1]_x\n"
                                        "role a at i == 0\n  step s\n    [i]_x(0) -> [i+1]_x\n"
                                        "role b at i == 1\n  step s\n    [i]_x(1) <- [i-1]_x\n"));
  const auto prediction = predict(program);
  ASSERT_TRUE(prediction);
  EXPECT_EQ(prediction->problem, "");
  EXPECT_EQ(prediction->elements[1].memory_bytes, 4U * 8 * 4);
  EXPECT_EQ(prediction->elements[2].role, -1);
  EXPECT_EQ(prediction->links.at(0).bytes, 32U);
  EXPECT_EQ(summary(*prediction, program), "2 PEs of 3 in 2 roles take 2 steps\n"
                                           "0 loads, 0 stores\n"
                                           "1 message of 32 bytes on 1 link of 1 channel, at most 32 bytes on one\n"
                                           "at most 128 bytes of registers in a PE\n");
}

std::string rate_problem(const std::string& sender, const std::string& receiver) {
  const auto prediction = predict(parsed(sealed("program \"p\"\naxis i = 0 .. 1\nregister x: f64\n"
                                                "channel on: f64 [i]_x -> [i+1]_x\n"
                                                "role a at i == 0\n" +
                                                sender + "role b at i == 1\n" + receiver)),
                                  100'000);
  return prediction ? prediction->problem : "skipped";
}

TEST(Predict, Rates) {
  const std::string send = "    step s\n      [i]_x -> [i+1]_x\n", receive = "    step s\n      [i]_x <- [i-1]_x\n";
  const std::string once = "  for k = 1 .. 1\n", thrice = "  for k = 3 .. 1 step -1\n";
  EXPECT_EQ(rate_problem(thrice + send, thrice + receive), "");
  EXPECT_EQ(rate_problem(thrice + send, once + receive),
            "x is sent 3 times and received once through `on` from [0] to [1]");
  EXPECT_EQ(rate_problem(once + receive, ""),
            "x is sent 0 times and received once through `on` from outside the grid to [0]");
  EXPECT_EQ(rate_problem("", once + send),
            "x is sent once and received 0 times through `on` from [1] to outside the grid");
}

TEST(Predict, TooMuchWork) {
  const std::string endless = "  for k = 0 .. 1000000000000\n    if k == 0\n      step s\n";
  EXPECT_EQ(rate_problem(endless, ""), "skipped");
}

} // namespace
} // namespace cyclotron::pe
