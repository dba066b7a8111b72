// SPDX-License-Identifier: MIT
#include "recurrence/integer_points.hpp"

#include "fuzz/choices.hpp"
#include "fuzz/property.hpp"

namespace cyclotron::recurrence {

namespace {

using Kind = Condition::Kind;

Affine name(const std::string& n, std::int64_t k = 1) { return {{{n, k}}, 0}; }
Affine number(std::int64_t c) { return {{}, c}; }

const std::vector<std::string> axis_names{"x", "y", "z"};

Condition random_condition(fuzz::Choices& choices) {
  Affine a = number(choices.between(-6, 6));
  for (const std::string& n : axis_names)
    if (const int k = choices.between(-3, 3); k != 0) a = a + name(n, k);
  return {a, choices.pick(std::vector<Kind>{Kind::nonnegative, Kind::nonnegative, Kind::zero, Kind::nonzero})};
}

} // namespace

TEST(IntegerPoints, KnowsTheEdges) {
  EXPECT_EQ(has_integer_point({}), true);
  EXPECT_EQ(has_integer_point({{number(-1), Kind::nonnegative}}), false);
  EXPECT_EQ(has_integer_point({{number(0), Kind::nonzero}}), false);
  // 0 <= x < 1 and x != 0
  EXPECT_EQ(
      has_integer_point(
          {{name("x"), Kind::nonnegative}, {number(0) - name("x"), Kind::nonnegative}, {name("x"), Kind::nonzero}}),
      false);
  // 2x = 1 has a solution, but none in whole numbers.
  EXPECT_EQ(has_integer_point({{name("x", 2) - number(1), Kind::zero}}), false);
  // 1 <= 2x <= 1 as well.
  EXPECT_EQ(
      has_integer_point({{name("x", 2) - number(1), Kind::nonnegative}, {number(1) - name("x", 2), Kind::nonnegative}}),
      false);
}

TEST(IntegerPoints, DoesNotGuessWhereNumbersAreLarge) {
  const std::int64_t large = std::int64_t{1} << 62;
  EXPECT_EQ(has_integer_point({{name("x", large) - name("y", 3), Kind::nonnegative}}), std::nullopt);
}

TEST(IntegerPoints, AgreesWithIsl) {
  Program program;
  IslContext context;
  int decided = 0, all = 0;
  fuzz::check_property(2000, [&] {
    fuzz::Choices choices(*rc::gen::container<std::vector<int>>(48, rc::gen::inRange(0, fuzz::Choices::range)));
    std::vector<Condition> conditions;
    for (int i = choices.between(1, 7); i > 0; --i) conditions.push_back(random_condition(choices));
    const std::optional<bool> found = has_integer_point(conditions);
    ++all;
    if (!found) return;
    ++decided;
    RC_ASSERT(*found == !set_where(context, program, axis_names, conditions).is_empty());
  });
  EXPECT_GT(decided, all / 2);
}

TEST(SetWhere, IsTheSetOfTheText) {
  Program program;
  IslContext context;
  fuzz::check_property(300, [&] {
    fuzz::Choices choices(*rc::gen::container<std::vector<int>>(32, rc::gen::inRange(0, fuzz::Choices::range)));
    std::vector<Condition> conditions;
    std::vector<std::string> texts;
    for (int i = choices.between(0, 4); i > 0; --i) {
      conditions.push_back(random_condition(choices));
      texts.push_back(isl_text(conditions.back()));
    }
    RC_ASSERT(
        set_where(context, program, axis_names, conditions).is_equal(make_set(context, program, axis_names, texts)));
  });
}

} // namespace cyclotron::recurrence
