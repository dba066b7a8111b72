// SPDX-License-Identifier: MIT
// The pass runner: order, stopping on errors, passes that still run after one.
#include "ir/pass.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cyclotron::ir {
namespace {

struct Text {
  std::string text;
};
struct Number {
  int number = 0;
};

// Each pass writes itself down; a text `bad` makes the passes after `count` fail.
std::vector<std::string> log;

Text keep(const char* name, const Text& t) {
  log.emplace_back(name);
  return {t.text + "."};
}

constexpr Pass<Text, Text> first{"first", "", [](const Text& t, Diagnostics&) { return keep("first", t); }};
constexpr Pass<Text, Text> failing{"failing", "", [](const Text& t, Diagnostics& d) {
                                     d.error("failed");
                                     return keep("failing", t);
                                   }};
constexpr Pass<Text, Text> dependent{"dependent", "", [](const Text& t, Diagnostics&) { return keep("dependent", t); }};
constexpr Pass<Text, Text> independent{"independent", "",
                                       [](const Text& t, Diagnostics&) { return keep("independent", t); }, true};
constexpr Pass<Text, Number> count{"count", "", [](const Text& t, Diagnostics&) {
                                     log.emplace_back("count");
                                     return Number{static_cast<int>(t.text.size())};
                                   }};
constexpr Pass<Text, Number> count_anyway{"count-anyway", "", count.run, true};
constexpr Pass<Number, Number> twice{"twice", "", [](const Number& n, Diagnostics& d) {
                                       log.emplace_back("twice");
                                       if (n.number > 100) d.warning(Span{}, "large");
                                       return Number{2 * n.number};
                                     }};

template <class Pipeline>
std::optional<Number> run_logged(const Pipeline& pipeline, const std::string& text, int errors) {
  log.clear();
  Sources sources;
  Diagnostics diagnostics(sources);
  auto result = run(pipeline, Text{text}, diagnostics, [&]<class P>(const P& pass, typename P::from&& input) {
    auto output = apply(pass, std::move(input), diagnostics);
    EXPECT_EQ(log.back(), pass.name); // each pass by its own step
    return output;
  });
  EXPECT_EQ(diagnostics.errors(), errors);
  return result;
}

TEST(Pass, RunInOrderEachOnTheResultOfTheOneBefore) {
  const auto result = run_logged(first >> dependent >> count >> twice, "ab", 0);
  EXPECT_EQ(log, (std::vector<std::string>{"first", "dependent", "count", "twice"}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->number, 8);
}

TEST(Pass, AnErrorStopsTheOthers) {
  EXPECT_FALSE(run_logged(first >> failing >> dependent >> count >> twice, "ab", 1));
  EXPECT_EQ(log, (std::vector<std::string>{"first", "failing"}));
}

TEST(Pass, IndependentPassesStillRun) {
  EXPECT_FALSE(run_logged(failing >> dependent >> independent >> dependent >> count, "ab", 1));
  EXPECT_EQ(log, (std::vector<std::string>{"failing", "independent"}));
}

TEST(Pass, IndependentPassesThatFailToo) {
  constexpr Pass<Text, Text> fails_too{"failing", "", failing.run, true};
  EXPECT_FALSE(run_logged(failing >> dependent >> fails_too >> independent >> count, "ab", 2));
  EXPECT_EQ(log, (std::vector<std::string>{"failing", "failing", "independent"}));
}

TEST(Pass, NothingRunsBeyondAPassThatChangesTheType) {
  EXPECT_FALSE(run_logged(failing >> count_anyway >> twice, "ab", 1));
  EXPECT_EQ(log, (std::vector<std::string>{"failing"}));
}

TEST(Pass, AFailingLastPassGivesNothing) {
  EXPECT_FALSE(run_logged(first >> count >> Pass<Number, Number>{"last", "",
                                                                 [](const Number& n, Diagnostics& d) {
                                                                   log.emplace_back("last");
                                                                   d.error("no");
                                                                   return n;
                                                                 }},
                          "ab", 1));
  EXPECT_EQ(log.back(), "last");
}

// Takes its input, and makes nothing where that is empty.
constexpr Lowering<Text, Number> measured{"measured", "", [](Text&& t, Diagnostics& d) -> std::optional<Number> {
                                            log.emplace_back("measured");
                                            if (t.text.empty()) d.error("empty");
                                            if (t.text.empty()) return std::nullopt;
                                            return Number{static_cast<int>(std::exchange(t.text, "").size())};
                                          }};

TEST(Pass, ALoweringThatMakesNothingStopsTheOthers) {
  EXPECT_FALSE(run_logged(measured >> twice, "", 1));
  EXPECT_EQ(log, (std::vector<std::string>{"measured"}));
}

TEST(Pass, PipelinesAreComposedLikePasses) {
  const auto result = run_logged((first >> dependent) >> (measured >> twice), "ab", 0);
  EXPECT_EQ(log, (std::vector<std::string>{"first", "dependent", "measured", "twice"}));
  ASSERT_TRUE(result);
  EXPECT_EQ(result->number, 8);
}

TEST(Pass, WarningsStopNothing) {
  const auto result = run_logged(count >> twice, std::string(200, 'x'), 0);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->number, 400);
}

} // namespace
} // namespace cyclotron::ir
