// SPDX-License-Identifier: MIT
// What cannot be lifted to tiles is refused with a message that says which part of which equation.
#include "lower/lift_to_tiles.hpp"
#include "unit/lower/placed.hpp"

#include <gtest/gtest.h>

namespace cyclotron::lower {
namespace {

// The whole report for a program under `tile ...`.
std::string refused(const std::string& text, const std::string& command) {
  TestProgram program(text + "schedule s { " + command + " }\n");
  EXPECT_EQ(program.messages(), "");
  if (program.diagnostics.failed()) return "";
  const auto mapping = mapping_of(&program.checked.unit->schedules.at(0), program.diagnostics);
  const auto lifted = lift_to_tiles(program.checked.program(), *mapping->lift, program.diagnostics);
  EXPECT_EQ(lifted.has_value(), !program.diagnostics.failed());
  return "\n" + program.diagnostics.render(false);
}

TEST(LiftToTilesRefused, Try) {
  std::cout << refused("tensor A(m)\ntensor B(m)\nB(i) = A(i-1) : i >= 1\n", "tile i by 4");
  std::cout << refused("tensor A(m, n)\ntensor B(m, n)\nB(i,j) = A(i,j) * i\n", "tile i, j by 4");
  std::cout << refused("tensor A(n, n)\ntensor D(n, n)\nD^(-1)(i,j) = A(i,j)\n"
                    "D^k(i,j) = min(D^(k-1)(i,j), D^(k-1)(i,k) + D^(k-1)(k,j))\n",
                    "tile i, j, k by 4");
  std::cout << refused("tensor A(n, n)\ntensor D(n, n)\nD^(-1)(i,j) = A(i,j)\n"
                    "D^k(i,j) = min(D^(k-1)(i,j), D^(k-1)(i,k) + D^(k-1)(k,j))\n",
                    "tile i, j by 4");
  std::cout << refused("tensor a(m): i32\ntensor b(n): i32\ntensor H(m+1, n+1): i32\nH(i,0) = -i\nH(0,j) = -j : j >= 1\n"
                    "H(i,j) = max(H(i-1,j-1) + select(a(i-1) == b(j-1), 1, -1), H(i-1,j) - 1, H(i,j-1) - 1) "
                    ": i >= 1, j >= 1\n",
                    "tile i, j by 4");
  std::cout << refused("tensor A(n, n)\ntensor B(n, n)\nB(i,j) = A(i,j) + A(j,i)\n", "tile i, j by 4, 8");
  std::cout << refused("tensor A(n, n)\ntensor B(n, n)\nB(i,j) = A(i,j) : j < i\n", "tile i, j by 4, 8");
  std::cout << refused("tensor A(n, m)\ntensor B(n, m)\nB(i,j) = A(i,j) : j < i\n", "tile i, j by 4");
  std::cout << refused("tensor A(n+1)\ntensor B(n)\nB(i) = A(i)\n", "tile i by 4");
  std::cout << refused("tensor A(m, n)\ntensor B(m, n)\ntensor C(m, n)\nB(i,j) = A(i,j)\nC(i,c) = B(i,c)\n", "tile i, j by 4");
  std::cout << refused("assume 1 <= n\ntensor A(m, n)\ntensor B(m, n)\ntensor x(m)\nB(i,j) = A(i,j)\nx(i) = B(i,0)\n", "tile i, j by 4");
  std::cout << refused("tensor A(n)\ntensor B(n)\nB(i) = A(i) : i < 3\n", "tile i by 4");
  std::cout << refused("tensor A(n, n)\ntensor B(n, n)\nB(i,j) = sum[k](A(i,k) * A(k,j)) : k < j < i\n", "tile i, j, k by 4");
  std::cout << refused("tensor A(n): i32\ntensor B(n)\nB(i) = A(i)\n", "tile i by 4");
  std::cout << refused("tensor A(T, b, b)\ntensor B(T, b, b)\nB(i) = TRANSPOSE(A(i))\n", "tile i by 4");
  std::cout << refused("tensor A(m, n)\ntensor x(m)\nx(i) = max[j](A(i,j))\n", "tile i, j by 4");
  std::cout << refused("tensor A(m, n)\ntensor B(m, n)\nB(i,j) = exp(A(i,j)) + A(i,j)\n", "tile i, j by 4");
  std::cout << refused("tensor A(m, n)\ntensor B(m, n)\nB(i,j) = A(i,j) + 1\n", "tile i, j by 4");
  std::cout << refused("tensor A(m, n)\ntensor B(m, n)\nB(i,j) = A(i,j) / A(i,j)\n", "tile i, j by 4");
  std::cout << refused("tensor A(m, n)\ntensor v(m)\ntensor B(m, n)\nB(i,j) = A(i,j) - v(i)\n", "tile i, j by 4");
  std::cout << refused("tensor B(m, n)\ntensor C(m, p)\ntensor D(n, p)\ntensor X(m, n)\nX(i,j) = B(i,j) * C(i,k) * D(j,k)\n", "tile i, j, k by 4");
  std::cout << refused("tensor L(n, n)\ntensor B(n, m)\ntensor X(n, m)\nX(i,j) = sum[k](L(i,k) * B(k,j)) : k <= i\n", "tile i, j, k by 4");
  std::cout << refused("tensor a(n)\ntensor b(n)\ntensor s\ns = a(i) * b(i)\n", "tile i by 4");
  std::cout << refused("tensor A(n, n)\ntensor X(n, n)\nX(i,j) = A(i,j) : j < i\nX(i,i) = 1\n", "tile i, j by 4");
  std::cout << refused("tensor L(n, n)\ntensor b(n)\ntensor x(n)\nx(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) + b(i) : j < i\n", "tile i, j by 4");
  std::cout << refused("tensor A(n, n)\ntensor B(n, n)\nB(i,j) = sum[k](A(i,k) * sum[l](A(k,l) * A(l,j))) : k < i, l < k\n", "tile i, j, k, l by 4");
  std::cout << refused("tensor A(n, n)\ntensor B(n, n)\nB(i,j) = sum[k](A(i,k) * A(k,j)) : k <= i, k <= j\n", "tile i, j, k by 4");
}

} // namespace
} // namespace cyclotron::lower
