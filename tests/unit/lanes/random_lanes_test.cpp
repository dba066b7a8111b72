// SPDX-License-Identifier: MIT
// Random uniform recurrences in lanes: every operand is found where reads.hpp says.
#include "lower/lanes/dataflow_to_lanes.hpp"
#include "unit/lanes/slow_lanes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace cyclotron::lanes {
namespace {

class Draft {
public:
  explicit Draft(unsigned seed) : source_(seed) {}

  std::int64_t pick(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(source_() % static_cast<unsigned>(last - first + 1));
  }

  // A few values over points (i, t), at place and time that are random formulas. Each reads others at random distances,
  // where these are inside; else an input. Some only carry an input along.
  std::string text() {
    const std::int64_t count = pick(1, 3);
    const std::int64_t way = pick(0, 2); // up, down, both
    least_ = way == 0 ? 0 : -2;
    most_ = way == 1 ? 0 : 2;
    std::string out = "tensor A(n,m)\n";
    for (std::int64_t v = 0; v < count; ++v) out += fmt::format("tensor Y{}(n,m)\n", v);
    out += "axes s\nspace s(i, t) : 0 <= i < n, 0 <= t < m\n";
    const char* maps[] = {"place (i)\ntime (t)\n",     "place (i)\ntime (i+t)\n", "place (i)\ntime (t, i)\n",
                          "place (i+t)\ntime (t)\n",   "place (t)\ntime (i+t)\n", "place (i)\ntime (2*i+t)\n",
                          "place (i)\ntime (2*t+i)\n", "place (-i)\ntime (t)\n",  "place (i)\ntime (2*t)\n"};
    out += maps[pick(0, 8)];
    for (std::int64_t v = 0; v < count; ++v) out += rules(v, count) + fmt::format("Y{0}(i,t) <- (i, t)_v{0}\n", v);
    return out;
  }

private:
  std::string rules(std::int64_t v, std::int64_t count) {
    if (pick(0, 2) == 0) return carried(v);
    std::string sum, inside;
    for (std::int64_t terms = pick(1, 3); terms > 0; --terms) {
      const std::int64_t di = pick(least_, most_), dt = pick(0, 2);
      const std::int64_t from = di == 0 && dt == 0 ? v - 1 : pick(0, count - 1);
      if (from < 0) continue;
      sum += fmt::format("{}(i-({}), t-{})_v{}", sum.empty() ? "" : " + ", di, dt, from);
      inside += fmt::format("{}0 <= i - {}, i - {} < n, {} <= t", inside.empty() ? "" : ", ", di, di, dt);
    }
    if (sum.empty()) return fmt::format("(i, t)_v{} <- A(i,t)\n", v);
    return fmt::format("(i, t)_v{} <- {} : {}\n", v, sum, inside) + outside(v, inside);
  }

  // x(i + a*t) at the border, from the neighbour inside.
  std::string carried(std::int64_t v) {
    const std::int64_t di = pick(least_, most_), dt = pick(di == 0 ? 1 : 0, 2);
    const std::string element = fmt::format("A({}*i-({})*t, 0)", dt, di);
    const std::string inside = fmt::format("0 <= i - {}, i - {} < n, {} <= t", di, di, dt);
    std::string text = fmt::format("(i, t)_v{} <- (i-({}), t-{})_v{} : {}\n", v, di, dt, v, inside);
    for (const std::string& alternative : not_inside(inside))
      text += fmt::format("(i, t)_v{} <- {} : {}\n", v, element, alternative);
    return text;
  }

  std::string outside(std::int64_t v, const std::string& inside) {
    std::string text;
    for (const std::string& alternative : not_inside(inside))
      text += fmt::format("(i, t)_v{} <- A(i,t) : {}\n", v, alternative);
    return text;
  }

  // Alternatives that exclude each other: the first condition fails; it holds and the second fails; …
  static std::vector<std::string> not_inside(const std::string& inside) {
    std::vector<std::string> list;
    std::string held;
    for (std::size_t begin = 0; begin < inside.size();) {
      const std::size_t end = std::min(inside.find(", ", begin), inside.size());
      const std::string one = inside.substr(begin, end - begin);
      const std::size_t at = one.find("<=") != std::string::npos ? one.find("<=") : one.find('<');
      const std::size_t length = one[at + 1] == '=' ? 2 : 1;
      const std::string opposite = length == 2 ? ">" : ">=";
      list.push_back(held + one.substr(0, at) + opposite + one.substr(at + length));
      held += one + ", ";
      begin = end + 2;
    }
    return list;
  }

  std::mt19937 source_;
  std::int64_t least_ = 0, most_ = 0; // places between a value and its readers
};

TEST(RandomLanes, OperandsAreWhereTheyAreSought) {
  const unsigned count = std::getenv("CYCLOTRON_NIGHTLY") ? 3000 : 60;
  std::int64_t ran = 0, shifted = 0, from_other_strips = 0;
  for (unsigned seed = 0; seed < count; ++seed) {
    Draft draft(seed);
    const std::string text = draft.text();
    lower::LaneMachine machine;
    machine.lanes = std::int64_t{1} << draft.pick(0, 2);
    machine.registers = 1000;
    machine.per_lane = draft.pick(1, 3);
    machine.layout = draft.pick(0, 1) ? Layout::striped : Layout::neighbours;
    if (draft.pick(0, 1)) machine.streamed.insert("A");
    const Sizes sizes = {{"n", draft.pick(0, 17)}, {"m", draft.pick(0, 6)}};
    SCOPED_TRACE(fmt::format("seed {}, {} lanes of {}, n = {}, m = {}\n{}", seed, machine.lanes, *machine.per_lane,
                             sizes.at("n"), sizes.at("m"), text));
    Sources sources;
    Diagnostics diagnostics(sources);
    const auto flow = dataflow::parse(sources.add("x.flow", text), diagnostics);
    if (!flow) continue; // values that need themselves
    const auto program = lower::dataflow_to_lanes(*flow, machine, diagnostics);
    if (!program) {
      EXPECT_TRUE(diagnostics.failed()) << "no lanes, and no reason";
      continue;
    }
    ASSERT_EQ(problem_of(*program), "") << print(*program);
    const SlowRun run = run_slowly(*program, sizes);
    ASSERT_EQ(run.problem, "") << print(*program);
    ++ran;
    shifted += run.shifted;
    from_other_strips += run.from_other_strips;
  }
  EXPECT_GT(ran, count / 3);
  EXPECT_GT(shifted, 100);
  EXPECT_GT(from_other_strips, 50);
}

} // namespace
} // namespace cyclotron::lanes
