// SPDX-License-Identifier: MIT
// Other recurrences, with values of other types: a triangular solve, alignment, tables, and what can go wrong in them.
#include "run.hpp"
#include "write_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace cyclotron::array {
namespace {

using namespace pe;
using namespace pe::write;
using recurrence::BinaryOp;
using recurrence::Function;

// L x = b on a line of n PEs: PE i receives x(0) … x(i-1), passes them on, and sends its own after them.
Program triangular_solve(std::int64_t n) {
  Program p;
  p.name = "solve";
  p.axes = {{"i", 0, n - 1}};
  p.torus = {false};
  p.tensors = {memory("L", {n, n}), memory("b", {n}), memory("x", {n}, true)};
  for (const char* name : {"L", "b", "s", "x"}) p.registers.push_back({name, ValueType::f64, {}, {}});
  p.channels = {{"x", "x", {1}, ValueType::f64, {}}};
  for (const bool last : {false, true}) {
    const Coordinates at_j{{"i", var("i")}, {"j", var("j")}}, at_i{{"i", var("i")}};
    std::vector<Action> multiply{load("L", "L", {at("i"), at("j")}), receive("x", 0)};
    if (!last) multiply.push_back(send("x", 0));
    multiply.push_back(compute("s", add(get("s"), mul(get("L"), get("x")))));
    std::vector<Action> divide{load("L", "L", {at("i"), at("i")}), load("b", "b", {at("i")}),
                               compute("x", div(sub(get("b"), get("s")), get("L")))};
    if (!last) divide.push_back(send("x", 0));
    divide.push_back(store("x", {at("i")}, "x"));
    p.roles.push_back(
        {last ? "last" : "inner",
         {{last ? equal(var("i"), whole(n - 1)) : below(var("i"), whole(n - 1))}},
         {loop("j", whole(0), plus(var("i"), whole(-1)), {step("s", at_j, multiply)}), step("x", at_i, divide)}});
  }
  return p;
}

Inputs triangular(std::int64_t n, std::vector<double>& x) {
  std::vector<double> l(static_cast<std::size_t>(n * n)), b;
  x.clear();
  for (std::int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < i; ++j) {
      l[static_cast<std::size_t>(i * n + j)] = static_cast<double>((i + 2 * j) % 3 - 1);
      sum += l[static_cast<std::size_t>(i * n + j)] * x[static_cast<std::size_t>(j)];
    }
    l[static_cast<std::size_t>(i * n + i)] = 2;
    x.push_back(static_cast<double>(i % 5 - 2));
    b.push_back(sum + 2 * x.back());
  }
  return {{"L", dense({n, n}, l)}, {"b", dense({n}, b)}};
}

TEST(TriangularSolve, TakesAsLongAsTheClosedForm) {
  for (const std::int64_t n : {1, 2, 3, 7, 16, 31}) {
    std::vector<double> x;
    const Inputs inputs = triangular(n, x);
    const Result r = run(triangular_solve(n), inputs);
    EXPECT_EQ(r.statistics.cycles, 2 * n - 1);
    EXPECT_EQ(numbers(r.outputs.at("x")), x);
    // The work rises down the line.
    for (std::int64_t i = 0; i < n; ++i) EXPECT_EQ(r.statistics.pes[static_cast<std::size_t>(i)].computing, i + 1);
  }
}

TEST(TriangularSolve, SaysWhichPeDividesByZero) {
  std::vector<double> x;
  Inputs inputs = triangular(4, x);
  std::get<std::vector<double>>(inputs.at("L").values)[2 * 4 + 2] = 0;
  EXPECT_EQ(refusal(triangular_solve(4), inputs),
            "error: computing `x(2)` divides by zero\n"
            "note: on PE (2), in cycle 4, in step x(i = 2)\n"
            "hint: a pivot that is zero leads here; look at the data, or keep the zero out with `select`\n");
}

// The score of aligning two words: PE i has row i; what comes from the row above is needed once more a step later.
Program alignment(std::int64_t m, std::int64_t n) {
  Program p;
  p.name = "alignment";
  p.axes = {{"i", 0, m - 1}};
  p.torus = {false};
  const auto i32 = ValueType::i32;
  p.tensors = {memory("a", {m}, false, i32), memory("b", {n}, false, i32), memory("H", {m, n}, true, i32)};
  for (const char* name : {"a", "b", "north", "diagonal", "west"}) p.registers.push_back({name, i32, {}, {}});
  p.channels = {{"b", "b", {1}, i32, {}}, {"H", "H", {1}, i32, {}}};
  const Expr match = recurrence::Select{binary(BinaryOp::equal, get("a"), get("b")), number(2), number(-1)};
  const Expr best =
      call(Function::max, {add(get("diagonal"), match), sub(get("north"), number(1)), sub(get("west"), number(1))});
  for (const bool first : {false, true})
    for (const bool last : {false, true}) {
      const Coordinates at_j{{"i", var("i")}, {"j", var("j")}};
      std::vector<Action> actions;
      if (first) actions = {load("b", "b", {at("j")}), compute("north", sub(number(-1), coordinate("j")))};
      else actions = {receive("b", 0), receive("north", 1)};
      if (!last) actions.push_back(send("b", 0));
      actions.push_back(compute("west", best));
      actions.push_back(compute("diagonal", get("north")));
      if (!last) actions.push_back(send("west", 1));
      actions.push_back(store("H", {at("i"), at("j")}, "west"));
      const auto edge = [](bool is, std::int64_t value) {
        return test(var("i"), is ? recurrence::Relation::equal : recurrence::Relation::not_equal, whole(value));
      };
      // What the column before the first holds is known; it costs nothing to begin with it.
      const auto begin = step("begin", {{"i", var("i")}}, {load("a", "a", {at("i")}, Supply::direct)});
      p.roles.push_back({"role",
                         {{edge(first, 0), edge(last, m - 1)}},
                         {begin, loop("j", whole(0), whole(n - 1), {step("H", at_j, actions)})}});
    }
  return p;
}

TEST(Alignment, TakesAsLongAsTheClosedForm) {
  for (const std::int64_t m : {1, 2, 5, 11})
    for (const std::int64_t n : {1, 3, 7, 13}) {
      std::vector<std::int32_t> a, b, h(static_cast<std::size_t>(m * n));
      for (std::int64_t i = 0; i < m; ++i) a.push_back(static_cast<std::int32_t>(i * i % 4));
      for (std::int64_t j = 0; j < n; ++j) b.push_back(static_cast<std::int32_t>(3 * j % 4));
      std::vector<std::int32_t> above(static_cast<std::size_t>(n)); // the row before the first is -1, -2, …
      for (std::int64_t j = 0; j < n; ++j) above[static_cast<std::size_t>(j)] = static_cast<std::int32_t>(-1 - j);
      for (std::int64_t i = 0; i < m; ++i) {
        std::int32_t diagonal = 0, west = 0;
        for (std::int64_t j = 0; j < n; ++j) {
          std::int32_t& north = above[static_cast<std::size_t>(j)];
          const bool same = a[static_cast<std::size_t>(i)] == b[static_cast<std::size_t>(j)];
          west = std::max({diagonal + (same ? 2 : -1), north - 1, west - 1});
          diagonal = std::exchange(north, west);
          h[static_cast<std::size_t>(i * n + j)] = west;
        }
      }
      const Result r = run(alignment(m, n), {{"a", dense_i32({m}, a)}, {"b", dense_i32({n}, b)}});
      EXPECT_EQ(r.statistics.cycles, m + n - 1);
      EXPECT_EQ(r.outputs.at("H"), dense_i32({m, n}, h));
    }
}

// One PE that fills a table and a ring, and stores what it finds in them.
Program tables(std::vector<Action> read) {
  Program p;
  p.name = "tables";
  p.axes = {{"i", 0, 0}};
  p.torus = {false};
  p.tensors = {memory("y", {8}, true)};
  p.registers = {{"T", ValueType::f64, {}, {{-1, 4, false}, {0, 2, false}}},
                 {"R", ValueType::f64, {}, {{0, 3, true}}},
                 {"y", ValueType::f64, {}, {}}};
  const Compute fill{{"T", {at("t", -1), at(1)}}, add(mul(number(10), coordinate("t")), real(0.5))};
  const Compute turn{{"R", {at("t")}}, mul(coordinate("t"), coordinate("t"))};
  p.roles = {{"one",
              {{}},
              {loop("t", whole(0), whole(3), {step("fill", {{"t", var("t")}}, {fill})}),
               loop("t", whole(0), whole(7), {step("turn", {{"t", var("t")}}, {turn})}),
               loop("t", whole(0), whole(3), {step("read", {{"t", var("t")}}, std::move(read))})}}};
  return p;
}

TEST(Registers, MayBeTablesAndRings) {
  const Expr falling = sub(number(2), coordinate("t"));
  const Expr later = add(coordinate("t"), number(5));
  const std::vector<Action> read{
      compute("y", add(get("T", {falling, number(1)}), mul(number(1000), get("R", {later})))),
      store("y", {at("t")}, "y")};
  const Result r = run(tables(read), {});
  // The ring holds 36, 49, 25 for t = 6, 7, 5; at 8 it is back at 6 - 1 = 5.
  EXPECT_EQ(numbers(r.outputs.at("y")), (std::vector<double>{25030.5, 36020.5, 49010.5, 25000.5, 0, 0, 0, 0}));
  EXPECT_EQ(r.statistics.pes[0].memory_bytes, 8U * (8 + 3 + 1));
  EXPECT_EQ(r.statistics.cycles, 16);
  EXPECT_EQ(refusal(tables({compute("y", get("T", {coordinate("t"), number(1)}))}), {}),
            "error: PE (0) uses a place of the table `T` that it does not have\n"
            "note: on PE (0), in cycle 15, in step read(t = 3)\n");
}

TEST(Registers, AreLimited) {
  EXPECT_EQ(run(tables({}), {}, {.register_bytes = 96}).statistics.cycles, 12);
  EXPECT_EQ(refusal(tables({compute("y", number(0))}), {}, {.register_bytes = 95}),
            "error: PE (0) needs 96 bytes of registers, but the machine has 95 bytes\n"
            "note: `T` takes 64 bytes\n"
            "note: `R` takes 24 bytes\n"
            "note: `y` takes 8 bytes\n");
}

// One PE that computes y(0) once.
Program one_value(ValueType type, const Expr& value) {
  Program p;
  p.axes = {{"i", 3, 3}};
  p.torus = {false};
  p.tensors = {memory("y", {1}, true, type)};
  p.registers = {{"y", type, {}, {}}};
  p.roles = {{"one", {{}}, {step("y", {{"i", var("i")}}, {compute("y", value), store("y", {at(0)}, "y")})}}};
  return p;
}

double computed(ValueType type, const Expr& value) {
  return numbers(run(one_value(type, value), {}).outputs.at("y"))[0];
}

TEST(Expressions, MeanWhatTheyMeanElsewhere) {
  const Expr i = coordinate("i"); // 3
  const Expr truth = recurrence::Boolean{true}, less = binary(BinaryOp::less, i, number(2));
  const auto f64 = ValueType::f64, f32 = ValueType::f32, i32 = ValueType::i32, i64 = ValueType::i64;
  EXPECT_EQ(computed(f64, div(number(1), i)), 1.0 / 3);
  EXPECT_EQ(computed(f32, add(div(number(1), i), get("y"))), static_cast<double>(1.0F / 3.0F));
  EXPECT_EQ(computed(f32, real(0.1)), static_cast<double>(0.1F));
  EXPECT_EQ(computed(i64, sub(mul(i, number(4)), number(20))), -8);
  EXPECT_EQ(computed(i64, call(Function::abs, {sub(i, number(20))})), 17);
  EXPECT_EQ(computed(i32, call(Function::min, {i, number(5), number(2)})), 2);
  EXPECT_EQ(computed(f64, call(Function::max, {i, real(3.5), get("y")})), 3.5);
  EXPECT_EQ(computed(f64, call(Function::sqrt, {mul(i, i)})), 3);
  EXPECT_EQ(computed(f64, call(Function::pow, {i, number(3)})), 27);
  EXPECT_EQ(computed(f64, call(Function::exp, {number(0)})), 1);
  EXPECT_EQ(computed(f64, call(Function::log, {number(1)})), 0);
  EXPECT_EQ(computed(f64, recurrence::Unary{recurrence::UnaryOp::negate, call(Function::abs, {real(-2.5)})}), -2.5);
  EXPECT_EQ(computed(ValueType::boolean, binary(BinaryOp::logical_and, truth, less)), 0);
  EXPECT_EQ(computed(ValueType::boolean, binary(BinaryOp::logical_or, less, truth)), 1);
  EXPECT_EQ(computed(ValueType::boolean, recurrence::Unary{recurrence::UnaryOp::logical_not, less}), 1);
  EXPECT_EQ(computed(ValueType::boolean, binary(BinaryOp::greater_equal, i, real(3.0))), 1);
  EXPECT_EQ(computed(ValueType::boolean, binary(BinaryOp::not_equal, truth, less)), 1);
}

// What is not chosen is not computed.
TEST(Expressions, ComputeOnlyWhatIsNeeded) {
  const Expr fails = div(number(1), get("y")), i = coordinate("i");
  const Expr less = binary(BinaryOp::less, i, number(2));
  EXPECT_EQ(computed(ValueType::f64, recurrence::Select{less, fails, real(7)}), 7);
  EXPECT_EQ(computed(ValueType::boolean, binary(BinaryOp::logical_and, less, binary(BinaryOp::less, fails, number(1)))),
            0);
}

TEST(Expressions, SayWhatFails) {
  const Expr large = number(2147483647), i = coordinate("i");
  EXPECT_EQ(refusal(one_value(ValueType::i32, add(add(get("y"), large), i)), {}),
            "error: an integer overflows while computing `y(0)`\n"
            "note: on PE (3), in cycle 0, in step y(i = 3)\n"
            "hint: declare the tensors as i64 or f64\n");
  EXPECT_EQ(refusal(one_value(ValueType::f64, call(Function::sqrt, {sub(get("y"), i)})), {}),
            "error: computing `y(0)` takes the square root of a negative number\n"
            "note: on PE (3), in cycle 0, in step y(i = 3)\n"
            "hint: a matrix that is not positive definite leads here\n");
}

} // namespace
} // namespace cyclotron::array
