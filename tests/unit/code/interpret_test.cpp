// SPDX-License-Identifier: MIT
// What kernels compute, checked against what the header of the IR says.
#include "unit/code/read.hpp"

#include "code/interpret.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace cyclotron::code {
namespace {

template <class T> Bytes bytes_of_list(const std::vector<T>& list) {
  Bytes bytes(list.size() * sizeof(T));
  if (!list.empty()) std::memcpy(bytes.data(), list.data(), bytes.size());
  return bytes;
}

template <class T> std::vector<T> list_of(const Bytes& bytes) {
  std::vector<T> list(bytes.size() / sizeof(T));
  if (!list.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
  return list;
}

// The problem with the place that it names, or "".
std::string said(const Outcome& outcome, const std::string& text) {
  if (!outcome.problem) return "";
  const Span span = outcome.problem->span;
  return outcome.problem->message +
         (span.known() ? " at `" + text.substr(span.begin, span.end - span.begin) + "`" : "");
}

// What a worker stores with this line to `y`, an output of 8 elements of T of its type, all 9 before; or a problem.
template <class T> std::vector<T> stored(const std::string& type, const std::string& line, Choices choices = {}) {
  const std::string text = "kernel k lanes 4\nin x: f64\nin p: i64\nout y: " + type +
                           "\nscratch s: f64[8]\nworkers b = 0 .. 1\n  " + line + "\n";
  std::map<std::string, Bytes> memories{{"x", bytes_of_list<double>({10, 11, 12, 13, 14, 15})},
                                        {"p", bytes_of_list<std::int64_t>({3, 1, 0, 5})},
                                        {"y", bytes_of_list(std::vector<T>(8, 9))}};
  const Outcome outcome = interpret(kernel_of(text), {}, memories, choices);
  EXPECT_EQ(said(outcome, text), "");
  return list_of<T>(memories.at("y"));
}

std::vector<double> reals(const std::string& line, Choices choices = {}) {
  return stored<double>("f64", line, choices);
}

TEST(CodeInterpret, Elements) {
  using List = std::vector<double>;
  EXPECT_EQ(reals("store y[1 : 1] = x[2 : 1]"), (List{9, 12, 13, 14, 15, 9, 9, 9}));
  EXPECT_EQ(reals("store y[7 : -2] = x[0 : 0]"), (List{9, 10, 9, 10, 9, 10, 9, 10}));
  EXPECT_EQ(reals("store y[0 : 1] = x[p[0 : 1]]"), (List{13, 11, 10, 15, 9, 9, 9, 9}));
  EXPECT_EQ(reals("store y[p[0 : 1]] = x[0 : 1]"), (List{12, 11, 9, 10, 9, 13, 9, 9}));
  EXPECT_EQ(reals("store y[0 : 1] = x[4 : 1 if lane < lanes(2i32)] if lane != lanes(2i32)"),
            (List{14, 15, 9, 0, 9, 9, 9, 9}));
  EXPECT_EQ(reals("store y[3] = x[9 if false] + x[1 if true]"), (List{9, 9, 9, 11, 9, 9, 9, 9}));
  EXPECT_EQ(reals("store y[30] = x[1] if false"), List(8, 9));
  EXPECT_EQ(reals("store y[2 : 0] = x[0 : 1]")[2], 13);
  EXPECT_EQ(reals("store y[2 : 0] = x[0 : 1]", {true, 0})[2], 10);
}

TEST(CodeInterpret, Lanes) {
  using List = std::vector<double>;
  const auto four = [](const std::string& e, Choices choices = {}) {
    List all = reals("store y[0 : 1] = " + e, choices);
    all.resize(4);
    return all;
  };
  EXPECT_EQ(four("shift(x[0 : 1], 1, x[2 : 1])"), (List{15, 10, 11, 12}));
  EXPECT_EQ(four("shift(x[0 : 1], 3, x[2 : 1])"), (List{13, 14, 15, 10}));
  EXPECT_EQ(four("shift(x[0 : 1], -1, x[2 : 1])"), (List{11, 12, 13, 12}));
  EXPECT_EQ(four("shift(x[0 : 1], -3, x[2 : 1])"), (List{13, 12, 13, 14}));
  EXPECT_EQ(four("shift(x[0 : 1], 2)", {false, 77}), (List{77, 77, 10, 11}));
  EXPECT_EQ(four("lanes(extract(x[0 : 1], 2))"), (List{12, 12, 12, 12}));
  EXPECT_EQ(four("f64(lane)"), (List{0, 1, 2, 3}));
  EXPECT_EQ(four("select(lane < lanes(2i32), lanes(1.0), lanes(2.0))"), (List{1, 1, 2, 2}));
  EXPECT_EQ(four("lanes(select(any(lane == lanes(3i32)), 1.0, 2.0))"), (List{1, 1, 1, 1}));
  EXPECT_EQ(four("lanes(select(any(lane == lanes(4i32)), 1.0, 2.0))"), (List{2, 2, 2, 2}));
  EXPECT_EQ(four("s[0 : 1]", {false, 5}), (List{5, 5, 5, 5}));
}

TEST(CodeInterpret, WholeNumbers) {
  const auto one = [](const std::string& e) { return stored<std::int64_t>("i64", "store y[0] = " + e)[0]; };
  EXPECT_EQ(one("9223372036854775807 + 1"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(one("i64(32767i16 + 1i16)"), -32768);
  EXPECT_EQ(one("i64(-32768i16 / -1i16)"), -32768);
  EXPECT_EQ(one("-9223372036854775808 / -1"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(one("i64(65536i32 * 65536i32)"), 0);
  EXPECT_EQ(one("i64(abs(-2147483648i32))"), -2147483648);
  EXPECT_EQ(one("-7 / 2"), -3);
  EXPECT_EQ(one("-7 // 2"), -4);
  EXPECT_EQ(one("-7 % 2"), 1);
  EXPECT_EQ(one("-9223372036854775808 // 9223372036854775807"), -2);
  EXPECT_EQ(one("-9223372036854775808 // 1"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(one("6 & 3 | 8 ^ 1"), 11);
  EXPECT_EQ(one("i64(i16(65537))"), 1);
  EXPECT_EQ(one("i64(-2.9)"), -2);
  EXPECT_EQ(one("i64(bool(0.5)) + i64(bool(0))"), 1);
  EXPECT_EQ(one("min(-3, 2) * 100 + max(-3, 2)"), -298);
  EXPECT_EQ(one("select(true != false and not (1 < 1) or false, 5, 6)"), 5);
}

TEST(CodeInterpret, Reals) {
  const auto one = [](const std::string& e) { return reals("store y[0] = " + e)[0]; };
  EXPECT_EQ(one("f64(0.1f)"), static_cast<double>(0.1f));
  EXPECT_EQ(one("f64(0.1f + 0.2f)"), static_cast<double>(0.1f + 0.2f));
  EXPECT_EQ(one("f64(16777217)"), 16777217);
  EXPECT_EQ(one("f64(f32(16777217))"), 16777216);
  EXPECT_EQ(one("sqrt(2.0)"), std::sqrt(2.0));
  EXPECT_EQ(one("f64(exp(1.0f))"), static_cast<double>(std::exp(1.0f)));
  EXPECT_EQ(one("pow(2.0, 0.5) + log(3.0) - abs(-2.0)"), std::pow(2.0, 0.5) + std::log(3.0) - 2);
  for (const char* e : {"min(nan, 1.0)", "min(1.0, nan)", "max(nan, 1.0)", "max(1.0, nan)", "0.0 / 0.0", "f64(nanf)"})
    EXPECT_TRUE(std::isnan(one(e))) << e;
  EXPECT_EQ(one("min(-inf, 1.0)"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(one("max(f64(inff), 1.0)"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(one("select(nan == nan or nan < 1.0 or not nan != nan, 1.0, 2.0)"), 2);
}

struct Answer {
  std::vector<std::int64_t> y;
  std::int64_t failure = 0;
  std::string problem;
};

Answer run(const std::string& statements, std::int64_t n, Choices choices = {}) {
  const std::string text = "kernel k lanes 4\nsizes n\nout y: i64\nscratch s: i64[4]\nshared t: i64[4]\n" + statements;
  std::map<std::string, Bytes> memories{{"y", bytes_of_list(std::vector<std::int64_t>(4))}};
  const Outcome outcome = interpret(kernel_of(text), {{"n", n}}, memories, choices);
  return {list_of<std::int64_t>(memories.at("y")), outcome.failure, said(outcome, text)};
}

TEST(CodeInterpret, Loops) {
  using List = std::vector<std::int64_t>;
  const auto visited = [](const std::string& range) {
    return run("workers b = 0 .. 1\n  var a: i64\n  for q = " + range + "\n    a = a * 10 + q\n  store y[0] = a\n", 4)
        .y[0];
  };
  EXPECT_EQ(visited("1 .. n"), 123);
  EXPECT_EQ(visited("1 .. n + 4 step 3"), 147);
  EXPECT_EQ(visited("n .. 0 step -1"), 4321);
  EXPECT_EQ(visited("n .. 0 step -3"), 41);
  EXPECT_EQ(visited("n .. 1"), 0);
  EXPECT_EQ(visited("9223372036854775806 .. 9223372036854775807 step 5") % 10, 9223372036854775806 % 10);
  const std::string once = "workers b = 0 .. n\n  if b < 3\n    store y[b] = b + 1\n    store y[3] = b + 1\n";
  EXPECT_EQ(run(once, 9).y, (List{1, 2, 3, 3}));
  EXPECT_EQ(run(once, 9, {true, 0}).y, (List{1, 2, 3, 1}));
}

TEST(CodeInterpret, MemoriesOfWorkersAndBlocks) {
  const std::string scratch = "workers b = 0 .. 2\n  store y[b] = s[0]\n  store s[0] = 5\n";
  EXPECT_EQ(run(scratch, 0, {false, 7}).y, (std::vector<std::int64_t>{7, 7, 0, 0}));
  const std::string shared = "blocks o = 0 .. 2\n  workers g = 0 .. 4\n    store t[g] = g + o * 10\n  barrier\n"
                             "  workers g = 0 .. 2\n    store y[o * 2 + g] = t[3 - g]\n";
  EXPECT_EQ(run(shared, 0).y, (std::vector<std::int64_t>{3, 2, 13, 12}));
  EXPECT_EQ(run(shared, 0, {true, 0}).y, (std::vector<std::int64_t>{3, 2, 13, 12}));
}

TEST(CodeInterpret, TheSmallestFailureWins) {
  const std::string text =
      "fail 5 if n < 3\nworkers b = 0 .. 2\n  fail 3 if lane == lanes(i32(n))\n  store y[b] = 1\nfail 4 if 1 < n\n";
  EXPECT_EQ(run(text, 1).failure, 3);
  EXPECT_EQ(run(text, -1).failure, 5);
  EXPECT_EQ(run(text, 2).failure, 3);
  EXPECT_EQ(run(text, 4).failure, 4);
  EXPECT_EQ(run(text, 1).y, (std::vector<std::int64_t>{1, 1, 0, 0})); // it goes on
  EXPECT_EQ(run("fail 1 if n < 0\n", 0).failure, 0);
}

TEST(CodeInterpret, WhatMustNotBe) {
  const auto problem = [](const std::string& line) { return run("workers b = 0 .. 1\n  " + line + "\n", 0).problem; };
  EXPECT_EQ(problem("var a: i64 = y[4]"), "`y[4]` is outside of its 4 elements at `y[4]`");
  EXPECT_EQ(problem("var a: i64 lanes = y[1 : 1]"), "`y[4]` is outside of its 4 elements, in lane 3 at `y[1 : 1]`");
  EXPECT_EQ(problem("store y[2 : -1] = lanes(0)"),
            "`y[-1]` is outside of its 4 elements, in lane 3 at `store y[2 : -1] = lanes(0)`");
  EXPECT_EQ(problem("var a: i64 = s[n - 1]"), "`s[-1]` is outside of its 4 elements at `s[n - 1]`");
  EXPECT_EQ(problem("var a: i64 = 1 / n"), "a divisor of `/` is 0, in `1 / n` at `1 / n`");
  EXPECT_EQ(problem("var a: i64 lanes = lanes(1) % i64(lane - lanes(1i32))"),
            "a divisor of `%` is -1, and not positive, in `lanes(1) % i64(lane - lanes(1i32))` at "
            "`lanes(1) % i64(lane - lanes(1i32))`");
  EXPECT_EQ(problem("var a: i16 = i16(40000.0)"), "40000 does not fit i16, in `i16(40000.0)` at `i16(40000.0)`");
  EXPECT_EQ(problem("var a: i64 = i64(nan)"), "nan does not fit i64, in `i64(nan)` at `i64(nan)`");
  EXPECT_EQ(problem("var a: i32 = extract(lane, n + 4)"), "there is no lane 4 of 4 at `extract(lane, n + 4)`");
  EXPECT_EQ(problem("var a: i16 = i16(32767.9) + i16(-32768.9)"), "");
}

TEST(CodeInterpret, WhatIsNotGiven) {
  std::map<std::string, Bytes> none;
  EXPECT_EQ(interpret(kernel_of("kernel k lanes 4\nsizes n\nfail 1 if n < 1\n"), {}, none).problem->message,
            "the size `n` is not given");
  EXPECT_EQ(interpret(kernel_of("kernel k lanes 4\nin x: f32\nfail 1 if x[0] < 0.0f\n"), {}, none).problem->message,
            "the memory `x` is not given");
}

} // namespace
} // namespace cyclotron::code
