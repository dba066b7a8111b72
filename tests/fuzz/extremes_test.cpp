// SPDX-License-Identifier: MIT
// Texts at the edge: very deep, very long, very strange, or hardly there at all.
#include "fuzz/compiled.hpp"
#include "fuzz/isolated.hpp"
#include "fuzz/property.hpp"

namespace cyclotron::fuzz {
namespace {

enum class Verdict { accepted, rejected };

std::string repeat(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// Runs the front end and, where there is something to run, the interpreter at sizes of 3.
Fate judge(const std::string& text) {
  return run_isolated([&]() -> std::string {
    Compiled compiled(text);
    const std::string messages = compiled.messages();
    if (!compiled.accepted()) return "rejected" + messages.substr(0, 2000);
    std::map<std::string, std::string> given;
    for (const auto& s : compiled.program().sizes) given[s.name] = "3";
    if (const auto bound = compiled.bind(given)) compiled.interpret(bound->sizes, bound->tensors);
    return "accepted";
  });
}

void expect(const std::string& what, const std::string& text, Verdict verdict) {
  const Fate fate = judge(text);
  EXPECT_EQ(fate.problem, "") << what;
  EXPECT_TRUE(fate.result.starts_with(verdict == Verdict::accepted ? "accepted" : "rejected"))
      << what << ": " << fate.result;
}

const std::string vector_program = "tensor x(n)\ntensor y(n)\ndefault x = random(seed=1)\n";

TEST(Extremes, HardlyAnything) {
  for (const char* text :
       {"", "\n", "\n\n\n", "# only a comment", "# only a comment\n# and another\n", " \t ", "\r\n", "tensor x(n)"})
    expect(text, text, Verdict::rejected);
  expect("no final newline", vector_program + "y(i) = x(i)", Verdict::accepted);
  expect("final comment", vector_program + "y(i) = x(i) # done", Verdict::accepted);
  expect("line ends of DOS", "tensor x(n)\r\ntensor y(n)\r\n\r\ny(i) = x(i)\r\n  + 1 # why\r\n", Verdict::accepted);
  expect("tabs", "tensor\tx(n)\n\tx(i)\t=\t1\n", Verdict::accepted);
}

TEST(Extremes, StrangeBytes) {
  using namespace std::string_literals;
  expect("NUL", vector_program + "y(i) = x(i)\0 + 1\n"s, Verdict::rejected);
  expect("only NUL", std::string(1000, '\0'), Verdict::rejected);
  expect("NUL in a comment", vector_program + "y(i) = x(i) # \0\n"s, Verdict::accepted);
  expect("UTF-8 name", "tensor größe(n)\ngröße(i) = 1\n", Verdict::rejected);
  expect("UTF-8 comment", "# größe ∑\ntensor x(n)\nx(i) = 1\n", Verdict::accepted);
  expect("half a character", "tensor x(n)\nx(i) = \xe2\x88\n", Verdict::rejected);
  expect("byte order mark", "\xef\xbb\xbftensor x(n)\nx(i) = 1\n", Verdict::rejected);
  expect("bare carriage returns", "tensor x(n)\rx(i) = 1\r", Verdict::rejected);
}

TEST(Extremes, Unfinished) {
  for (const char* text : {"default x = \"abc",
                           "default x = \"abc\ny(i) = x(i)\n",
                           "y(i) = (",
                           "y(i) = x(",
                           "y(i) = sum[",
                           "y(i) = sum[k](",
                           "y(i) = x(i) :",
                           "y(i) = x(i) : i <",
                           "y(i) =",
                           "y^",
                           "y^(",
                           "schedule s {",
                           "schedule s { order",
                           "schedule s { tile i by",
                           "tensor z(",
                           "tensor z(n): {",
                           "tensor z(n): {dense} order (",
                           "let",
                           "assume",
                           "default x = [[1, 2], [",
                           "\"",
                           "x[i] = 1"})
    expect(text, vector_program + text, Verdict::rejected);
}

void expect_no_crash(const std::string& what, const std::string& text) { EXPECT_EQ(judge(text).problem, "") << what; }

TEST(Extremes, DeepNesting) {
  const std::string start = vector_program + "y(i) = ";
  const auto nested = [&](const std::string& opening, int depth) {
    return start + repeat(opening, depth) + "x(i)" + repeat(")", depth) + "\n";
  };
  expect("brackets", nested("(", 100), Verdict::accepted);
  expect("signs", start + repeat("-", 100) + "x(i)\n", Verdict::accepted);
  expect("functions", nested("abs(", 100), Verdict::accepted);
  for (int depth : {400, 900, 5000, 100000}) {
    for (const char* opening :
         {"(", "abs(", "min(1, ", "select(true, 1, ", "sum[k](", "x(", "x^(", "((-", "1 + (", "-(", "not ("})
      expect_no_crash(opening, nested(opening, depth));
    for (const char* sign : {"-", "+", "not ", "- - +"}) expect_no_crash(sign, start + repeat(sign, depth) + "x(i)\n");
  }
  for (const char* opening : {"(", "-", "not ", "abs(", "sum[k](", "x(", "x^(", "x^-"})
    expect(opening, start + repeat(opening, 100000), Verdict::rejected);
  expect("superscripts", vector_program + "y^" + repeat("-", 100000) + "1(i) = x(i)\n", Verdict::rejected);
  expect("lists", "tensor x(n)\ndefault x = " + repeat("[", 100000) + "1" + repeat("]", 100000) + "\n",
         Verdict::rejected);
  expect("recipes", "tensor x(n)\ndefault x = " + repeat("tiles(", 100000) + "1" + repeat(")", 100000) + "\n",
         Verdict::rejected);
  expect("closing", vector_program + repeat(")", 100000), Verdict::rejected);
}

TEST(Extremes, LongStatements) {
  const std::string start = vector_program + "y(i) = x(i)";
  expect("sum", start + repeat(" + x(i)", 100) + "\n", Verdict::accepted);
  for (const char* more : {" + x(i)", " * 1", " - (x(i))", " / 2"})
    for (int count : {400, 900}) expect_no_crash(more, start + repeat(more, count) + "\n");
  expect_no_crash("arguments", vector_program + "y(i) = min(x(i)" + repeat(", x(i)", 450) + ")\n");
  expect("long sum", start + repeat(" + x(i)", 50000) + "\n", Verdict::rejected);
  expect_no_crash("long chain", start + " : 0" + repeat(" <= i", 50000) + "\n");
  expect_no_crash("long list of constraints", start + " : 0 <= i" + repeat(", 0 <= i", 50000) + "\n");
  expect("dimensions", "tensor z(" + repeat("n, ", 5000) + "n)\nz = 1\n", Verdict::rejected);
  expect("blank lines", start + repeat("\n", 100000) + "+ 1\n", Verdict::accepted);
  expect("comment lines", start + repeat("\n# so", 50000) + "\n+ 1\n", Verdict::accepted);
  expect("blanks", vector_program + "y(i) =" + repeat(" ", 200000) + "x(i)" + repeat(" ", 200000) + "+ 1\n",
         Verdict::accepted);
  expect("many errors", repeat("y(i) = )\n", 20000), Verdict::rejected);
}

TEST(Extremes, LongNames) {
  const std::string name(100000, 'a'), other = name + "b";
  expect("tensor", "tensor " + name + "(n)\n" + name + "(i) = 1\n", Verdict::accepted);
  expect("size", "tensor x(" + name + ")\nx(i) = 1\n", Verdict::accepted);
  expect("index", "tensor x(n)\nx(" + name + ") = 1\n", Verdict::accepted);
  expect("unknown", "tensor " + name + "(n)\n" + name + "(i) = " + other + "(i)\n", Verdict::rejected);
  expect("number", "tensor x\nx = 0." + std::string(100000, '1') + "\n", Verdict::accepted);
  expect("too many digits", "tensor x\nx = " + std::string(100000, '1') + "\n", Verdict::rejected);
}

TEST(Extremes, LongPrograms) {
  std::string equations, constants = "let a0 = 1\n", doubling = "let a0 = 1\n";
  for (int i = 0; i < 100; ++i) equations += "y(" + std::to_string(i) + ") = x(i) : i == 0\n";
  for (int i = 1; i < 300; ++i) constants += "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + "\n";
  for (int i = 1; i < 60; ++i)
    doubling += "let a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + a" + std::to_string(i - 1) + "\n";
  expect("equations", vector_program + equations, Verdict::accepted);
  expect("constants in a row", constants + "tensor x(n)\nx(i) = a299\n", Verdict::accepted);
  expect("a dimension by constants in a row", constants + "tensor x(a299)\nx(i) = 1\n", Verdict::accepted);
  const Fate fate = judge(doubling + "tensor x(n): f64\nx(i) = 1.0 * a59\n"); // too large or not, it must end
  EXPECT_EQ(fate.problem, "");
}

TEST(Extremes, LargeNumbers) {
  expect("beyond a double", "tensor x\nx = 1e400\n", Verdict::rejected);
  expect("beyond 64 bits", "tensor x: i64\nx = 9223372036854775808\n", Verdict::rejected);
  expect("the largest integer", "tensor x: i64\nx = 9223372036854775807\n", Verdict::accepted);
  expect("overflow in a constant", "let a = 9223372036854775807\ntensor x: i64\nx = a + a\n", Verdict::accepted);
  for (const char* index : {"9223372036854775807*i", "4000000000*i", "i + 4000000000", "3000000000*3000000000 + i",
                            "-9223372036854775807 - 2 + i"})
    expect(index, vector_program + "y(i) = x(" + index + ")\n", Verdict::rejected);
  expect("a large dimension", "tensor x(1000000*n)\nx(i) = 1 : i < 2\n", Verdict::accepted);
  expect("a larger tensor", "tensor x(1000000*n, 1000000*n, 1000000*n)\nx(i,j,k) = 1 : i < 2, j < 2, k < 2\n",
         Verdict::accepted);
}

// Sizes far beyond memory are refused, not tried.
TEST(Extremes, LargeSizes) {
  for (const char* size : {"1000000", "2147483648", "1099511627776"}) {
    const Fate fate = run_isolated([&]() -> std::string {
      std::string text;
      for (const char* t : {"x", "y", "z", "w"})
        text += std::string("tensor ") + t + "(1000000*n, n)\n" + t + "(i,j) = 1\n";
      Compiled compiled(text);
      if (!compiled.accepted()) return compiled.messages();
      const auto bound = compiled.bind({{"n", size}});
      if (bound && compiled.interpret(bound->sizes, bound->tensors)) return "it ran";
      return compiled.messages().empty() ? "refused without a word" : "";
    });
    EXPECT_EQ(fate.problem + fate.result, "") << size;
  }
}

} // namespace
} // namespace cyclotron::fuzz
