// SPDX-License-Identifier: MIT
// The invariants: one broken kernel for each, and what is said about it.
#include "unit/code/read.hpp"

#include "code/build.hpp"

namespace cyclotron::code {
namespace {

constexpr const char* head = R"(kernel k lanes 8
sizes n
in x: f32
in p: i32
out y: f32
scratch s: f32[n + 8]
shared t: f32[64]
)";

std::string wrong(const std::string& body) { return message_of(head + body); }
// In a loop of workers, each line by itself.
std::string wrong_inside(const std::string& line) {
  return wrong("workers b = 0 .. n\n  var v: f32 lanes\n  " + line + "\n");
}

TEST(CodeVerify, Heads) {
  EXPECT_EQ(message_of("kernel k lanes 3\nfail 1 if true\n"), "3 lanes: expected 1, 2, 4, 8, 16, 32 or 64");
  EXPECT_EQ(message_of("kernel k lanes 128\nfail 1 if true\n"), "128 lanes: expected 1, 2, 4, 8, 16, 32 or 64");
  EXPECT_EQ(message_of("kernel k lanes 4\nsizes n, n\nfail 1 if true\n"), "there are two names `n`");
  EXPECT_EQ(message_of("kernel k lanes 4\nsizes n\nin n: f32\nfail 1 if true\n"), "there are two names `n`");
  const auto memory = [](const std::string& line) {
    return message_of("kernel k lanes 4\nsizes n\n" + line + "\nfail 1 if true\n");
  };
  EXPECT_EQ(memory("scratch s: f32"), "memory `s` has no number of elements");
  EXPECT_EQ(memory("in s: f32[4]"), "memory `s` has a number of elements of its own");
  EXPECT_EQ(memory("scratch s: f32[2.0]"), "the number of elements of `s` is f64");
  EXPECT_EQ(memory("scratch s: f32[m]"), "`m` is not declared here");
  EXPECT_EQ(memory("scratch s: f32[select(n < 2, 1, n)]"),
            "the number of elements of `s` is more than arithmetic in the sizes");
  EXPECT_EQ(memory("scratch s: f32[n & 3]"), "the number of elements of `s` is more than arithmetic in the sizes");
  EXPECT_EQ(memory("scratch s: f32[4 // n]"),
            "the number of elements of `s` is divided by what is no number from 1 up");
  EXPECT_EQ(memory("shared t: f32[n]"), "the number of elements of `t`, which is shared, is no number from 1 up");
  EXPECT_EQ(memory("shared t: f32[0]"), "the number of elements of `t`, which is shared, is no number from 1 up");
}

TEST(CodeVerify, HeadsThatNoTextHas) {
  Kernel kernel = kernel_of("kernel k lanes 4\nsizes n\nfail 1 if n < 1\n");
  kernel.name = "lanes";
  EXPECT_EQ(problem_of(kernel), "`lanes` cannot be the name of the kernel");
  kernel.name = "k";
  kernel.body = {};
  EXPECT_EQ(problem_of(kernel), "the kernel has no body");
  kernel.body = {build::assign("a", {})};
  EXPECT_EQ(problem_of(kernel), "`a` is not declared here");
  kernel.body = {build::declare("a", {Scalar::i64, false}, Expr(Unary{UnaryOp::negate, {}}))};
  EXPECT_EQ(problem_of(kernel), "an operand is missing");
}

TEST(CodeVerify, Names) {
  EXPECT_EQ(wrong("fail 1 if m < 2\n"), "`m` is not declared here");
  EXPECT_EQ(wrong("var a: i64\nvar a: i64\n"), "`a` is declared twice");
  EXPECT_EQ(wrong("var n: i64\n"), "`n` is declared twice");
  EXPECT_EQ(wrong("var x: i64\n"), "`x` is declared twice");
  EXPECT_EQ(wrong("var a: i64\nfor a = 0 .. n\n  fail 1 if true\n"), "`a` is declared twice");
  EXPECT_EQ(wrong("if n < 1\n  var a: i64\nfail 1 if a < 1\n"), "`a` is not declared here");
  EXPECT_EQ(wrong("if n < 1\n  var a: i64\nif n < 2\n  var a: f64\n"), "");
  EXPECT_EQ(wrong("var a: i64 = a\n"), "`a` is not declared here");
  EXPECT_EQ(wrong("n = 3\n"), "`n` is no variable that can be assigned");
  EXPECT_EQ(wrong("for a = 0 .. n\n  a = 3\n"), "`a` is no variable that can be assigned");
  EXPECT_EQ(wrong("a = 3\n"), "`a` is not declared here");
  EXPECT_EQ(wrong_inside("v = z[0 : 1]"), "there is no memory `z`");
}

TEST(CodeVerify, Types) {
  EXPECT_EQ(wrong_inside("v = v + 1.0f"), "the operands of `+` are f32 lanes and f32 in `v + 1.0f`");
  EXPECT_EQ(wrong_inside("v = v * lanes(1.0)"), "the operands of `*` are f32 lanes and f64 lanes in `v * lanes(1.0)`");
  EXPECT_EQ(wrong_inside("v = v // v"), "`//` has no meaning for f32 lanes");
  EXPECT_EQ(wrong_inside("v = sqrt(lane)"), "`sqrt` has no meaning for i32 lanes");
  EXPECT_EQ(wrong_inside("v = not v"), "`not` has no meaning for f32 lanes");
  EXPECT_EQ(wrong_inside("v = -lanes(true)"), "`-` has no meaning for bool lanes");
  EXPECT_EQ(wrong_inside("v = lanes(true) < lanes(false)"), "`<` has no meaning for bool lanes");
  EXPECT_EQ(wrong_inside("v = v and v"), "`and` has no meaning for f32 lanes");
  EXPECT_EQ(wrong_inside("v = 1.0f"), "the value of `v` is f32 lanes, and `1.0f` is f32");
  EXPECT_EQ(wrong_inside("var a: f32 = v"), "the value of `a` is f32, and `v` is f32 lanes");
  EXPECT_EQ(wrong_inside("v = lanes(v)"), "`lanes` spreads one number, and `v` is lanes already");
  EXPECT_EQ(wrong_inside("v = select(b < 2, v, v)"), "the condition of `select` is bool lanes, and `b < 2` is bool");
  EXPECT_EQ(wrong_inside("v = select(v < v, v, lane)"),
            "the other value of `select` is f32 lanes, and `lane` is i32 lanes");
  EXPECT_EQ(wrong_inside("v = shift(v, 8)"), "a shift by 8 among 8 lanes");
  EXPECT_EQ(wrong_inside("v = shift(v, 0)"), "a shift by 0 among 8 lanes");
  EXPECT_EQ(wrong_inside("v = shift(1.0f, 1)"), "`shift` wants lanes, and `1.0f` is f32");
  EXPECT_EQ(wrong_inside("v = shift(v, 1, lane)"),
            "what a shift takes its first lanes from is f32 lanes, and `lane` is i32 lanes");
  EXPECT_EQ(wrong_inside("v = lanes(extract(v, 1i32))"), "the number of a lane is i64, and `1i32` is i32");
  EXPECT_EQ(wrong_inside("if any(v)\n    v = v"), "what `any` looks at is bool lanes, and `v` is f32 lanes");
  EXPECT_EQ(wrong_inside("fail 1 if v"), "the condition of a failure is f32 lanes");
}

TEST(CodeVerify, NumbersThatNoTextHas) {
  const auto problem = [](const Expr& e) {
    Kernel kernel = kernel_of("kernel k lanes 4\nfail 1 if true\n");
    kernel.body = {{Fail{1, Expr(Binary{BinaryOp::equal, e, e})}}};
    return problem_of(kernel);
  };
  EXPECT_EQ(problem(build::number(40000, Scalar::i16)), "40000 does not fit i16");
  EXPECT_EQ(problem(build::number(2, Scalar::boolean)), "a truth value is 0 or 1");
  EXPECT_EQ(problem(build::number(-32768, Scalar::i16)), "");
}

TEST(CodeVerify, ElementsOfMemories) {
  EXPECT_EQ(wrong_inside("v = x[1.0 : 1]"), "an index with a stride is i64, and `1.0` is f64");
  EXPECT_EQ(wrong_inside("v = x[lane : 1]"), "an index with a stride is i64, and `lane` is i32 lanes");
  EXPECT_EQ(wrong_inside("v = x[0 : 1i32]"), "a stride is i64, and `1i32` is i32");
  EXPECT_EQ(wrong_inside("v = x[v]"), "an index is i64, i32 lanes or i64 lanes, and `v` is f32 lanes");
  EXPECT_EQ(wrong_inside("v = x[1i32]"), "an index is i64, i32 lanes or i64 lanes, and `1i32` is i32");
  EXPECT_EQ(wrong_inside("v = x[lane if b < 1]"), "the mask of this load is bool lanes, and `b < 1` is bool");
  EXPECT_EQ(wrong_inside("store y[0 : 1] = v if b < 1"), "the mask of this store is bool lanes, and `b < 1` is bool");
  EXPECT_EQ(wrong_inside("store y[0] = v"), "what is stored to `y` here is f32, and `v` is f32 lanes");
  EXPECT_EQ(wrong_inside("store x[0 : 1] = v"), "`x` is read only");
  EXPECT_EQ(wrong_inside("store s[0 : 1] = x[0 : 1] + x[lane] + lanes(s[0])"), "");
}

TEST(CodeVerify, Loops) {
  EXPECT_EQ(wrong_inside("for q = 0 .. 1i32\n    v = v"), "where a loop ends is i64, and `1i32` is i32");
  EXPECT_EQ(wrong_inside("for q = 0.0 .. n\n    v = v"), "where a loop begins is i64, and `0.0` is f64");
  EXPECT_EQ(wrong_inside("for q = i64(lane) .. n\n    v = v"),
            "where a loop begins is i64, and `i64(lane)` is i64 lanes");
  EXPECT_EQ(wrong_inside("for q = 0 .. n step 0\n    v = v"), "the loop over `q` has a step of 0");
  EXPECT_EQ(wrong("workers q = 0 .. n unroll 2\n  fail 1 if true\n"), "the loop over `q` cannot be unrolled so");
  EXPECT_EQ(wrong_inside("if v < v\n    v = v"), "a condition is bool, and `v < v` is bool lanes");
  EXPECT_EQ(wrong("for i = 0 .. n\n  blocks q = 0 .. n\n    fail 1 if true\n"), "`blocks` stand inside of a loop");
  EXPECT_EQ(wrong("blocks i = 0 .. n\n  blocks q = 0 .. n\n    fail 1 if true\n"), "`blocks` stand inside of a loop");
  EXPECT_EQ(wrong("for i = 0 .. n\n  workers q = 0 .. n\n    fail 1 if true\n"),
            "`workers` stand in a loop that is not `blocks`");
  EXPECT_EQ(wrong_inside("workers q = 0 .. n\n    v = v"), "`workers` stand in a loop that is not `blocks`");
  EXPECT_EQ(wrong("blocks o = 0 .. n\n  for i = 0 .. n\n    workers q = 0 .. n\n      fail 1 if true\n"), "");
  EXPECT_EQ(wrong("if n < 2\n  workers q = 0 .. n\n    fail 1 if true\n"), "");
}

TEST(CodeVerify, BodiesAreNotEmpty) {
  Kernel kernel = kernel_of("kernel k lanes 4\nfail 1 if true\n");
  kernel.body = {build::loop(Run::serial, "q", build::number(0), build::number(1), {})};
  EXPECT_EQ(problem_of(kernel), "the loop over `q` has no body");
  kernel.body = {build::when(build::truth(true), {})};
  EXPECT_EQ(problem_of(kernel), "the condition has no body");
}

TEST(CodeVerify, WhatRunsAtOnceAssignsItsOwnOnly) {
  EXPECT_EQ(wrong("var a: i64\nworkers b = 0 .. n\n  a = b\n"),
            "`a` is declared outside of a loop whose iterations run at once, and assigned inside");
  EXPECT_EQ(wrong("blocks o = 0 .. n\n  var a: i64\n  workers b = 0 .. n\n    a = b\n"),
            "`a` is declared outside of a loop whose iterations run at once, and assigned inside");
  EXPECT_EQ(wrong("blocks o = 0 .. n\n  var a: i64\n  for b = 0 .. n\n    a = b\n"), "");
}

TEST(CodeVerify, WhereMemoriesAreUsed) {
  EXPECT_EQ(wrong("var a: f32 = s[0]\n"), "`s` is scratch, and used outside of `workers`");
  EXPECT_EQ(wrong("blocks o = 0 .. n\n  var a: f32 = s[0]\n"), "`s` is scratch, and used outside of `workers`");
  EXPECT_EQ(wrong_inside("store t[0 : 1] = v"), "`t` is shared, and used outside of `blocks`");
  EXPECT_EQ(wrong("store y[0] = 1.0f\n"), "`store` stands outside of `workers`");
  EXPECT_EQ(wrong("blocks o = 0 .. n\n  store y[0] = 1.0f\n"), "`store` stands outside of `workers`");
}

TEST(CodeVerify, Barriers) {
  const std::string message = "`barrier` stands outside of `blocks`, or inside of `workers` or `if`";
  EXPECT_EQ(wrong("barrier\n"), message);
  EXPECT_EQ(wrong_inside("barrier"), message);
  EXPECT_EQ(wrong("blocks o = 0 .. n\n  if n < 2\n    barrier\n"), message);
  EXPECT_EQ(wrong("blocks o = 0 .. n\n  workers b = 0 .. n\n    barrier\n"), message);
  EXPECT_EQ(wrong("if n < 2\n  blocks o = 0 .. n\n    for i = 0 .. n\n      barrier\n"), "");
}

TEST(CodeVerify, Failures) {
  EXPECT_EQ(wrong("fail 0 if true\n"), "the number of a failure is 1 or more, not 0");
  EXPECT_EQ(wrong("fail 2147483647 if true\n"), "the number of a failure is 1 or more, not 2147483647");
}

TEST(CodeVerify, LoopsDoNotWaitForEachOther) {
  const std::string message =
      "`y` is stored to in one outermost loop and loaded in another place, which does not wait for it";
  const std::string store = "workers b = 0 .. n\n  store y[b] = 1.0f\n";
  EXPECT_EQ(wrong(store + "workers c = 0 .. n\n  var a: f32 = y[c]\n"), message);
  EXPECT_EQ(wrong(store + "fail 1 if y[0] < 1.0f\n"), message);
  EXPECT_EQ(wrong(store + "workers c = 0 .. n\n  store y[c] = 2.0f\n"), "");
  EXPECT_EQ(wrong("workers b = 0 .. n\n  store y[b] = y[b] + 1.0f\n"), "");
}

} // namespace
} // namespace cyclotron::code
