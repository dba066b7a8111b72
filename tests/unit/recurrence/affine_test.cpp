// SPDX-License-Identifier: MIT
// Affine arithmetic against the values of the expressions themselves.
#include "random_affine.hpp"

#include "fuzz/property.hpp"

#include <limits>

namespace cyclotron::recurrence {
namespace {

using fuzz::check_property;

const Program no_program;

std::int64_t evaluate(const Affine& a, const Values& values) {
  return a.evaluate([&](const std::string& name) { return values.at(name); });
}

std::string reason(const Expr& expr, const Program& program = no_program) {
  const auto result = affine_of(expr, program);
  return std::holds_alternative<NotAffine>(result) ? std::get<NotAffine>(result).reason : "affine";
}

TEST(Affine, ValueIsThatOfTheExpression) {
  check_property(300, [] {
    const Expr expr = random_affine(4);
    const Values values = random_values();
    RC_ASSERT(evaluate(accepted_affine(expr, no_program), values) == value_of(expr, values));
  });
}

TEST(Affine, ArithmeticIsThatOfTheValues) {
  check_property(300, [] {
    const Affine a = accepted_affine(random_affine(3), no_program), b = accepted_affine(random_affine(3), no_program);
    const std::int64_t factor = *rc::gen::inRange(-5, 6);
    const Values v = random_values();
    RC_ASSERT(evaluate(a + b, v) == evaluate(a, v) + evaluate(b, v));
    RC_ASSERT(evaluate(a - b, v) == evaluate(a, v) - evaluate(b, v));
    RC_ASSERT(evaluate(factor * a, v) == factor * evaluate(a, v));
    RC_ASSERT(a - a == Affine{});
    RC_ASSERT(a + b == b + a);
    RC_ASSERT((a + b) - b == a);
    for (const auto& [name, c] : (a - b).terms) RC_ASSERT(c != 0); // nothing is kept that does not count
  });
}

TEST(Affine, EqualFormsHaveEqualValuesAndTheOtherWayRound) {
  check_property(200, [] {
    const Affine a = accepted_affine(random_affine(2), no_program), b = accepted_affine(random_affine(2), no_program);
    bool always = true;
    for (std::int64_t i = 0; i < 2; ++i)
      for (std::int64_t j = 0; j < 2; ++j)
        for (std::int64_t n = 0; n < 2; ++n) {
          const Values v{{"i", i}, {"j", j}, {"n", n}};
          always = always && evaluate(a, v) == evaluate(b, v);
        }
    RC_ASSERT((a == b) == always);
  });
}

TEST(Affine, Print) {
  const auto text = [](const Affine& a) { return print(a); };
  EXPECT_EQ(text({}), "0");
  EXPECT_EQ(text({{}, -7}), "-7");
  EXPECT_EQ(text({{{"i", 1}}, 0}), "i");
  EXPECT_EQ(text({{{"i", -1}}, 0}), "-i");
  EXPECT_EQ(text({{{"i", 2}, {"n", 1}}, -1}), "2*i + n - 1");
  EXPECT_EQ(text({{{"i", -3}, {"n", -1}}, 4}), "-3*i - n + 4");
}

TEST(Affine, Refused) {
  const Expr i = index("i"), j = index("j"), two = whole(2);
  EXPECT_EQ(reason(Expr(Binary{BinaryOp::mul, i, j})), "a product of two variables");
  EXPECT_EQ(reason(Expr(Binary{BinaryOp::mul, i, i})), "a product of two variables");
  EXPECT_EQ(reason(Expr(Binary{BinaryOp::div, i, two})), "a division");
  EXPECT_EQ(reason(Expr(Binary{BinaryOp::less, i, j})), "a comparison");
  EXPECT_EQ(reason(Expr(Number{0.5, {}})), "not a whole number");
  EXPECT_EQ(reason(Expr(Boolean{true})), "not a number");
  EXPECT_EQ(reason(Expr(Access{"A", {}, {i}})), "depends on the data in `A`");
  EXPECT_EQ(reason(Expr(Call{Function::min, {i, j}})), "a call of `min`");
  EXPECT_EQ(reason(Expr(Select{Expr(Boolean{true}), i, j})), "a call of `select`");
  EXPECT_EQ(reason(Expr(Reduce{Reducer::sum, {{"k", {}}}, i})), "a reduction");
  EXPECT_EQ(reason(Expr(Unary{UnaryOp::logical_not, i})), "not a number");
}

// Anything that could leave 64 bits is refused, however it is put together.
TEST(Affine, LargeNumbersAreRefused) {
  Expr product = whole(1000000);
  for (int k = 0; k < 8; ++k) product = Expr(Binary{BinaryOp::mul, product, whole(1000000)});
  EXPECT_NE(reason(product), "affine");
  EXPECT_NE(reason(whole(std::numeric_limits<std::int64_t>::max())), "affine");
  EXPECT_NE(reason(Expr(Binary{BinaryOp::mul, whole(std::int64_t{1} << 40),
                               Expr(Binary{BinaryOp::mul, whole(std::int64_t{1} << 40), index("i")})})),
            "affine");
  Expr sum = whole(std::int64_t{1} << 38);
  for (int k = 0; k < 6; ++k) sum = Expr(Binary{BinaryOp::add, sum, sum});
  EXPECT_NE(reason(sum), "affine");
}

TEST(Affine, ConstantsAreReplaced) {
  Program program;
  program.lets.push_back({{"w", {}}, whole(3), {}});
  program.lets.push_back({{"v", {}}, Expr(Binary{BinaryOp::mul, whole(2), Expr(Name{"w", NameKind::constant})}), {}});
  program.lets.push_back({{"half", {}}, Expr(Number{0.5, {}}), {}});
  const Expr v(Name{"v", NameKind::constant});
  EXPECT_EQ(accepted_affine(Expr(Binary{BinaryOp::mul, v, index("i")}), program), (Affine{{{"i", 6}}, 0}));
  EXPECT_EQ(reason(Expr(Name{"half", NameKind::constant}), program), "`half` is not a whole number");
}

} // namespace
} // namespace cyclotron::recurrence
