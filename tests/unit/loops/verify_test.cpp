// SPDX-License-Identifier: MIT
// Each invariant of the loops IR, broken once.
#include "unit/loops/nest_text.hpp"

#include <gtest/gtest.h>

namespace cyclotron::loops {
namespace {

using namespace recurrence;

// for i / forall j < i / tx(i) += ... / x(i) = ...
struct Solve : NestText {
  Solve()
      : NestText("tensor A(n, n)\ntensor b(n)\ntensor x(n)\nx(i) = b(i) - sum[j](A(i,j) * x(j)) : j < i\n",
                 "for i\n  forall j < i\n    tx(i) += A(i,j) * x(j)\n  x(i) = b(i) - tx(i)\n") {}
  Loop& outer() { return loop(0); }
  Loop& inner() { return std::get<Loop>(outer().body.at(0).kind); }
  Statement& adds() { return statement(inner().body, 0); }
  Statement& assigns() { return statement(outer().body, 1); }
};

TEST(VerifyLoops, NothingWrong) { EXPECT_EQ(Solve().problem(), ""); }

// What is left of the nest once `change` has broken it.
std::string after(const std::function<void(Solve&)>& change) {
  Solve solve;
  change(solve);
  return solve.problem();
}

Expr index(const std::string& name) { return Expr(Name{name, NameKind::index}); }

TEST(VerifyLoops, Loops) {
  EXPECT_EQ(after([](Solve& s) { s.inner().variable = "i"; }), "`i` is the variable of two loops one inside the other");
  EXPECT_EQ(after([](Solve& s) { s.inner().variable = "n"; }), "the variable `n` of a loop is a name of the program");
  EXPECT_EQ(after([](Solve& s) { s.inner().ranges.clear(); }), "the loop over `j` has no range");
  EXPECT_EQ(after([](Solve& s) { s.inner().ranges[0].upper.clear(); }), "the loop over `j` has no bound on one side");
  EXPECT_EQ(after([](Solve& s) { s.inner().ranges[0].upper[0].divisor = 0; }), "a bound of `j` is divided by 0");
  EXPECT_EQ(after([](Solve& s) {
              s.outer().ranges[0].upper[0].value = Affine{{{"j", 1}}, 0};
            }),
            "`j` in a bound of `i` is not in scope");
  EXPECT_EQ(after([](Solve& s) { s.inner().body.clear(); }), "the loop over `j` is empty");
  EXPECT_EQ(after([](Solve& s) {
              s.inner().guard.push_back({Affine{{{"j", 1}}, 0}});
            }),
            "`j` in the guard of the loop over `j` is not in scope");
}

TEST(VerifyLoops, HowLoopsRun) {
  EXPECT_EQ(after([](Solve& s) { s.outer().parallel = true; }),
            "the loop over `i` is parallel, but its iterations depend on each other");
  EXPECT_EQ(after([](Solve& s) { s.inner().parallel = true; }), // it adds up
            "the loop over `j` is parallel, but its iterations depend on each other");
  EXPECT_EQ(after([](Solve& s) { s.outer().vector_width = 8; }),
            "the loop over `i` has vectors, but its iterations depend on each other");
  EXPECT_EQ(after([](Solve& s) { s.inner().vector_width = 8; }), "");
  EXPECT_EQ(after([](Solve& s) { s.outer().unroll = -1; }), "the loop over `i` has a width below 0");
}

TEST(VerifyLoops, NamesInStatements) {
  EXPECT_EQ(after([](Solve& s) { s.assigns().value = index("j"); }), "`j` in `x(i) = j` is not in scope");
  EXPECT_EQ(after([](Solve& s) { s.assigns().value = Expr(Name{"i"}); }), "`i` in `x(i) = i` is not in scope");
  EXPECT_EQ(after([](Solve& s) {
              s.assigns().guard.push_back({Affine{{{"j", 1}}, 0}});
            }),
            "`j` in the guard of `x(i) = b(i) - tx(i)` is not in scope");
  EXPECT_EQ(after([](Solve& s) {
              s.assigns().value = Expr(Access{"y", {}, {index("i")}});
            }),
            "`y` in `x(i) = y(i)` is neither a tensor nor a temporary of its equation");
  EXPECT_EQ(after([](Solve& s) {
              s.assigns().value = Expr(Reduce{Reducer::sum, {{"k", {}}}, Expr(Number{1, 1})});
            }),
            "`x(i) = sum[k](1)` has a reduction");
}

TEST(VerifyLoops, Writes) {
  EXPECT_EQ(after([](Solve& s) {
              s.assigns().target = Expr(Access{"b", {}, {index("i")}});
            }),
            "`b(i) = b(i) - tx(i)` writes what is no output");
  EXPECT_EQ(after([](Solve& s) {
              s.assigns().target = Expr(Access{"tx", {}, {index("i")}});
            }),
            "`tx(i) = b(i) - tx(i)` assigns to a temporary");
  EXPECT_EQ(after([](Solve& s) { s.assigns().target = index("i"); }), "a statement assigns to no access");
  EXPECT_EQ(after([](Solve& s) {
              s.adds().target = Expr(Access{"x", {}, {index("i")}});
            }),
            "`x(i) += A(i,j) * x(j)` accumulates what is no temporary");
  EXPECT_EQ(after([](Solve& s) { s.adds().reducer = Reducer::max; }),
            "`tx(i) max= A(i,j) * x(j)` accumulates in another way than its temporary is for");
  EXPECT_EQ(after([](Solve& s) { s.assigns().equation = 7; }), "`x(i) = b(i) - tx(i)` belongs to no equation");
}

TEST(VerifyLoops, Temporaries) {
  EXPECT_EQ(after([](Solve& s) {
              std::swap(s.outer().body[0], s.outer().body[1]);
              s.outer().forall = true;
            }),
            "`x(i) = b(i) - tx(i)` reads `tx` before it is accumulated");
  // In a later iteration of a loop that carries something it may be.
  EXPECT_EQ(after([](Solve& s) { std::swap(s.outer().body[0], s.outer().body[1]); }), "");
  EXPECT_EQ(after([](Solve& s) { s.outer().body.erase(s.outer().body.begin()); }),
            "`x(i) = b(i) - tx(i)` reads `tx`, which nothing accumulates");
  EXPECT_EQ(after([](Solve& s) { s.adds().value = s.adds().target; }),
            "`tx(i) += tx(i)` reads the temporary that it accumulates");
  EXPECT_EQ(after([](Solve& s) { s.inner().body.push_back(s.inner().body[0]); }),
            "the temporary `tx` is accumulated 2 times");
  EXPECT_EQ(after([](Solve& s) {
              s.nest->temporaries.push_back({"ty", Reducer::sum, {}, {}, {}, 0});
            }),
            "the temporary `ty` is accumulated nowhere");
}

TEST(VerifyLoops, EveryEquationOnce) {
  EXPECT_EQ(after([](Solve& s) { s.outer().body.pop_back(); }), "the equation of `x(i)` is assigned nowhere");
  EXPECT_EQ(after([](Solve& s) { s.outer().body.push_back(s.outer().body[1]); }),
            "the equation of `x(i)` is assigned 2 times");
}

TEST(VerifyLoops, TensorOfAnotherEquation) {
  NestText text("tensor x(n)\ntensor y(n)\nx(i) = 1\ny(i) = 2\n", "for i\n  x(i) = 1\n  y(i) = 2\n");
  ASSERT_TRUE(text.nest);
  EXPECT_EQ(text.problem(), "");
  text.statement(text.loop(0).body, 0).equation = 1;
  EXPECT_EQ(text.problem(), "`x(i) = 1` writes another tensor than its equation");
}

} // namespace
} // namespace cyclotron::loops
