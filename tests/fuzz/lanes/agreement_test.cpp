// SPDX-License-Identifier: MIT
// Programs with no schedule, or with one that stands for many, at odd sizes.
#include "fuzz/lanes/in_lanes.hpp"
#include "fuzz/lanes_agreement.hpp"

#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

void agrees_in_lanes(const std::string& text, const std::vector<LaneSizes>& all_sizes) {
  for (const RunsOn machine : {RunsOn::registers, RunsOn::gpu}) {
    InLanes program(text, "", machine, all_sizes.back());
    for (const LaneSizes& sizes : all_sizes) EXPECT_EQ(program.compare_with_interpreter(sizes), "");
  }
}

TEST(LanesAgreement, Alignment) {
  agrees_in_lanes(
      "tensor a(m): i32\ntensor b(n): i32\ntensor H(m+1, n+1): i32\ntensor score: i32\n"
      "H(i,0) = -i\nH(0,j) = -j : j >= 1\n"
      "H(i,j) = max(H(i-1,j-1) + select(a(i-1) == b(j-1), 1, -1), H(i-1,j) - 1, H(i,j-1) - 1) : i >= 1, j >= 1\n"
      "score = H(m,n)\n",
      {{{"m", 0}, {"n", 3}}, {{"m", 2}, {"n", 0}}, {{"m", 5}, {"n", 131}}, {{"m", 71}, {"n", 67}}});
}

TEST(LanesAgreement, RecurrencesSideBySide) {
  agrees_in_lanes(
      "tensor a(n, m)\ntensor b(n, m)\ntensor y(n, m)\ny(0,c) = b(0,c)\ny(i,c) = a(i,c) * y(i-1,c) + b(i,c) : i >= 1\n",
      {{{"n", 0}, {"m", 5}}, {{"n", 3}, {"m", 0}}, {{"n", 1}, {"m", 1}}, {{"n", 17}, {"m", 145}}});
}

// A vector takes what the one beside it had, while that takes a new value.
TEST(LanesAgreement, CopiesThatMoveFromElementToElement) {
  const OnArray program("tensor A(m+1, 3)\ntensor B(m+1, 3): i32\n"
                        "A^0(i,j) = B(i,j) + j\nA^t(i,j) = A^(t-1)(i,j) : 0 < t, t <= T\n"
                        "schedule it { space t; time j, i }\n");
  ASSERT_TRUE(program.accepted());
  for (const lanes::Layout layout : {lanes::Layout::striped, lanes::Layout::neighbours})
    for (const std::int64_t per_lane : {1, 2, 3}) {
      const SizeValues sizes{{"m", 3}, {"T", 7}};
      const LanesOutcome outcome = run_in_lanes(program.checked(), &program.schedules()[0], sizes,
                                                program.inputs(sizes, 7), {2, per_lane, layout}, program.sources());
      EXPECT_EQ(outcome.kind, LanesOutcome::Kind::agrees) << outcome.text;
    }
}

// The condition keeps reads inside, also where it is only a part of one.
TEST(LanesAgreement, ReadsUnderConditionsOnIndices) {
  const OnArray program("assume 2 <= p\ntensor A(p+2)\ntensor C(p+2): bool\ntensor D(p+1)\n"
                        "A(i) = select(i < p+1 and D(i) != C(p-i), A(i-1) - p, C(0) + C(i)) : i >= 1\n");
  ASSERT_TRUE(program.accepted());
  for (const std::int64_t p : {2, 5, 9})
    for (const std::int64_t lanes : {1, 4}) {
      const SizeValues sizes{{"p", p}};
      const LanesOutcome outcome =
          run_in_lanes(program.checked(), nullptr, sizes, program.inputs(sizes, 7), {lanes, 2}, program.sources());
      EXPECT_EQ(outcome.kind, LanesOutcome::Kind::agrees) << outcome.text;
    }
}

// Workers do the iterations of `F`; where its copies are loaded, nothing is left of them in the other spaces.
TEST(LanesAgreement, SpacesWithoutTheIterationsOfOthers) {
  const OnArray program("tensor A: i32\ntensor B(n): i64\ntensor C: i64\ntensor D: bool\ntensor E: i64\n"
                        "tensor F(m, 3, 5): bool\ntensor G(m, 3, 5): bool\ntensor H(n)\ntensor x(n+2)\ntensor w(3)\n"
                        "H(i) = x(i+q) * w(q)\nF(i,j,c) = not (D < E) or (G(i,j,c) and not (1 <= C))\n"
                        "A = 2 * select(E != D and D, 3 * C, prod[k](B(k))) : k == 0\n"
                        "schedule it { space q }\n");
  ASSERT_TRUE(program.accepted());
  for (const std::int64_t lanes : {1, 2, 4}) {
    const SizeValues sizes{{"m", 2}, {"n", 3}};
    const LanesOutcome outcome = run_in_lanes(program.checked(), &program.schedules()[0], sizes,
                                              program.inputs(sizes, 7), {lanes}, program.sources());
    EXPECT_EQ(outcome.kind, LanesOutcome::Kind::agrees) << outcome.text;
  }
}

// Every third step has points, and every second element: loops over the others must do nothing.
TEST(LanesAgreement, StepsAndElementsApart) {
  const OnArray program("assume 1 <= m\ntensor x(2*m - 1)\ntensor z(m)\n"
                        "z(c) = sum[q](x(2*c) * x(2*c)) : 0 <= q < 1\n"
                        "schedule it { spacetime (q, c) -> (s, t) = [0 2; 1 3] }\n");
  ASSERT_TRUE(program.accepted());
  for (const std::int64_t m : {1, 2, 3, 7})
    for (const std::int64_t lanes : {1, 2, 4})
      for (const std::int64_t per_lane : {0, 1, 3}) {
        const LaneShape shape{lanes, per_lane};
        const SizeValues sizes{{"m", m}};
        const LanesOutcome outcome = run_in_lanes(program.checked(), &program.schedules()[0], sizes,
                                                  program.inputs(sizes, 7), shape, program.sources());
        EXPECT_EQ(outcome.kind, LanesOutcome::Kind::agrees) << "m = " << m << "\n" << outcome.text;
      }
}

} // namespace
} // namespace cyclotron::fuzz
