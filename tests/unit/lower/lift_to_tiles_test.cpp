// SPDX-License-Identifier: MIT
// Scalar programs lifted to tiles: the equations that come out, their declarations, and what is refused.
#include "fuzz/repository.hpp"
#include "lower/tiles/lift_to_tiles.hpp"
#include "unit/lower/liftable.hpp"
#include "unit/lower/placed.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::lower {
namespace {

using Extents = std::map<std::string, std::int64_t>;

Extents all_by(const std::string& indices, std::int64_t extent) {
  Extents extents;
  for (char i : indices) extents[std::string(1, i)] = extent;
  return extents;
}

// A program lifted, and its messages.
struct Attempt {
  TestProgram program;
  std::optional<Lifted> lifted;

  Attempt(const std::string& text, const Extents& extents) : program(text) {
    EXPECT_EQ(program.messages(), "") << text;
    if (!program.diagnostics.failed())
      lifted = lift_to_tiles(program.checked.program(), Lift{extents, {}}, program.diagnostics);
  }

  std::string equations() const {
    std::string out;
    if (lifted)
      for (const recurrence::Equation& e : lifted->program.equations) out += print(e) + "\n";
    return out;
  }
  std::string report() const { return program.diagnostics.render(false); }
};

TEST(LiftToTiles, Equations) {
  for (const Liftable& l : liftable_programs()) {
    const Attempt attempt(l.text, all_by(l.tiled, 4));
    EXPECT_EQ(attempt.report(), "") << l.name;
    EXPECT_EQ(attempt.equations(), l.equations) << l.name;
  }
}

// The front end accepts the text of what is lifted, and reads it as the same program.
TEST(LiftToTiles, ResultsAreLegalPrograms) {
  for (const Liftable& l : liftable_programs()) {
    const Attempt attempt(l.text, all_by(l.tiled, 4));
    ASSERT_TRUE(attempt.lifted) << l.name;
    const std::string text = print(attempt.lifted->program);
    const TestProgram again(text);
    ASSERT_EQ(again.messages(), "") << text;
    EXPECT_TRUE(again.checked.program() == attempt.lifted->program) << text;
    EXPECT_EQ(again.checked.program().sizes, attempt.lifted->program.sizes) << text;
    EXPECT_EQ(again.checked.order, frontend::Order::proven) << text;
  }
}

std::vector<std::string> equations_of(const std::string& text) {
  const TestProgram program(text);
  std::vector<std::string> list;
  for (const recurrence::Equation& e : program.checked.program().equations) list.push_back(print(e));
  std::sort(list.begin(), list.end());
  return list;
}

std::string example(const std::string& name) {
  for (const fuzz::StoredProgram& e : fuzz::programs_in({"examples"}))
    if (e.name.ends_with("/" + name)) return e.text;
  ADD_FAILURE() << "no example " << name;
  return "";
}

// What is written by hand in the examples comes out of the scalar ones.
TEST(LiftToTiles, LikeTheHandWrittenExamples) {
  const auto lifted = [](const std::string& text, const std::string& indices) {
    const Attempt attempt(text, all_by(indices, 4));
    return attempt.lifted ? equations_of(print(attempt.lifted->program)) : std::vector<std::string>{attempt.report()};
  };
  EXPECT_EQ(lifted(example("matmul.cyc"), "ijk"), equations_of(example("tiled_matmul.cyc")));
  EXPECT_EQ(lifted(example("cholesky.cyc"), "ijk"), equations_of(example("tiled_cholesky.cyc")));
  for (const Liftable& l : liftable_programs())
    if (l.name == "LU in one tensor") {
      EXPECT_EQ(lifted(l.text, l.tiled), equations_of(example("tiled_lu.cyc")));
    }
}

TEST(LiftToTiles, DeclarationsBlocksAndCounts) {
  const Attempt attempt(
      "assume 1 <= m\ntensor A(m, q, p+1): f32\ntensor B(p+1, 10)\ntensor C(m, q, 10)\ntensor s(q): i32\n"
      "C(i,t,j) = s(t) * A(i,t,k) * B(k,j)\ndefault A = random(seed=1)\n",
      {{"i", 4}, {"j", 4}, {"k", 2}});
  EXPECT_EQ(attempt.report(), "");
  ASSERT_TRUE(attempt.lifted);
  EXPECT_EQ(print(attempt.lifted->program), "tensor A(m_by_4,q,p_plus_1_by_2,4,2): f32\n"
                                            "tensor B(p_plus_1_by_2,3,2,4)\n"
                                            "tensor C(m_by_4,q,3,4,4)\n"
                                            "tensor s(q): i32\n"
                                            "assume 1 <= m\n\n"
                                            "C(i,t,j) = sum[k](s(t) * GEMM(A(i,t,k), B(k,j)))\n");
  EXPECT_EQ(attempt.lifted->blocks, (Blocks{{"A", {4, 0, 2}}, {"B", {2, 4}}, {"C", {4, 0, 4}}, {"s", {0}}}));
  ASSERT_EQ(attempt.lifted->counts.size(), 2u);
  EXPECT_EQ(print(attempt.lifted->counts.at("m_by_4").size), "m");
  EXPECT_EQ(attempt.lifted->counts.at("m_by_4").extent, 4);
  EXPECT_EQ(print(attempt.lifted->counts.at("p_plus_1_by_2").size), "p + 1");
  EXPECT_EQ(attempt.lifted->counts.at("p_plus_1_by_2").extent, 2);
}

TEST(LiftToTiles, NewSizesTakeNoNameThatIsThere) {
  const Attempt attempt("tensor A(n, m)\ntensor n_by_4(n, m)\nn_by_4(i,j) = A(i,j)\n", {{"i", 4}});
  ASSERT_TRUE(attempt.lifted) << attempt.report();
  EXPECT_EQ(attempt.lifted->counts.count("n_by_4_"), 1u);
}

TEST(LiftToTiles, EquationsWithoutTiledIndicesStay) {
  const Attempt attempt(
      "tensor a(m)\ntensor b(m)\ntensor A(n)\ntensor B(n)\nb(0) = a(0)\nb(t) = b(t-1) * a(t) : t >= 1\n"
      "B(i) = A(i) + A(i)\nassume 1 <= m\n",
      {{"i", 4}});
  EXPECT_EQ(attempt.report(), "");
  EXPECT_EQ(attempt.equations(), "b(0) = a(0)\nb(t) = b(t-1) * a(t) : t >= 1\nB(i) = A(i) + A(i)\n");
}

} // namespace
} // namespace cyclotron::lower
