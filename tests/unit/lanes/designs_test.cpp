// SPDX-License-Identifier: MIT
// The systolic designs of a one-dimensional convolution (Rong et al., table 2): what stays, what moves, what waits.
#include "lanes/measure.hpp"
#include "unit/lanes/compiled.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::lanes {
namespace {

// The head of the text, then the ways of the values.
std::string design(const std::string& name) {
  std::string messages;
  const auto program = compiled(example("conv1d_" + name), {"array", {"z"}, 16}, &messages);
  if (!program) return messages;
  const std::string text = print(*program);
  return text.substr(0, text.find("\n\n")) + "\n" + ways_of(*program);
}

TEST(LaneDesigns, InputsStayWeightsBroadcastSumsMove) {
  EXPECT_EQ(design("sbm"), R"(lanes 16 of 2 striped
strips rising from 0
time q
X: copy; at once; stays, 1 step back; coalesced; 1 register
W: copy; at once; 1 register
Z:; moves +1, 1 step back, from memory at the edge; coalesced; 1 register
)");
}

TEST(LaneDesigns, InputsBroadcastWeightsStaySumsMove) {
  EXPECT_EQ(design("bsm"), R"(lanes 16 of 2 striped
strips rising from 0
time c + q
X: copy; at once; 1 register
W: copy; at once; stays, 1 step back; coalesced; 1 register
Z:; moves +1, 1 step back, from memory at the edge; coalesced; 1 register
)");
}

TEST(LaneDesigns, InputsForwardWeightsStaySumsMove) {
  EXPECT_EQ(design("fsm"), R"(lanes 16 of 2 striped
strips falling from 0
time c - q
X: copy; at once; moves -1, 2 steps back, loaded at the edge; 3 registers
W: copy; at once; stays, 1 step back; coalesced; 1 register
Z:; moves -1, 1 step back, from memory at the edge; coalesced; 1 register
)");
}

TEST(LaneDesigns, InputsBroadcastWeightsForwardSumsStay) {
  EXPECT_EQ(design("bfs"), R"(lanes 16 of 4 striped
strips parallel from 0
time c + q
X: copy; at once; 1 register
W: copy; at once; moves +1, 1 step back, loaded at the edge; coalesced; 1 register
Z:; stays, 1 step back; coalesced; 1 register
)");
}

TEST(LaneDesigns, InputsAndWeightsForwardSumsStay) {
  EXPECT_EQ(design("ffs"), R"(lanes 16 of 4 striped
strips parallel from 0
time 2*c + q
X: copy; at once; moves +1, 1 step back, loaded at the edge; coalesced; 1 register
W: copy; at once; moves +1, 2 steps back, loaded at the edge; 3 registers
Z:; stays, 1 step back; coalesced; 1 register
)");
}

TEST(LaneDesigns, InputsForwardWeightsBroadcastSumsStay) {
  EXPECT_EQ(design("fbs"), R"(lanes 16 of 4 striped
strips parallel from 0
time q
X: copy; at once; moves -1, 1 step back, loaded at the edge; coalesced; 1 register
W: copy; at once; 1 register
Z:; stays, 1 step back; coalesced; 1 register
)");
}

TEST(LaneDesigns, EverySecondInput) {
  EXPECT_EQ(design("fbs_stride2"), R"(lanes 16 of 4 striped
strips parallel from 0
time q
X: copy; at once; moves -1, 2 steps back, loaded at the edge; 3 registers
W: copy; at once; 1 register
Z:; stays, 1 step back; coalesced; 1 register
)");
}

// Table 4 of the paper: a filter of size 5, 16 results.
std::string figures(const std::string& name) {
  const auto program = compiled(example("conv1d_" + name), {"array", {"z"}, 16});
  const auto found = program ? measure(*program, {{"m", 16}, {"r", 5}}) : std::nullopt;
  if (!found) return "none";
  return fmt::format("{} elements, {} steps, {} results, {:.2f} a step, {:.0f} %, {} registers", found->elements,
                     found->steps, found->outputs, found->outturn(), 100 * found->utilisation(), found->registers);
}

// The step before is one of the row of weights before: nothing has replaced the sum since.
TEST(LaneDesigns, SumsOfAWindowGoOnInItsNextRow) {
  const std::string text = R"(
assume m >= 3
assume n >= 3
tensor x(m, n)
tensor w(3, 3)
tensor z(m - 2, n - 2)
z(i,j) = x(i+p, j+q) * w(p,q)
schedule stay { space j; time i, p, q }
schedule move { spacetime (j, q, p) -> (s, t) = [1 1 0; 0 3 1] }
)";
  const auto stay = compiled(text, {"stay", {"z"}, 16}), move = compiled(text, {"move", {"z"}, 16});
  ASSERT_TRUE(stay && move);
  EXPECT_EQ(ways_of(*stay), "z:; stays, 1 step back; stays, held; coalesced; 1 register\n");
  EXPECT_EQ(ways_of(*move), "z:; moves +1, held, from memory at the edge; stays, 1 step back; coalesced; 1 register\n");
}

TEST(LaneDesigns, FiguresOfThePaper) {
  EXPECT_EQ(figures("sbm"), "20 elements, 5 steps, 16 results, 3.20 a step, 80 %, 3 registers");
  EXPECT_EQ(figures("bsm"), "5 elements, 20 steps, 16 results, 0.80 a step, 80 %, 3 registers");
  EXPECT_EQ(figures("fsm"), "5 elements, 20 steps, 16 results, 0.80 a step, 80 %, 5 registers");
  EXPECT_EQ(figures("bfs"), "16 elements, 20 steps, 16 results, 0.80 a step, 25 %, 3 registers");
  EXPECT_EQ(figures("ffs"), "16 elements, 35 steps, 16 results, 0.46 a step, 14 %, 5 registers");
  EXPECT_EQ(figures("fbs"), "16 elements, 5 steps, 16 results, 3.20 a step, 100 %, 3 registers");
}

} // namespace
} // namespace cyclotron::lanes
