// SPDX-License-Identifier: MIT
// The text form: what is printed, what is read back, what is refused.
#include "unit/code/read.hpp"

#include <limits>

namespace cyclotron::code {
namespace {

// The text of the kernel that the text means; what is wrong with it where something is.
std::string again(const std::string& text) {
  std::string report;
  const auto kernel = read(text, report);
  return kernel ? print(*kernel) : report;
}

constexpr const char* convolution = R"(kernel conv1d lanes 16
sizes m, r
in x: f32
in w: f32
out z: f32
workers b = 0 .. (m + 15) // 16
  var live: bool lanes = lanes(b * 16) + i64(lane) < lanes(m)
  var acc: f32 lanes
  for q = 0 .. r unroll 4
    acc = acc + x[b * 16 + q : 1 if live] * lanes(w[q])
  store z[b * 16 : 1] = acc if live
)";

constexpr const char* everything = R"(kernel everything lanes 4
sizes n
in x: f64
in p: i32
in on: bool
out y: f64
out small: i16
scratch s: f64[max(n, 1) * 2]
shared t: f32[64]
fail 2 if n < 1
var top: i64 = n - 1
if 0 < top and not (n == 5 or n == 6)
  blocks o = 0 .. n step 2
    var half: f32 = 0.5f
    workers g = 0 .. 8
      store t[g] = half
    barrier
    workers g = 8 .. 0 step -1
      var i: i64 lanes = lanes(g) + i64(lane)
      var v: f64 lanes = x[i]
      var w: f64 lanes = x[i32(i) if i < lanes(n)]
      var one: f64 = x[g if g < n]
      store s[0 : 2] = shift(v, 1, w) + shift(w, -3)
      var more: i32 = extract(p[g : 1], 3)
      if any(v < w) and more == 3i32
        store y[i] = select(v < w, sqrt(v), -w) if i < lanes(n)
        store small[g] = i16(more & 255i32 | 1i32 ^ 2i32)
      for k = 0 .. top
        v = min(v, lanes(f64(t[k]))) / lanes(1.5)
        w = pow(v, exp(abs(w)))
      fail 7 if v == w
)";

TEST(CodeText, ReadsWhatItPrints) {
  EXPECT_EQ(again(convolution), convolution);
  EXPECT_EQ(again(everything), everything);
}

// `e` of an f64 variable, in a kernel with some more of them.
std::string value_again(const std::string& e, const std::string& type = "f64") {
  const std::string head =
      "kernel k lanes 4\nsizes n, m\nvar a: f64\nvar b: f64\nvar c: bool\nvar i: i32\nvar r: " + type + " = ";
  const std::string text = again(head + e + "\n");
  return text.starts_with(head) ? text.substr(head.size(), text.size() - head.size() - 1) : text;
}

TEST(CodeText, BracketsWhereTheyAreNeeded) {
  for (const std::string text : {"a + b * a", "(a + b) * a", "a - (b - a)", "a - b - a", "-(a + b)", "--a",
                                 "a / (b / a)", "a * -b", "-(3.0)", "-3.0", "a - -3.0"})
    EXPECT_EQ(value_again(text), text);
  EXPECT_EQ(value_again("((a) + (b))"), "a + b");
  for (const std::string text : {"c and (c or not c)", "c and c or c", "not (c and c)", "not a < b", "(a < b) == c",
                                 "not not c", "a < b and b <= a", "(not c) == c"})
    EXPECT_EQ(value_again(text, "bool"), text);
  EXPECT_EQ(value_again("a > b or a >= b", "bool"), "b < a or b <= a");
  for (const std::string text :
       {"n & m | n ^ m", "n & (m | n)", "(n ^ m) & n", "n // m % n", "n // (m % n)", "n + m & n"})
    EXPECT_EQ(value_again(text, "i64"), text);
}

TEST(CodeText, Numbers) {
  for (const std::string text : {"0.1", "1e+300", "5e-324", "inf", "-inf", "nan", "-0.0", "1.0"})
    EXPECT_EQ(value_again(text), text);
  for (const std::string text : {"0.1f", "16777216.0f", "1e-45f", "inff", "-inff", "nanf", "3.4028235e+38f"})
    EXPECT_EQ(value_again(text, "f32"), text);
  for (const std::string text : {"-9223372036854775808", "9223372036854775807", "0"})
    EXPECT_EQ(value_again(text, "i64"), text);
  for (const std::string text : {"-32768i16", "32767i16"}) EXPECT_EQ(value_again(text, "i16"), text);
  for (const std::string text : {"-2147483648i32", "2147483647i32"}) EXPECT_EQ(value_again(text, "i32"), text);
  EXPECT_EQ(value_again("true", "bool"), "true");
}

TEST(CodeText, LayoutIsFree) {
  EXPECT_EQ(again("# a comment\n\nkernel k lanes 1\n\nin   x:f32\n\n    if 1<2 # and here\n\n        fail 1 if  x [ 0 "
                  "] == 0.0f\n"),
            "kernel k lanes 1\nin x: f32\nif 1 < 2\n  fail 1 if x[0] == 0.0f\n");
}

// The message and the hint for a statement at the end of a kernel.
std::string refused(const std::string& statement) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::string text = "kernel k lanes 4\nsizes n\nin x: f64\nout y: f64\nvar a: f64\n" + statement;
  if (parse(sources.add("x.code", text), diagnostics)) return "";
  return diagnostics.all()[0].main.message + "; " + diagnostics.all()[0].hint;
}

TEST(CodeText, SaysWhatIsWrong) {
  EXPECT_EQ(refused("a = a + \n"), "expected an expression, found the end of the line; ");
  EXPECT_EQ(refused("a = a < a < a\n"), "comparisons do not chain; join two of them with `and`: `a < b and b < c`");
  EXPECT_EQ(refused("y[0] = a\n"), "`y` is stored to with a word before it; write `store y[…] = …`");
  EXPECT_EQ(refused("store y[0 if n < 2] = a\n"),
            "the mask of a store stands behind its value; write `store z[i : 1] = e if mask`");
  EXPECT_EQ(refused("if n < 2\na = 1.0\n"),
            "expected a body, indented deeper than the line above, found `a`; indent it by two blanks");
  EXPECT_EQ(refused("  a = 1.0\n"),
            "this line is indented deeper than the one above, which takes no body; lines of one "
            "body begin in the same column");
  EXPECT_EQ(refused("var in: f64\n"),
            "`in` cannot be the name of a variable: it has a meaning of its own; write `in_`");
  EXPECT_EQ(refused("var b: f16\n"), "`f16` is no type; types are bool, i16, i32, i64, f32 and f64");
  EXPECT_EQ(refused("a = 3x\n"), "`3x` is not a number; numbers are `3`, `3i32`, `3i16`, `0.5`, `0.5f`");
  EXPECT_EQ(refused("a = 32768i16\n"), "`32768i16` does not fit i16; ");
  EXPECT_EQ(refused("a = 1e400\n"), "`1e400` does not fit f64; write `inf` for infinity");
  EXPECT_EQ(refused("a = sqr(a)\n"), "`sqr` is no function; did you mean `sqrt`?");
  EXPECT_EQ(refused("a = x(3)\n"), "`x` is no function; an element of a memory is read with `x[…]`");
  EXPECT_EQ(refused("a = min(a)\n"), "`min` takes 2 arguments, found 1; write `min(a, b)`");
  EXPECT_EQ(refused("a = $\n"),
            "unexpected character; programs are plain text, indented by blanks; comments start with `#`");
  EXPECT_EQ(refused("for q = 0 .. n step 2.5\n  a = 1.0\n"), "expected the step, found `2.5`; it is a whole number");
  EXPECT_EQ(refused("a = " + std::string(400, '(') + "a" + std::string(400, ')') + "\n"),
            "this nests more than 300 levels deep; ");
}

TEST(CodeText, SaysWhere) {
  EXPECT_EQ(again("kernel k lanes 4\nvar a: f64\na = 1.0 + b\n"), R"(error: `b` is not declared here
  --> x.code:3:11
   |
 3 | a = 1.0 + b
   |           ^
)");
}

TEST(CodeText, NamesOfOurs) {
  EXPECT_TRUE(is_name("x_2"));
  for (const char* word : {"", "2x", "lanes", "min", "f32", "inff", "sqrt", "a b", "ä"}) EXPECT_FALSE(is_name(word));
  EXPECT_EQ(name_from("lane"), "lane_");
  EXPECT_EQ(name_from("x"), "x");
}

} // namespace
} // namespace cyclotron::code
