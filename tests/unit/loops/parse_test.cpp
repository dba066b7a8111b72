// SPDX-License-Identifier: MIT
// Nests from text: every form of a line, and what is said about lines that are none. That what lowering makes reads
// back is tested in tests/unit/lower.
#include "unit/loops/nest_text.hpp"

#include <gtest/gtest.h>

namespace cyclotron::loops {
namespace {

// All of it as it was, so that what is printed is what was read.
void expect_same(const std::string& program, const std::string& nest) {
  NestText text(program, nest);
  ASSERT_TRUE(text.nest) << text.diagnostics.render(false);
  EXPECT_EQ(print(*text.nest, text.program()), nest);
}

TEST(ParseLoops, RangesOfAllForms) {
  const std::string program = "tensor a(n)\ntensor x(n)\nx(i) = a(i)\n";
  for (const char* range : {"i", "i < n-1", "1 <= i", "1 <= i < n-1", "-3 <= i", "n < i < 2*n, 3 <= i, i < m", "i > n",
                            "0 <= i, n-m <= i", "ceil((n-3) / 4) <= i <= floor(n / 4)", "ceil(-n / 2) <= i",
                            "i or 1 <= i < n+1", "2 <= i <= floor((2*n-m+1) / 3)", "-m-n <= i"})
    expect_same("assume m >= 0\n" + program, std::string("for ") + range + "\n  x(i) = a(i)\n");
}

TEST(ParseLoops, ImpliedBoundsAreFilledIn) {
  NestText text("tensor a(n+1)\ntensor x(n+1)\nx(i) = a(i)\n", "for i\n  x(i) = a(i)\n");
  ASSERT_TRUE(text.nest) << text.diagnostics.render(false);
  const Range& range = text.loop(0).ranges.at(0);
  EXPECT_EQ(range.lower, std::vector<Bound>{Bound{}});
  EXPECT_EQ(range.upper, (std::vector<Bound>{{Affine{{{"n", 1}}, 0}, 1}}));
}

TEST(ParseLoops, HowLoopsRun) {
  const std::string program = "tensor a(n)\ntensor x(n)\nx(i) = a(i)\n";
  for (const char* marks : {" falling", " parallel", " vector", " vector 8", " unroll 4",
                            " falling parallel vector 4 unroll 2", " parallel vector unroll 3"})
    expect_same(program, std::string("forall i") + marks + "\n  x(i) = a(i)\n");
  NestText text(program, "for i falling vector unroll 3\n  x(i) = a(i)\n");
  const Loop& loop = text.loop(0);
  EXPECT_FALSE(loop.rising || loop.forall || loop.parallel || loop.reduces);
  EXPECT_EQ(loop.vector_width, -1);
  EXPECT_EQ(loop.unroll, 3);
}

TEST(ParseLoops, EveryReducer) {
  for (const auto& [reducer, op] : std::vector<std::pair<std::string, std::string>>{
           {"sum", "+="}, {"prod", "*="}, {"min", "min="}, {"max", "max="}, {"any", "any="}, {"all", "all="}}) {
    const std::string value = reducer == "any" || reducer == "all" ? "A(i,j) > 0" : "-A(i,j)";
    const std::string type = reducer == "any" || reducer == "all" ? ": bool" : "";
    expect_same("tensor A(n, m)\ntensor x(n)" + type + "\nx(i) = " + reducer + "[j](" + value + ")\n",
                "for i\n  forall j\n    tx(i)" + type + " " + op + " " + value + "\n  x(i) = tx(i)\n");
  }
}

TEST(ParseLoops, ScalarsStepsAndGuards) {
  expect_same("assume T >= 0\nlet h = 0.5\ntensor a(n)\ntensor s\ntensor u(n)\n"
              "s = sum[i](a(i))\nu^0(i) = s\nu^t(i) = u^(t-1)(i) * h + t : 1 <= t, t <= T\n",
              "if n >= 1 and n != 3\n"
              "  forall i\n"
              "    ts += a(i)\n"
              "s = ts\n"
              "forall i\n"
              "  u^0(i) = s\n"
              "for 1 <= t < T+1\n"
              "  if T == n\n"
              "    forall i\n"
              "      if i >= t+1\n"
              "        u^t(i) = u^(t-1)(i) * h + t\n");
}

TEST(ParseLoops, WordsOfTheTextAsNames) {
  expect_same("tensor for(n)\ntensor if(n)\ntensor forall\nfor(falling) = if(falling)\nif(vector) = 2\n"
              "forall = sum[parallel](if(parallel))\n",
              "for vector\n  if(vector) = 2\nfor falling falling\n  for(falling) = if(falling)\n"
              "forall parallel parallel\n  tforall += if(parallel)\nforall = tforall\n");
}

TEST(ParseLoops, IndentationOfAnyWidthAndComments) {
  NestText text("tensor A(n, n)\ntensor x(n, n)\nx(i,j) = A(i,j)\n",
                "# rows\nfor i\n\n     for j   # columns\n        x(i,j) = A(i,j)\n");
  ASSERT_TRUE(text.nest) << text.diagnostics.render(false);
  EXPECT_EQ(print(*text.nest, text.program()), "for i\n  for j\n    x(i,j) = A(i,j)\n");
}

// The two equations differ in nothing but where they hold.
TEST(ParseLoops, ConstraintsTellEquationsApart) {
  NestText text("tensor A(n, n)\ntensor x(n, n)\nx(i,j) = A(i,j) : i < j\nx(i,j) = A(i,j) : j < i\n",
                "for i\n  for j < i\n    x(i,j) = A(i,j)\n  for j > i\n    x(i,j) = A(i,j)\n");
  ASSERT_TRUE(text.nest) << text.diagnostics.render(false);
  std::vector<int> equations;
  each_statement(text.nest->body, [&](const Statement& s, const auto&) { equations.push_back(s.equation); });
  EXPECT_EQ(equations, (std::vector<int>{1, 0}));
}

std::string message_of(const std::string& nest) {
  NestText text("tensor A(n, n)\ntensor b(n)\ntensor x(n)\nx(i) = b(i) - sum[j](A(i,j) * x(j)) : j < i\n", nest);
  EXPECT_FALSE(text.nest);
  EXPECT_EQ(text.diagnostics.errors(), 1);
  return text.diagnostics.all().empty() ? "" : text.diagnostics.all()[0].main.message;
}

TEST(ParseLoops, MessagesAboutLines) {
  EXPECT_EQ(message_of("for i\n"), "expected a body here, indented deeper than the line above");
  EXPECT_EQ(message_of("for i\nx(i) = b(i)\n"), "expected a body here, indented deeper than the line above");
  EXPECT_EQ(message_of("for i\n    x(i) = b(i) - tx(i)\n  tx(i) += b(i)\n"),
            "the indentation of this line fits none of the lines above it");
  EXPECT_EQ(message_of("for i\n  for j < i\n    tx(i) += A(i,j) * x(j)\n      x(i) = b(i) - tx(i)\n"),
            "the indentation of this line fits none of the lines above it");
  EXPECT_EQ(message_of("3 = 4\n"), "expected a loop or a statement, found `3`");
  EXPECT_EQ(message_of("for i fast\n  x(i) = b(i)\n"), "expected the end of the line after the loop, found `fast`");
  EXPECT_EQ(message_of("if n\n  for i\n    x(i) = b(i)\n"),
            "expected a comparison in the condition, found the end of the line");
}

TEST(ParseLoops, MessagesAboutLoops) {
  EXPECT_EQ(message_of("for n\n  x(n) = b(n)\n"), "this loop names no variable of its own");
  EXPECT_EQ(message_of("for i\n  for i\n    x(i) = b(i)\n"), "this loop names no variable of its own");
  EXPECT_EQ(message_of("for i < j\n  x(i) = b(i)\n"), "this loop has two new names, `i` and `j`");
  EXPECT_EQ(message_of("for i == 3\n  x(i) = b(i)\n"), "expected a bound of `i`, such as `i < n`");
  EXPECT_EQ(message_of("for floor(n / 2) <= i\n  x(i) = b(i)\n"), "expected a lower bound, found `floor(n/2)`");
  EXPECT_EQ(message_of("for i < floor(n / 2)\n  x(i) = b(i)\n"), "a rounded bound is compared with `<=`");
  EXPECT_EQ(message_of("for i < n*n\n  x(i) = b(i)\n"),
            "this must be affine in variables and sizes: a product of two variables");
  EXPECT_EQ(message_of("for i\n  x(0) = b(0)\n"), "the loop over `i` has no upper bound");
  EXPECT_EQ(message_of("for i unroll 0\n  x(i) = b(i)\n"), "expected a factor from 1 up");
}

TEST(ParseLoops, MessagesAboutStatements) {
  EXPECT_EQ(message_of("for i\n  x(i) = b(k)\n"), "`k` is not in scope here");
  EXPECT_EQ(message_of("for i\n  x(i) = b(i) - tx(i)\n"),
            "`tx` is no tensor of the program and nothing is added to it");
  EXPECT_EQ(message_of("for i\n  x(i,i) = b(i)\n"), "`x` has 1 dimension, found 2 indices");
  EXPECT_EQ(message_of("for i\n  x(i) = b(i) - sum[j](x(j))\n"), "a loop nest has no reductions");
  EXPECT_EQ(message_of("for i\n  x(i) = b(i)\n"), "no equation of the program has this part");
  EXPECT_EQ(message_of("for i\n  x(i) b(i)\n"), "expected `=` after what is assigned, found `b`");
}

TEST(ParseLoops, MessagesShowThePlace) {
  NestText text("tensor b(n)\ntensor x(n)\nx(i) = b(i)\n", "for i\n  x(i) = b(k)\n");
  EXPECT_EQ(text.diagnostics.render(false), "error: `k` is not in scope here\n"
                                            "  --> nest:2:12\n"
                                            "   |\n"
                                            " 2 |   x(i) = b(k)\n"
                                            "   |            ^\n");
}

// Whatever a slip makes of a text, it is refused or it is a nest whose text is stable.
TEST(ParseLoops, SlipsOfEveryKind) {
  const std::string program = "tensor A(n, n)\ntensor b(n)\ntensor x(n)\n"
                              "x(i) = b(i) - sum[j](A(i,j) * x(j)) : j < i\n";
  const std::string nest = "for ceil((n-3) / 4) <= i or 1 <= i < n+1 falling unroll 2\n"
                           "  if i >= 1 and n != 3\n"
                           "    forall j < i vector 4\n"
                           "      tx(i) += A(i,j) * x(j)\n"
                           "  x(i) = b(i) - tx(i)\n";
  const NestText base(program, nest);
  int accepted = 0;
  const auto attempt = [&](const std::string& changed) {
    Sources sources;
    Diagnostics diagnostics(sources);
    const auto slip = parse(sources.add("nest", changed), base.program(), base.checked.types, diagnostics);
    EXPECT_EQ(diagnostics.failed(), !slip) << changed;
    if (!slip) return;
    ++accepted;
    const std::string once = print(*slip, base.program());
    const auto again = parse(sources.add("again", once), base.program(), base.checked.types, diagnostics);
    ASSERT_TRUE(again) << changed << once << diagnostics.render(false);
    EXPECT_EQ(print(*again, base.program()), once);
    problem_of(*slip, base.program());
  };
  attempt(nest);
  EXPECT_EQ(accepted, 1);
  for (std::size_t at = 0; at < nest.size(); ++at) {
    attempt(nest.substr(0, at));
    attempt(nest.substr(0, at) + nest.substr(at + 1));
    for (const char c : {'(', ')', 'n', 'i', '0', ' ', '\n', '<', ',', '-'}) {
      std::string changed = nest;
      changed[at] = c;
      attempt(changed);
    }
  }
}

TEST(ParseLoops, DeepNestsAreRefused) {
  std::string nest, indent;
  for (int i = 0; i < 3000; ++i, indent += " ") nest += indent + "for i" + std::to_string(i) + " < n\n";
  EXPECT_EQ(message_of(nest + indent + "x(i0) = b(i0)\n"), "this nest is more than 100 levels deep");
}

} // namespace
} // namespace cyclotron::loops
