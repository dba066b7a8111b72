// SPDX-License-Identifier: MIT
// Runs without values against closed forms, and programs that stop for want of room.
#include "pe/rehearse.hpp"
#include "unit/pe/programs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::pe {
namespace {

std::int64_t cycles(const std::string& text, std::int64_t depth = 0, std::int64_t latency = 1) {
  RehearsalOptions options;
  options.depth = depth;
  options.latency = latency;
  const auto rehearsal = rehearse(parsed(text), options);
  return rehearsal && rehearsal->stuck == 0 ? rehearsal->cycles : -1;
}

TEST(Rehearse, ClosedForms) {
  for (const int rows : {1, 2, 3, 4, 7})
    for (const int columns : {1, 2, 3, 4, 5})
      for (const int steps : {1, 2, 4, 9}) {
        EXPECT_EQ(cycles(output_stationary(rows, columns, steps)), rows + columns + steps - 2);
        EXPECT_EQ(cycles(weight_stationary(rows, columns, steps)), rows + columns + steps - 2);
        EXPECT_EQ(cycles(weight_stationary(rows, columns, steps, true)), 2 * rows + columns + steps - 2);
      }
  for (int n = 1; n <= 12; ++n) EXPECT_EQ(cycles(triangular_solve(n)), 2 * n - 1);
}

// The path through the array is as long as its hops; along it nothing is sent sooner than it can be.
TEST(Rehearse, Latency) {
  for (const int latency : {0, 1, 2, 5}) {
    EXPECT_EQ(cycles(output_stationary(3, 5, 4), 0, latency), latency * (3 + 5 - 2) + 4);
    EXPECT_EQ(cycles(triangular_solve(6), 0, latency), 6 - 1 + latency * (6 - 1) + 1);
  }
}

// With room for one element and an answer in the next cycle a link carries an element every other cycle.
TEST(Rehearse, RoomForFew) {
  for (const int steps : {2, 3, 8}) {
    EXPECT_EQ(cycles(output_stationary(1, 2, steps), 1), 2 * (steps - 1) + 2);
    EXPECT_EQ(cycles(output_stationary(1, 2, steps), 2), steps + 1);
    EXPECT_EQ(cycles(output_stationary(3, 4, steps), 2), 3 + 4 + steps - 2);
  }
}

// Two PEs with a channel each way, and what each of them does.
Program two(const std::string& first, const std::string& second) {
  return parsed(sealed("program \"p\"\naxis i = 0 .. 1\nregister a: f64\nregister b: f64\nregister v by (2,2): f64\n"
                       "channel on: f64 [i]_a -> [i+1]_a\n"
                       "channel back: f64 [i]_b -> [i-1]_b\n"
                       "channel tiles by (2,2): f64 [i]_v -> [i+1]_v\n"
                       "role first at i == 0\n" +
                       first + "role second at i == 1\n" + second));
}

// A step, `times` over.
std::string repeat(int times, const std::string& action) {
  return fmt::format("  for k = 1 .. {}\n    step s\n      {}\n", times, action);
}

const std::string send_on = "[i]_a -> [i+1]_a", receive_on = "[i]_a <- [i-1]_a";
const std::string send_back = "[i]_b -> [i-1]_b", receive_back = "[i]_b <- [i+1]_b";

std::string stuck(const Program& program, std::int64_t depth) {
  RehearsalOptions options;
  options.depth = depth;
  const auto rehearsal = rehearse(program, options);
  return rehearsal ? describe(*rehearsal, program, depth) : "skipped";
}

// Each sends n elements before it receives any.
TEST(Rehearse, TooShallow) {
  for (const int n : {1, 2, 3, 7, 8, 100}) {
    const Program program =
        two(repeat(n, send_on) + repeat(n, receive_back), repeat(n, send_back) + repeat(n, receive_on));
    EXPECT_EQ(smallest_depth(program), n);
    EXPECT_EQ(stuck(program, n), "");
    EXPECT_EQ(stuck(program, 0), "");
  }
  const Program program =
      two(repeat(2, send_on) + repeat(2, receive_back), repeat(2, send_back) + repeat(2, receive_on));
  EXPECT_EQ(stuck(program, 1), "2 PEs cannot go on:\n"
                               "  PE [0] waits for room in `on` to PE [1], which is full (1 of 1)\n"
                               "  PE [1] waits for room in `back` to PE [0], which is full (1 of 1); that closes the "
                               "circle");
}

TEST(Rehearse, CheckBeforeTheRun) {
  const Program crossing =
      two(repeat(3, send_on) + repeat(3, receive_back), repeat(3, send_back) + repeat(3, receive_on));
  EXPECT_EQ(check_depth(crossing, 3)->problem, "");
  EXPECT_EQ(check_depth(crossing, 2)->problem, stuck(crossing, 2));
  EXPECT_EQ(check_depth(crossing, 2)->advice, "channels of depth 3 suffice");
  const Program waiting =
      two(repeat(1, receive_back) + repeat(1, send_on), repeat(1, receive_on) + repeat(1, send_back));
  EXPECT_EQ(check_depth(waiting, 2)->advice, "no depth of the channels suffices");
  EXPECT_EQ(check_depth(waiting, 0)->advice, "no depth of the channels suffices");
  EXPECT_FALSE(check_depth(parsed(output_stationary(4, 4, 1000)), 2, 10'000));
}

TEST(Rehearse, DepthsThatSuffice) {
  EXPECT_EQ(smallest_depth(parsed(output_stationary(4, 4, 6))), 1);
  EXPECT_EQ(smallest_depth(parsed(weight_stationary(3, 4, 6, true))), 1);
  EXPECT_EQ(smallest_depth(parsed(triangular_solve(5))), 1);
}

TEST(Rehearse, NoDepthSuffices) {
  const Program program =
      two(repeat(1, receive_back) + repeat(1, send_on), repeat(1, receive_on) + repeat(1, send_back));
  EXPECT_EQ(smallest_depth(program), 0);
  EXPECT_EQ(stuck(program, 0), "2 PEs cannot go on:\n"
                               "  PE [0] waits for an element of `back` from PE [1]\n"
                               "  PE [1] waits for an element of `on` from PE [0]; that closes the circle");
}

TEST(Rehearse, TheOtherHasEnded) {
  EXPECT_EQ(stuck(two(repeat(1, send_on), repeat(2, receive_on)), 0),
            "1 PE cannot go on:\n"
            "  PE [1] waits for an element of `on` from PE [0]; PE [0] has ended");
  EXPECT_EQ(stuck(two(repeat(2, send_on), repeat(1, receive_on)), 1), "");
  EXPECT_EQ(stuck(two(repeat(3, send_on), repeat(1, receive_on)), 1),
            "1 PE cannot go on:\n"
            "  PE [0] waits for room in `on` to PE [1], which is full (1 of 1); PE [1] has ended");
  EXPECT_EQ(stuck(two(repeat(1, "[i]_a <- [i-1]_a"), ""), 0),
            "1 PE cannot go on:\n"
            "  PE [0] waits for an element of `on` from outside the grid");
}

// The first pass takes ten cycles though its steps do not, and a PE may leave passes out.
TEST(Rehearse, Passes) {
  const std::string computes = "[i]_a <- 1";
  const auto first = [&](int last) {
    return "  pass (0) cycles 10\n" + repeat(2, computes) + fmt::format("  pass (1) cycles {}\n", last) +
           repeat(3, computes);
  };
  const auto run = [](const Program& program) { return *rehearse(program); };
  EXPECT_EQ(run(two(first(0), "  pass (1)\n" + repeat(1, computes))).cycles, 13);
  EXPECT_EQ(run(two(first(0), "  pass (1)\n" + repeat(1, computes))).pass_cycles, (std::vector<std::int64_t>{10, 3}));
  EXPECT_EQ(run(two(first(5), "  pass (1)\n" + repeat(4, computes))).pass_cycles, (std::vector<std::int64_t>{10, 5}));
  EXPECT_EQ(run(two(first(5), "  pass (0)\n" + repeat(12, computes))).pass_cycles, (std::vector<std::int64_t>{12, 5}));
  EXPECT_EQ(run(two(first(5), repeat(20, computes))).cycles, 20 + 10 + 5); // the first pass begins when the other ended
  EXPECT_TRUE(run(two(repeat(1, computes), "")).pass_cycles.empty());
}

TEST(Rehearse, StuckAtAPass) {
  EXPECT_EQ(stuck(two("  pass (1)\n" + repeat(1, send_on), repeat(1, receive_on) + "  pass (1)\n"), 0),
            "2 PEs cannot go on:\n"
            "  PE [0] waits at a pass for PE [1]\n"
            "  PE [1] waits for an element of `on` from PE [0]; that closes the circle");
}

// What is sent on leaves at once, what is computed when the kernel is done.
TEST(Rehearse, KernelsTakeTime) {
  const std::string product = "    [i]_v <- GEMM([i]_v, [i]_v)\n", send = "    [i]_v -> [i+1]_v\n";
  const std::string second = "  step s\n    [i]_v <- [i-1]_v\n" + product;
  RehearsalOptions options;
  options.kernel_cycles = [](const std::string& kernel) { return kernel == "GEMM" ? 5 : 100; };
  EXPECT_EQ(rehearse(two("  step s\n" + product + send, second), options)->cycles, 10);
  EXPECT_EQ(rehearse(two("  step s\n" + send + product, second), options)->cycles, 6);
  EXPECT_EQ(rehearse(two("  step s\n" + product + send, second))->cycles, 2);
}

TEST(Rehearse, TooMuchWork) {
  const Program program = parsed(output_stationary(4, 4, 1000));
  RehearsalOptions options;
  options.most_work = 10'000;
  EXPECT_FALSE(rehearse(program, options));
  EXPECT_FALSE(smallest_depth(program, 10'000));
}

} // namespace
} // namespace cyclotron::pe
