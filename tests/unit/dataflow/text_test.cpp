// SPDX-License-Identifier: MIT
// The text form: what is printed, what is read back, what is refused.
#include "dataflow/ir.hpp"
#include "unit/dataflow/programs.hpp"

#include <gtest/gtest.h>

namespace cyclotron::dataflow {
namespace {

// The text of the program that the text means; what is wrong with it where something is.
std::string again(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto program = parse(sources.add("x.flow", text), diagnostics);
  if (!program) return diagnostics.render(false);
  EXPECT_EQ(problem_of(*program), "");
  return print(*program);
}

TEST(DataflowText, ReadsWhatItPrints) {
  for (const std::string& text :
       {output_stationary, weight_stationary, shifted_weights, tiles_in_passes, input_stationary, cannon,
        lower_triangle, triangular_solve, two_space_solve, alignment, strided_convolution})
    EXPECT_EQ(again(text), text);
}

// A program of one space with this line in it.
std::string with(const std::string& line) {
  return again("tensor A(n)\ntensor y(n)\naxes i\n\nspace s(i, t) : 0 <= i < n, 0 <= t < n\n" + line);
}

TEST(DataflowText, LayoutIsFree) {
  EXPECT_EQ(again(R"(
tensor A(n)
tensor y(n)
axes i
space s(i, t) : 0 <= i < n, 0 <= t, t < n
(i, 0)_a <- A(i)   # the place and the time are the coordinates as they are named
(i, t)_a <- (i, t-1)_a * 2 : t >= 1
y(i) <- (i, n-1)_a
)"),
            R"(tensor A(n)
tensor y(n)
axes i

space s(i, t) : 0 <= i < n, 0 <= t < n
  place (i)
  time (t)
  (i, 0)_a <- A(i)
  (i, t)_a <- (i, t-1)_a * 2 : 1 <= t
  y(i) <- (i, n-1)_a
)");
}

TEST(DataflowText, Alternatives) {
  const std::string text = R"(tensor A(n)
axes i

space s(i, t) : 0 <= i < n, t == 0 or 0 <= i < n, t == 3
  place (i)
  time (t)
  value a: f32
  (i, t)_a <- A(i) : (i + t) mod 3 == 2
  (i, t)_a <- 0 : floor((i+t)/3) == i, (i + t) mod 3 != 2
)";
  const std::string once = again(text);
  EXPECT_EQ(once, again(once));
  EXPECT_EQ(once, R"(tensor A(n)
axes i

space s(i, t) : 0 <= i < n, t == 3 or 0 <= i < n, t == 0
  place (i)
  time (t)
  value a: f32
  (i, 3)_a <- A(i) : i mod 3 == 2
  (i, 0)_a <- A(i) : i mod 3 == 2
  (1, 3)_a <- 0
  (0, 0)_a <- 0
)");
}

TEST(DataflowText, SaysWhatIsWrong) {
  EXPECT_EQ(with("(i, t)_a <- A(i)\n(i, 0)_a <- 0\n"),
            R"(error: two rules give `a` of space `s` a value at the same point: n = 1, i = 0, t = 0
  --> x.flow:7:1
   |
 7 | (i, 0)_a <- 0
   | ^^^^^^^^^^^^^
hint: say where each holds, after a colon: `(i, j)_A <- … : 1 <= j`
)");
  EXPECT_EQ(with("(i, 0)_a <- A(i)\n(i, t)_a <- (i, t-2)_a : 1 <= t\n"),
            R"(error: `a` of space `s` is read by space `s` where it has no value: n = 2, i = 0, t = 1
  --> x.flow:7:13
   |
 7 | (i, t)_a <- (i, t-2)_a : 1 <= t
   |             ^^^^^^^^^^
hint: give it a rule there, or say where this one holds, after a colon
)");
  EXPECT_EQ(with("(i, t)_a <- (i, t-1)_b : 1 <= t\n"), R"(error: space `s` has no value `b`
  --> x.flow:6:13
   |
 6 | (i, t)_a <- (i, t-1)_b : 1 <= t
   |             ^^^^^^^^^^
hint: some rule must say what it is
)");
  EXPECT_EQ(with("(i, t)_a <- (i)_a\n"), R"(error: a point of space `s` has 2 coordinates, found 1
  --> x.flow:6:13
   |
 6 | (i, t)_a <- (i)_a
   |             ^^^^^
)");
  EXPECT_EQ(with("(i+1, t)_a <- A(i)\n"), R"(error: a rule is for the point `(i, t)`, found `i + 1`
  --> x.flow:6:2
   |
 6 | (i+1, t)_a <- A(i)
   |  ^^^
hint: shift the coordinates on the right-hand side instead
)");
  EXPECT_EQ(with("(i, t)_a = A(i)\n"), R"(error: a rule is written with an arrow
  --> x.flow:6:10
   |
 6 | (i, t)_a = A(i)
   |          ^
hint: write `<-` instead of `=`
)");
  EXPECT_EQ(with("(i, t)_a <- A(j)\n"), R"(error: `j` is not declared
  --> x.flow:6:15
   |
 6 | (i, t)_a <- A(j)
   |               ^
hint: the coordinates here are i, t; a size stands in a `tensor` or an `assume`
)");
  EXPECT_EQ(with("(i, t)_a <- A(i) : t = 0\n"), R"(error: a condition compares with `==`
  --> x.flow:6:22
   |
 6 | (i, t)_a <- A(i) : t = 0
   |                      ^
hint: write `==` instead of `=`
)");
  EXPECT_EQ(with("(i, t)_a <- sum[k](A(k))\n"), R"(error: a rule has no reductions
  --> x.flow:6:13
   |
 6 | (i, t)_a <- sum[k](A(k))
   |             ^^^^^^^^^^^^
hint: add up from point to point: `(i, k)_s <- (i, k-1)_s + …`
)");
  EXPECT_EQ(with("(i, t)_a <- boundary 1 + 2\n"), R"(error: expected the end of the line after the rule, found `1`
  --> x.flow:6:22
   |
 6 | (i, t)_a <- boundary 1 + 2
   |                      ^
)");
  EXPECT_EQ(with("(i, t)_a <- A(i)\ny(i) <- (i, t)_a + 1\n"),
            R"(error: an export writes a value as it is: `C(i,j) <- (i, j, p-1)_C`
  --> x.flow:7:9
   |
 7 | y(i) <- (i, t)_a + 1
   |         ^^^^^^^^^^^^
hint: compute it in a rule of its own, or under `constants` where it needs no value of the array
)");
  EXPECT_EQ(with("place (i, t)\n"), R"(error: a place has a formula per axis of the array, 1 here; found 2
  --> x.flow:6:1
   |
 6 | place (i, t)
   | ^^^^^^^^^^^^
)");
  EXPECT_EQ(with("time (t) : 3\n"), R"(error: expected the end of the line after `time`, found `:`
  --> x.flow:6:10
   |
 6 | time (t) : 3
   |          ^
)");
  EXPECT_EQ(with("value a: real\n"), R"(error: `real` is no type
  --> x.flow:6:10
   |
 6 | value a: real
   |          ^^^^
hint: types are f64, f32, i32, i64 and bool
)");
  EXPECT_EQ(with("value a: i32\n(i, t)_a <- A(i) / 2\n"),
            R"(error: `s.a` holds i32, but the value is f64
  --> x.flow:7:13
   |
 7 | (i, t)_a <- A(i) / 2
   |             ^^^^^^^^
note: it is declared here
hint: declare `s.a` as f64; `/`, sqrt, exp, log and pow give real numbers
)");
  EXPECT_EQ(with("space s(i) : 0 <= i < n\n"),
            R"(error: there are two spaces `s`
  --> x.flow:6:7
   |
 6 | space s(i) : 0 <= i < n
   |       ^
note: the first is here
  --> x.flow:5:7
   |
 5 | space s(i, t) : 0 <= i < n, 0 <= t < n
   |       ^
)");
  EXPECT_EQ(with("space r(i) : 0 <= i < n\nplace (i)\ntime (0, 0)\n"),
            R"(error: the time of space `r` has 2 components, that of `s` has 1
  --> x.flow:8:1
   |
 8 | time (0, 0)
   | ^^^^^^^^^^^
hint: times of all spaces are compared, so they are of one length: fill up with 0
)");
  EXPECT_EQ(with("passes 2\n"), R"(error: `passes` counts leading components of `time`, which has 1; found 2
  --> x.flow:6:1
   |
 6 | passes 2
   | ^^^^^^^^
)");
  EXPECT_EQ(with("(i, t)_a <- 1\nconstants\ny(i) <- (i, 0)_a^s\n"), R"(error: a constant needs no value of the array
  --> x.flow:8:9
   |
 8 | y(i) <- (i, 0)_a^s
   |         ^^^^^^^^^^
hint: write an export in the block of the value's space
)");
  EXPECT_EQ(with("3 <- 4\n"), R"(error: expected a line of the program, found `3`
  --> x.flow:6:1
   |
 6 | 3 <- 4
   | ^
hint: a line is `axes …`, `passes …`, `timing …`, `space …`, `place …`, `time …`, `step …`, `value …`, a rule `(i, j)_A <- …`, an export `C(i,j) <- (i, j)_C`, or a declaration
)");
}

} // namespace
} // namespace cyclotron::dataflow
