// SPDX-License-Identifier: MIT
// The types of expressions, each found by looking at what a tensor of that type may hold.
#include "recurrence/types.hpp"

#include "frontend/parse.hpp"
#include "frontend/resolve.hpp"

#include <gtest/gtest.h>

namespace cyclotron::recurrence {
namespace {

using tensor::ValueType;

// The type of an expression over tensors b: bool, i: i32, l: i64, f: f32, d: f64 and an index k.
std::string type_of(const std::string& expression) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::string text = "let half = 0.5\nlet two = 2\nlet yes = true\ntensor b: bool\ntensor i: i32\ntensor l: "
                           "i64\ntensor f: f32\ntensor d: f64\ntensor x(n)\n"
                           "x(k) = " +
                           expression + "\n";
  frontend::Unit unit = frontend::resolve(frontend::parse(sources.add("a.cyc", text), diagnostics), diagnostics);
  const Types types = infer_types(unit.program, diagnostics);
  for (const Diagnostic& d : diagnostics.all())
    if (d.main.severity == Severity::error && d.main.message.find("holds") == std::string::npos) return d.main.message;
  const ExprType& type = types.of(unit.program.equations.at(0).value);
  return std::string(tensor::name_of(type.type)) + (type.literal ? " literal" : "");
}

TEST(Types, Literals) {
  EXPECT_EQ(type_of("1"), "i64 literal");
  EXPECT_EQ(type_of("1.0"), "f64 literal");
  EXPECT_EQ(type_of("inf"), "f64 literal");
  EXPECT_EQ(type_of("true"), "bool");
  EXPECT_EQ(type_of("k"), "i64 literal");
  EXPECT_EQ(type_of("n"), "i64 literal");
  EXPECT_EQ(type_of("two"), "i64 literal");
  EXPECT_EQ(type_of("half"), "f64 literal");
  EXPECT_EQ(type_of("yes"), "bool");
  EXPECT_EQ(type_of("1 + k * n"), "i64 literal");
  EXPECT_EQ(type_of("1 + half"), "f64 literal");
}

TEST(Types, LiteralsTakeTheTypeTheyMeet) {
  EXPECT_EQ(type_of("i + 1"), "i32");
  EXPECT_EQ(type_of("l * two"), "i64");
  EXPECT_EQ(type_of("f + 1"), "f32");
  EXPECT_EQ(type_of("f * 0.5"), "f32");
  EXPECT_EQ(type_of("half * f"), "f32");
  EXPECT_EQ(type_of("i * 0.5"), "f64");
  EXPECT_EQ(type_of("k - i"), "i32");
  EXPECT_EQ(type_of("b + 1"), "i64");
}

TEST(Types, Widening) {
  const std::vector<std::pair<std::string, std::string>> order{
      {"b", "bool"}, {"i", "i32"}, {"l", "i64"}, {"f", "f32"}, {"d", "f64"}};
  for (std::size_t x = 0; x < order.size(); ++x)
    for (std::size_t y = 0; y < order.size(); ++y) {
      const std::string wider = order[std::max(x, y)].second;
      EXPECT_EQ(type_of(order[x].first + " + " + order[y].first), wider == "bool" ? "i64" : wider);
      EXPECT_EQ(type_of("max(" + order[x].first + ", " + order[y].first + ")"), wider == "bool" ? "i64" : wider);
      EXPECT_EQ(type_of("select(b, " + order[x].first + ", " + order[y].first + ")"), wider);
    }
}

TEST(Types, DivisionAndFunctionsAreReal) {
  EXPECT_EQ(type_of("i / 2"), "f64");
  EXPECT_EQ(type_of("l / i"), "f64");
  EXPECT_EQ(type_of("f / 2"), "f32");
  EXPECT_EQ(type_of("1 / 2"), "f64 literal");
  for (const char* function : {"sqrt", "exp", "log"}) {
    EXPECT_EQ(type_of(std::string(function) + "(i)"), "f64");
    EXPECT_EQ(type_of(std::string(function) + "(f)"), "f32");
  }
  EXPECT_EQ(type_of("pow(i, 2)"), "f64");
  EXPECT_EQ(type_of("abs(i)"), "i32");
  EXPECT_EQ(type_of("abs(f)"), "f32");
  EXPECT_EQ(type_of("-b"), "i64");
}

TEST(Types, Conditions) {
  EXPECT_EQ(type_of("i < d"), "bool");
  EXPECT_EQ(type_of("b == true and not (k < 3)"), "bool");
  EXPECT_NE(type_of("i and b").find("needs a condition"), std::string::npos);
  EXPECT_NE(type_of("not i").find("needs a condition"), std::string::npos);
  EXPECT_NE(type_of("select(i, 1, 2)").find("needs a condition"), std::string::npos);
  EXPECT_NE(type_of("any[q](x(q))").find("needs a condition"), std::string::npos);
}

TEST(Types, Reductions) {
  EXPECT_EQ(type_of("sum[q](x(q) * i)"), "f64");
  EXPECT_EQ(type_of("sum[q](b)"), "i64");
  EXPECT_EQ(type_of("min[q](i)"), "i32");
  EXPECT_EQ(type_of("all[q](b)"), "bool");
}

} // namespace
} // namespace cyclotron::recurrence
