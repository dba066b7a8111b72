// SPDX-License-Identifier: MIT
// Our routines beside ScaLAPACK's on the same random submatrices: what they compute, and that they touch nothing else.
#include "blacs_grid.hpp"
#include "routine_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cyclotron::mpi::scalapack {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

// A submatrix within a larger matrix.
struct Submatrix {
  Submatrix(const RandomGrid& grid, Dice& dice, int m, int n)
      : row(dice.between(1, 12)), column(dice.between(1, 12)), rows(m), columns(n),
        dealt(grid, dice, row - 1 + m + dice.between(0, 4), column - 1 + n + dice.between(0, 4)) {}

  // Element (i, j) of the submatrix, NaN around it: a routine that reads what it should not shows.
  void fill(const std::function<double(long, long)>& value) {
    dealt.fill([&](long i, long j) {
      const long y = i - row + 1, x = j - column + 1;
      return y >= 0 && y < rows && x >= 0 && x < columns ? value(y, x) : nan;
    });
  }
  const double* data() const { return dealt.values.data(); }
  double* data() { return dealt.values.data(); }
  const int* descriptor() const { return dealt.descriptor.data(); }

  int row, column, rows, columns;
  Dealt dealt;
};

// The largest difference on any rank, of all that the ranks hold; infinite where only one of two is a NaN.
double largest_difference(const Dealt& x, const Dealt& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    if (std::isnan(x.values[i]) && std::isnan(y.values[i])) continue;
    const double difference = std::abs(x.values[i] - y.values[i]);
    largest = std::max(largest, std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference);
  }
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return largest;
}

constexpr double tolerance = 1e-12; // values are of order 1 to 100

// Computing for real compiles a program for each shape; so there are fewer and larger ones.
struct Ours {
  const char* name;
  RoutineTable (*routines)();
  unsigned trials;
  int largest;
};

class Values : public testing::TestWithParam<Ours> {
protected:
  template <class Trial> void all(unsigned times, Trial trial) {
    for (unsigned seed = 1; seed <= times * GetParam().trials && !HasFailure(); ++seed)
      trial(seed, GetParam().routines(), GetParam().largest);
  }
};

void multiply_both(unsigned seed, const RoutineTable& routines, int largest) {
  Dice dice(seed);
  const RandomGrid grid(dice);
  const int m = dice.between(0, largest), n = dice.between(0, largest), k = dice.between(0, largest);
  const char transa = dice.one_of<char>({'N', 'T', 'C', 'n', 't'}), transb = dice.one_of<char>({'N', 'T', 'C', 'c'});
  const double alpha = dice.one_of<double>({1, -0.75, 0}), beta = dice.one_of<double>({0, 1, 2.5});
  const bool plain_a = transa == 'N' || transa == 'n', plain_b = transb == 'N';
  Submatrix a(grid, dice, plain_a ? m : k, plain_a ? k : m), b(grid, dice, plain_b ? k : n, plain_b ? n : k);
  Submatrix ours(grid, dice, m, n);
  if (grid.has_me()) {
    a.fill([&](long i, long j) { return alpha == 0 ? nan : element(1, i, j); });
    b.fill([&](long i, long j) { return alpha == 0 ? nan : element(2, i, j); });
    ours.fill([&](long i, long j) { return beta == 0 ? nan : element(3, i, j); });
  }
  Submatrix theirs = ours;
  if (grid.has_me()) {
    routines.gemm(&transa, &transb, &m, &n, &k, &alpha, a.data(), &a.row, &a.column, a.descriptor(), b.data(), &b.row,
                  &b.column, b.descriptor(), &beta, ours.data(), &ours.row, &ours.column, ours.descriptor());
    pdgemm_(&transa, &transb, &m, &n, &k, &alpha, a.data(), &a.row, &a.column, a.descriptor(), b.data(), &b.row,
            &b.column, b.descriptor(), &beta, theirs.data(), &theirs.row, &theirs.column, theirs.descriptor());
  }
  ASSERT_LT(largest_difference(ours.dealt, theirs.dealt), tolerance)
      << "seed " << seed << ": " << transa << transb << " " << m << "x" << n << "x" << k << " alpha " << alpha
      << " beta " << beta;
}

TEST_P(Values, Pdgemm) { all(2, multiply_both); }

// Solutions of order 1: the diagonal outweighs the rest. What is not to be read is a NaN.
double triangle_element(char uplo, char diag, int extent, long i, long j) {
  if (i == j) return diag == 'U' ? nan : 2 + element(1, i, i);
  return (uplo == 'L') == (i > j) ? element(1, i, j) / extent : nan;
}

void solve_both(unsigned seed, const RoutineTable& routines, int largest) {
  Dice dice(seed);
  const RandomGrid grid(dice);
  const int m = dice.between(0, largest), n = dice.between(0, largest);
  const char side = dice.one_of<char>({'L', 'R'}), uplo = dice.one_of<char>({'L', 'U'});
  const char trans = dice.one_of<char>({'N', 'T', 'C'}), diag = dice.one_of<char>({'N', 'U'});
  const double alpha = dice.one_of<double>({1, -0.75, 1, 0});
  const int extent = side == 'L' ? m : n;
  Submatrix a(grid, dice, extent, extent), ours(grid, dice, m, n);
  if (grid.has_me()) {
    a.fill([&](long i, long j) { return triangle_element(uplo, diag, extent, i, j); });
    ours.fill([&](long i, long j) { return alpha == 0 ? nan : element(2, i, j); });
  }
  Submatrix theirs = ours;
  if (grid.has_me()) {
    routines.trsm(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.data(), &a.row, &a.column, a.descriptor(), ours.data(),
                  &ours.row, &ours.column, ours.descriptor());
    // ScaLAPACK multiplies with what it should not read: it gets a matrix without NaNs.
    a.fill([&](long i, long j) {
      const double value = triangle_element(uplo, diag, extent, i, j);
      return std::isnan(value) ? 0 : value;
    });
    pdtrsm_(&side, &uplo, &trans, &diag, &m, &n, &alpha, a.data(), &a.row, &a.column, a.descriptor(), theirs.data(),
            &theirs.row, &theirs.column, theirs.descriptor());
  }
  ASSERT_LT(largest_difference(ours.dealt, theirs.dealt), tolerance)
      << "seed " << seed << ": " << side << uplo << trans << diag << " " << m << "x" << n << " alpha " << alpha;
}

TEST_P(Values, Pdtrsm) { all(3, solve_both); }

// A zero on the diagonal: what can be solved is, the rest is not finite, as with ScaLAPACK.
TEST_P(Values, PdtrsmOfASingularTriangle) {
  for (const char uplo : {'L', 'U'}) {
    Dice dice(5);
    const RandomGrid grid(dice);
    const int n = 21, zero = 13;
    Submatrix a(grid, dice, n, n), ours(grid, dice, n, n);
    const auto is_solved = [&](long i) { return uplo == 'L' ? i < zero : i > zero; };
    long wrong = 0;
    if (grid.has_me()) {
      a.fill([&](long i, long j) { return i == zero && j == zero ? 0 : triangle_element(uplo, 'N', n, i, j); });
      ours.fill([](long i, long j) { return element(2, i, j); });
      Submatrix theirs = ours;
      const double one = 1;
      GetParam().routines().trsm("L", &uplo, "N", "N", &n, &n, &one, a.data(), &a.row, &a.column, a.descriptor(),
                                 ours.data(), &ours.row, &ours.column, ours.descriptor());
      a.fill([&](long i, long j) {
        const double value = i == zero && j == zero ? 0 : triangle_element(uplo, 'N', n, i, j);
        return std::isnan(value) ? 0 : value;
      });
      pdtrsm_("L", &uplo, "N", "N", &n, &n, &one, a.data(), &a.row, &a.column, a.descriptor(), theirs.data(),
              &theirs.row, &theirs.column, theirs.descriptor());
      for (std::size_t j = 0; j < ours.dealt.global_columns.size(); ++j)
        for (std::size_t i = 0; i < ours.dealt.global_rows.size(); ++i) {
          const double x = ours.dealt.at(i, j), y = theirs.dealt.at(i, j);
          if (is_solved(ours.dealt.global_rows[i] - ours.row + 1))
            wrong += !(std::isnan(y) || std::abs(x - y) < tolerance);
          else wrong += std::isfinite(x) != std::isfinite(y);
        }
    }
    EXPECT_EQ(wrong, 0) << uplo;
  }
}

// ScaLAPACK wants square blocks and a corner of one.
void factor_both(unsigned seed, const RoutineTable& routines, int largest) {
  Dice dice(seed);
  const RandomGrid grid(dice);
  const int n = dice.between(0, largest), bad = dice.between(0, 3) == 0 && n > 0 ? dice.between(1, n) : 0;
  const char uplo = dice.one_of<char>({'L', 'U', 'l', 'u'});
  const int row_blocks = dice.between(0, 2), column_blocks = dice.between(0, 2), more = dice.between(0, 5);
  Dealt ours(grid, dice, n + 18 + more, n + 18, true);
  int our_info = 0, their_info = 0;
  Dealt theirs = ours;
  if (grid.has_me()) {
    const int row = 1 + row_blocks * ours.descriptor[4], column = 1 + column_blocks * ours.descriptor[5];
    ours.fill([&](long i, long j) {
      const long y = i - row + 1, x = j - column + 1;
      const bool inside = y >= 0 && y < n && x >= 0 && x < n && (uplo == 'L' || uplo == 'l' ? y >= x : y <= x);
      if (!inside) return nan;
      if (y == x) return y + 1 == bad ? -1.0 : n + element(1, y, y);
      return element(1, std::min(x, y), std::max(x, y));
    });
    theirs = ours;
    routines.potrf(&uplo, &n, ours.values.data(), &row, &column, ours.descriptor.data(), &our_info);
    pdpotrf_(&uplo, &n, theirs.values.data(), &row, &column, theirs.descriptor.data(), &their_info);
  }
  ASSERT_EQ(our_info, their_info) << "seed " << seed;
  int worst = their_info; // known to the ranks outside the grid, too
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (worst) ours = theirs; // what is left behind is of no use, and differs
  ASSERT_LT(largest_difference(ours, theirs), tolerance) << "seed " << seed << ": " << uplo << " " << n;
}

TEST_P(Values, Pdpotrf) { all(2, factor_both); }

INSTANTIATE_TEST_SUITE_P(Of, Values,
                         testing::Values(Ours{"gathering", with_gathering_engine, 75, 40},
                                         Ours{"dropin", of_dropin_library, 8, 150}),
                         [](const auto& of) { return std::string(of.param.name); });

} // namespace
} // namespace cyclotron::mpi::scalapack
