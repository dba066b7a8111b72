// SPDX-License-Identifier: MIT
#include "bench.hpp"
#include "rivals.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>

#ifndef CYCLOTRON_BENCH_NO_GRAPHBLAS
extern "C" { // the header does not say so itself
#include <GraphBLAS.h>
}

namespace cyclotron::bench {

namespace {

struct Owned {
  GrB_Matrix m = nullptr;
  ~Owned() { GrB_Matrix_free(&m); }
};
using Shared = std::shared_ptr<Owned>;

void start() {
  static const bool started = [] {
    GrB_init(GrB_NONBLOCKING);
    GxB_Global_Option_set_INT32(GxB_GLOBAL_NTHREADS, 1);
    return true;
  }();
  (void)started;
}

Shared matrix_of(const Sparse& s) {
  start();
  const auto owned = std::make_shared<Owned>();
  const tensor::Entries e = tensor::unpack(s.tensor());
  const std::vector<GrB_Index> rows(e.coordinates[0].begin(), e.coordinates[0].end()),
      columns(e.coordinates[1].begin(), e.coordinates[1].end());
  GrB_Matrix_new(&owned->m, GrB_FP64, static_cast<GrB_Index>(s.rows()), static_cast<GrB_Index>(s.columns()));
  GrB_Matrix_build_FP64(owned->m, rows.data(), columns.data(), s.values.data(), rows.size(), GrB_PLUS_FP64);
  GrB_Matrix_wait(owned->m, GrB_MATERIALIZE);
  return owned;
}

Shared dense_of(const std::vector<double>& values, std::size_t rows, std::size_t columns) {
  start();
  const auto owned = std::make_shared<Owned>();
  auto* copy = static_cast<double*>(std::malloc(values.size() * sizeof(double)));
  std::copy(values.begin(), values.end(), copy);
  void* given = copy;
  GxB_Matrix_import_FullR(&owned->m, GrB_FP64, rows, columns, &given, values.size() * sizeof(double), false, nullptr);
  return owned;
}

struct Tuples {
  std::vector<GrB_Index> rows, columns;
  std::vector<double> values;

  explicit Tuples(const Shared& owned) {
    GrB_Index count = 0;
    GrB_Matrix_nvals(&count, owned->m);
    rows.resize(count);
    columns.resize(count);
    values.resize(count);
    GrB_Matrix_extractTuples_FP64(rows.data(), columns.data(), values.data(), &count, owned->m);
  }
  std::vector<double> sorted() const {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(rows[a], columns[a]) < std::pair(rows[b], columns[b]);
    });
    std::vector<double> list;
    for (const std::size_t k : order) list.push_back(values[k]);
    return list;
  }
  std::vector<double> spread(std::size_t height, std::size_t width) const {
    std::vector<double> all(height * width, 0.0); // what is not there is zero
    for (std::size_t k = 0; k < values.size(); ++k) all[rows[k] * width + columns[k]] = values[k];
    return all;
  }
};

// `compute` makes the result afresh, as a library call does that returns one.
Rival with_result(std::size_t rows, std::size_t columns, bool dense, std::function<void(GrB_Matrix)> compute) {
  const auto result = std::make_shared<Shared>();
  return {"GraphBLAS",
          [=] {
            *result = std::make_shared<Owned>();
            GrB_Matrix_new(&(*result)->m, GrB_FP64, rows, columns);
            compute((*result)->m);
            GrB_Matrix_wait((*result)->m, GrB_MATERIALIZE);
          },
          [=] { return dense ? Tuples(*result).spread(rows, columns) : Tuples(*result).sorted(); }};
}

Rival times_dense(Sparse& b, std::vector<double>& c, int columns) {
  const auto k = static_cast<std::size_t>(columns);
  const Shared l = matrix_of(b), r = dense_of(c, static_cast<std::size_t>(b.columns()), k);
  return with_result(static_cast<std::size_t>(b.rows()), k, true, [=](GrB_Matrix out) {
    GrB_mxm(out, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, l->m, r->m, nullptr);
  });
}

Rival sampled_product(Sparse& b, std::vector<double>& c, std::vector<double>& d, int columns) {
  const auto k = static_cast<std::size_t>(columns);
  const Shared mask = matrix_of(b), l = dense_of(c, static_cast<std::size_t>(b.rows()), k),
               r = dense_of(d, static_cast<std::size_t>(b.columns()), k);
  return with_result(static_cast<std::size_t>(b.rows()), static_cast<std::size_t>(b.columns()), false,
                     [=](GrB_Matrix out) {
                       GrB_mxm(out, mask->m, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, l->m, r->m, GrB_DESC_RST1);
                       GrB_Matrix_eWiseMult_BinaryOp(out, nullptr, nullptr, GrB_TIMES_FP64, mask->m, out, nullptr);
                     });
}

Rival sum(const std::vector<Sparse*>& terms) {
  std::vector<Shared> all;
  for (const Sparse* t : terms) all.push_back(matrix_of(*t));
  return with_result(static_cast<std::size_t>(terms[0]->rows()), static_cast<std::size_t>(terms[0]->columns()), false,
                     [=](GrB_Matrix out) {
                       GrB_Matrix_eWiseAdd_BinaryOp(out, nullptr, nullptr, GrB_PLUS_FP64, all[0]->m, all[1]->m,
                                                    nullptr);
                       for (std::size_t t = 2; t < all.size(); ++t)
                         GrB_Matrix_eWiseAdd_BinaryOp(out, nullptr, nullptr, GrB_PLUS_FP64, out, all[t]->m, nullptr);
                     });
}

Rival product(Sparse& b, Sparse& c) {
  const Shared l = matrix_of(b), r = matrix_of(c);
  return with_result(
      static_cast<std::size_t>(b.rows()), static_cast<std::size_t>(c.columns()), false,
      [=](GrB_Matrix out) { GrB_mxm(out, nullptr, nullptr, GrB_PLUS_TIMES_SEMIRING_FP64, l->m, r->m, nullptr); });
}

} // namespace

MatrixLibrary graphblas() {
  return {"GraphBLAS", [](Sparse& b, std::vector<double>& c) { return times_dense(b, c, 1); },
          times_dense, sampled_product,
          sum,         product};
}

} // namespace cyclotron::bench

#else

namespace cyclotron::bench {

MatrixLibrary graphblas() {
  const auto none = [](auto&&...) -> Rival { throw Unavailable("GraphBLAS was not there when this was built"); };
  return {"GraphBLAS", none, none, none, none, none};
}

} // namespace cyclotron::bench
#endif
