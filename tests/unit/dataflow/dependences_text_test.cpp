// SPDX-License-Identifier: MIT
// Dependences of programs in the text form, and what is shown where they are not uniform.
#include "dataflow/dependences.hpp"
#include "unit/dataflow/programs.hpp"

#include <gtest/gtest.h>

namespace cyclotron::dataflow {
namespace {

std::string dependences_in(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto program = parse(sources.add("x.dataflow", text), diagnostics);
  return program ? print(dependences_of(*program), *program) : diagnostics.render(false);
}

TEST(DependencesText, OfAProduct) {
  EXPECT_EQ(dependences_in(output_stationary), R"(axes i, j

space C(i, j, k) at place (i, j), time (k)
  (i, j, k)_A <- (i, j-1, k)_A  e = (0, 1, 0)  P.e = (0, 1)  s.e = (0)  : 1 <= j
  (i, j, k)_B <- (i-1, j, k)_B  e = (1, 0, 0)  P.e = (1, 0)  s.e = (0)  : 1 <= i
  (i, j, k)_C <- (i, j, k-1)_C  e = (0, 0, 1)  P.e = (0, 0)  s.e = (1)  : 1 <= k
)");
}

TEST(DependencesText, BetweenSpaces) {
  EXPECT_EQ(dependences_in(two_space_solve), R"(axes i

space tri(i, j) at place (i), time (j)
  (i, j)_Xb <- (i-1)_X^diag  e = -       P.e = (1)  s.e = (0)  : i == j + 1
  (i, j)_Xb <- (i-1, j)_Xb   e = (1, 0)  P.e = (1)  s.e = (0)  : j <= i - 2
  (i, j)_Xa <- (i, j-1)_Xa   e = (0, 1)  P.e = (0)  s.e = (1)  : 1 <= j

space diag(i) at place (i), time (i)
  (i)_Xa <- (i, i-1)_Xa^tri  e = -  P.e = (0)  s.e = (1)  : 1 <= i
)");
  EXPECT_EQ(dependences_in(weight_stationary), R"(axes i, k

space load(i, k) at place (i, k), time (0, 0)

space C(i, j, k) at place (i, k), time (1, j)
  (i, j, k)_B <- (i-1, j, k)_B  e = (1, 0, 0)  P.e = (1, 0)  s.e = (0, 0)  : 1 <= i
  (i, j, k)_C <- (i, 0)_W^load  e = -          P.e = (0, 0)  s.e = -       : k == 0
  (i, j, k)_C <- (i, j, k-1)_C  e = (0, 0, 1)  P.e = (0, 1)  s.e = (0, 0)  : 1 <= k
  (i, j, k)_C <- (i, k)_W^load  e = -          P.e = (0, 0)  s.e = -       : 1 <= k
)");
}

// At the end of a row a value comes from its beginning: as far as the array is long.
TEST(DependencesText, MayBeFormulasInTheSizes) {
  EXPECT_EQ(dependences_in(cannon), R"(axes i, j

space C(i, j, t) at place (i, j), time (t)
  (i, j, t)_A <- (i, j+1, t-1)_A  e = (0, -1, 1)   P.e = (0, -1)   s.e = (1)  : 1 <= t, j <= n - 2
  (i, j, t)_A <- (i, 0, t-1)_A    e = (0, n-1, 1)  P.e = (0, n-1)  s.e = (1)  : 1 <= t, n == j + 1
  (i, j, t)_B <- (i+1, j, t-1)_B  e = (-1, 0, 1)   P.e = (-1, 0)   s.e = (1)  : 1 <= t, i <= n - 2
  (i, j, t)_B <- (0, j, t-1)_B    e = (n-1, 0, 1)  P.e = (n-1, 0)  s.e = (1)  : 1 <= t, n == i + 1
  (i, j, t)_C <- (i, j, t-1)_C    e = (0, 0, 1)    P.e = (0, 0)    s.e = (1)  : 1 <= t
)");
}

TEST(DependencesText, ShowTwoPointsWhereTheyAreNotUniform) {
  EXPECT_EQ(dependences_in(R"(tensor A(n)
tensor y(n)
axes i

space s(i, t) : 0 <= i < n, 0 <= t < n
  place (i)
  time (t)
  (i, 0)_a <- A(i)
  (i, t)_a <- (0, t-1)_a + (i, t-1)_a : 1 <= t
  y(i) <- (i, n-1)_a
)"),
            R"(axes i

space s(i, t) at place (i), time (t)
  (i, t)_a <- (0, t-1)_a  e = -       P.e = -    s.e = (1)  : 1 <= t; not uniform: n = 2, i = 0, t = 1, i' = 1, t' = 1
  (i, t)_a <- (i, t-1)_a  e = (0, 1)  P.e = (0)  s.e = (1)  : 1 <= t
)");
}

} // namespace
} // namespace cyclotron::dataflow
