// SPDX-License-Identifier: MIT
// The invariants: a broken program for each, what is said about it, and where.
#include "unit/pattern/programs.hpp"
#include "unit/pattern/read.hpp"

namespace cyclotron::pattern {
namespace {

constexpr const char* head = R"(pattern k
sizes n
environment ip = 16
dram in x_d: f64[n] of x values
dram in p_d: i64[n + 1] of x positions 1
dram out y_d: f64[n] of y values
sram x: f64[n]
sparse sram g: f64[n]
sram whole: i64[n]
fifo q: f64[16]
fifo crd: i64[16]
reg a: f64 = 0.0
reg c: i64 = 0
reg t: bool = true
reg f: f32 = f32(0.0)
bits b[n]
)";

Mistake broken(const std::string& lines) { return mistake_in(head + lines + "\n"); }
// Of a statement of one line, at which the message points.
Mistake whole(const std::string& line, const std::string& message) { return {message, "", line}; }

TEST(PatternVerify, Right) {
  for (const char* text : {spmv, joins, odd_names, head}) EXPECT_EQ(problem_of(program_of(text)), "");
  for (const char* lines :
       {"if n < 1\n  let v: i64 = 0\nif n < 2\n  let v: f64 = 0.0", "load x from y_d[0 .. n]", "store q to y_d[0 .. n]",
        "load g from x_d[c .. whole[c]] par ip", "store g to y_d[0 .. n]", "g[c] by prod = x_d[0]", "t by all = c == 3",
        "reduce t by any over i = 0 .. n\n  let v: bool = not t\n  yield v", "t = t == (a != 2.0)",
        "foreach i = 0 .. n\n  foreach j = i .. n\n    let v: f64 = deq(q)\n    a by max = v", "a = c / 2",
        "sram w: bool[c]\nw[0] = f < f32(1.5)", "a = min(a, x[0], f64(f)) + abs(a) * log(exp(a))",
        "f = sqrt(pow(f, f))"})
    EXPECT_EQ(broken(lines), Mistake{}) << lines;
}

TEST(PatternVerify, Heads) {
  const auto of = [](const std::string& lines) { return mistake_in("pattern k\n" + lines + "\n"); };
  EXPECT_EQ(of("sizes n, n"), (Mistake{"`n` is declared twice", "", "?"}));
  EXPECT_EQ(of("sizes n\nenvironment n = 3"), (Mistake{"`n` is declared twice", "", "?"}));
  EXPECT_EQ(of("environment ip = 0"), (Mistake{"the constant `ip` is 0: parallel factors are 1 or more", "", "?"}));
  EXPECT_EQ(of("sizes n\ndram in n: f64[] of x values"), (Mistake{"`n` is declared twice", "", "?"}));
  EXPECT_EQ(of("sizes n\ndram in n: f64[n + 1] of x values"), (Mistake{"`n` is declared twice", "", "n + 1"}));
  EXPECT_EQ(of("dram in x: f64[m] of x values"), (Mistake{"`m` is not declared here", "", "m"}));
  EXPECT_EQ(of("dram in x: f64[2.0] of x values"), (Mistake{"the extent of `x` is i64, and `2.0` is f64", "", "2.0"}));
  EXPECT_EQ(of("dram in p: i64[2] of x positions 1\ndram in x: f64[p[1]] of x values"),
            (Mistake{"`p` is not declared here", "", "p[1]"}));
  EXPECT_EQ(of("dram in x: f64[2] of x positions 1"), (Mistake{"`x` has positions, which are i64, not f64", "", "2"}));
  EXPECT_EQ(of("dram in x: i32[] of x coordinates 1"),
            (Mistake{"`x` has coordinates, which are i64, not i32", "", "?"}));
}

TEST(PatternVerify, HeadsThatNoTextHas) {
  Program program = program_of(head);
  program.name = "x y";
  EXPECT_EQ(problem_of(program), "`x y` cannot be the name of a program");
  program = program_of(head);
  program.sizes.push_back("inf");
  EXPECT_EQ(problem_of(program), "`inf` cannot be the name of a size");
  program = program_of(head);
  program.environment[0].name = "2";
  EXPECT_EQ(problem_of(program), "`2` cannot be the name of a constant");
  program = program_of(head);
  program.drams[0].name = "";
  EXPECT_EQ(problem_of(program), "`` cannot be the name of a dram");
  program = program_of(head);
  program.drams[0].tensor = "x.y";
  EXPECT_EQ(problem_of(program), "`x.y` is no name of a tensor");
  program = program_of(head);
  program.drams[0].level = 1;
  EXPECT_EQ(problem_of(program),
            "`x_d` has level 1: levels of positions and coordinates count from 1, values have none");
  program.drams[0].level = 0;
  program.drams[1].level = 0;
  EXPECT_EQ(problem_of(program),
            "`p_d` has level 0: levels of positions and coordinates count from 1, values have none");
}

// The program with this statement behind it.
std::string problem_behind(decltype(Statement::kind) kind) {
  Program program = program_of(head);
  program.body.push_back({std::move(kind)});
  return problem_of(program);
}

Expr number(std::int64_t value) { return Number{ValueType::i64, value, 0}; }

TEST(PatternVerify, StatementsThatNoTextHas) {
  EXPECT_EQ(problem_behind(Declare{MemoryKind::sram, "z", ValueType::f64, {}, {}}),
            "`z` is an sram, which has an extent and no first value");
  EXPECT_EQ(problem_behind(Declare{MemoryKind::bits, "z", ValueType::f64, number(3), number(0)}),
            "`z` is bits, which has an extent and no first value");
  EXPECT_EQ(problem_behind(Declare{MemoryKind::reg, "z", ValueType::i64, number(3), number(0)}),
            "`z` is a register, which has a first value and no extent");
  EXPECT_EQ(problem_behind(Declare{MemoryKind::sram, "z z", ValueType::i64, number(3), {}}),
            "`z z` cannot be the name of a memory");
  EXPECT_EQ(problem_behind(Let{"nan", ValueType::i64, number(3)}), "`nan` cannot be the name of a value");
  EXPECT_EQ(problem_behind(Let{"v", ValueType::i64, {}}), "an operand is missing");
  EXPECT_EQ(problem_behind(Let{"v", ValueType::i64, Expr(Unary{recurrence::UnaryOp::negate, {}})}),
            "an operand is missing");
  EXPECT_EQ(problem_behind(Load{"x", "x_d", number(0), {}, {}}), "an operand is missing");
  EXPECT_EQ(problem_behind(If{Expr(Number{ValueType::boolean, 1, 0}), {}}), "this `if` has no body");
}

TEST(PatternVerify, LoopsThatNoTextHas) {
  const Body body{{Write{"c", {}, {}, number(0)}}};
  const Range range{"i", number(0), number(4)};
  EXPECT_EQ(problem_behind(Loop{range, number(1), "", Reducer::sum, {}, {}}), "this `foreach` has no body");
  EXPECT_EQ(problem_behind(Loop{range, number(1), "", Reducer::sum, body, number(0)}), "a `foreach` yields a value");
  EXPECT_EQ(problem_behind(Loop{range, number(1), "c", Reducer::sum, body, {}}),
            "the body of this `reduce` does not end with `yield`");
  EXPECT_EQ(problem_behind(Loop{range, {}, "", Reducer::sum, body, {}}), "this loop has no parallel factor");
  EXPECT_EQ(problem_behind(Loop{range, Expr(Convert{ValueType::i64, number(2)}), "", Reducer::sum, body, {}}),
            "a parallel factor is a number or an environment constant, and `i64(2)` is neither");
  EXPECT_EQ(problem_behind(Loop{Range{"a b", number(0), number(4)}, number(1), "", Reducer::sum, body, {}}),
            "`a b` cannot be the name of an index");
  const std::string names =
      "a scan of two gives two positions, a count and a coordinate, and a scan of one a position and a coordinate";
  EXPECT_EQ(problem_behind(
                Loop{Scan{"b", "", Join::either, number(4), "p", "q", "", "j"}, number(1), "", Reducer::sum, body, {}}),
            names);
  EXPECT_EQ(problem_behind(Loop{
                Scan{"b", "b", Join::either, number(4), "p", "q", "", "j"}, number(1), "", Reducer::sum, body, {}}),
            names);
  EXPECT_EQ(problem_behind(
                Loop{Scan{"b", "", Join::either, number(4), "", "", "", "j"}, number(1), "", Reducer::sum, body, {}}),
            "`` cannot be the name of what a scan gives");
}

TEST(PatternVerify, NumbersThatNoTextHas) {
  EXPECT_EQ(problem_behind(Let{"v", ValueType::i32, Expr(Number{ValueType::i32, 1ll << 31, 0})}),
            "2147483648 does not fit i32");
  EXPECT_EQ(problem_behind(Let{"v", ValueType::i32, Expr(Number{ValueType::i32, -(1ll << 31), 0})}), "");
  EXPECT_EQ(problem_behind(Let{"v", ValueType::boolean, Expr(Number{ValueType::boolean, 2, 0})}),
            "a truth value is 0 or 1");
  EXPECT_EQ(problem_behind(Let{"v", ValueType::i64, Expr(Call{recurrence::Function::min, {number(2)}})}),
            "`min` takes 2 or more arguments, found 1");
}

TEST(PatternVerify, Names) {
  EXPECT_EQ(broken("a = m"), (Mistake{"`m` is not declared here", "", "m"}));
  EXPECT_EQ(broken("a = later\nlet later: f64 = 0.0"), (Mistake{"`later` is not declared here", "", "later"}));
  EXPECT_EQ(broken("let v: i64 = v"), (Mistake{"`v` is not declared here", "", "v"}));
  EXPECT_EQ(broken("if n < 1\n  let v: i64 = 0\nc = v"), (Mistake{"`v` is not declared here", "", "v"}));
  EXPECT_EQ(broken("foreach i = 0 .. i\n  c = 0"), (Mistake{"`i` is not declared here", "", "i"}));
  EXPECT_EQ(broken("reduce c by sum over i = 0 .. n\n  yield i\nc = i"),
            (Mistake{"`i` is not declared here", "", "i"}));
  EXPECT_EQ(broken("sram n: f64[n]"), whole("sram n: f64[n]", "`n` is declared twice"));
  EXPECT_EQ(broken("reg ip: f64 = 0.0"), whole("reg ip: f64 = 0.0", "`ip` is declared twice"));
  EXPECT_EQ(broken("bits x_d[n]"), whole("bits x_d[n]", "`x_d` is declared twice"));
  EXPECT_EQ(broken("if n < 1\n  let a: i64 = 0"), whole("let a: i64 = 0", "`a` is declared twice"));
  EXPECT_EQ(broken("foreach q = 0 .. n\n  c = 0"), whole("foreach q = 0 .. n", "`q` is declared twice"));
  EXPECT_EQ(broken("foreach i = 0 .. n\n  let i: i64 = 0"), whole("let i: i64 = 0", "`i` is declared twice"));
  EXPECT_EQ(broken("foreach scan(b, n) -> j, j\n  c = 0"),
            whole("foreach scan(b, n) -> j, j", "`j` is declared twice"));
  for (const std::string line :
       {"load z from x_d[0 .. n]", "load x from z[0 .. n]", "store z to y_d[0 .. n]", "store x to z[0 .. n]", "z = 3",
        "z[0] = 3", "enq(z, 3)", "set z from crd count 0", "set b from z count 0"})
    EXPECT_EQ(broken(line), whole(line, "`z` is not declared here"));
  EXPECT_EQ(broken("let v: i64 = deq(z)"), (Mistake{"`z` is not declared here", "", "deq(z)"}));
  EXPECT_EQ(broken("a = z[0]"), (Mistake{"`z` is not declared here", "", "z[0]"}));
  EXPECT_EQ(broken("foreach scan(b or z, n) -> u, v, w, j\n  c = 0").message, "`z` is not declared here");
  EXPECT_EQ(broken("reduce z by sum over i = 0 .. n\n  yield i").message, "`z` is not declared here");
  EXPECT_EQ(broken("load x from x_d[0 .. n] par z"), (Mistake{"`z` is not declared here", "", "z"}));
}

TEST(PatternVerify, Types) {
  const auto value = [](const std::string& e) { return broken("a = " + e); };
  EXPECT_EQ(value("a + n"), (Mistake{"the operands of `+` are f64 and i64 in `a + n`", "", "a + n"}));
  EXPECT_EQ(value("a * f"), (Mistake{"the operands of `*` are f64 and f32 in `a * f`", "", "a * f"}));
  EXPECT_EQ(value("f64(t + t)"), (Mistake{"`+` has no meaning for bool", "", "t + t"}));
  EXPECT_EQ(value("f64(t < t)"), (Mistake{"`<` has no meaning for bool", "", "t < t"}));
  EXPECT_EQ(value("f64(a and a)"), (Mistake{"`and` has no meaning for f64", "", "a and a"}));
  EXPECT_EQ(value("f64(t == 1)"), (Mistake{"the operands of `==` are bool and i64 in `t == 1`", "", "t == 1"}));
  EXPECT_EQ(value("f64(not a)"), (Mistake{"`not` has no meaning for f64", "", "not a"}));
  EXPECT_EQ(value("f64(-t)"), (Mistake{"`-` has no meaning for bool", "", "-t"}));
  EXPECT_EQ(value("sqrt(n)"), (Mistake{"`sqrt` has no meaning for i64", "", "sqrt(n)"}));
  EXPECT_EQ(value("f64(abs(t))"), (Mistake{"`abs` has no meaning for bool", "", "abs(t)"}));
  EXPECT_EQ(value("f64(max(t, t))"), (Mistake{"`max` has no meaning for bool", "", "max(t, t)"}));
  EXPECT_EQ(value("min(a, a, 3)"),
            (Mistake{"the arguments of `min` are f64 and i64 in `min(a, a, 3)`", "", "min(a, a, 3)"}));
  EXPECT_EQ(value("select(n, a, a)"), (Mistake{"the condition of `select` is bool, and `n` is i64", "", "n"}));
  EXPECT_EQ(value("select(t, a, n)"), (Mistake{"the other value of `select` is f64, and `n` is i64", "", "n"}));
  EXPECT_EQ(value("x[a]"), (Mistake{"an index is i64, and `a` is f64", "", "a"}));
  EXPECT_EQ(value("i64(a)"), (Mistake{"what is written to `a` is f64, and `i64(a)` is i64", "", "i64(a)"}));
  EXPECT_EQ(broken("c = c / 2"), (Mistake{"what is written to `c` is i64, and `c / 2` is f64", "", "c / 2"}));
}

TEST(PatternVerify, KindsInExpressions) {
  const auto value = [](const std::string& e) { return broken("a = 1.0 * " + e); };
  EXPECT_EQ(value("x"), (Mistake{"`x` is an sram, and is read as `x[…]`", "", "x"}));
  EXPECT_EQ(value("g"), (Mistake{"`g` is a sparse sram, and is read as `g[…]`", "", "g"}));
  EXPECT_EQ(value("x_d"), (Mistake{"`x_d` is a dram, and is read as `x_d[…]`", "", "x_d"}));
  EXPECT_EQ(value("q"), (Mistake{"`q` is a fifo, and is read by `let x: … = deq(q)`", "", "q"}));
  EXPECT_EQ(value("b"), (Mistake{"`b` is bits, which only `scan` reads", "", "b"}));
  EXPECT_EQ(value("ip"), (Mistake{"`ip` is an environment constant, which only parallel factors name", "", "ip"}));
  EXPECT_EQ(value("n[0]"), (Mistake{"only an sram or a dram is read by an index, and `n` is a number", "", "n[0]"}));
  EXPECT_EQ(value("a[0]").message, "only an sram or a dram is read by an index, and `a` is a register");
  EXPECT_EQ(value("b[0]").message, "only an sram or a dram is read by an index, and `b` is bits");
  EXPECT_EQ(value("q[0]").message, "only an sram or a dram is read by an index, and `q` is a fifo");
  EXPECT_EQ(value("ip[0]").message, "only an sram or a dram is read by an index, and `ip` is an environment constant");
}

TEST(PatternVerify, Dequeues) {
  const std::string alone = "`deq(q)` stands inside of an expression: it may only be the whole value of a `let`";
  EXPECT_EQ(broken("let v: f64 = 1.0 + deq(q)"), (Mistake{alone, "", "deq(q)"}));
  for (const char* line : {"a = deq(q)", "enq(q, deq(q))", "reg r: f64 = deq(q)", "if deq(q)\n  a = 1.0",
                           "reduce a by sum over i = 0 .. n\n  yield deq(q)", "load x from x_d[0 .. deq(q)]",
                           "foreach i = deq(q) .. n\n  a = 0.0", "x[deq(q)] = a", "sram z: f64[deq(q)]"})
    EXPECT_EQ(broken(line), (Mistake{alone, "", "deq(q)"}));
  EXPECT_EQ(broken("let v: i64 = deq(q)"), whole("let v: i64 = deq(q)", "the value of `v` is i64, and `q` holds f64"));
  EXPECT_EQ(broken("let v: f64 = deq(x)"), whole("let v: f64 = deq(x)", "`deq` reads a fifo, and `x` is an sram"));
  EXPECT_EQ(broken("if n < 1\n  fifo own: i64[4]\nlet v: i64 = deq(own)"),
            (Mistake{"`own` is not declared here", "", "deq(own)"}));
}

TEST(PatternVerify, Declarations) {
  EXPECT_EQ(broken("sram z: f64[a]"), (Mistake{"the extent of `z` is i64, and `a` is f64", "", "a"}));
  EXPECT_EQ(broken("bits z[t]"), (Mistake{"the extent of `z` is i64, and `t` is bool", "", "t"}));
  EXPECT_EQ(broken("reg z: f64 = 0"), (Mistake{"the first value of `z` is f64, and `0` is i64", "", "0"}));
  EXPECT_EQ(broken("let z: f64 = n"), (Mistake{"the value of `z` is f64, and `n` is i64", "", "n"}));
  for (const std::string depth : {"0", "n", "2.0", "-4", "n + 1"})
    EXPECT_EQ(broken("fifo z: f64[" + depth + "]"),
              (Mistake{"the depth of a fifo is a number from 1 up, and not `" + depth + "`", "", depth}));
}

TEST(PatternVerify, LoadsAndStores) {
  const auto check = [](const std::string& line, const std::string& message) {
    EXPECT_EQ(broken(line), whole(line, message));
  };
  check("load x from g[0 .. n]", "`load` comes from a dram, and `g` is a sparse sram");
  check("load a from x_d[0 .. n]", "`load` goes into an sram or a fifo, and `a` is a register");
  check("load y_d from x_d[0 .. n]", "`load` goes into an sram or a fifo, and `y_d` is a dram");
  check("load b from x_d[0 .. n]", "`load` goes into an sram or a fifo, and `b` is bits");
  check("load x from p_d[0 .. n]", "`x` holds f64, and `p_d` i64");
  check("store x to g[0 .. n]", "`store` goes to a dram, and `g` is a sparse sram");
  check("store a to y_d[0 .. 1]", "`store` comes from an sram or a fifo, and `a` is a register");
  check("store x to x_d[0 .. n]", "`store` goes to a dram that is `out`, and `x_d` is `in`");
  check("store whole to y_d[0 .. n]", "`whole` holds i64, and `y_d` f64");
  EXPECT_EQ(broken("load x from x_d[a .. n]"), (Mistake{"the first index is i64, and `a` is f64", "", "a"}));
  EXPECT_EQ(broken("store x to y_d[0 .. a]"), (Mistake{"the end is i64, and `a` is f64", "", "a"}));
}

TEST(PatternVerify, ParallelFactors) {
  EXPECT_EQ(broken("load x from x_d[0 .. n] par 0"), (Mistake{"a parallel factor is 1 or more, not 0", "", "0"}));
  EXPECT_EQ(broken("store x to y_d[0 .. n] par -2"), (Mistake{"a parallel factor is 1 or more, not -2", "", "-2"}));
  EXPECT_EQ(broken("foreach i = 0 .. n par n\n  c = i"),
            (Mistake{"a parallel factor is a number or an environment constant, and `n` is neither", "", "n"}));
  EXPECT_EQ(broken("foreach i = 0 .. n par i\n  c = i").message,
            "a parallel factor is a number or an environment constant, and `i` is neither");
}

TEST(PatternVerify, Writes) {
  const auto check = [](const std::string& line, const std::string& message) {
    EXPECT_EQ(broken(line), whole(line, message));
  };
  check("x = 1.0", "only a register is written by its name, and `x` is an sram");
  check("n = 1", "only a register is written by its name, and `n` is a number");
  check("q = 1.0", "only a register is written by its name, and `q` is a fifo");
  check("a[0] = 1.0", "only an sram is written by an index, and `a` is a register");
  check("y_d[0] = 1.0", "only an sram is written by an index, and `y_d` is a dram");
  check("b[0] = true", "only an sram is written by an index, and `b` is bits");
  check("a by any = 1.0", "`any` has no meaning for f64, which `a` holds");
  check("t by sum = true", "`sum` has no meaning for bool, which `t` holds");
  check("x[0] by all = 1.0", "`all` has no meaning for f64, which `x` holds");
  EXPECT_EQ(broken("x[a] = 1.0"), (Mistake{"an index is i64, and `a` is f64", "", "a"}));
  EXPECT_EQ(broken("x[0] = 1"), (Mistake{"what is written to `x` is f64, and `1` is i64", "", "1"}));
}

TEST(PatternVerify, QueuesAndBits) {
  const auto check = [](const std::string& line, const std::string& message) {
    EXPECT_EQ(broken(line), whole(line, message));
  };
  check("enq(x, 1.0)", "`enq` writes to a fifo, and `x` is an sram");
  check("set x from crd count 0", "`set` sets bits, and `x` is an sram");
  check("set b from whole count 0", "`set` takes coordinates from a fifo, and `whole` is an sram");
  check("set b from q count 0", "coordinates are i64, and `q` holds f64");
  EXPECT_EQ(broken("enq(q, 1)"), (Mistake{"what is written to `q` is f64, and `1` is i64", "", "1"}));
  EXPECT_EQ(broken("set b from crd count a"), (Mistake{"the number of coordinates is i64, and `a` is f64", "", "a"}));
}

TEST(PatternVerify, LoopsAndConditions) {
  EXPECT_EQ(broken("if n\n  c = 0"), (Mistake{"a condition is bool, and `n` is i64", "", "n"}));
  EXPECT_EQ(broken("foreach i = a .. n\n  c = 0"), (Mistake{"the first index is i64, and `a` is f64", "", "a"}));
  EXPECT_EQ(broken("foreach i = 0 .. t\n  c = 0"), (Mistake{"the end is i64, and `t` is bool", "", "t"}));
  EXPECT_EQ(broken("foreach scan(b, a) -> p, j\n  c = 0"),
            (Mistake{"the number of coordinates is i64, and `a` is f64", "", "a"}));
  EXPECT_EQ(broken("foreach scan(b and x, n) -> u, v, w, j\n  c = 0"),
            whole("foreach scan(b and x, n) -> u, v, w, j", "`scan` reads bits, and `x` is an sram"));
  EXPECT_EQ(broken("reduce x by sum over i = 0 .. n\n  yield 1.0"),
            whole("reduce x by sum over i = 0 .. n", "a reduction needs a register, and `x` is an sram"));
  EXPECT_EQ(broken("reduce a by any over i = 0 .. n\n  yield 1.0"),
            whole("reduce a by any over i = 0 .. n", "`any` has no meaning for f64, which `a` holds"));
  EXPECT_EQ(broken("reduce a by sum over i = 0 .. n\n  yield i"),
            (Mistake{"what `a` reduces is f64, and `i` is i64", "", "i"}));
}

} // namespace
} // namespace cyclotron::pattern
