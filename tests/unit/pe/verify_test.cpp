// SPDX-License-Identifier: MIT
// Programs that break an invariant, made from one that keeps them all.
#include "unit/pe/programs.hpp"

#include <gtest/gtest.h>

namespace cyclotron::pe {
namespace {

class Verify : public testing::Test {
protected:
  Program p = parsed(triangular_solve(3)); // roles: first, inner and last row
  Statement& statement(std::size_t i) { return p.roles[1].body.at(i); }
  Loop& loop(std::size_t i) { return std::get<Loop>(statement(i).kind); }
  Step& sum() { return std::get<Step>(loop(2).body.at(0).kind); }
  Step& last() { return std::get<Step>(statement(3).kind); }
  void expect(const std::string& problem) { EXPECT_EQ(problem_of(p), problem); }
};

TEST_F(Verify, HoldsAtFirst) { expect(""); }

TEST_F(Verify, DeclaredTwice) {
  p.registers.push_back(p.registers[0]);
  expect("the register `L` is declared twice");
}

TEST_F(Verify, NamesThatAreNoWords) {
  p.channels[0].name = "x on";
  expect("the channel `x on` has a name that is no word");
  p.channels[0].name = "and";
  expect("the channel `and` has a name that is no word");
  p = parsed(triangular_solve(3));
  p.axes[0].name = "inf";
  expect("`inf` cannot be the name of a variable");
  p = parsed(triangular_solve(3));
  p.roles[1].name = "first row";
  expect("the role `first row` is declared twice");
}

TEST_F(Verify, Grid) {
  p.axes[0].last = -2;
  expect("the axis `i` goes from 0 to -2");
  p.axes[0].last = 1 << 27;
  expect("the grid has more than 4194304 PEs");
  p.axes[0].last = 2;
  p.torus = {};
  expect("it is not said of every axis whether it is a torus");
}

TEST_F(Verify, EveryElementPlaysOneRole) {
  p.roles[2].where[0][0].relation = recurrence::Relation::greater_equal;
  p.roles[2].where[0][0].rhs = Index(Whole{1});
  expect("the PE [1] plays the roles `inner row` and `last row`");
}

TEST_F(Verify, Scopes) {
  loop(2).last = Index(Variable{"j"});
  expect("`j` in the role `inner row` is not in scope");
  p = parsed(triangular_solve(3));
  loop(2).variable = "i";
  expect("the loop over `i` in the role `inner row` has the name of an axis or of a loop around it");
  p = parsed(triangular_solve(3));
  std::get<Receive>(sum().actions[0]).to.at = {Affine{{{"k", 1}}, 0}};
  expect("`k` is no coordinate of the step `sum` of the role `inner row`");
}

TEST_F(Verify, Divisors) {
  loop(2).first = Index(Operation{IndexOp::mod, Index(Variable{"i"}), Index(Whole{0})});
  expect("`mod(i, 0)` in the role `inner row` divides by what is not a positive number");
}

TEST_F(Verify, Slots) {
  std::get<Compute>(last().actions[0]).to.name = "y";
  expect("no register `y` is declared, which the step `x` of the role `inner row` uses");
  std::get<Compute>(last().actions[0]).to.name = "L";
  expect("`L` has 0 indices in the step `x` of the role `inner row`, expected 1");
}

TEST_F(Verify, Values) {
  using namespace recurrence;
  Compute& compute = std::get<Compute>(last().actions[0]);
  const Expr s(Access{"s", {}, {}});
  compute.value = Expr(Access{"L", {}, {}});
  expect("`L` has 0 indices, expected 1, in the step `x` of the role `inner row`");
  compute.value = Expr(Name{"j", NameKind::index});
  expect("`j` is no coordinate, in the step `x` of the role `inner row`");
  compute.value = Expr(Number{-1, -1});
  expect("a literal has a sign of its own, in the step `x` of the role `inner row`");
  compute.value = Expr(Reduce{Reducer::sum, {{"k", {}}}, s});
  expect("a value has a reduction, in the step `x` of the role `inner row`");
  compute.value = Expr(recurrence::KernelCall{"GEMM", {s, s}});
  expect("`GEMM` makes a tile, but the left-hand side is a number, in the step `x` of the role `inner row`");
  p.registers[2].type = ValueType::i32;
  p.channels[0].type = ValueType::i32;
  compute.value = Expr(Binary{BinaryOp::div, s, s});
  expect("`x` holds i32, but the value is f64, in the step `x` of the role `first row`");
}

TEST_F(Verify, Channels) {
  std::get<Receive>(sum().actions[0]).channel = 1;
  expect("the step `sum` of the role `inner row` uses a channel that is not declared");
  std::get<Receive>(sum().actions[0]).channel = 0;
  p.channels[0].type = ValueType::f32;
  expect("the register `x` and the channel `x_on` have different types in the step `x` of the role `first row`");
  p.channels[0].offset = {1, 1};
  expect("the channel `x_on` has 2 offsets for 1 axes");
}

TEST_F(Verify, Memory) {
  std::get<Store>(last().actions[2]).tensor = "b";
  expect("the step `x` of the role `inner row` stores into `b`, which is an input");
  std::get<Store>(last().actions[2]).tensor = "y";
  expect("no tensor `y` is declared, which the step `x` of the role `inner row` uses");
  std::get<Store>(last().actions[2]) = {"x", {{}, {}}, {"x", {}}};
  expect("`x` has 2 indices in the step `x` of the role `inner row`, expected 1");
  std::get<Store>(last().actions[2]).indices.pop_back();
  p.tensors[2].block = {2};
  expect("`x` has tiles of 1 dimensions, but the register `x` of 0");
}

TEST_F(Verify, Host) {
  p.host = {{Step{"H", {}, {Load{{"s", {}}, "b", {{}}, Supply::direct}, Store{"x", {{}}, {"s", {}}}}}}};
  expect("");
  p.host = {{Step{"H", {}, {Load{{"s", {}}, "b", {{}}, Supply::boundary}}}}};
  expect("the host loads from the boundary of an array");
  p.host = {{Step{"H", {}, {Receive{{"x", {}}, 0}}}}};
  expect("the host sends or receives");
  p.host = {{Pass{}}};
  expect("the host has a pass");
}

} // namespace
} // namespace cyclotron::pe
