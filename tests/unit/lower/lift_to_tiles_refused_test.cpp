// SPDX-License-Identifier: MIT
// What cannot be lifted to tiles is refused with a message that says which part of which equation, and why.
#include "lower/tiles/lift_to_tiles.hpp"
#include "unit/lower/placed.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::lower {
namespace {

struct Refusal {
  TestProgram program;

  Refusal(const std::string& text, const std::string& commands) : program(text + "schedule s { " + commands + " }\n") {
    EXPECT_EQ(program.messages(), "") << text;
    if (program.diagnostics.failed()) return;
    const auto mapping = mapping_of(&program.checked.unit->schedules.at(0), "array", program.diagnostics);
    const auto lifted = lift_to_tiles(program.checked.program(), *mapping->lift, program.diagnostics);
    EXPECT_FALSE(lifted) << print(lifted->program);
  }

  // What is said, of which part of the text, and the words beside it.
  std::string said() const {
    std::string out;
    for (const Diagnostic& d : program.diagnostics.all())
      out += fmt::format("{}{} [{}{}{}]", out.empty() ? "" : "; ", d.main.message, program.sources.slice(d.main.span),
                         d.main.label.empty() ? "" : ": ", d.main.label);
    return out;
  }
};

std::string refused(const std::string& text, const std::string& commands) { return Refusal(text, commands).said(); }

const std::string needleman_wunsch =
    "tensor a(m): i32\n"
    "tensor b(n): i32\n"
    "tensor H(m+1, n+1): i32\n"
    "H(i,0) = -i\n"
    "H(0,j) = -j : j >= 1\n"
    "H(i,j) = max(H(i-1,j-1) + select(a(i-1) == b(j-1), 1, -1), H(i-1,j) - 1, H(i,j-1) - 1) : i >= 1, j >= 1\n";

const std::string floyd_warshall = "tensor A(n, n)\n"
                                   "tensor D(n, n)\n"
                                   "D^(-1)(i,j) = A(i,j)\n"
                                   "D^k(i,j) = min(D^(k-1)(i,j), D^(k-1)(i,k) + D^(k-1)(k,j))\n";

TEST(LiftToTilesRefused, IndicesThatDoNotStandAlone) {
  EXPECT_EQ(refused("tensor A(m)\n"
                    "tensor B(m)\n"
                    "B(i) = A(i-1) : i >= 1\n",
                    "tile i by 4"),
            "`i` is tiled, but used as `i-1` in an index of `A` [i-1]");
  EXPECT_EQ(refused("tensor A(m, n)\n"
                    "tensor B(m, n)\n"
                    "B(i,j) = A(i,j) * i\n",
                    "tile i, j by 4"),
            "`i` is tiled, but used as a number [i]");
  EXPECT_EQ(refused(needleman_wunsch, "tile i, j by 4"),
            "`i` is tiled, but used as a number [i]; `j` is tiled, but used as a number [j]");
  EXPECT_EQ(refused(floyd_warshall, "tile i, j, k by 4"), "`k` is tiled, but used as a step [k]");
}

TEST(LiftToTilesRefused, DimensionsThatAreCutOnlyHereAndThere) {
  EXPECT_EQ(refused(floyd_warshall, "tile i, j by 4"),
            "dimension 2 of `D` is cut in tiles of 4, but `k` in `D^(k-1)(i,k)` is not tiled [k]; dimension 1 of `D` "
            "is cut in tiles of 4, but `k` in `D^(k-1)(k,j)` is not tiled [k]");
  EXPECT_EQ(refused("tensor A(m, n)\n"
                    "tensor B(m, n)\n"
                    "tensor C(m, n)\n"
                    "B(i,j) = A(i,j)\n"
                    "C(i,c) = B(i,c)\n",
                    "tile i, j by 4"),
            "dimension 2 of `B` is cut in tiles of 4, but `c` in `B(i,c)` is not tiled [c]");
  EXPECT_EQ(refused("assume 1 <= n\n"
                    "tensor A(m, n)\n"
                    "tensor B(m, n)\n"
                    "tensor x(m)\n"
                    "B(i,j) = A(i,j)\n"
                    "x(i) = B(i,0)\n",
                    "tile i, j by 4"),
            "dimension 2 of `B` is cut in tiles of 4, but `0` in `B(i,0)` is a single element [0]");
}

TEST(LiftToTilesRefused, TilesThatDoNotFit) {
  EXPECT_EQ(refused("tensor A(n, n)\n"
                    "tensor B(n, n)\n"
                    "B(i,j) = A(i,j) + A(j,i)\n",
                    "tile i by 4\n"
                    " tile j by 8"),
            "dimension 1 of `A` is cut in tiles of 4, but `j` has tiles of 8 [j]; dimension 2 of `A` is cut in tiles "
            "of 8, but `i` has tiles of 4 [i]");
  EXPECT_EQ(refused("tensor A(n, n)\n"
                    "tensor B(n, n)\n"
                    "B(i,j) = A(i,j) : j < i\n",
                    "tile i by 4\n"
                    " tile j by 8"),
            "`j < i` compares indices whose tiles differ: `j` has tiles of 8 in a dimension of `n`, `i` has tiles of 4 "
            "in a dimension of `n` [j < i]");
  EXPECT_EQ(refused("tensor A(n, m)\n"
                    "tensor B(n, m)\n"
                    "B(i,j) = A(i,j) : j < i\n",
                    "tile i, j by 4"),
            "`j < i` compares indices whose tiles differ: `j` has tiles of 4 in a dimension of `m`, `i` has tiles of 4 "
            "in a dimension of `n` [j < i]");
  EXPECT_EQ(refused("tensor A(n+1)\n"
                    "tensor B(n)\n"
                    "B(i) = A(i)\n",
                    "tile i by 4"),
            "`i` is tiled, but it indexes dimensions of different sizes: `n` in `B(i)`, and `n + 1` in `A(i)` [A(i)]");
  EXPECT_EQ(refused("tensor A(n): i32\n"
                    "tensor B(n)\n"
                    "B(i) = A(i)\n",
                    "tile i by 4"),
            "tiles are of f64 or f32, but `A` holds i32 [tensor A(n): i32]");
  EXPECT_EQ(refused("tensor A(T, b, b)\n"
                    "tensor B(T, b, b)\n"
                    "B(i) = TRANSPOSE(A(i))\n",
                    "tile i by 4"),
            "`TRANSPOSE(A(i))` is a tile already [TRANSPOSE(A(i))]");
}

TEST(LiftToTilesRefused, ConstraintsThatAreNotAboutTiles) {
  EXPECT_EQ(refused("tensor A(n)\n"
                    "tensor B(n)\n"
                    "B(i) = A(i) : i < 3\n",
                    "tile i by 4"),
            "`i < 3` is not about whole tiles [i < 3]");
  EXPECT_EQ(refused("tensor A(n)\n"
                    "tensor B(n)\n"
                    "B(i) = A(i) : i < n-1\n",
                    "tile i by 4"),
            "`i < n - 1` is not about whole tiles [i < n-1]");
  EXPECT_EQ(refused("tensor A(n, n)\n"
                    "tensor B(n, n)\n"
                    "B(i,j) = A(i,j) : i + j < n\n",
                    "tile i, j by 4"),
            "`i + j < n` is not about whole tiles [i + j < n]");
  EXPECT_EQ(refused("tensor A(n, n)\n"
                    "tensor B(n, n)\n"
                    "B(i,j) = sum[k](A(i,k) * sum[l](A(k,l) * A(l,j))) : k < i, l < k\n",
                    "tile i, j, k, l by 4"),
            "`l` would range over different tiles in parts of one sum [sum[l](A(k,l) * A(l,j))]");
}

TEST(LiftToTilesRefused, WhatNoKernelDoes) {
  EXPECT_EQ(refused("tensor A(m, n)\n"
                    "tensor x(m)\n"
                    "x(i) = max[j](A(i,j))\n",
                    "tile i, j by 4"),
            "`max` is over `j`, which is tiled, but tiles can only be summed [max[j](A(i,j))]");
  EXPECT_EQ(refused("tensor A(m, n)\n"
                    "tensor B(m, n)\n"
                    "B(i,j) = exp(A(i,j)) + A(i,j)\n",
                    "tile i, j by 4"),
            "the tile `B(i,j)` cannot be computed by kernels [exp(A(i,j)): this is done element by element, which no "
            "kernel does]");
  EXPECT_EQ(refused("tensor A(m, n)\n"
                    "tensor B(m, n)\n"
                    "B(i,j) = A(i,j) + 1\n",
                    "tile i, j by 4"),
            "the tile `B(i,j)` cannot be computed by kernels [1: this is one number for all elements of a tile; tiles "
            "are added to tiles]");
  EXPECT_EQ(refused("tensor A(m, n)\n"
                    "tensor B(m, n)\n"
                    "B(i,j) = A(i,j) / A(i,j)\n",
                    "tile i, j by 4"),
            "the tile `B(i,j)` cannot be computed by kernels [A(i,j) / A(i,j): no kernel divides by elements of a tile "
            "here]");
  EXPECT_EQ(refused("tensor A(m, n)\n"
                    "tensor v(m)\n"
                    "tensor B(m, n)\n"
                    "B(i,j) = A(i,j) - v(i)\n",
                    "tile i, j by 4"),
            "the tile `B(i,j)` cannot be computed by kernels [v(i): this does not have the indices of the tile that it "
            "is needed for]");
  EXPECT_EQ(refused("tensor A(n, n)\n"
                    "tensor d(n)\n"
                    "d(i) = A(i,i)\n",
                    "tile i by 4"),
            "the tile `d(i)` cannot be computed by kernels [A(i,i): this does not have the indices of the tile that it "
            "is needed for]");
  EXPECT_EQ(refused("tensor A(m, n)\n"
                    "tensor B(m, n)\n"
                    "tensor C(m, n)\n"
                    "C(i,j) = 2 * A(i,j) * B(i,j)\n",
                    "tile i, j by 4"),
            "the tile `C(i,j)` cannot be computed by kernels [2 * A(i,j) * B(i,j): no kernel multiplies these]");
  EXPECT_EQ(refused("tensor B(m, n)\n"
                    "tensor C(m, p)\n"
                    "tensor D(n, p)\n"
                    "tensor X(m, n)\n"
                    "X(i,j) = B(i,j) * C(i,k) * D(j,k)\n",
                    "tile i, j, k by 4"),
            "the tile `X(i,j)` cannot be computed by kernels [B(i,j) * C(i,k) * D(j,k): no kernel has this sum]");
  EXPECT_EQ(refused("tensor a(n)\n"
                    "tensor b(n)\n"
                    "tensor s\n"
                    "s = a(i) * b(i)\n",
                    "tile i by 4"),
            "the tile `s` cannot be computed by kernels [a(i) * b(i): no kernel has this sum]");
}

TEST(LiftToTilesRefused, PartsOfTilesThatAreNoKernel) {
  EXPECT_EQ(refused("tensor L(n, n)\n"
                    "tensor B(n, m)\n"
                    "tensor X(n, m)\n"
                    "X(i,j) = sum[k](L(i,k) * B(k,j)) : k <= i\n",
                    "tile i, j, k by 4"),
            "the tile `X(i,j)` cannot be computed by kernels [sum[k](L(i,k) * B(k,j)): no kernel has this sum over a "
            "part of a tile, where the indices compared meet]");
  EXPECT_EQ(refused("tensor A(n, n)\n"
                    "tensor B(n, n)\n"
                    "B(i,j) = sum[k](A(i,k) * A(k,j)) : k <= i, k <= j\n",
                    "tile i, j, k by 4"),
            "the tile `B(i,j) : i < j` cannot be computed by kernels [sum[k](A(i,k) * A(k,j)): no kernel has this sum "
            "over a part of a tile, where the indices compared meet]");
  EXPECT_EQ(refused("tensor A(n, n)\n"
                    "tensor X(n, n)\n"
                    "X(i,j) = A(i,j) : j < i\n"
                    "X(i,i) = 1\n",
                    "tile i, j by 4"),
            "the tile `X(i,i)` cannot be computed by kernels [X(i,j) = A(i,j) : j < i: no kernel computes this tile, "
            "of which an equation defines only a part]");
  EXPECT_EQ(refused("tensor L(n, n)\n"
                    "tensor b(n)\n"
                    "tensor x(n)\n"
                    "x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) + b(i) : j < i\n",
                    "tile i, j by 4"),
            "the tile `x(i)` cannot be computed by kernels [x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) + b(i) : j "
            "< i: no kernel has this recurrence inside a tile]");
  EXPECT_EQ(refused("tensor L(n, n)\n"
                    "tensor b(n)\n"
                    "tensor x(n)\n"
                    "x(i) = (b(i) - sum[j](L(i,j) * x(j))) / b(i) : j < i\n",
                    "tile i, j by 4"),
            "the tile `x(i)` cannot be computed by kernels [x(i) = (b(i) - sum[j](L(i,j) * x(j))) / b(i) : j < i: no "
            "kernel has this recurrence inside a tile]");
  EXPECT_EQ(refused("tensor A(n, n)\n"
                    "tensor L(n, n)\n"
                    "L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j) : k < j, j < i\n"
                    "L(i,i) = sqrt(A(i,i) - sum[k](2 * L(i,k) * L(i,k))) : k < i\n",
                    "tile i, j, k by 4"),
            "the tile `L(i,i)` cannot be computed by kernels [L(i,j) = (A(i,j) - sum[k](L(i,k) * L(j,k))) / L(j,j) : k "
            "< j, j < i: no kernel computes this tile, of which an equation defines only a part]");
}

// One message whole, with its notes and its hint.
TEST(LiftToTilesRefused, AMessage) {
  const Refusal refusal("tensor A(n, n)\ntensor X(n, n)\nX(i,j) = A(i,j) : j < i\nX(i,i) = 1\n", "tile i, j by 4");
  EXPECT_EQ(refusal.program.diagnostics.render(false),
            R"(unsupported: the tile `X(i,i)` cannot be computed by kernels
  --> a.cyc:3:1
   |
 3 | X(i,j) = A(i,j) : j < i
   | ^^^^^^^^^^^^^^^^^^^^^^^ no kernel computes this tile, of which an equation defines only a part
note: this defines a part of it
  --> a.cyc:3:1
   |
 3 | X(i,j) = A(i,j) : j < i
   | ^^^^^^^^^^^^^^^^^^^^^^^
note: this defines a part of it
  --> a.cyc:4:1
   |
 4 | X(i,i) = 1
   | ^^^^^^^^^^
note: the equations are lifted to tiles here
  --> a.cyc:5:14
   |
 5 | schedule s { tile i, j by 4 }
   |              ^^^^^^^^^^^^^^
hint: `cyclotron list kernels` shows what there is; tile fewer indices, or write the equations on tiles by hand
)");
}

} // namespace
} // namespace cyclotron::lower
