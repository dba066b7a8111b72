// SPDX-License-Identifier: MIT
// Programs in C++ say the same as programs in the language.
#include "embedded.hpp"

#include "frontend/parse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

namespace cyclotron::test {

namespace {

recurrence::Program parsed(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  recurrence::Program program = frontend::parse(sources.add("text", text), diagnostics).program;
  EXPECT_FALSE(diagnostics.failed()) << diagnostics.render(false);
  program.defaults.clear(); // not part of an embedded program: its inputs are named in calls
  return program;
}

std::string read(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The same as `expected`, once parsed.
void expect_text(const Program& program, const std::string& expected) {
  EXPECT_EQ(print(parsed(program.text())), print(parsed(expected)));
  EXPECT_TRUE(parsed(program.text()) == parsed(expected));
}

class Example : public testing::TestWithParam<std::pair<const std::string, std::function<Program()>>> {};

TEST_P(Example, IsTheSameInCpp) {
  const Program program = GetParam().second();
  expect_text(program, read(std::string(CYCLOTRON_EXAMPLES) + "/" + GetParam().first + ".cyc"));
  program.check();
}

Programs all_programs() {
  Programs programs;
  add_linear_algebra(programs);
  add_sequences(programs);
  add_steps_and_tiles(programs);
  return programs;
}

INSTANTIATE_TEST_SUITE_P(All, Example, testing::ValuesIn(all_programs()),
                         [](const auto& example) { return example.param.first; });

const Index i("i"), j("j"), k("k"), l("l");
const Size n("n"), m("m");

std::string message_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.message();
  }
  return "no error";
}

TEST(Expression, BindsAsInTheLanguage) {
  const Expression a = i, b = j, c = k;
  EXPECT_EQ((a - (b - c)).text(), "i - (j - k)");
  EXPECT_EQ((a - b - c).text(), "i - j - k");
  EXPECT_EQ((a / (b * c)).text(), "i / (j * k)");
  EXPECT_EQ(((a + b) * c).text(), "(i + j) * k");
  EXPECT_EQ((-(a + b)).text(), "-(i + j)");
  EXPECT_EQ((a * -b).text(), "i * -j");
  EXPECT_EQ((a - -3).text(), "i - -3");
  EXPECT_EQ((!(a < b) && (a == b || b != c)).text(), "not i < j and (i == j or j != k)");
  EXPECT_EQ(((a < b) == (b < c)).text(), "(i < j) == (j < k)");
  EXPECT_EQ((!(a < b || b < c)).text(), "not (i < j or j < k)");
}

TEST(Expression, NumbersComeBackAsTheyWere) {
  for (const double x : {0.1, 1e300, 5e-324, 1.0, -2.5, 1e22, 123456789.125}) {
    Tensor y("y", {n});
    Program p;
    p += y(i) = x;
    const recurrence::Program back = parsed(p.text());
    const auto* negative = recurrence::as<recurrence::Unary>(back.equations[0].value);
    const auto* number = recurrence::as<recurrence::Number>(negative ? negative->operand : back.equations[0].value);
    ASSERT_TRUE(number) << p.text();
    EXPECT_EQ(negative ? -number->value : number->value, x);
    EXPECT_FALSE(number->integer) << "a real number is not a whole one: " << p.text();
  }
  EXPECT_EQ(Expression(std::int64_t{1} << 40).text(), "1099511627776");
  EXPECT_EQ(Expression(true).text(), "true");
  EXPECT_EQ(Expression(-std::numeric_limits<double>::infinity()).text(), "-inf");
  EXPECT_EQ(Expression(std::numeric_limits<std::int64_t>::min()).text(), "-9223372036854775807 - 1");
  EXPECT_EQ(message_of([] { Expression(std::nan("")); }), "a constant of a program cannot be NaN");
}

TEST(Expression, ReductionsOverSeveralVariables) {
  Tensor A("A", {n, n});
  EXPECT_EQ(sum[k][l](A(k, l)).text(), "sum[k, l](A(k,l))");
  EXPECT_EQ((sum[{k, l}](A(k, l)).text()), "sum[k, l](A(k,l))");
  EXPECT_EQ(prod[k](A(k, k)).text(), "prod[k](A(k,k))");
  EXPECT_EQ(all[k](A(k, k) > 0).text(), "all[k](A(k,k) > 0)");
  EXPECT_EQ(min[k](min(A(k, k), 0, i)).text(), "min[k](min(A(k,k), 0, i))");
}

TEST(Program, AllKindsOfDeclarations) {
  Constant c("c", 2), d("d", c * 0.5);
  Tensor A("A", {n, m}, f32, Format({Level::dense, Level::compressed}, {1, 0}));
  Tensor B("B", {n, 10}, i64, coo.in(Region::offchip)), s("s", {}, boolean), y("y", {n + 1}, f32);
  Program p;
  p.assume(2 <= n, n < m && m <= 100);
  p += y(i) = A(i, j) * d + select(s, 1, log(pow(abs(B(i, 0)), 2))), where(i < n);
  expect_text(p, R"(let c = 2
let d = c * 0.5
tensor A(n, m): f32 {dense, compressed} order (1,0)
tensor B(n, 10): i64 coo offchip
tensor s: bool
tensor y(n+1): f32
assume 2 <= n, n < m, m <= 100
y(i) = A(i,j) * d + select(s, 1, log(pow(abs(B(i,0)), 2))) : i < n
)");
}

TEST(Program, ASizeThatOnlyValuesMentionIsDeclared) {
  Size steps("steps");
  Tensor x("x", {n});
  Program p;
  p += x(i) = steps + i;
  expect_text(p, "tensor x(n)\nassume 0 <= steps\nx(i) = steps + i\n");
  p.check();
}

TEST(Program, ChainsAndConjunctionsAreConstraints) {
  Tensor x("x", {n}), y("y", {n});
  Program p;
  p += x(i) = sum[j](y(j)), where(0 <= j < i, i != 3);
  p += (x(0) = 1) | (n == 1);
  expect_text(p, "tensor x(n)\ntensor y(n)\nx(i) = sum[j](y(j)) : 0 <= j < i, i != 3\nx(0) = 1 : n == 1\n");
  Program wrong;
  wrong += x(i) = 1, where(i < 3 || i > 5);
  EXPECT_EQ(message_of([&] { wrong.text(); }), "`i < 3 or i > 5` is no constraint");
  EXPECT_EQ(message_of([&] { Program().assume(n + 1).text(); }), "`n + 1` cannot be assumed");
}

TEST(Names, CannotCarryText) {
  for (const char* name : {"", "i j", "i)", "1i", "i\n", "x(i) = 0 #", "\xc3\xa4", "a-b"}) {
    EXPECT_THROW(Index{name}, Error) << name;
    EXPECT_THROW(Size{name}, Error) << name;
    EXPECT_THROW((Tensor(name, {n})), Error) << name;
    EXPECT_THROW((Constant(name, 1)), Error) << name;
    EXPECT_THROW(call(name, i), Error) << name;
  }
  EXPECT_EQ(message_of([] { Index("sum"); }), "`sum` cannot be the name of an index: it is a word of the language");
  EXPECT_EQ(message_of([] { Tensor("GEMM"); }), "`GEMM` cannot be the name of a tensor: it is a word of the language");
  EXPECT_EQ(message_of([] { call("GEMMM", i); }), "`GEMMM` is no kernel");
}

TEST(Names, HaveOneMeaning) {
  Tensor x("x", {n});
  Program p;
  p += x(Index("n")) = 1;
  EXPECT_EQ(message_of([&] { p.text(); }), "`n` is both a size and an index");
  Program q;
  q += x(i) = Tensor("x", {n})(i);
  EXPECT_EQ(message_of([&] { q.text(); }), "two tensors are called `x`");
  Program r;
  r += x(i) = Constant("c", 1) + Constant("c", 1);
  EXPECT_EQ(message_of([&] { r.text(); }), "two constants are called `c`");
}

TEST(Errors, SayWhereAndWhat) {
  try {
    Program::from_text("tensor x(n)\ntensor y(n)\ny(i) = x(i-1)\n", "blur.cyc");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "`x(i-1)` reads outside `x`");
    EXPECT_EQ(e.line(), 3);
    EXPECT_EQ(e.column(), 8);
    EXPECT_EQ(e.problems()[0].file, "blur.cyc");
    EXPECT_EQ(e.hint(), "add the constraint `i >= 1`, and another equation for the elements that it leaves out");
    EXPECT_FALSE(e.unsupported());
    EXPECT_EQ(std::string(e.what()), R"(error: `x(i-1)` reads outside `x`
  --> blur.cyc:3:8
   |
 3 | y(i) = x(i-1)
   |        ^^^^^^ index -1 of a dimension of size `n` = 1, when n = 1, i = 0
note: it is declared here
  --> blur.cyc:1:1
   |
 1 | tensor x(n)
   | ^^^^^^^^^^^
hint: add the constraint `i >= 1`, and another equation for the elements that it leaves out
)");
  }
}

TEST(Errors, AllOfThemInOrder) {
  try {
    Program::from_text("tensor x(n)\nx(i) = y(i)\nx(i) = z(i)\n");
    FAIL();
  } catch (const Error& e) {
    ASSERT_GE(e.problems().size(), 2u);
    EXPECT_EQ(e.problems()[0].line, 2);
    EXPECT_EQ(e.problems()[1].line, 3);
  }
}

TEST(Errors, OfFiles) {
  EXPECT_EQ(message_of([] { Program::from_file("no/such.cyc"); }),
            "cannot read `no/such.cyc`: No such file or directory");
  EXPECT_NO_THROW(Program::from_file(std::string(CYCLOTRON_EXAMPLES) + "/cholesky.cyc"));
}

TEST(Program, TextAndEquationsTogether) {
  Program p = Program::from_text("tensor a(n)\ntensor b(n)\nb(i) = a(i)");
  Tensor c("c", {n});
  p += c(i) = i;
  p.check();
  expect_text(p, "tensor a(n)\ntensor b(n)\nb(i) = a(i)\ntensor c(n)\nc(i) = i\n");
}

TEST(Program, Warnings) {
  EXPECT_EQ(Program::from_text("tensor a(n)\na(i) = 1\n").warnings(), "");
  EXPECT_NE(Program::from_text("tensor a(n)\ntensor b(n)\na(i) = 1\n").warnings(), "");
}

TEST(Schedule, MethodsAreText) {
  const Index i0("i0"), i1("i1");
  EXPECT_EQ(Schedule().order(i, j, k).parallel(i).vectorize(j, 8).unroll(k).text(),
            "order i, j, k\nparallel i\nvectorize j by 8\nunroll k\n");
  EXPECT_EQ(Schedule().tile({i, j}, 64).tile(k, {32}, {i0, i1}).wavefront(i, j).text(),
            "tile i, j by 64\ntile k by 32 -> i0, i1\nwavefront i, j\n");
  EXPECT_EQ(Schedule("order i, j; parallel i").text(), "order i, j; parallel i\n");
}

} // namespace

} // namespace cyclotron::test
