// SPDX-License-Identifier: MIT
// Kernels by BLAS and LAPACK against the loops of the kernel table, at sizes where blocks begin and end, and without
// rows.
#include "backend/mpi/blas_kernels.hpp"

#include "backend/mpi/blas_threads.hpp"
#include "recurrence/kernels.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

namespace cyclotron::mpi {
namespace {

using recurrence::Failure;
using recurrence::Kernel;
using recurrence::Tile;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t sizes[] = {0, 1, 2, 3, 5, 8, 13, 31, 64, 97};

// Sums of at most 97 products of numbers up to 1, and solves with dominant diagonals: a hundred roundings at most.
constexpr double tolerance = 1e-13;

std::mt19937_64 random_bits(2026);

double random_number() { return std::uniform_real_distribution<double>(-1, 1)(random_bits); }

std::int64_t random_size() {
  return sizes[std::uniform_int_distribution<std::size_t>(0, std::size(sizes) - 1)(random_bits)];
}

// Which part of a square argument the kernel reads; the rest is filled with what would be noticed.
enum class Reads { all, lower, strictly_lower, upper };

Reads part_read(const Kernel& kernel) {
  static const std::map<std::string_view, Reads> known = {{"TRSM", Reads::lower},
                                                          {"TRSM_LLU", Reads::strictly_lower},
                                                          {"TRSM_LLT", Reads::lower},
                                                          {"TRSM_LUN", Reads::upper},
                                                          {"TRSM_RLN", Reads::lower},
                                                          {"TRSM_RLT", Reads::lower},
                                                          {"TRSM_RUN", Reads::upper},
                                                          {"TRSV", Reads::lower},
                                                          {"TRSV_LU", Reads::strictly_lower},
                                                          {"TRSV_UN", Reads::upper},
                                                          {"POTRF", Reads::lower}};
  const auto found = known.find(kernel.name);
  return found == known.end() ? Reads::all : found->second;
}

bool is_read(Reads part, std::int64_t i, std::int64_t j) {
  switch (part) {
  case Reads::all: return true;
  case Reads::lower: return i >= j;
  case Reads::strictly_lower: return i > j;
  case Reads::upper: return i <= j;
  }
  return false;
}

std::int64_t count(const std::vector<std::int64_t>& dims) {
  std::int64_t product = 1;
  for (const std::int64_t d : dims) product *= d;
  return product;
}

// A square argument has a diagonal that dominates its rows, so that it can be factored and solved with.
Tile random_argument(const std::vector<std::int64_t>& dims, bool square, Reads part) {
  Tile tile{dims, std::vector<double>(static_cast<std::size_t>(count(dims)))};
  for (double& value : tile.values) value = random_number();
  if (!square) return tile;
  const std::int64_t n = dims[0];
  const double scale = part == Reads::strictly_lower && n > 0 ? 1.0 / static_cast<double>(n) : 1; // its diagonal is 1
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      tile.at(i, j) *= scale;
      if (i == j) tile.at(i, j) += static_cast<double>(n) + 1;
      if (!is_read(part, i, j)) tile.at(i, j) = not_a_number;
    }
  return tile;
}

struct Call {
  const Kernel& kernel;
  const BlasKernel& blas;
  std::vector<Tile> arguments;
  std::vector<std::int64_t> result_dims;
};

Call random_call(const Kernel& kernel) {
  std::map<char, std::int64_t> extents;
  const auto dims_of = [&](std::string_view letters) {
    std::vector<std::int64_t> dims;
    for (const char letter : letters) dims.push_back(extents.try_emplace(letter, random_size()).first->second);
    return dims;
  };
  Call call{kernel, *blas_kernel(kernel.name), {}, {}};
  for (const std::string_view letters : kernel.arguments) {
    const bool square = letters.size() == 2 && letters[0] == letters[1];
    call.arguments.push_back(random_argument(dims_of(letters), square, part_read(kernel)));
  }
  call.result_dims = dims_of(kernel.result);
  return call;
}

Failure run(const BlasKernel& blas, const std::vector<Tile>& arguments, double alpha, double beta, double* to,
            const std::vector<std::int64_t>& dims, int in_place = -1) {
  std::vector<Operand> operands;
  for (const Tile& a : arguments) operands.push_back({a.values.data(), a.dims.data()});
  if (in_place >= 0) operands[static_cast<std::size_t>(in_place)].values = to;
  return blas.call(operands.data(), alpha, beta, to, dims.data());
}

std::string describe(const Call& call) {
  std::string text(call.kernel.name);
  for (const Tile& a : call.arguments)
    for (const std::int64_t d : a.dims) text.append(" ").append(std::to_string(d));
  return text;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, const Call& call) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - expected[i]), tolerance * (1 + std::abs(expected[i])))
        << describe(call) << ", element " << i << ": " << found[i] << " instead of " << expected[i];
}

TEST(BlasKernels, HasEveryKernelOfTheTable) {
  for (const Kernel& kernel : recurrence::kernel_table()) EXPECT_NE(blas_kernel(kernel.name), nullptr) << kernel.name;
  EXPECT_EQ(blas_kernel("GEMM_XX"), nullptr);
}

TEST(BlasKernels, ComputeWhatTheLoopsDoAndDoNotReadTheTarget) {
  for (const Kernel& kernel : recurrence::kernel_table())
    for (int trial = 0; trial < 60; ++trial) {
      const Call call = random_call(kernel);
      const Tile expected = kernel.compute(call.arguments);
      ASSERT_EQ(expected.dims, call.result_dims);
      std::vector<double> to(expected.values.size(), not_a_number);
      ASSERT_EQ(run(call.blas, call.arguments, 1, 0, to.data(), call.result_dims), Failure::none) << describe(call);
      expect_near(to, expected.values, call);
    }
}

TEST(BlasKernels, WorkInPlace) {
  for (const Kernel& kernel : recurrence::kernel_table())
    for (int trial = 0; trial < 30 && blas_kernel(kernel.name)->in_place >= 0; ++trial) {
      const Call call = random_call(kernel);
      std::vector<double> to = call.arguments[static_cast<std::size_t>(call.blas.in_place)].values;
      const Failure failure = run(call.blas, call.arguments, 1, 0, to.data(), call.result_dims, call.blas.in_place);
      ASSERT_EQ(failure, Failure::none) << describe(call);
      expect_near(to, kernel.compute(call.arguments).values, call);
    }
}

TEST(BlasKernels, AccumulateIntoWhatIsThere) {
  int accumulating = 0;
  for (const Kernel& kernel : recurrence::kernel_table()) {
    if (!blas_kernel(kernel.name)->accumulates) continue;
    ++accumulating;
    for (const double alpha : {1.0, -1.0, 0.5})
      for (const double beta : {0.0, 1.0, -2.0})
        for (int trial = 0; trial < 20; ++trial) {
          const Call call = random_call(kernel);
          std::vector<double> expected = kernel.compute(call.arguments).values, to(expected.size(), not_a_number);
          for (std::size_t i = 0; i < to.size(); ++i) {
            if (beta != 0) to[i] = random_number(); // not symmetric for SYRK either
            expected[i] = alpha * expected[i] + (beta != 0 ? beta * to[i] : 0);
          }
          ASSERT_EQ(run(call.blas, call.arguments, alpha, beta, to.data(), call.result_dims), Failure::none);
          expect_near(to, expected, call);
        }
  }
  EXPECT_EQ(accumulating, 8); // GEMM, GEMM_NT, GEMM_TN, GEMV, GEMV_T, GER, SYRK, TRANSPOSE
}

TEST(BlasKernels, PartsWithoutValuesAreExact) {
  for (const std::int64_t n : sizes) {
    const std::vector<std::int64_t> dims = {n, n};
    const std::vector<Tile> a = {random_argument(dims, true, Reads::all)};
    for (const std::string_view name : {"POTRF", "GETRF_L", "GETRF_U"}) {
      Tile to{dims, std::vector<double>(static_cast<std::size_t>(n * n), not_a_number)};
      ASSERT_EQ(run(*blas_kernel(name), a, 1, 0, to.values.data(), dims), Failure::none);
      for (std::int64_t i = 0; i < n; ++i) {
        EXPECT_TRUE(name != "GETRF_L" || to.at(i, i) == 1) << n;
        for (std::int64_t j = 0; j < n; ++j) {
          const bool without_value = name == "GETRF_U" ? j < i : j > i;
          EXPECT_TRUE(!without_value || to.at(i, j) == 0) << name << " of " << n;
        }
      }
    }
  }
}

// L D Lᵀ with L having ones on the diagonal and below it, D ones except for one pivot: all exact.
Tile with_pivot(std::int64_t n, std::int64_t at, double pivot) {
  Tile a{{n, n}, std::vector<double>(static_cast<std::size_t>(n * n))};
  for (std::int64_t i = 0; i < n; ++i) {
    const double d = i == at ? pivot : 1;
    a.at(i, i) += d;
    if (i + 1 < n) a.at(i + 1, i) += d, a.at(i, i + 1) += d, a.at(i + 1, i + 1) += d;
  }
  return a;
}

TEST(BlasKernels, FactorsFailWhereTheLoopsDo) {
  std::set<Failure> seen;
  for (const char* name : {"POTRF", "GETRF", "GETRF_L", "GETRF_U"})
    for (const std::int64_t n : {1, 2, 5, 24, 25, 33, 64, 100, 200})
      for (const std::int64_t at : {std::int64_t{0}, n / 3, n / 2, n - 2, n - 1})
        for (const double pivot : {-1.0, 0.0, 1.0}) {
          if (at < 0) continue;
          const Tile a = with_pivot(n, at, pivot);
          Failure expected = Failure::none;
          const Tile values = recurrence::kernel_named(name)->compute({a}, &expected);
          std::vector<double> to(a.values.size());
          ASSERT_EQ(run(*blas_kernel(name), {a}, 1, 0, to.data(), a.dims), expected)
              << name << " of " << n << " with pivot " << pivot << " at " << at;
          EXPECT_TRUE(expected != Failure::none || to == values.values) << name << " of " << n << " at " << at;
          seen.insert(expected);
        }
  EXPECT_EQ(seen, (std::set{Failure::none, Failure::divides_by_zero, Failure::root_of_negative}));
}

TEST(BlasKernels, APivotThatIsNoNumberSpreads) {
  for (const std::int64_t n : {3, 50}) {
    const Tile a = with_pivot(n, 1, not_a_number);
    Tile to{a.dims, std::vector<double>(a.values.size())};
    EXPECT_EQ(run(*blas_kernel("POTRF"), {a}, 1, 0, to.values.data(), a.dims), Failure::none);
    EXPECT_EQ(to.at(0, 0), 1);
    for (std::int64_t i = 1; i < n; ++i) {
      EXPECT_TRUE(std::isnan(to.at(i, i))) << i;
      EXPECT_EQ(to.at(i - 1, i), 0);
    }
  }
}

TEST(BlasKernels, SolvesFailOnAZeroDiagonalIfTheyDivide) {
  for (const Kernel& kernel : recurrence::kernel_table()) {
    if (!kernel.name.starts_with("TRS")) continue;
    for (const std::int64_t right_sides : {0, 1, 7}) {
      std::vector<std::int64_t> dims = {9, right_sides};
      if (kernel.result == "m") dims = {9};
      else if (kernel.arguments[0] == "nn") dims = {right_sides, 9};
      std::vector<Tile> arguments = {random_argument({9, 9}, true, Reads::all),
                                     random_argument(dims, false, Reads::all)};
      arguments[0].at(4, 4) = 0;
      Failure expected = Failure::none;
      kernel.compute(arguments, &expected);
      std::vector<double> to(arguments[1].values.size());
      EXPECT_EQ(run(*blas_kernel(kernel.name), arguments, 1, 0, to.data(), dims), expected)
          << kernel.name << " with " << right_sides;
      const bool divides = part_read(kernel) != Reads::strictly_lower && (right_sides > 0 || dims.size() == 1);
      EXPECT_EQ(expected, divides ? Failure::divides_by_zero : Failure::none) << kernel.name;
    }
  }
}

TEST(BlasKernelsDeathTest, MisuseIsABug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // the BLAS may have started threads
  const std::int64_t one[] = {1, 1}, wide[] = {1, largest_tile_extent + 1};
  const double value = 1;
  double to = 0;
  const Operand single[] = {{&value, one}, {&value, one}}, wides[] = {{&value, one}, {&value, wide}};
  EXPECT_EXIT(blas_kernel("TRSM")->call(single, 2, 0, &to, one), testing::ExitedWithCode(70), "does not accumulate");
  EXPECT_EXIT(blas_kernel("POTRF")->call(single, 1, 1, &to, one), testing::ExitedWithCode(70), "does not accumulate");
  EXPECT_EXIT(blas_kernel("GEMM")->call(wides, 1, 0, &to, wide), testing::ExitedWithCode(70), "extent of 2147483648");
}

TEST(BlasThreads, OpenBlasIsLeftWithOne) {
  use_one_blas_thread();
  using GetThreads = int (*)();
  const auto threads = reinterpret_cast<GetThreads>(dlsym(RTLD_DEFAULT, "openblas_get_num_threads"));
  if (!threads) GTEST_SKIP() << "this BLAS is not OpenBLAS";
  EXPECT_EQ(threads(), 1);
}

} // namespace
} // namespace cyclotron::mpi
