// SPDX-License-Identifier: MIT
// Programs whose elements are tiles.
#include "products.hpp"
#include "run.hpp"

#include <gtest/gtest.h>

namespace cyclotron::array {
namespace {

using namespace pe;
using namespace pe::write;

// The product with tiles as elements: the same program, with a kernel for the product.
Program tiled_product(const ProductSize& s, const GridSize& g, std::int64_t tile) {
  Program p = output_stationary({rounds(s.m, tile), rounds(s.k, tile), rounds(s.n, tile)}, g);
  p.tensors = {tiled("A", {s.m, s.k}, {tile, tile}), tiled("B", {s.k, s.n}, {tile, tile}),
               tiled("C", {s.m, s.n}, {tile, tile}, true)};
  for (Register& r : p.registers) r.tile = {tile, tile};
  for (Channel& c : p.channels) c.tile = {tile, tile};
  const std::function<void(std::vector<Statement>&)> replace = [&](std::vector<Statement>& list) {
    for (Statement& s1 : list) {
      if (auto* l = std::get_if<Loop>(&s1.kind)) replace(l->body);
      if (auto* i = std::get_if<If>(&s1.kind)) replace(i->body);
      auto* step = std::get_if<Step>(&s1.kind);
      if (!step) continue;
      for (Action& a : step->actions)
        if (auto* c = std::get_if<Compute>(&a)) {
          const Expr product = kernel("GEMM", {get("A"), get("B")});
          const bool first = std::get<recurrence::Binary>(c->value->kind).op == recurrence::BinaryOp::mul;
          c->value = first ? product : add(get("C"), product);
        }
    }
  };
  for (Role& r : p.roles) replace(r.body);
  return p;
}

TEST(Tiles, MultiplyLikeNumbers) {
  for (const ProductSize s : {ProductSize{4, 4, 4}, {7, 5, 9}, {3, 11, 2}})
    for (const std::int64_t tile : {1, 2, 3, 4}) {
      const Inputs inputs{{"A", random_tensor({s.m, s.k}, 1)}, {"B", random_tensor({s.k, s.n}, 2)}};
      const Result r = run(tiled_product(s, {2, 3}, tile), inputs);
      EXPECT_EQ(numbers(r.outputs.at("C")), product(inputs.at("A"), inputs.at("B")));
      const std::int64_t passes = rounds(rounds(s.m, tile), 2) * rounds(rounds(s.n, tile), 3);
      EXPECT_EQ(r.statistics.cycles, (2 + 3 + rounds(s.k, tile) - 2) * passes);
    }
}

TEST(Tiles, CountTheirBytes) {
  const ProductSize s{3, 2, 5};
  const Inputs inputs{{"A", random_tensor({3, 2}, 1)}, {"B", random_tensor({2, 5}, 2)}};
  const Statistics t = run(tiled_product(s, {2, 3}, 2), inputs).statistics;
  // To the second row goes B(0,0), which is 2 x 2, and B(0,2), which is 2 x 1; to the right goes A(1,0), 1 x 2.
  const auto bytes = [&](const std::string& channel, int from) {
    for (const LinkStatistics& l : t.links)
      if (l.channel == channel && l.from == from) return l.bytes;
    return std::uint64_t{0};
  };
  EXPECT_EQ(bytes("B", 0), 32U);
  EXPECT_EQ(bytes("B", 2), 16U);
  EXPECT_EQ(bytes("A", 3), 16U);
  EXPECT_EQ(t.pes[0].memory_bytes, 3U * 32);
}

TEST(Kernels, TakeTheirTime) {
  const ProductSize s{2, 6, 2};
  const Inputs inputs{{"A", random_tensor({2, 6}, 1)}, {"B", random_tensor({6, 2}, 2)}};
  const auto cycles = [&](const Machine& m) { return run(tiled_product(s, {1, 1}, 2), inputs, m).statistics.cycles; };
  EXPECT_EQ(cycles({}), 3);
  EXPECT_EQ(cycles({.kernel_cycles = {{"GEMM", 5}}}), 15);
  EXPECT_EQ(cycles({.cycles_per_multiply_add = 0.5}), 3 * 4);
  // What is passed on leaves when it is there, and not when the product is done.
  const ProductSize wide{2, 2, 6};
  const Inputs row{{"A", random_tensor({2, 2}, 1)}, {"B", random_tensor({2, 6}, 2)}};
  EXPECT_EQ(run(tiled_product(wide, {1, 3}, 2), row, {.kernel_cycles = {{"GEMM", 5}}}).statistics.cycles, 2 + 5);
}

// PE (i) takes the Cholesky factor of the i-th tile of the diagonal, and passes it on.
Program factors(std::int64_t n, std::int64_t tile) {
  Program p;
  p.axes = {{"i", 0, n - 1}};
  p.torus = {true};
  p.tensors = {tiled("A", {n * tile, n * tile}, {tile, tile}), tiled("L", {n * tile, n * tile}, {tile, tile}, true),
               tiled("M", {n * tile, tile}, {tile, tile}, true)};
  p.registers = {{"A", ValueType::f64, {tile, tile}, {}}, {"L", ValueType::f64, {tile, tile}, {}}};
  p.channels = {{"L", "L", {1}, ValueType::f64, {tile, tile}}};
  const Coordinates at_i{{"i", var("i")}};
  p.roles = {{"all",
              {{}},
              {step("L", at_i,
                    {load("A", "A", {at("i"), at("i")}), compute("L", kernel("POTRF", {get("A")})), send("L", 0),
                     store("L", {at("i"), at("i")}, "L")}),
               step("M", at_i,
                    {receive("A", 0), compute("A", sub(mul(real(2.0), get("A")), get("L"))),
                     store("M", {at("i"), at(0)}, "A")})}}};
  return p;
}

Inputs diagonal(const std::vector<double>& values) {
  const std::size_t n = values.size();
  std::vector<double> a(n * n);
  for (std::size_t i = 0; i < n; ++i) a[i * n + i] = values[i];
  const auto size = static_cast<std::int64_t>(n);
  return {{"A", dense({size, size}, a)}};
}

TEST(Kernels, MakeWhatIsSentOn) {
  const Result r = run(factors(3, 2), diagonal({4, 9, 16, 25, 36, 49}), {.kernel_cycles = {{"POTRF", 4}}});
  // Sent in the last cycle of 0 .. 3, received in 4, and a cycle to compute with it.
  EXPECT_EQ(r.statistics.cycles, 5);
  // 2 L(i-1) - L(i)
  EXPECT_EQ(numbers(r.outputs.at("M")), (std::vector<double>{10, 0, 0, 11, 0, 0, 0, 1, 2, 0, 0, 3}));
}

TEST(Kernels, SayWhichTileIsNotPositiveDefinite) {
  EXPECT_EQ(refusal(factors(3, 2), diagonal({4, 9, 16, 25, 36, -1})),
            "error: computing `L(2, 2)` takes the square root of a negative number\n"
            "note: on PE (2), in cycle 0, in step L(i = 2)\n"
            "hint: a matrix that is not positive definite leads here\n");
}

} // namespace
} // namespace cyclotron::array
