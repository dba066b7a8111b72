// SPDX-License-Identifier: MIT
// What the parser refuses: a text for each message, with its hint and its place.
#include "unit/pattern/read.hpp"

namespace cyclotron::pattern {
namespace {

// Of a line at the end of a program.
Mistake refused(const std::string& line) {
  return mistake_in("pattern k\nsizes n\nreg a: f64 = 0.0\nreg c: i64 = 0\n" + line + "\n");
}

TEST(PatternParse, Heads) {
  const auto head = [](const std::string& line) { return mistake_in("pattern k\n" + line + "\n"); };
  EXPECT_EQ(mistake_in(""), (Mistake{"expected `pattern`, found the end of the file",
                                     "a program begins with its name: `pattern spmv`", ""}));
  EXPECT_EQ(mistake_in("kernel k\n"), (Mistake{"expected `pattern`, found `kernel`",
                                               "a program begins with its name: `pattern spmv`", "kernel"}));
  EXPECT_EQ(mistake_in("pattern 3\n"), (Mistake{"expected the name of a program, found `3`", "", "3"}));
  EXPECT_EQ(mistake_in("pattern k l\n"),
            (Mistake{"expected the end of the line after the name of the program, found `l`", "", "l"}));
  EXPECT_EQ(head("sizes n m"), (Mistake{"expected the end of the line after the sizes, found `m`", "", "m"}));
  EXPECT_EQ(head("sizes n,"), (Mistake{"expected the name of a size, found the end of the line", "", ""}));
  EXPECT_EQ(head("environment ip 16"),
            (Mistake{"expected `=` before the value of the constant, found `16`", "", "16"}));
  EXPECT_EQ(head("environment ip = n"), (Mistake{"expected the value of a constant, found `n`", "", "n"}));
  EXPECT_EQ(head("environment ip = 1.5"),
            (Mistake{"expected the value of a constant, found `1.5`", "it is a whole number", "1.5"}));
  EXPECT_EQ(head("environment ip = 2 4"),
            (Mistake{"expected the end of the line after the constant, found `4`", "", "4"}));
}

TEST(PatternParse, Drams) {
  const auto dram = [](const std::string& rest) { return mistake_in("pattern k\nsizes n\ndram " + rest + "\n"); };
  EXPECT_EQ(dram("x: f64[n] of x values"), (Mistake{"expected `in` or `out` after `dram`, found `x`", "", "x"}));
  EXPECT_EQ(dram("in 3"), (Mistake{"expected the name of a dram, found `3`", "", "3"}));
  EXPECT_EQ(dram("in x f64"), (Mistake{"expected `:` before the type, found `f64`", "", "f64"}));
  EXPECT_EQ(dram("in x: f16[n] of x values"),
            (Mistake{"`f16` is no type", "types are f64, f32, i64, i32 and bool", "f16"}));
  EXPECT_EQ(dram("in x: f64 of x values"),
            (Mistake{"expected `[` before the extent of the dram, found `of`", "", "of"}));
  EXPECT_EQ(dram("in x: f64[n of x values"),
            (Mistake{"expected `]` behind the extent of the dram, found `of`", "", "of"}));
  EXPECT_EQ(dram("in x: f64[n] x values"),
            (Mistake{"expected `of` before the tensor that the dram belongs to, found `x`", "", "x"}));
  EXPECT_EQ(dram("in x: f64[n] of 3"), (Mistake{"expected the name of a tensor, found `3`", "", "3"}));
  EXPECT_EQ(
      dram("in x: f64[n] of x numbers"),
      (Mistake{"expected `positions`, `coordinates` or `values` after the tensor, found `numbers`", "", "numbers"}));
  EXPECT_EQ(dram("in x: i64[n] of x positions"), (Mistake{"expected a level, found the end of the line", "", ""}));
  EXPECT_EQ(dram("in x: i64[n] of x positions 0"),
            (Mistake{"0 is no level: they count from 1, in the order of storage", "", "0"}));
  EXPECT_EQ(dram("in x: i64[n] of x positions -2"),
            (Mistake{"-2 is no level: they count from 1, in the order of storage", "", "-2"}));
  EXPECT_EQ(dram("in x: i64[n] of x positions 4294967297").message,
            "4294967297 is no level: they count from 1, in the order of storage");
  EXPECT_EQ(dram("in x: f64[n] of x values 2"),
            (Mistake{"expected the end of the line after the dram, found `2`", "", "2"}));
}

TEST(PatternParse, Names) {
  EXPECT_EQ(refused("let not: i64 = 3"),
            (Mistake{"`not` cannot be the name of a value: it has a meaning of its own", "write `not_`", "not"}));
  EXPECT_EQ(refused("sram inf: i64[n]"),
            (Mistake{"`inf` cannot be the name of a memory: it has a meaning of its own", "write `inf_`", "inf"}));
  EXPECT_EQ(refused("true = 3"), (Mistake{"`true` cannot be a memory that is written: it has a meaning of its own",
                                          "write `true_`", "true"}));
  EXPECT_EQ(refused("let 2x: i64 = 3"), (Mistake{"expected the name of a value, found `2x`", "", "2x"}));
}

TEST(PatternParse, Bodies) {
  EXPECT_EQ(
      refused("foreach i = 0 .. n\na = 1.0"),
      (Mistake{"expected a body, indented deeper than the line above, found `a`", "indent it by two blanks", "a"}));
  EXPECT_EQ(refused("if n < 1"),
            (Mistake{"expected a body, indented deeper than the line above, found the end of the file",
                     "indent it by two blanks", ""}));
  EXPECT_EQ(refused("  a = 1.0"), (Mistake{"this line is indented deeper than the one above, which takes no body",
                                           "lines of one body begin in the same column", "a"}));
  EXPECT_EQ(refused("if n < 1\n    a = 1.0\n  a = 2.0"),
            (Mistake{"this line is indented deeper than the one above, which takes no body",
                     "lines of one body begin in the same column", "a"}));
  EXPECT_EQ(mistake_in("pattern k\n  reg t: i64 = 0\nt = 1\n"),
            (Mistake{"the indentation of this line fits none of the lines above it",
                     "lines of one body begin in the same column", "t"}));
  EXPECT_EQ(
      refused("a = 1.0\n\t\n"),
      (Mistake{"unexpected character", "programs are plain text, indented by blanks; comments start with `#`", "\t"}));
}

TEST(PatternParse, Yield) {
  const std::string elsewhere = "`yield` ends the body of a `reduce`, and nothing else";
  EXPECT_EQ(refused("yield 1.0"), (Mistake{elsewhere, "", "yield"}));
  EXPECT_EQ(refused("foreach i = 0 .. n\n  yield 1.0"), (Mistake{elsewhere, "", "yield"}));
  EXPECT_EQ(refused("reduce a by sum over i = 0 .. n\n  if i < 1\n    yield 1.0"), (Mistake{elsewhere, "", "yield"}));
  EXPECT_EQ(refused("reduce a by sum over i = 0 .. n\n  yield 1.0\n  c = i"),
            (Mistake{"this line stands behind `yield`, which ends the body of a `reduce`", "", "c"}));
  EXPECT_EQ(refused("reduce a by sum over i = 0 .. n\n  yield 1.0\n  yield 2.0").place, "yield");
  EXPECT_EQ(refused("reduce a by sum over i = 0 .. n par 2\n  c = i"),
            (Mistake{"the body of this `reduce` does not end with `yield`", "write `yield e` in its last line",
                     "reduce a by sum over i = 0 .. n par 2"}));
  EXPECT_EQ(refused("reduce a by sum over i = 0 .. n\n  yield 1.0 2.0"),
            (Mistake{"expected the end of the line after the value, found `2.0`", "", "2.0"}));
}

TEST(PatternParse, Statements) {
  EXPECT_EQ(refused("3 = a").message, "expected a statement, found `3`");
  EXPECT_EQ(refused("a + 1"),
            (Mistake{"expected a statement, found `a`",
                     "a statement begins with `sram`, `sparse sram`, `fifo`, `reg`, `bits`, `let`, `load`, `store`, "
                     "`enq`, `set`, `foreach`, `reduce`, `if` or `yield`, or is `x[i] = e` or `t = e`",
                     "a"}));
  EXPECT_EQ(refused("forech i = 0 .. n"),
            (Mistake{"expected a statement, found `forech`", "did you mean `foreach`?", "forech"}));
  EXPECT_EQ(refused("sparse x: f64[n]"), (Mistake{"expected `sram` after `sparse`, found `x`", "", "x"}));
  EXPECT_EQ(refused("sram x: f64"),
            (Mistake{"expected `[` before the extent of the memory, found the end of the line", "", ""}));
  EXPECT_EQ(refused("sram x: f64[n"),
            (Mistake{"expected `]` behind the extent of the memory, found the end of the line", "", ""}));
  EXPECT_EQ(refused("sram x: f64[n] 3"), (Mistake{"expected the end of the line after the sram, found `3`", "", "3"}));
  EXPECT_EQ(refused("fifo x: f64[4] 3").message, "expected the end of the line after the fifo, found `3`");
  EXPECT_EQ(refused("bits x: i64[n]"), (Mistake{"expected `[` before the extent of the memory, found `:`", "", ":"}));
  EXPECT_EQ(refused("bits x[n] 3").message, "expected the end of the line after the bits, found `3`");
  EXPECT_EQ(refused("reg t: f64"),
            (Mistake{"expected `=` before the first value of the register, found the end of the line", "", ""}));
  EXPECT_EQ(refused("reg t: f64 = 0.0 3").message, "expected the end of the line after the register, found `3`");
  EXPECT_EQ(refused("let x = 3"), (Mistake{"expected `:` before the type, found `=`", "", "="}));
  EXPECT_EQ(refused("let x: i64"), (Mistake{"expected `=` before the value, found the end of the line", "", ""}));
  EXPECT_EQ(refused("let x: 3 = 3").message, "`3` is no type");
  EXPECT_EQ(refused("let x: i64 = 3 4").message, "expected the end of the line after the value, found `4`");
}

TEST(PatternParse, WritesAndQueues) {
  EXPECT_EQ(refused("a[0 = 1.0"), (Mistake{"expected `]` behind the index, found `=`", "", "="}));
  EXPECT_EQ(refused("a[0] + 1.0"), (Mistake{"expected `=` before the value that is written, found `+`", "", "+"}));
  EXPECT_EQ(refused("a by mean = 1.0"),
            (Mistake{"expected a reduction, found `mean`", "reductions are sum, prod, min, max, any and all", "mean"}));
  EXPECT_EQ(refused("enq q, 3"), (Mistake{"expected `(` after `enq`, found `q`", "", "q"}));
  EXPECT_EQ(refused("enq(3)"), (Mistake{"expected the name of a fifo, found `3`", "", "3"}));
  EXPECT_EQ(refused("enq(q)"), (Mistake{"expected `,` before the number that the fifo takes, found `)`", "", ")"}));
  EXPECT_EQ(refused("enq(q, 3"), (Mistake{"expected `)` to close the bracket, found the end of the line", "", ""}));
  EXPECT_EQ(refused("enq(q, 3) 4").message, "expected the end of the line after `enq`, found `4`");
  EXPECT_EQ(refused("set 3"), (Mistake{"expected the name of bits, found `3`", "", "3"}));
  EXPECT_EQ(refused("set b to q"), (Mistake{"expected `from` before the fifo of coordinates, found `to`", "", "to"}));
  EXPECT_EQ(refused("set b from q n"),
            (Mistake{"expected `count` before the number of coordinates, found `n`", "", "n"}));
  EXPECT_EQ(refused("set b from q count n n").message, "expected the end of the line after the count, found `n`");
  EXPECT_EQ(refused("if n < 1 n\n  a = 1.0").message, "expected the end of the line after the condition, found `n`");
}

TEST(PatternParse, LoadsAndStores) {
  EXPECT_EQ(refused("load x x_d"), (Mistake{"expected `from` before the dram that is loaded, found `x_d`", "", "x_d"}));
  EXPECT_EQ(refused("load x from x_d"),
            (Mistake{"expected `[` after `x_d`, before the first index, found the end of the line", "", ""}));
  EXPECT_EQ(refused("load x from x_d[n]"),
            (Mistake{"expected `..` between the first index and the end, found `]`", "", "]"}));
  EXPECT_EQ(refused("load x from x_d[0 .. n"),
            (Mistake{"expected `]` behind the end, found the end of the line", "", ""}));
  EXPECT_EQ(refused("load x from x_d[0 .. n] 3").message, "expected the end of the line after the load, found `3`");
  EXPECT_EQ(refused("store x from x_d"),
            (Mistake{"expected `to` before the dram that is stored to, found `from`", "", "from"}));
  EXPECT_EQ(refused("store x to x_d[0 .. n] 3").message, "expected the end of the line after the store, found `3`");
  EXPECT_EQ(
      refused("load x from x_d[0 .. n] par"),
      (Mistake{"expected a parallel factor, which is a number or the name of a constant, found the end of the line", "",
               ""}));
  EXPECT_EQ(refused("load x from x_d[0 .. n] par 2.5"),
            (Mistake{"expected a parallel factor, which is a number or the name of a constant, found `2.5`",
                     "it is a whole number", "2.5"}));
}

TEST(PatternParse, Loops) {
  EXPECT_EQ(refused("foreach 0 .. n"), (Mistake{"expected the index of a loop, found `0`", "", "0"}));
  EXPECT_EQ(refused("foreach i 0 .. n"), (Mistake{"expected `=` after the index of the loop, found `0`", "", "0"}));
  EXPECT_EQ(refused("foreach i = n\n  a = 1.0"),
            (Mistake{"expected `..` between the first index and the end, found the end of the line", "", ""}));
  EXPECT_EQ(refused("foreach i = 0 .. n par 2 + 2").message,
            "expected the end of the line after the header of the loop, found `+`");
  EXPECT_EQ(refused("reduce a sum over i = 0 .. n"),
            (Mistake{"expected `by` before the kind of reduction, found `sum`", "", "sum"}));
  EXPECT_EQ(refused("reduce a by i = 0 .. n").message, "expected a reduction, found `i`");
  EXPECT_EQ(refused("reduce a by sum i = 0 .. n"),
            (Mistake{"expected `over` before what the reduction is over, found `i`", "", "i"}));
  EXPECT_EQ(refused("foreach scan(b n) -> p, j"),
            (Mistake{"expected `,` before the number of coordinates, or `or` or `and`, found `n`", "", "n"}));
  EXPECT_EQ(refused("foreach scan(b, n -> p, j"), (Mistake{"expected `)` to close the bracket, found `->`", "", "->"}));
  EXPECT_EQ(refused("foreach scan(b, n) p, j"),
            (Mistake{"expected `->` before the names of what a scan gives, found `p`", "", "p"}));
  EXPECT_EQ(refused("foreach scan(b, n) -> p"),
            (Mistake{"expected `,` behind the name of a position, found the end of the line", "", ""}));
  EXPECT_EQ(refused("foreach scan(b or d, n) -> p, j"),
            (Mistake{"expected `,` behind the name of a position, found the end of the line", "", ""}));
  EXPECT_EQ(
      refused("foreach scan(b or d, n) -> p, q, j"),
      (Mistake{"expected `,` behind the name of the number of iterations before, found the end of the line", "", ""}));
  EXPECT_EQ(refused("foreach scan(b, n) -> p, j, k").message,
            "expected the end of the line after the header of the loop, found `,`");
}

TEST(PatternParse, Expressions) {
  const std::string form = "numbers are `3` and `0.5`; those of other types `i32(3)`, `f32(0.5)`";
  EXPECT_EQ(refused("a = a + "), (Mistake{"expected an expression, found the end of the line", "", ""}));
  EXPECT_EQ(refused("a = and"), (Mistake{"expected an expression, found `and`", "", "and"}));
  EXPECT_EQ(refused("a = (a"), (Mistake{"expected `)` to close the bracket, found the end of the line", "", ""}));
  EXPECT_EQ(refused("a = a < a < a"),
            (Mistake{"comparisons do not chain", "join two of them with `and`: `a < b and b < c`", "<"}));
  EXPECT_EQ(refused("a = 3x"), (Mistake{"`3x` is not a number", form, "3x"}));
  EXPECT_EQ(refused("a = 3.0f"), (Mistake{"`3.0f` is not a number", form, "3.0f"}));
  EXPECT_EQ(refused("a = 1e400"), (Mistake{"`1e400` does not fit f64", "write `inf` for infinity", "1e400"}));
  EXPECT_EQ(refused("a = 9223372036854775808"),
            (Mistake{"`9223372036854775808` does not fit i64", "", "9223372036854775808"}));
  EXPECT_EQ(refused("a = -9223372036854775809").message, "`-9223372036854775809` does not fit i64");
  EXPECT_EQ(refused("a = a[0"), (Mistake{"expected `]` behind the index, found the end of the line", "", ""}));
  EXPECT_EQ(refused("a = a 3"), (Mistake{"expected the end of the line after the value, found `3`", "", "3"}));
  EXPECT_EQ(refused("a = $"), (Mistake{"unexpected character",
                                       "programs are plain text, indented by blanks; comments start with `#`", "$"}));
}

TEST(PatternParse, Calls) {
  EXPECT_EQ(refused("a = sqr(a)"), (Mistake{"`sqr` is no function", "did you mean `sqrt`?", "sqr"}));
  EXPECT_EQ(refused("a = table(3)"),
            (Mistake{"`table` is no function", "an element of a memory is read with `table[…]`", "table"}));
  EXPECT_EQ(refused("a = min(a)"),
            (Mistake{"`min` takes 2 or more arguments, found 1", "write `min(x, y)`", "min(a)"}));
  EXPECT_EQ(refused("a = pow(a, a, a)"),
            (Mistake{"`pow` takes 2 arguments, found 3", "write `pow(x, y)`", "pow(a, a, a)"}));
  EXPECT_EQ(refused("a = exp(a, a)"), (Mistake{"`exp` takes 1 argument, found 2", "write `exp(x)`", "exp(a, a)"}));
  EXPECT_EQ(refused("a = f32(a, a)"), (Mistake{"`f32` takes 1 argument, found 2", "write `f32(x)`", "f32(a, a)"}));
  EXPECT_EQ(refused("a = select(a, a)"),
            (Mistake{"`select` takes 3 arguments, found 2", "write `select(condition, x, y)`", "select(a, a)"}));
  EXPECT_EQ(refused("a = min(a; a)").message, "unexpected character");
  EXPECT_EQ(refused("a = min(a a)"), (Mistake{"expected `)` or `,` in the list of arguments, found `a`", "", "a"}));
  EXPECT_EQ(refused("let x: f64 = deq(3)"), (Mistake{"expected the name of a fifo, found `3`", "", "3"}));
  EXPECT_EQ(refused("let x: f64 = deq(q, 3)"), (Mistake{"expected `)` to close the bracket, found `,`", "", ","}));
}

TEST(PatternParse, SaysWhere) {
  EXPECT_EQ(again("pattern k\nreg a: f64 = 0.0\na = 1.0 + b\n"), R"(error: `b` is not declared here
  --> x.pattern:3:11
   |
 3 | a = 1.0 + b
   |           ^
)");
}

} // namespace
} // namespace cyclotron::pattern
