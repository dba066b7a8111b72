// SPDX-License-Identifier: MIT
#include "bench.hpp"
#include "rivals.hpp"

#include <memory>

#ifndef CYCLOTRON_BENCH_NO_EIGEN
#include <Eigen/Sparse>

namespace cyclotron::bench {

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;
using DenseMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Matrix> borrowed(Sparse& s) {
  return {s.rows(), s.columns(), s.stored(), s.pos().data(), s.crd().data(), s.values.data()};
}

template <class T> std::vector<double> copied(const T& t, Eigen::Index count) { return {t.data(), t.data() + count}; }

Rival times_vector(Sparse& b, std::vector<double>& c) {
  const auto y = std::make_shared<Eigen::VectorXd>(b.rows());
  const auto x = Eigen::Map<const Eigen::VectorXd>(c.data(), b.columns());
  return {"Eigen", [=, m = borrowed(b)] { y->noalias() = m * x; }, [=] { return copied(*y, y->size()); }};
}

Rival times_dense(Sparse& b, std::vector<double>& c, int columns) {
  const auto y = std::make_shared<DenseMatrix>(b.rows(), columns);
  const auto x = Eigen::Map<const DenseMatrix>(c.data(), b.columns(), columns);
  return {"Eigen", [=, m = borrowed(b)] { y->noalias() = m * x; }, [=] { return copied(*y, y->size()); }};
}

Rival sum(const std::vector<Sparse*>& terms) {
  const auto y = std::make_shared<Matrix>();
  const auto b = borrowed(*terms[0]), c = borrowed(*terms[1]);
  const auto values = [=] { return std::vector<double>(y->valuePtr(), y->valuePtr() + y->nonZeros()); };
  if (terms.size() == 2) return {"Eigen", [=] { *y = b + c; }, values};
  return {"Eigen", [=, d = borrowed(*terms[2])] { *y = b + c + d; }, values};
}

Rival product(Sparse& b, Sparse& c) {
  const auto y = std::make_shared<Matrix>();
  return {"Eigen", [=, l = borrowed(b), r = borrowed(c)] { *y = l * r; },
          [=] { return std::vector<double>(y->valuePtr(), y->valuePtr() + y->nonZeros()); }};
}

} // namespace

MatrixLibrary eigen() {
  return {"Eigen",
          times_vector,
          times_dense,
          [](Sparse&, std::vector<double>&, std::vector<double>&, int) -> Rival {
            throw Unavailable("Eigen has no sampled product");
          },
          sum,
          product};
}

} // namespace cyclotron::bench

#else

namespace cyclotron::bench {

MatrixLibrary eigen() {
  const auto none = [](auto&&...) -> Rival { throw Unavailable("Eigen was not there when this was built"); };
  return {"Eigen", none, none, none, none, none};
}

} // namespace cyclotron::bench
#endif
