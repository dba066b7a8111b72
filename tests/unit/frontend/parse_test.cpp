// SPDX-License-Identifier: MIT
// Statements and their normal form, and how errors stay within their statement.
#include "frontend/parse.hpp"

#include <gtest/gtest.h>

namespace cyclotron::frontend {
namespace {

// What a text prints as.
std::string normal(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const Unit unit = parse(sources.add("a.cyc", text), diagnostics);
  return diagnostics.failed() ? diagnostics.render(false) : print(unit);
}

int errors(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  parse(sources.add("a.cyc", text), diagnostics);
  return diagnostics.errors();
}

TEST(Parse, Declarations) {
  EXPECT_EQ(normal("tensor A ( n , n+1 ) : f32 csr"), "tensor A(n,n+1): f32 csr\n");
  EXPECT_EQ(normal("tensor s"), "tensor s\n");
  EXPECT_EQ(normal("tensor s()"), "tensor s\n");
  EXPECT_EQ(normal("tensor A(n): f64 dense"), "tensor A(n)\n");
  EXPECT_EQ(normal("tensor A(n, m): {dense, compressed} order (1, 0) i32"), "tensor A(n,m): i32 csc\n");
  EXPECT_EQ(normal("tensor A(n, m): csr onchip"), "tensor A(n,m): csr onchip\n");
  EXPECT_EQ(normal("tensor A(n): offchip"), "tensor A(n): offchip\n");
  EXPECT_EQ(normal("let a = 1 / sqrt(64)"), "let a = 1 / sqrt(64)\n");
  EXPECT_EQ(normal("assume 1 <= n < m, n != 3"), "assume 1 <= n < m\nassume n != 3\n");
}

TEST(Parse, Defaults) {
  EXPECT_EQ(normal("default A = spd(n=200, seed=1)"), "default A = spd(n=200, seed=1)\n");
  EXPECT_EQ(normal("default A = \"a b.mtx\""), "default A = \"a b.mtx\"\n");
  EXPECT_EQ(normal("default n = 20"), "default n = 20\n");
  EXPECT_EQ(normal("default s = -inf"), "default s = -inf\n");
  EXPECT_EQ(normal("default A = [[1, 2.0], [-3, 1e10]]"), "default A = [[1, 2.0], [-3, 10000000000.0]]\n");
  EXPECT_EQ(normal("default A = []"), "default A = []\n");
  EXPECT_EQ(normal("default A = [[], []]"), "default A = [[], []]\n");
  EXPECT_EQ(normal("default b = [true, false]"), "default b = [1, 0]\n");
}

TEST(Parse, ListsMustBeEven) {
  for (const char* text : {"[[1, 2], [3]]", "[1, [2]]", "[[1], 2]", "[[1], []]", "[[], [1]]", "[[[1]], [[]]]", "[1, 2",
                           "[,]", "[[1] [2]]"})
    EXPECT_EQ(errors(std::string("default A = ") + text), 1) << text;
}

TEST(Parse, Precedence) {
  const auto value = [](const std::string& text) {
    const std::string out = normal("x = " + text);
    return out.starts_with("x = ") ? out.substr(4, out.size() - 5) : out;
  };
  EXPECT_EQ(value("a - (b - c)"), "a - (b - c)");
  EXPECT_EQ(value("(a - b) - c"), "a - b - c");
  EXPECT_EQ(value("a / (b * c) / d"), "a / (b * c) / d");
  EXPECT_EQ(value("-(a + b) * c"), "-(a + b) * c");
  EXPECT_EQ(value("-a * b"), "-a * b");
  EXPECT_EQ(value("a - -b"), "a - -b");
  EXPECT_EQ(value("+a"), "a");
  EXPECT_EQ(value("not (a and b) or c"), "not (a and b) or c");
  EXPECT_EQ(value("not a == b"), "not a == b");
  EXPECT_EQ(value("(not a) == b"), "(not a) == b");
  EXPECT_EQ(value("(a < b) == (c < d)"), "(a < b) == (c < d)");
  EXPECT_EQ(value("(a or b) and c"), "(a or b) and c");
  EXPECT_EQ(value("((((a))))"), "a");
  EXPECT_EQ(value("D^k(i) + D^(k-1)(i) + D^-1(i) + D^0"), "D^k(i) + D^(k-1)(i) + D^(-1)(i) + D^0");
  EXPECT_EQ(value("min(a,b,c) + min[k](a)"), "min(a, b, c) + min[k](a)");
}

TEST(Parse, ErrorsStayInTheirStatement) {
  EXPECT_EQ(errors("tensor (n)\ntensor A(n): cs\nA(i) = )\nA(i) = 1\nlet = 3\nassume n\ndefault A\nwhat ever\n"), 7);
  EXPECT_EQ(errors("schedule s {\n order\n tile i by\n order i\n foo i\n}\nA(i) = (\n"), 4);
}

TEST(Parse, TwiceDeclared) {
  EXPECT_EQ(errors("tensor A(n)\ntensor A(n)\n"), 1);
  EXPECT_EQ(errors("let a = 1\nlet a = 2\n"), 1);
}

TEST(Parse, WordsOfTheLanguageAreNoTensors) {
  for (const char* name : {"sum", "min", "select", "and", "inf", "true", "GEMM", "tensor", "let"}) {
    EXPECT_GE(errors(std::string("tensor ") + name + "(n)\n"), 1) << name;
    if (std::string(name) == "GEMM") continue; // not declared, as resolving will find
    EXPECT_GE(errors(std::string(name) + "(i) = 1\n"), 1) << name;
  }
}

TEST(Parse, FormsOfOtherLanguagesGetAHint) {
  for (const char* text :
       {"x[i] = 1", "x(i) += 1", "x(i) = a && b", "x(i) = !a", "x(i) = a < b < c", "x(i) = a : i = 1",
        "x(i) = a : i < 1 and j < 2", "x(i) = a[i]", "x(i) = sum(a)", "x(i) = (a+b)^2", "x(i) = min(a)"}) {
    Sources sources;
    Diagnostics diagnostics(sources);
    parse(sources.add("a.cyc", text), diagnostics);
    ASSERT_EQ(diagnostics.errors(), 1) << text;
    EXPECT_NE(diagnostics.all()[0].hint, "") << text;
  }
}

} // namespace
} // namespace cyclotron::frontend
