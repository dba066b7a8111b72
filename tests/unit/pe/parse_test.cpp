// SPDX-License-Identifier: MIT
// What is said about texts that are no programs: the whole message.
#include "unit/pe/programs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

namespace cyclotron::pe {
namespace {

const std::string head = "program \"p\"\n"
                         "axis i = 0 .. 2\n"
                         "tensor a(3): f64 input\n"
                         "tensor x(3): f64 output\n"
                         "register s: f64\n"
                         "register t(0 .. 3): f64\n"
                         "channel on: f64 [i]_s -> [i+1]_s\n";

std::string replaced(std::string text, const std::string& part, const std::string& by) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) bug("nothing to replace: " + part);
  return text.replace(at, part.size(), by);
}

// One line: where, what, and what to do about it.
std::string said(const PeText& read) {
  std::string out;
  for (const Diagnostic& d : read.diagnostics.all()) {
    out += fmt::format("at `{}`: {}", read.sources.slice(d.main.span), d.main.message);
    if (!d.hint.empty()) out += fmt::format(" ({})", d.hint);
  }
  return out;
}

void expect_said(const std::string& text, const std::string& expected) {
  PeText read(text);
  EXPECT_FALSE(read.program);
  EXPECT_EQ(said(read), expected);
}

void expect_error(const std::string& declarations, const std::string& expected) {
  expect_said(sealed(declarations), expected);
}

TEST(ParseFile, AnotherVersion) {
  expect_said(replaced(triangular_solve(2), "pe 1", "pe 2"),
              "at `2`: this file has version 2, expected version 1 (compile the program again with this cyclotron)");
}

TEST(ParseFile, NotAFile) {
  expect_said("tensor A(n)\n",
              "at `tensor A(n)`: this is not a file of programs for PEs (its first line would be `cyclotron pe 1`)");
  expect_said("", "at ``: this is not a file of programs for PEs (its first line would be `cyclotron pe 1`)");
}

TEST(ParseFile, CutShort) {
  const std::string text = triangular_solve(1);
  expect_said(
      text.substr(0, text.size() - 3),
      "at ``: the file was cut short: its last line is no checksum (copy it again, or compile the program again)");
  expect_said(
      "cyclotron pe 1\n",
      "at ``: the file was cut short: its last line is no checksum (copy it again, or compile the program again)");
}

TEST(ParseFile, Damaged) {
  expect_said(replaced(sealed(head), "0 .. 2", "0 .. 3"),
              "at `checksum \"84aa416be7d46700fb12b89bc40bbc3c84eabb14aef595f84fbaba5801cef6ff\"`: the file was "
              "damaged: its text does not have this checksum (copy it again, or compile the program again)");
}

TEST(ParseDeclarations, Words) {
  expect_error("programme \"p\"\n",
               "at `programme`: expected a declaration, found `programme` (a line is `program`, `size`, "
               "`closed form`, `cycles`, `axis`, `tensor`, `register`, `channel`, `host` or `role`, "
               "what is said of it, and last comes `checksum`)");
  expect_error("program p\n", "at `p`: expected the name of the program in quotes, found `p`");
  expect_error("  axis i = 0 .. 2\n", "at `axis`: a declaration starts at the beginning of its line");
  expect_error("axis i = 0 .. 2 round\n", "at `round`: expected the end of the line after the axis, found `round`");
  expect_error("axis i = 0 to 2\n", "at `to`: expected `..` between the first and the last coordinate, found `to`");
}

TEST(ParseDeclarations, NamesAndTypes) {
  expect_error(head + "register s: f64\n", "at `s`: the register `s` is declared twice");
  expect_error(head + "register u: f16\n", "at `f16`: `f16` is no type (types are f64, f32, i64, i32 and bool)");
  expect_error(
      head + "tensor b(3) by (1,1): f64 input\n",
      "at `by`: `b` has 1 extents, but its tiles have 2 (write 0 for a dimension whose index names an element)");
  expect_error(head + "tensor b(3): f64\n",
               "at ``: expected `input` or `output` after the type, found the end of the line");
  expect_error(head + "channel c: f64 [i+1]_s -> [i]_s\n",
               "at `[`: a channel starts at this PE (write its axes as they are: `[i,k]_B -> [i+1,k]_B`)");
  expect_error(head + "channel c: f64 [i]_s -> [i+1]_t\n",
               "at `t`: both ends of a channel have the same value, found `s` and `t`");
  expect_error(head + "channel c: f64 [j]_s -> [j+1]_t\n",
               "at `j`: expected `i` as the next axis of the grid, found `j`");
}

TEST(ParseStatements, Forms) {
  expect_error(head + "role 1\n",
               "at ``: expected `at` or `everywhere` after the name of a role, found the end of the line");
  expect_error(
      head + "role 1 at i\n",
      "at ``: expected a comparison in the condition, found the end of the line (write one such as `1 <= i <= 2`)");
  expect_error(head + "role 1 everywhere\n  while i\n",
               "at `while`: expected a statement, found `while` (a line is `for …`, `if …`, `pass …` or `step …`)");
  expect_error(head + "role 1 everywhere\n  for i = 0 .. 2\n",
               "at `i`: `i` is an axis or the variable of a loop around this one");
  expect_error(head + "role 1 everywhere\n  for k = 0 .. i/2\n",
               "at `i/2`: expected a whole number of axes and variables (it is made of `+`, `-`, `*`, `floor(x/4)`, "
               "`mod(x, 4)`, `min(x, y)` and `max(x, y)`)");
  expect_error(head + "role 1 everywhere\n  for k = 0 .. ceil(i/2)\n",
               "at `ceil(i/2)`: `ceil(i/2)` is no function of whole numbers (there are `floor(x/4)`, `mod(x, 4)`, "
               "`min(x, y)` and `max(x, y)`)");
  expect_error(head + "role 1 everywhere\n  for k = 0 .. kk\n", "at `kk`: `kk` is not in scope here (in scope is i)");
  expect_error(head + "role 1 everywhere\n  step C\n    [i]_s <- 1\n   [i]_s <- 2\n",
               "at `[`: the lines of a step start in the same column");
  expect_error(head + "role 1 everywhere\n  if true\n    step C\n   step D\n",
               "at `step`: the indentation of this line fits none of the lines above it (lines of one body start in "
               "the same column, two blanks further in than their header)");
}

TEST(ParseActions, NamesThatAreNotDeclared) {
  const std::string step = head + "role 1 everywhere\n  step C(i)\n    ";
  expect_error(step + "[i]_r <- 1\n", "at `r`: no register `r` is declared (there are s and t)");
  expect_error(step + "[i]_s <- b(i)  load\n", "at `b`: no tensor `b` is declared (there are a and x)");
  expect_error(step + "y(i) <- [i]_s\n", "at `y`: no tensor `y` is declared (there are a and x)");
  expect_error(step + "[i]_s <- [i-1]_t\n", "at `[i-1]_t`: no channel leads here from `[i-1]_t` (channels are declared "
                                            "before the roles: `channel B1: f64 [i,k]_B -> [i+1,k]_B`)");
  expect_error(step + "[i]_s -> [i+2]_s\n", "at `[i+2]_s`: no channel leads to `[i+2]_s` (channels are declared before "
                                            "the roles: `channel B1: f64 [i,k]_B -> [i+1,k]_B`)");
  expect_error(step + "[i]_s -> [i+1]_s via off\n",
               "at `[i+1]_s`: no channel `off` leads to `[i+1]_s` (channels are declared before the roles: `channel "
               "B1: f64 [i,k]_B -> [i+1,k]_B`)");
  expect_error(step + "[i]_s <- j\n", "at `j`: `j` is not in scope here (in scope is i)");
  expect_error(step + "[i]_s <- a(i)\n", "at `a(i)`: `a` is read without the position of its PE (registers are written "
                                         "as `[i,k]_C`; tensors are loaded first, on a line of their own)");
  expect_error(replaced(step, "role", "channel too: f64 [i]_s -> [i+1]_s\nrole") + "[i]_s <- [i-1]_s\n",
               "at `[i-1]_s`: 2 channels lead here from `[i-1]_s` (name the one that is meant: `[i-1]_s via on`)");
}

TEST(ParseActions, Forms) {
  const std::string step = head + "role 1 everywhere\n  step C(i)\n    ";
  expect_error(
      step + "[i-1]_s <- 1\n",
      "at `[i-1]`: a step reads and writes the registers of its own PE only (receive it first, on a line of its own)");
  expect_error(step + "[i]s <- 1\n", "at `s`: expected `_` and the name of a register, found `s` (write `[i,k]_B`)");
  expect_error(step + "[i]_s = 1\n", "at `=`: expected `<-` or `->` after the register, found `=`");
  expect_error(step + "[i]_t(i*i) <- 1\n",
               "at `i*i`: an index is affine in the coordinates of its step: a product of two variables");
  expect_error(step + "[i]_t^2 <- 1\n", "at `t`: a register has no superscript");
  expect_error(step + "[i]_s <- sum[k](1)\n",
               "at `sum[k](1)`: a step has no reductions (it adds one term to a register)");
  expect_error(step + "[i]_s <- 1 +\n", "at `checksum`: `checksum` is not in scope here (in scope is i)");
  expect_error(
      step + "3 <- [i]_s\n",
      "at `3`: expected what a step does, found `3` (a line is `[i]_x <- …`, `[i]_x -> [i+1]_x` or `A(i) <- [i]_x`)");
}

// One message as it is shown.
TEST(ParseFile, ShownWithItsPlace) {
  PeText read(sealed(head + "role 1 everywhere\n  for k = 0 .. ceil(i/2)\n"));
  EXPECT_EQ(read.report(), "error: `ceil(i/2)` is no function of whole numbers\n"
                           "   --> a.pe:10:16\n"
                           "    |\n"
                           " 10 |   for k = 0 .. ceil(i/2)\n"
                           "    |                ^^^^^^^^^\n"
                           "hint: there are `floor(x/4)`, `mod(x, 4)`, `min(x, y)` and `max(x, y)`\n");
}

TEST(ParseFile, BrokenInvariants) {
  expect_error(head + "role 1 everywhere\n  step C(i)\n    [i]_t <- 1\n",
               "at ``: this program cannot run: `t` has 0 indices in the step `C` of the role `1`, expected 1");
}

// Bytes are changed, cut off, doubled or put elsewhere, and the checksum is made to fit: no text may do more than be
// refused, and what is accepted reads back.
TEST(ParseFile, AnyBytes) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::string letters = "ijks_[](),.+-*/<>=0123456789 \n\t\"#^:\xff\0";
  std::vector<std::string> seeds{weight_stationary(3, 3, 2, true), output_stationary(2, 2, 3), triangular_solve(3)};
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = seeds[below(seeds.size())];
    text = text.substr(text.find('\n') + 1);
    text = text.substr(0, text.rfind("checksum"));
    for (std::size_t change = below(4) + 1; change > 0 && !text.empty(); --change) {
      const std::size_t at = below(text.size()), length = below(20);
      const std::string piece = text.substr(at, length);
      switch (below(4)) {
      case 0: text[at] = letters[below(letters.size())]; break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(below(text.size()), piece); break;
      default: text = round % 5 == 0 ? text.substr(0, at) : text; break;
      }
    }
    PeText read(round % 2 == 0 ? sealed(text) : text);
    if (!read.program) {
      ASSERT_TRUE(read.diagnostics.failed()) << text;
      continue;
    }
    ++accepted;
    PeText again(print(*read.program));
    ASSERT_TRUE(again.program) << again.report();
    EXPECT_TRUE(*again.program == *read.program) << text;
  }
  EXPECT_GT(accepted, 10);
}

} // namespace
} // namespace cyclotron::pe
