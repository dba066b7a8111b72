// SPDX-License-Identifier: MIT
#include "openblas.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <mpi.h>

extern "C" {
void openblas_set_num_threads(int threads);
void dgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
            const double* a, const int* lda, const double* b, const int* ldb, const double* beta, double* c,
            const int* ldc);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
            const double* alpha, const double* a, const int* lda, double* b, const int* ldb);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

namespace cyclotron::bench {

namespace {

constexpr double one = 1, zero = 0;

bool on_rank_0() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0;
}

// Column-major, nothing allocated where it is not `held`.
struct Matrix {
  Matrix(long m, long n, bool held)
      : rows(static_cast<int>(m)), columns(static_cast<int>(n)), values(held ? static_cast<std::size_t>(m * n) : 0) {}

  template <class Element> void fill(Element element) {
    if (values.empty()) return;
    for (long j = 0; j < columns; ++j)
      for (long i = 0; i < rows; ++i) values[static_cast<std::size_t>(i + j * rows)] = element(i, j);
  }
  std::vector<Block> blocks() const {
    if (values.empty()) return {};
    return {{0, 0, rows, columns, values.data(), 1, rows}};
  }

  int rows, columns;
  std::vector<double> values;
};

void multiply(const Matrix& a, const Matrix& b, Matrix& c) {
  dgemm_("N", "N", &c.rows, &c.columns, &a.columns, &one, a.values.data(), &a.rows, b.values.data(), &b.rows, &zero,
         c.values.data(), &c.rows);
}

struct Operands {
  explicit Operands(const Problem& of)
      : problem(of), here(on_rank_0()), a(of.m, of.operation == Operation::gemm ? of.k : of.m, here),
        b(of.operation == Operation::gemm ? of.k : of.m, of.n, here && of.operation != Operation::potrf),
        c(of.m, of.n, here && of.operation == Operation::gemm) {
    fill_a();
    fill_b();
  }
  void fill_a() {
    a.fill([this](long i, long j) { return problem.a(i, j); });
  }
  void fill_b() {
    b.fill([this](long i, long j) { return problem.b(i, j); });
  }
  void run() {
    if (!here) return;
    if (problem.operation == Operation::gemm) multiply(a, b, c);
    if (problem.operation == Operation::trsm)
      dtrsm_("L", "L", "N", "N", &b.rows, &b.columns, &one, a.values.data(), &a.rows, b.values.data(), &b.rows);
    if (problem.operation == Operation::potrf) {
      int info = 0;
      dpotrf_("L", &a.rows, a.values.data(), &a.rows, &info);
      if (info) throw std::runtime_error(fmt::format("dpotrf ends with INFO = {}", info));
    }
  }

  Problem problem;
  bool here;
  Matrix a, b, c;
};

} // namespace

void one_thread_per_rank() { openblas_set_num_threads(1); }

Contestant openblas_of_one_rank(const Problem& problem) {
  const auto operands = std::make_shared<Operands>(problem);
  Contestant made{"OpenBLAS", "one rank", problem.flops(), {}, [operands] { operands->run(); }, {}};
  switch (problem.operation) {
  case Operation::gemm:
    made.prepare = [operands] {
      operands->c.fill([](long, long) { return std::numeric_limits<double>::quiet_NaN(); });
    };
    made.result = [operands] { return operands->c.blocks(); };
    break;
  case Operation::trsm:
    made.prepare = [operands] { operands->fill_b(); };
    made.result = [operands] { return operands->b.blocks(); };
    break;
  case Operation::potrf:
    made.prepare = [operands] { operands->fill_a(); };
    made.result = [operands] { return operands->a.blocks(); };
    break;
  }
  return made;
}

Contestant ceiling(const Problem& problem, int ranks) {
  int rows = static_cast<int>(std::sqrt(ranks));
  while (ranks % rows) --rows;
  const int columns = ranks / rows;
  const long inner = std::min(problem.operation == Operation::gemm ? problem.k : problem.m, 1024L);
  const long m = (problem.result_rows() + rows - 1) / rows, n = (problem.result_columns() + columns - 1) / columns;
  struct Local {
    Matrix a, b, c;
  };
  const auto local = std::make_shared<Local>(Local{{m, inner, true}, {inner, n, true}, {m, n, true}});
  local->a.fill([&](long i, long j) { return problem.a(i, j); });
  local->b.fill([&](long i, long j) { return problem.b(i, j); });
  const double flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(inner) * ranks;
  return {"ceiling",
          fmt::format("dgemm of {}x{}x{} on every rank", m, n, inner),
          flops,
          [local] { local->c.fill([](long, long) { return 0.0; }); },
          [local] { multiply(local->a, local->b, local->c); },
          {}};
}

} // namespace cyclotron::bench
