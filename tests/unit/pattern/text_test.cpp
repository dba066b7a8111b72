// SPDX-License-Identifier: MIT
// The text form: what is printed and read back.
#include "unit/pattern/programs.hpp"
#include "unit/pattern/read.hpp"

#include <bit>
#include <cmath>

namespace cyclotron::pattern {
namespace {

TEST(PatternText, ReadsWhatItPrints) {
  EXPECT_EQ(again(spmv), spmv);
  EXPECT_EQ(again(joins), joins);
  EXPECT_EQ(again(odd_names), odd_names);
  EXPECT_EQ(again("pattern nothing\n"), "pattern nothing\n");
}

TEST(PatternText, LayoutIsFree) {
  EXPECT_EQ(again("# a comment\n\npattern k\ndram  in x:f64[ ]of x values\nsizes n\nsizes m\n  reg t:i64=0\n\n  "
                  "foreach i=0..n par 1 # all\n       t=i"),
            "pattern k\nsizes n, m\ndram in x: f64[] of x values\n\nreg t: i64 = 0\nforeach i = 0 .. n\n  t = i\n");
}

TEST(PatternText, FindsDrams) {
  const Program program = program_of(spmv);
  ASSERT_TRUE(program.dram("B2_crd_d"));
  EXPECT_EQ(program.dram("B2_crd_d")->tensor, "B");
  EXPECT_EQ(program.dram("B2_crd_d")->array, ArrayKind::coordinates);
  EXPECT_EQ(program.dram("B2_crd_d")->level, 2);
  EXPECT_FALSE(program.dram("B2_crd_d")->extent);
  EXPECT_FALSE(program.dram("B2_crd"));
}

TEST(PatternText, WhatIsMissingInTheTextIsInTheProgram) {
  const Program program = program_of(odd_names);
  const auto& load = std::get<Load>(program.body.at(1).kind);
  EXPECT_EQ(print(load.par), "par");
  const Program plain = program_of("pattern k\nsizes n\nreg t: i64 = 0\nforeach i = 0 .. n\n  t = i\n");
  EXPECT_EQ(print(std::get<Loop>(plain.body.at(1).kind).par), "1");
}

// `e` of a register of this type, in a program with a few things to write about.
std::string value_again(const std::string& e, const std::string& type = "f64") {
  const std::string head =
      "pattern k\nsizes n, m\n\nreg a: f64 = 0.0\nreg b: f64 = 1.0\nreg c: bool = true\nreg s: f32 "
      "= f32(0.0)\nreg r: " +
      type + " = ";
  const std::string text = again(head + e + "\n");
  return text.starts_with(head) ? text.substr(head.size(), text.size() - head.size() - 1) : text;
}

TEST(PatternText, BracketsWhereTheyAreNeeded) {
  for (const std::string text :
       {"a + b * a", "(a + b) * a", "a - (b - a)", "a - b - a", "-(a + b)", "--a", "a / (b / a)", "a * -b", "-(3.0)",
        "-(-3.0)", "-3.0", "a - -3.0", "-f64(s)", "min(a, b + a, 1.0)", "select(c or not c, a, b) * a"})
    EXPECT_EQ(value_again(text), text);
  EXPECT_EQ(value_again("((a) + (b))"), "a + b");
  for (const std::string text : {"c and (c or not c)", "c and c or c", "not (c and c)", "not a < b", "(a < b) == c",
                                 "not not c", "a < b and b <= a", "(not c) == c", "a > b or a >= b", "a != b"})
    EXPECT_EQ(value_again(text, "bool"), text);
  for (const std::string text : {"f32(a) * -f32(2.0)", "-f32(-2.0)", "f32(n)"})
    EXPECT_EQ(value_again(text, "f32"), text);
}

TEST(PatternText, Numbers) {
  for (const std::string text : {"0.1", "1e+300", "5e-324", "1.7976931348623157e+308", "0.30000000000000004", "inf",
                                 "-inf", "nan", "-0.0", "1.0", "f64(3)", "f64(f32(0.5))", "f64(true)"})
    EXPECT_EQ(value_again(text), text);
  EXPECT_EQ(value_again("2.5e-3"), "0.0025");
  for (const std::string text : {"f32(0.1)", "f32(16777216.0)", "f32(1e-45)", "f32(inf)", "f32(-inf)", "f32(nan)",
                                 "f32(3.4028235e+38)", "f32(7.038530691851209e-26)", "f32(-0.0)", "f32(i32(3))"})
    EXPECT_EQ(value_again(text, "f32"), text);
  EXPECT_EQ(value_again("f32(1)", "f32"), "f32(1.0)");
  EXPECT_EQ(value_again("f32(1e300)", "f32"), "f32(inf)");
  EXPECT_EQ(value_again("f32(0.1000000000001)", "f32"), "f32(0.1)");
  for (const std::string text : {"-9223372036854775808", "9223372036854775807", "0", "i64(2.0)", "i64(c)"})
    EXPECT_EQ(value_again(text, "i64"), text);
  for (const std::string text :
       {"i32(-2147483648)", "i32(2147483647)", "i32(2147483648)", "i32(2.5)", "i32(1e+300)", "i32(nan)", "-i32(3)"})
    EXPECT_EQ(value_again(text, "i32"), text);
  EXPECT_EQ(value_again("i32(3.0)", "i32"), "i32(3)");
  for (const std::string text : {"true", "false", "bool(1)"}) EXPECT_EQ(value_again(text, "bool"), text);
}

TEST(PatternText, ConversionsOfLiteralsAreNumbers) {
  const Program program = program_of("pattern k\nreg a: f32 = f32(2.5)\nreg b: i32 = i32(-3)\nreg c: f64 = f64(3)\n");
  const auto initial = [&](std::size_t i) { return std::get<Declare>(program.body.at(i).kind).initial; };
  EXPECT_EQ(initial(0), Expr(Number{ValueType::f32, 0, 2.5}));
  EXPECT_EQ(initial(1), Expr(Number{ValueType::i32, -3, 0}));
  EXPECT_EQ(initial(2), Expr(Convert{ValueType::f64, Expr(Number{ValueType::i64, 3, 0})}));
  // Built so, they are printed as what is read back.
  EXPECT_EQ(print(Expr(Convert{ValueType::f32, Expr(Number{ValueType::f64, 0, 0.1000000000001})})), "f32(0.1)");
  EXPECT_EQ(print(Expr(Convert{ValueType::i32, Expr(Number{ValueType::f64, 0, 7.0})})), "i32(7)");
}

// Every bit pattern of a kind comes back; infinities and NaN aside, which the test above has.
TEST(PatternText, RealNumbersComeBackExactly) {
  std::uint64_t state = 88172645463325252u;
  for (int i = 0; i < 2000; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const auto wide = std::bit_cast<double>(state);
    const auto narrow = std::bit_cast<float>(static_cast<std::uint32_t>(state));
    if (!std::isfinite(wide) || !std::isfinite(narrow)) continue;
    const Program program = program_of("pattern k\nreg a: f64 = " + print(Expr(Number{ValueType::f64, 0, wide})) +
                                       "\nreg b: f32 = " + print(Expr(Number{ValueType::f32, 0, narrow})) + "\n");
    EXPECT_EQ(ir::as<Number>(std::get<Declare>(program.body.at(0).kind).initial)->real, wide);
    EXPECT_EQ(ir::as<Number>(std::get<Declare>(program.body.at(1).kind).initial)->real, narrow);
  }
}

} // namespace
} // namespace cyclotron::pattern
