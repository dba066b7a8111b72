// SPDX-License-Identifier: MIT
// The bridge to isl, against checking every point of a box by hand.
#include "random_affine.hpp"

#include "fuzz/property.hpp"
#include "recurrence/implied.hpp"

namespace cyclotron::recurrence {
namespace {

using fuzz::check_property;

Program with_sizes(const std::vector<std::string>& names) {
  Program program;
  for (const std::string& n : names) program.sizes.push_back({n, {}});
  return program;
}

constexpr std::int64_t box = 4; // points have coordinates -box .. box, sizes 0 .. box

// Whether a set over [i, j] with the size n holds a point.
bool contains(const isl::set& set, std::int64_t n, std::int64_t i, std::int64_t j) {
  isl_set* at = set.copy();
  at = isl_set_fix_si(at, isl_dim_param, 0, static_cast<int>(n));
  at = isl_set_fix_si(at, isl_dim_set, 0, static_cast<int>(i));
  at = isl_set_fix_si(at, isl_dim_set, 1, static_cast<int>(j));
  return !isl::manage(at).is_empty();
}

template <class F> void each_point(const F& f) {
  for (std::int64_t n = 0; n <= box; n += 2)
    for (std::int64_t i = -box; i <= box; i += 2)
      for (std::int64_t j = -box; j <= box; ++j) f(n, i, j);
}

// --- conditions ---

TEST(Polyhedra, ConditionsHoldWhereTheComparisonDoes) {
  check_property(200, [] {
    const BinaryOp op = random_comparison();
    const Expr a = random_affine(2), b = random_affine(2);
    const Program program = with_sizes({"n"});
    const Condition condition = condition_of(accepted_affine(a, program), relation_of(op), accepted_affine(b, program));
    const Values values = random_values();
    const bool expected = compare(op, value_of(a, values), value_of(b, values));
    RC_ASSERT(holds(condition, [&](const std::string& name) { return values.at(name); }) == expected);
  });
}

TEST(Polyhedra, ChainsAreAllOfTheirPairs) {
  const Program program = with_sizes({"n"});
  const Constraint chain{{whole(0), index("i"), index("j"), Expr(Name{"n", NameKind::size})},
                         {Relation::less_equal, Relation::less, Relation::not_equal},
                         {}};
  const auto conditions = conditions_of(chain, program);
  ASSERT_EQ(conditions.size(), 3u);
  const IslContext context;
  std::vector<std::string> texts;
  for (const Condition& c : conditions) texts.push_back(isl_text(c));
  const isl::set set = make_set(context, program, {"i", "j"}, texts);
  each_point([&](std::int64_t n, std::int64_t i, std::int64_t j) {
    EXPECT_EQ(contains(set, n, i, j), 0 <= i && i < j && j != n);
  });
}

// --- boolean expressions ---

// Comparisons of affine expressions, of data, constants, joined by and, or, not.
Expr random_condition(int depth) {
  switch (*rc::gen::inRange(0, depth <= 0 ? 3 : 7)) {
  case 0: return Expr(Boolean{*rc::gen::arbitrary<bool>()});
  case 1: return Expr(Binary{random_comparison(), random_affine(1), random_affine(1)});
  case 2:
    return *rc::gen::arbitrary<bool>() ? Expr(Access{"data", {}, {index("i")}})
                                       : Expr(Binary{random_comparison(), index("i"), Expr(Access{"data", {}, {}})});
  case 3: return Expr(Unary{UnaryOp::logical_not, random_condition(depth - 1)});
  case 4:
  case 5: return Expr(Binary{BinaryOp::logical_and, random_condition(depth - 1), random_condition(depth - 1)});
  default: return Expr(Binary{BinaryOp::logical_or, random_condition(depth - 1), random_condition(depth - 1)});
  }
}

bool mentions_data(const Expr& expr) {
  bool found = false;
  ir::walk<ExprNode>(expr, [&](const Expr& e) { found |= as<Access>(e) != nullptr; });
  return found;
}

// Whether the condition can be `value` at a point, data being anything.
bool possible(const Expr& expr, bool value, const Values& values) {
  if (const Boolean* b = as<Boolean>(expr)) return b->value == value;
  if (const Unary* u = as<Unary>(expr)) return possible(u->operand, !value, values);
  const Binary* b = as<Binary>(expr);
  if (!b || (!is_logical(b->op) && mentions_data(expr))) return true;
  if (!is_logical(b->op)) return compare(b->op, value_of(b->lhs, values), value_of(b->rhs, values)) == value;
  const bool both = (b->op == BinaryOp::logical_and) == value;
  const bool lhs = possible(b->lhs, value, values), rhs = possible(b->rhs, value, values);
  return both ? lhs && rhs : lhs || rhs;
}

TEST(Polyhedra, ImpliedTextIsExactOnConditions) {
  const IslContext context;
  const Program program = with_sizes({"n"});
  check_property(80, [&] {
    const Expr condition = random_condition(3);
    for (bool value : {true, false}) {
      const isl::set set = make_set(context, program, {"i", "j"}, {implied_text(condition, value, program)});
      each_point([&](std::int64_t n, std::int64_t i, std::int64_t j) {
        if (contains(set, n, i, j) != possible(condition, value, {{"i", i}, {"j", j}, {"n", n}}))
          RC_FAIL(print(condition) + " at i = " + std::to_string(i) + ", j = " + std::to_string(j) +
                  ", n = " + std::to_string(n));
      });
    }
  });
}

TEST(Polyhedra, NothingFollowsFromData) {
  const Program program = with_sizes({"n"});
  const Expr data(Access{"data", {}, {}}), affine(Binary{BinaryOp::less, index("i"), whole(3)});
  EXPECT_EQ(implied_text(data, true, program), "");
  EXPECT_EQ(implied_text(Expr(Binary{BinaryOp::logical_or, data, affine}), true, program), "");
  EXPECT_NE(implied_text(Expr(Binary{BinaryOp::logical_and, data, affine}), true, program), "");
  EXPECT_EQ(implied_text(Expr(Binary{BinaryOp::logical_and, data, affine}), false, program), "");
  EXPECT_NE(implied_text(Expr(Binary{BinaryOp::logical_or, data, affine}), false, program), "");
}

// --- names ---

// Words of isl in any case, and names that look like what they are turned into.
const std::vector<std::string> awkward{
    "exists", "and",   "or",    "implies", "not",    "infty", "infinity", "NaN",       "min",    "max",
    "rat",    "true",  "false", "ceild",   "floord", "mod",   "ceil",     "floor",     "Exists", "AND",
    "Or",     "MIN",   "Max",   "Mod",     "nan",    "NAN",   "Rat",      "True",      "FLOOR",  "Infty",
    "mod_",   "mod__", "min_",  "n_",      "n__",    "_",     "__",       "_n",        "o0",     "S0",
    "e0",     "i0",    "n",     "N",       "x1",     "div",   "Implies",  "LocalSpace"};

TEST(Polyhedra, AwkwardNamesAreNamesLikeAnyOther) {
  const IslContext context;
  for (const std::string& size : awkward)
    for (const std::string& variable : {std::string("i"), std::string("mod"), size + "_", size + "x"}) {
      if (variable == size) continue;
      const Program program = with_sizes({size});
      const Condition inside = condition_of({{{variable, 1}}, 0}, Relation::less, {{{size, 2}}, 0});
      const isl::set set =
          make_set(context, program, {variable},
                   {isl_text(inside), isl_text(condition_of({}, Relation::less_equal, {{{variable, 1}}, 0}))});
      const isl::set expected(context.get(), "[p] -> { [v] : p >= 0 and 0 <= v < 2p }");
      isl_set* same_names = isl_set_set_dim_name(set.copy(), isl_dim_param, 0, "p");
      EXPECT_TRUE(isl::manage(same_names).is_equal(expected)) << size << " " << variable << ": " << to_string(set);
    }
}

TEST(Polyhedra, DifferentNamesStayDifferent) {
  for (const std::string& a : awkward)
    for (const std::string& b : awkward)
      if (a != b) {
        EXPECT_NE(isl_name(a), isl_name(b)) << a << " " << b;
      }
}

// --- witnesses ---

TEST(Polyhedra, WitnessesAreTheSmallest) {
  const IslContext context;
  const Program program = with_sizes({"n"});
  check_property(60, [&] {
    std::vector<std::string> texts;
    std::vector<std::pair<Affine, bool>> conditions;
    for (int c = *rc::gen::inRange(1, 4); c > 0; --c) {
      const Affine a = accepted_affine(random_affine(2), program);
      texts.push_back(isl_text(Condition{a, Condition::Kind::nonnegative}));
      conditions.emplace_back(a, true);
    }
    const std::string inside = "-4 <= i <= 4 and -4 <= j <= 4 and n <= 4";
    texts.push_back(inside);
    const auto witness = find_witness(make_set(context, program, {"i", "j"}, texts), program, {"i", "j"});
    std::optional<Values> first;
    for (std::int64_t n = 0; n <= 4 && !first; ++n)
      for (std::int64_t i = -4; i <= 4 && !first; ++i)
        for (std::int64_t j = -4; j <= 4 && !first; ++j) {
          const Values v{{"i", i}, {"j", j}, {"n", n}};
          bool all = true;
          for (const auto& [a, positive] : conditions)
            all = all && (a.evaluate([&](const std::string& name) { return v.at(name); }) >= 0) == positive;
          if (all) first = v;
        }
    RC_ASSERT(witness.has_value() == first.has_value());
    if (!first) return;
    for (const auto& [name, value] : *first) RC_ASSERT(witness->value_of(name) == value);
  });
}

TEST(Polyhedra, WitnessDescription) {
  const IslContext context;
  const Program program = with_sizes({"n", "mod"});
  const auto witness = find_witness(make_set(context, program, {"i"}, {"i >= 2 and i < n"}), program, {"i"});
  ASSERT_TRUE(witness);
  EXPECT_EQ(witness->describe(), "n = 3, mod = 0, i = 2");
  EXPECT_FALSE(find_witness(make_set(context, program, {"i"}, {"i >= 2 and i < 1"}), program, {"i"}));
}

TEST(Polyhedra, WitnessOfASetThatGoesOnBelowZero) {
  const IslContext context;
  const Program program = with_sizes({"n"});
  const auto witness = find_witness(make_set(context, program, {"i"}, {"i < n"}), program, {"i"});
  ASSERT_TRUE(witness);
  EXPECT_LT(witness->value_of("i"), witness->value_of("n"));
}

} // namespace
} // namespace cyclotron::recurrence
