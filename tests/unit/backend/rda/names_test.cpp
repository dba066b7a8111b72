// SPDX-License-Identifier: MIT
// Names and numbers, where Scala reads them in its own way.
#include "backend/rda/print_spatial.hpp"
#include "backend/rda/scope.hpp"
#include "programs.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <regex>
#include <sstream>

namespace cyclotron::backend::rda {

using namespace pattern;
using namespace pattern::build;
using recurrence::BinaryOp;

namespace {

constexpr ValueType f64 = ValueType::f64, f32 = ValueType::f32, i64 = ValueType::i64, i32 = ValueType::i32;

// The lines of a body in `Accel`, without what is in front of all of them.
std::string printed(Body body, const std::vector<std::string>& sizes = {}) {
  const Program program{"p", sizes, {}, {{"x_d", f64, true, {}, "x", ArrayKind::values, 0}}, std::move(body)};
  std::istringstream text(print_spatial(program));
  std::string result;
  bool inside = false;
  for (std::string line; std::getline(text, line); inside |= line == "    Accel {") {
    if (line == "    }") break;
    if (inside) result += line.substr(6) + "\n";
  }
  return result;
}

std::string value(ValueType type, Expr expr) { return printed({let("x", type, std::move(expr))}); }

Expr real(double number, ValueType type = f64) { return constant(type, number, 0); }
Expr whole(std::int64_t number, ValueType type = i64) { return constant(type, 0, number); }
Expr negated(Expr expr) { return Unary{recurrence::UnaryOp::negate, std::move(expr)}; }

// Every name that a text gets from the runtime and could hide.
TEST(SpatialNames, WhatTheRuntimeHasIsReserved) {
  const std::regex declares("  (?:(?:implicit|sealed|final|abstract) )*(?:class|object|trait|def|val|type) (\\w+).*");
  std::istringstream text{std::string(spatial_runtime())};
  std::smatch found;
  int count = 0;
  for (std::string line; std::getline(text, line);)
    if (std::regex_match(line, found, declares)) {
      ++count;
      EXPECT_TRUE(is_reserved(found[1].str())) << line;
    }
  EXPECT_GT(count, 50);
}

TEST(SpatialNames, NamesThatAreTaken) {
  const Body body = {
      let("type", i64, variable("val")), let("mux", i64, variable("type")),
      foreach ("i", number(0), variable("I64_"), {let("mux", i64, add(variable("mux"), variable("i")))})};
  EXPECT_EQ(printed(body, {"val", "I64_"}), "val own_type = own_val.value\n"
                                            "val own_mux = own_type\n"
                                            "Foreach(I64_ by 1 par 1) { i =>\n"
                                            "  val own_mux_2 = own_mux + i\n"
                                            "}\n");
  Program program = spmv();
  program.name = "min";
  EXPECT_NE(print_spatial(program).find("@spatial object own_min extends"), std::string::npos);
  EXPECT_EQ(object_name(program), "own_min");
}

// Names beside each other are free again.
TEST(SpatialNames, ScopesEnd) {
  const Statement loop = foreach ("i", number(0), number(2), {let("x", i64, variable("i"))});
  const std::string text = "Foreach(2 by 1 par 1) { i =>\n  val x = i\n}\n";
  EXPECT_EQ(printed({loop, loop}), text + text);
}

TEST(SpatialNumbers, LiteralsSayTheirTypeWhereNothingElseDoes) {
  EXPECT_EQ(value(i64, whole(3)), "val x = 3.to[I64]\n");
  EXPECT_EQ(value(i32, whole(-3, i32)), "val x = (-3).to[I32]\n");
  EXPECT_EQ(value(i64, whole(5'000'000'000)), "val x = 5000000000L.to[I64]\n");
  EXPECT_EQ(value(f64, real(3)), "val x = 3.0\n");
  EXPECT_EQ(value(f64, real(-0.0)), "val x = -0.0\n");
  EXPECT_EQ(value(f32, real(0.1, f32)), "val x = 0.1f\n");
  EXPECT_EQ(value(f64, real(1e300)), "val x = 1e+300\n");
  EXPECT_EQ(value(f64, real(-std::numeric_limits<double>::infinity())), "val x = Double.NegativeInfinity\n");
  EXPECT_EQ(value(f32, real(std::numeric_limits<double>::quiet_NaN(), f32)), "val x = Float.NaN\n");
  EXPECT_EQ(value(f64, Convert{f64, whole(-3)}), "val x = (-3).to[T]\n");
  EXPECT_EQ(value(f64, Convert{f64, real(-0.0, f32)}), "val x = (-0.0f).to[T]\n");
  EXPECT_EQ(value(f64, negated(real(-2.5))), "val x = -(-2.5)\n");
}

// `==` would take anything on its right, and a register is not a number.
TEST(SpatialNumbers, SizesAndRegistersAreReadWhereNothingElseSaysSo) {
  const Expr n = variable("n"), t = variable("t");
  const Statement reg = declare(MemoryKind::reg, "t", i64, {}, n);
  EXPECT_EQ(printed({reg, let("x", i64, add(t, n))}, {"n"}), "val t = Reg[I64](n.value)\nval x = t.value + n\n");
  const auto behind_it = [&](Body more) {
    more.insert(more.begin(), reg);
    const std::string text = printed(more, {"n"});
    return text.substr(text.find('\n') + 1);
  };
  const auto equal = [&](const Expr& a, const Expr& b) {
    return behind_it({let("x", ValueType::boolean, Binary{BinaryOp::equal, a, b})});
  };
  EXPECT_EQ(equal(n, t), "val x = n.value == t.value\n");
  EXPECT_EQ(equal(number(3), n), "val x = 3.to[I64] == n.value\n");
  EXPECT_EQ(equal(n, number(3)), "val x = n.value == 3\n");
  EXPECT_EQ(equal(n, whole(5'000'000'000)), "val x = n.value == 5000000000L.to[I64]\n");
  EXPECT_EQ(behind_it({declare(MemoryKind::fifo, "q", i64, n), enqueue("q", t), write("t", {}, n)}),
            "val q = FIFO[I64](n)\nq.enq(t)\nt := n\n");
}

TEST(SpatialNumbers, OperatorsKeepTheirOperands) {
  const Expr a = variable("a"), b = variable("b");
  const auto text = [&](const Expr& e) { return printed({let("x", i64, e)}, {"a", "b"}); };
  EXPECT_EQ(text(Binary{BinaryOp::sub, a, Binary{BinaryOp::sub, b, number(-1)}}), "val x = a - (b - (-1))\n");
  EXPECT_EQ(text(Binary{BinaryOp::mul, Binary{BinaryOp::add, a, b}, negated(b)}), "val x = (a + b) * -b.value\n");
  const Expr less = Binary{BinaryOp::less, a, b};
  EXPECT_EQ(text(Binary{BinaryOp::equal, less, Binary{BinaryOp::logical_or, less, less}}),
            "val x = (a < b) == (a < b || a < b)\n");
  EXPECT_EQ(text(Unary{recurrence::UnaryOp::logical_not, less}), "val x = !(a < b)\n");
  EXPECT_EQ(text(Call{recurrence::Function::max, {a, number(2), b}}),
            "val x = max(max(a.value, 2.to[I64]), b.value)\n");
}

// `a_::b` would be the name `a_::` before a b.
TEST(SpatialNumbers, Slices) {
  const auto text = [&](Expr first, Expr end) {
    return printed({declare(MemoryKind::sram, "x", f64, number(9)), load("x", "x_d", first, end)}, {"a_", "b"});
  };
  const std::string start = "val x = SRAM[T](9)\nx load x_d(";
  EXPECT_EQ(text(number(0), variable("b")), start + "0::b par 1)\n");
  EXPECT_EQ(text(variable("b"), variable("a_")), start + "b::a_ par 1)\n");
  EXPECT_EQ(text(variable("a_"), variable("b")), start + "a_ :: b par 1)\n");
}

} // namespace

} // namespace cyclotron::backend::rda
