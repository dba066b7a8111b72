// SPDX-License-Identifier: MIT
#include "explore/pareto.hpp"
#include "made_sweep.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace cyclotron::explore {
namespace {

Point point(std::int64_t cycles, std::int64_t pes, std::int64_t bytes = 0) {
  Point p;
  p.verdict = "ok";
  p.cycles = cycles;
  p.pes = pes;
  p.bytes = bytes;
  return p;
}

std::vector<Objective> chosen(const std::vector<const char*>& names) {
  std::vector<Objective> list;
  for (const char* name : names) list.push_back(*find_objective(name));
  return list;
}

TEST(Pareto, KeepsWhatNothingBeats) {
  const std::vector<Point> points = {point(10, 4), point(8, 4), point(5, 9), point(5, 16), point(20, 1)};
  EXPECT_EQ(pareto_front(points, chosen({"cycles", "pes"})), (std::vector<std::size_t>{2, 1, 4}));
}

TEST(Pareto, EqualPointsAreAllInIt) {
  EXPECT_EQ(pareto_front({point(5, 5), point(6, 6), point(5, 5)}, chosen({"cycles", "pes"})),
            (std::vector<std::size_t>{0, 2}));
}

TEST(Pareto, OnlyPointsThatRanTakePart) {
  std::vector<Point> points = {point(1, 1), point(2, 2), point(3, 3)};
  points[0].verdict = "refused: no";
  points[1].cycles.reset();
  EXPECT_EQ(pareto_front(points, chosen({"cycles", "pes"})), (std::vector<std::size_t>{2}));
  EXPECT_EQ(pareto_front(points, chosen({"pes"})), (std::vector<std::size_t>{1})) << "cycles are not asked for";
  EXPECT_EQ(pareto_front({}, chosen({"pes"})), (std::vector<std::size_t>{}));
}

TEST(Pareto, ObjectivesByName) {
  std::vector<std::string> names;
  for (const Objective& objective : objectives()) names.push_back(objective.name);
  EXPECT_EQ(names, (std::vector<std::string>{"cycles", "pes", "memory_bytes_per_pe", "messages", "bytes", "idle"}));
  EXPECT_EQ(find_objective("speed"), nullptr);
  Point half = point(1, 1);
  half.utilisation = 0.75;
  EXPECT_EQ(find_objective("idle")->value(half), 0.25);
}

// Against the definition, three objectives at once.
RC_GTEST_PROP(Pareto, IsTheSetThatNothingBeats, ()) {
  std::vector<Point> points;
  for (int count = *rc::gen::inRange(0, 30); count > 0; --count)
    points.push_back(point(*rc::gen::inRange(0, 5), *rc::gen::inRange(0, 5), *rc::gen::inRange(0, 5)));
  const auto beats = [](const Point& a, const Point& b) {
    return *a.cycles <= *b.cycles && a.pes <= b.pes && a.bytes <= b.bytes &&
           (*a.cycles < *b.cycles || a.pes < b.pes || a.bytes < b.bytes);
  };
  std::vector<std::size_t> expected;
  for (std::size_t p = 0; p < points.size(); ++p)
    if (std::none_of(points.begin(), points.end(), [&](const Point& q) { return beats(q, points[p]); }))
      expected.push_back(p);
  std::vector<std::size_t> front = pareto_front(points, chosen({"cycles", "pes", "bytes"}));
  std::sort(front.begin(), front.end());
  RC_ASSERT(front == expected);
}

} // namespace
} // namespace cyclotron::explore
