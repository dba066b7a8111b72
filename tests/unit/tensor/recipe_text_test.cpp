// SPDX-License-Identifier: MIT
// Recipes from and to text.
#include "scratch.hpp"
#include "tensor/generate.hpp"

#include <gtest/gtest.h>

#include <random>

namespace cyclotron::tensor {
namespace {

std::string round(const std::string& text) {
  Report report;
  const auto recipe = parse_recipe(text, report.diagnostics);
  return recipe ? to_string(*recipe) : report.text();
}

TEST(Recipe, BothSpellings) {
  EXPECT_EQ(round("spd:n=200,seed=1"), "spd(n=200, seed=1)");
  EXPECT_EQ(round("spd(n=200, seed=1)"), "spd(n=200, seed=1)");
  EXPECT_EQ(round(" spd ( n = 200 ,seed=1 ) "), "spd(n=200, seed=1)");
  EXPECT_EQ(round("identity"), "identity()");
  EXPECT_EQ(round("identity:"), "identity()");
  EXPECT_EQ(round("identity()"), "identity()");
  EXPECT_EQ(round("random:3,4,low=-1.5e-3,high=+.5"), "random(3, 4, low=-0.0015, high=0.5)");
  EXPECT_EQ(round("constant(0.1)"), "constant(0.1)");
  EXPECT_EQ(round("letters(\"AC\\\"\\\\G, T)\")"), "letters(\"AC\\\"\\\\G, T)\")");
  EXPECT_EQ(round("letters:ACGT"), "letters(ACGT())");
  EXPECT_EQ(round("tiles(spd(n=8, seed=2), 4, 4)"), "tiles(spd(n=8, seed=2), 4, 4)");
  EXPECT_EQ(round("tiles:spd(n=8),4,4"), "tiles(spd(n=8), 4, 4)");
  EXPECT_EQ(round("tiles:data/3d.mtx,4,4"), "tiles(\"data/3d.mtx\", 4, 4)");
  EXPECT_EQ(round("tiles:3d.mtx,4,4"), "tiles(\"3d.mtx\", 4, 4)");
  EXPECT_EQ(round("tiles(identity, 2)"), "tiles(identity(), 2)");
}

TEST(Recipe, Errors) {
  const std::string hint = "hint: write a recipe as `spd(n=200, seed=1)` or `spd:n=200,seed=1`\n";
  EXPECT_EQ(round(""), "error: expected the name of a generator at character 1 of ``, found its end\n" + hint);
  EXPECT_EQ(round("3"), "error: expected the name of a generator at character 1 of `3`, found `3`\n" + hint);
  EXPECT_EQ(round("spd(n=200"), "error: expected `,` or `)` at character 10 of `spd(n=200`, found its end\n" + hint);
  EXPECT_EQ(round("spd(n=)"),
            "error: expected a number, a text or a recipe at character 7 of `spd(n=)`, found `)`\n" + hint);
  EXPECT_EQ(round("spd:n=1 m=2"), "error: expected `,` or the end at character 9 of `spd:n=1 m=2`, found `m`\n" + hint);
  EXPECT_EQ(round("spd(1) x"), "error: expected the end at character 8 of `spd(1) x`, found `x`\n" + hint);
  EXPECT_EQ(round("letters(\"AC"),
            "error: expected a closing `\"` at character 12 of `letters(\"AC`, found its end\n" + hint);
  EXPECT_EQ(round("spd:n=5,"),
            "error: expected a number, a text or a recipe at character 9 of `spd:n=5,`, found its end\n" + hint);
}

TEST(Recipe, DeepNestingIsRefused) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "a(";
  Report report;
  EXPECT_FALSE(parse_recipe(text, report.diagnostics));
}

TEST(Recipe, RandomTextNeverCrashes) {
  std::mt19937 random(5);
  const std::string alphabet = "ab1.(),:=\"\\ -+e/";
  for (int round_number = 0; round_number < 3000; ++round_number) {
    std::string text = "a";
    for (std::size_t i = random() % 20; i > 0; --i) text += alphabet[random() % alphabet.size()];
    Report report;
    const auto recipe = parse_recipe(text, report.diagnostics);
    ASSERT_EQ(recipe.has_value(), !report.diagnostics.failed()) << text;
    if (recipe) {
      ASSERT_EQ(round(to_string(*recipe)), to_string(*recipe)) << text;
    }
  }
}

} // namespace
} // namespace cyclotron::tensor
