// SPDX-License-Identifier: MIT
#include "scalapack.hpp"

#include "cyclotron/scalapack.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include <fmt/format.h>

// ScaLAPACK comes without headers. Debian's has 32-bit integers.
extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
void Cblacs_gridexit(int context);
void Cblacs_pinfo(int* rank, int* ranks);
int numroc_(const int* n, const int* block, const int* process, const int* source, const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb, const int* row_source,
               const int* column_source, const int* context, const int* leading, int* info);
void pdgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k, const double* alpha,
             const double* a, const int* ia, const int* ja, const int* desca, const double* b, const int* ib,
             const int* jb, const int* descb, const double* beta, double* c, const int* ic, const int* jc,
             const int* descc);
void pdtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, const int* n,
             const double* alpha, const double* a, const int* ia, const int* ja, const int* desca, double* b,
             const int* ib, const int* jb, const int* descb);
void pdpotrf_(const char* uplo, const int* n, double* a, const int* ia, const int* ja, const int* desca, int* info);
}

namespace cyclotron::bench {

BlacsGrid::BlacsGrid(int grid_rows, int grid_columns) {
  int rank = 0, ranks = 0;
  Cblacs_pinfo(&rank, &ranks); // makes BLACS ready; MPI is already
  Cblacs_get(-1, 0, &context);
  Cblacs_gridinit(&context, "Row", grid_rows, grid_columns);
  Cblacs_gridinfo(context, &rows, &columns, &row, &column);
}

BlacsGrid::~BlacsGrid() { Cblacs_gridexit(context); }

CyclicMatrix::CyclicMatrix(const BlacsGrid& grid, long rows, long columns, int nb)
    : block(nb), grid_row(grid.row), grid_column(grid.column), grid_rows(grid.rows), grid_columns(grid.columns) {
  const int m = static_cast<int>(rows), n = static_cast<int>(columns), zero = 0;
  local_rows = numroc_(&m, &nb, &grid.row, &zero, &grid.rows);
  local_columns = numroc_(&n, &nb, &grid.column, &zero, &grid.columns);
  const int leading = std::max(1, local_rows);
  int info = 0;
  descinit_(array_descriptor, &m, &n, &nb, &nb, &zero, &zero, &grid.context, &leading, &info);
  if (info)
    throw std::runtime_error(fmt::format("descinit refuses {} x {} in blocks of {}: INFO = {}", m, n, nb, info));
  local.resize(static_cast<std::size_t>(leading) * static_cast<std::size_t>(std::max(1, local_columns)));
}

std::vector<Block> CyclicMatrix::blocks() const {
  std::vector<Block> found;
  const long leading = array_descriptor[8];
  for (int j = 0; j < local_columns; j += block)
    for (int i = 0; i < local_rows; i += block)
      found.push_back({static_cast<long>(i / block * grid_rows + grid_row) * block,
                       static_cast<long>(j / block * grid_columns + grid_column) * block,
                       std::min(block, local_rows - i), std::min(block, local_columns - j),
                       local.data() + i + j * leading, 1, leading});
  return found;
}

void CyclicMatrix::fill(const std::function<double(long, long)>& element) {
  for (const Block& piece : blocks())
    for (long c = 0; c < piece.columns; ++c)
      for (long r = 0; r < piece.rows; ++r)
        local[static_cast<std::size_t>(piece.data - local.data() + r + c * piece.column_stride)] =
            element(piece.row + r, piece.column + c);
}

namespace {

constexpr int first = 1; // rows and columns count from 1 there

// The grid and the operands live as long as the functions of the contestant that use them.
struct Operands {
  Operands(const Problem& of, int grid_rows, int grid_columns, int nb)
      : problem(of), grid(grid_rows, grid_columns), a(grid, of.m, of.operation == Operation::gemm ? of.k : of.m, nb),
        b(grid, of.operation == Operation::gemm ? of.k : of.m, of.operation == Operation::potrf ? 0 : of.n, nb),
        c(grid, of.m, of.operation == Operation::gemm ? of.n : 0, nb) {
    fill_a();
    fill_b();
  }

  void fill_a() {
    a.fill([this](long i, long j) { return problem.a(i, j); });
  }
  void fill_b() {
    b.fill([this](long i, long j) { return problem.b(i, j); });
  }
  void fill_c() {
    c.fill([](long, long) { return std::numeric_limits<double>::quiet_NaN(); });
  }

  // C = A B, L X = B or A = L L', by ScaLAPACK.
  void gemm() {
    const auto [m, n, k] = extents();
    const double one = 1, zero = 0;
    pdgemm_("N", "N", &m, &n, &k, &one, a.data(), &first, &first, a.descriptor(), b.data(), &first, &first,
            b.descriptor(), &zero, c.data(), &first, &first, c.descriptor());
  }
  void trsm() {
    const auto [m, n, k] = extents();
    const double one = 1;
    pdtrsm_("L", "L", "N", "N", &m, &n, &one, a.data(), &first, &first, a.descriptor(), b.data(), &first, &first,
            b.descriptor());
  }
  void potrf() {
    const auto [m, n, k] = extents();
    int info = 0;
    pdpotrf_("L", &m, a.data(), &first, &first, a.descriptor(), &info);
    check(info);
  }

  // And by ours.
  void our_gemm() {
    const auto [m, n, k] = extents();
    cyclotron_pdgemm('N', 'N', m, n, k, 1, a.data(), 1, 1, a.descriptor(), b.data(), 1, 1, b.descriptor(), 0, c.data(),
                     1, 1, c.descriptor());
  }
  void our_trsm() {
    const auto [m, n, k] = extents();
    cyclotron_pdtrsm('L', 'L', 'N', 'N', m, n, 1, a.data(), 1, 1, a.descriptor(), b.data(), 1, 1, b.descriptor());
  }
  void our_potrf() { check(cyclotron_pdpotrf('L', extents().m, a.data(), 1, 1, a.descriptor())); }

  struct Extents {
    int m, n, k;
  };
  Extents extents() const {
    return {static_cast<int>(problem.m), static_cast<int>(problem.n), static_cast<int>(problem.k)};
  }
  static void check(int info) {
    if (info) throw std::runtime_error(fmt::format("pdpotrf ends with INFO = {}", info));
  }

  Problem problem;
  BlacsGrid grid;
  CyclicMatrix a, b, c;
};

using Run = void (Operands::*)();

// All but the computing is the same for both.
Contestant contestant(const char* name, const Problem& problem, const CyclicLayout& layout, Run gemm, Run trsm,
                      Run potrf) {
  const auto [rows, columns, block] = layout;
  const auto operands = std::make_shared<Operands>(problem, rows, columns, block);
  const auto running = [operands](Run run) { return [operands, run] { (*operands.*run)(); }; };
  Contestant made{name, fmt::format("{}x{} nb {}", rows, columns, block), problem.flops(), {}, {}, {}};
  switch (problem.operation) {
  case Operation::gemm:
    made.prepare = [operands] { operands->fill_c(); };
    made.run = running(gemm);
    made.result = [operands] { return operands->c.blocks(); };
    break;
  case Operation::trsm:
    made.prepare = [operands] { operands->fill_b(); };
    made.run = running(trsm);
    made.result = [operands] { return operands->b.blocks(); };
    break;
  case Operation::potrf:
    made.prepare = [operands] { operands->fill_a(); };
    made.run = running(potrf);
    made.result = [operands] { return operands->a.blocks(); };
    break;
  }
  return made;
}

} // namespace

Contestant scalapack(const Problem& problem, const CyclicLayout& layout) {
  return contestant("ScaLAPACK", problem, layout, &Operands::gemm, &Operands::trsm, &Operands::potrf);
}

Contestant same_interface(const Problem& problem, const CyclicLayout& layout) {
  return contestant("drop-in", problem, layout, &Operands::our_gemm, &Operands::our_trsm, &Operands::our_potrf);
}

CyclicLayout fastest_layout(const Problem& problem, int ranks, const std::vector<int>& blocks) {
  std::vector<CyclicLayout> layouts;
  std::vector<std::function<Contestant()>> candidates;
  for (int rows = 1; rows <= ranks; ++rows)
    if (ranks % rows == 0)
      for (const int block : blocks) layouts.push_back({rows, ranks / rows, block});
  for (const CyclicLayout& layout : layouts) candidates.push_back([=] { return scalapack(problem, layout); });
  return layouts[fastest(candidates)];
}

} // namespace cyclotron::bench
