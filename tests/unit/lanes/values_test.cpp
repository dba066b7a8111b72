// SPDX-License-Identifier: MIT
// Every operand of every rule is found where reads.hpp says, in programs of all kinds and at sizes that fit no strip.
#include "unit/lanes/compiled.hpp"
#include "unit/lanes/slow_lanes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::lanes {
namespace {

// The totals of runs at several sizes, on strips so short that there are several.
SlowRun run_at(const std::string& text, const Wanted& wanted, const std::vector<Sizes>& list) {
  std::string messages;
  const auto program = compiled(text, wanted, &messages);
  SlowRun total;
  if (!program) {
    total.problem = messages;
    return total;
  }
  for (const Sizes& sizes : list) {
    const SlowRun run = run_slowly(*program, sizes);
    if (!run.problem.empty()) total.problem = fmt::format("{}\n{}", run.problem, print(*program));
    total.computed += run.computed;
    total.shifted += run.shifted;
    total.from_other_strips += run.from_other_strips;
  }
  return total;
}

TEST(LaneValues, DesignsOfAConvolution) {
  for (const char* name : {"sbm", "bsm", "fsm", "bfs", "ffs", "fbs", "fbs_stride2"}) {
    SCOPED_TRACE(name);
    const SlowRun run =
        run_at(example(std::string("conv1d_") + name), {"array", {"z"}, 2},
               {{{"m", 11}, {"r", 5}}, {{"m", 3}, {"r", 9}}, {{"m", 1}, {"r", 1}}, {{"m", 16}, {"r", 2}}});
    EXPECT_EQ(run.problem, "");
    EXPECT_GT(run.shifted, 0);
    EXPECT_GT(run.from_other_strips, 0);
  }
}

struct Case {
  const char* example;
  std::vector<Sizes> sizes;
};

TEST(LaneValues, Examples) {
  const std::vector<Case> cases = {
      {"conv1d", {{{"n", 23}, {"r", 4}}}},
      {"conv2d", {{{"m", 7}, {"n", 11}, {"a", 3}, {"b", 2}}}},
      {"needleman_wunsch", {{{"m", 9}, {"n", 13}}, {{"m", 2}, {"n", 3}}}},
      {"smith_waterman", {{{"m", 9}, {"n", 7}}}},
      {"gotoh", {{{"m", 9}, {"n", 7}}, {{"m", 1}, {"n", 5}}}},
      {"lcs", {{{"m", 9}, {"n", 7}}}},
      {"dynamic_time_warping", {{{"m", 9}, {"n", 7}}}},
      {"prefix_sum", {{{"n", 19}}}},
      {"gauss_seidel", {{{"m", 5}, {"n", 6}, {"T", 9}}}},
      {"triangular_solve", {{{"n", 11}}}},
      {"triangular_solve_many", {{{"n", 5}, {"m", 19}}}},
      {"matmul", {{{"m", 3}, {"n", 19}, {"p", 4}}}},
      {"floyd_warshall", {{{"n", 6}}}},
      {"hmm_forward", {{{"n", 5}, {"T", 4}, {"symbols", 3}}}},
      {"cholesky", {{{"n", 9}}}},
      {"lu", {{{"n", 9}}}},
      {"tridiagonal", {{{"n", 9}}}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.example);
    const SlowRun run = run_at(example(c.example), {"", {}, 2}, c.sizes);
    EXPECT_EQ(run.problem, "");
    EXPECT_GT(run.computed, 0);
  }
}

} // namespace
} // namespace cyclotron::lanes
