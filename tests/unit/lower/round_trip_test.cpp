// SPDX-License-Identifier: MIT
// What lowering makes keeps the invariants of the loops IR, and its text reads back as the same nest.
#include "unit/lower/placed.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::lower {
namespace {

using loops::Loop;
using loops::Nest;
using loops::Node;
using loops::Statement;

// Everything that the text does not show, so that two nests can be compared.
std::string hidden(const std::vector<Node>& body) {
  std::string out;
  for (const Node& node : body) {
    if (const Statement* s = std::get_if<Statement>(&node.kind)) {
      out += fmt::format("equation {}\n", s->equation);
      continue;
    }
    const Loop& loop = std::get<Loop>(node.kind);
    out += fmt::format("loop {} {}", loop.variable, loop.reduces ? "reduces" : "");
    for (const loops::Range& r : loop.ranges)
      for (const auto& list : {r.lower, r.upper})
        for (const loops::Bound& b : list) out += fmt::format(" {}/{}", print(b.value), b.divisor);
    out += "\n" + hidden(loop.body);
  }
  return out;
}

std::string text_of(tensor::ValueType type, const std::vector<recurrence::Affine>& shape) {
  std::string out(name_of(type));
  for (const recurrence::Affine& d : shape) out += " by " + print(d);
  return out;
}

// The type of each expression of each statement.
std::string types_in(const Nest& nest) {
  std::string out;
  loops::each_statement(nest.body, [&](const Statement& s, const auto&) {
    for (const recurrence::Expr& root : {s.target, s.value})
      ir::walk<recurrence::ExprNode>(root, [&](const recurrence::Expr& e) {
        const recurrence::ExprType* type = nest.types.find(e);
        out += fmt::format("{}: {}{}\n", print(e), type ? text_of(type->type, type->shape) : "none",
                           type && type->literal ? ", as a literal" : "");
      });
  });
  return out;
}

std::string hidden(const Nest& nest) {
  std::string out = hidden(nest.body) + types_in(nest);
  for (const loops::Temporary& t : nest.temporaries)
    out += fmt::format("{} {} {} {} {}\n", t.name, name_of(t.reducer), t.equation, fmt::join(t.variables, ","),
                       text_of(t.type, t.shape));
  return out;
}

void expect_round_trip(const std::string& what, TestProgram& program, const Nest& nest) {
  const std::string text = program.printed(nest);
  const auto again = program.parsed(text);
  ASSERT_TRUE(again) << what << "\n" << text << program.diagnostics.render(false);
  EXPECT_EQ(program.printed(*again), text) << what;
  EXPECT_EQ(hidden(*again), hidden(nest)) << what << "\n" << text;
  EXPECT_EQ(problem_of(*again, program.checked.program()), "") << what;
}

TEST(LoopsRoundTrip, EveryExampleInEveryOrder) {
  int nests = 0;
  each_placed_example([&](const std::string& what, TestProgram& program, const Nest& nest) {
    ++nests;
    EXPECT_EQ(problem_of(nest, program.checked.program()), "") << what << "\n" << program.printed(nest);
    expect_round_trip(what, program, nest);
  });
  EXPECT_GT(nests, 150);
}

TEST(LoopsRoundTrip, TilesAndHowLoopsRun) {
  for (const char* commands : {
           "tile i by 64",
           "tile i by 64\norder i, j, i_tile",
           "tile i, j by 4\norder i_tile, j_tile, i, j",
           "tile i by 4, 8",
           "parallel i\nvectorize j",
           "vectorize j by 8\nunroll i by 4",
       }) {
    TestProgram program("tensor A(n, m)\ntensor x(m)\ntensor y(n)\ny(i) = sum[j](A(i,j) * x(j))\n");
    const auto lowered = program.lowered(commands);
    ASSERT_TRUE(lowered) << commands << program.diagnostics.render(false);
    expect_round_trip(commands, program, lowered->nest);
  }
}

} // namespace
} // namespace cyclotron::lower
