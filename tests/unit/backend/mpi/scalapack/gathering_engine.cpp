// SPDX-License-Identifier: MIT
#include "gathering_engine.hpp"

#include "backend/mpi/blas_interface.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace cyclotron::mpi::scalapack {

namespace {

// Tiles one after another; memory for all of them on all ranks.
class Matrix {
public:
  Matrix(long rows, long columns, MPI_Comm comm)
      : communicator(comm), layout{rows, columns, 7, rows == columns ? 7 : 5, {}, {}} {
    int ranks = 0;
    MPI_Comm_size(comm, &ranks);
    layout.owner = [ranks](long i, long j) { return static_cast<int>((2 * i + 3 * j + 1) % ranks); };
    layout.data = [this](long i, long j) { return memory.data() + offset(i, j); };
    memory.assign(static_cast<std::size_t>(rows * columns), std::numeric_limits<double>::quiet_NaN());
  }
  Matrix(const Matrix&) = delete;

  const Tiles& tiles() const { return layout; }

  // All of it, column-major, on all ranks.
  std::vector<double> gather() {
    std::vector<double> whole(memory.size());
    int me = 0;
    MPI_Comm_rank(communicator, &me);
    each_element([&](double& element, long row, long column) {
      if (layout.owner(row / layout.tile_rows, column / layout.tile_columns) == me)
        whole[static_cast<std::size_t>(row + column * layout.rows)] = element;
    });
    MPI_Allreduce(MPI_IN_PLACE, whole.data(), static_cast<int>(whole.size()), MPI_DOUBLE, MPI_SUM, communicator);
    return whole;
  }
  void put(const std::vector<double>& whole) {
    each_element([&](double& element, long row, long column) {
      element = whole[static_cast<std::size_t>(row + column * layout.rows)];
    });
  }

private:
  long height(long i) const { return std::min(layout.tile_rows, layout.rows - i * layout.tile_rows); }
  long width(long j) const { return std::min(layout.tile_columns, layout.columns - j * layout.tile_columns); }
  long offset(long i, long j) const {
    return i * layout.tile_rows * layout.columns + height(i) * j * layout.tile_columns;
  }
  void each(const std::function<void(long, long)>& body) const {
    for (long i = 0; i < layout.row_count(); ++i)
      for (long j = 0; j < layout.column_count(); ++j) body(i, j);
  }
  void each_element(const std::function<void(double&, long, long)>& body) {
    each([&](long i, long j) {
      for (long y = 0; y < height(i); ++y)
        for (long x = 0; x < width(j); ++x)
          body(layout.data(i, j)[y * width(j) + x], i * layout.tile_rows + y, j * layout.tile_columns + x);
    });
  }

  MPI_Comm communicator;
  Tiles layout;
  std::vector<double> memory;
};

// Column-major; the last is the result.
using Wholes = std::vector<std::vector<double>>;

bool multiply(const Shape& shape, Wholes& x) {
  const int m = static_cast<int>(shape.m), n = static_cast<int>(shape.n), k = static_cast<int>(shape.k);
  const double one = 1, zero = 0;
  dgemm_("N", "N", &m, &n, &k, &one, x[0].data(), &m, x[1].data(), &k, &zero, x[2].data(), &m, 1, 1);
  return true;
}

bool solve(const Shape& shape, Wholes& x) {
  const int m = static_cast<int>(shape.m), n = static_cast<int>(shape.n);
  const double one = 1;
  x[2] = x[1];
  dtrsm_("L", "L", "N", "N", &m, &n, &one, x[0].data(), &m, x[2].data(), &m, 1, 1, 1, 1);
  return true;
}

bool factor(const Shape& shape, Wholes& x) {
  const int m = static_cast<int>(shape.m);
  int info = 0;
  x[1] = x[0];
  dpotrf_("L", &m, x[1].data(), &m, &info, 1);
  return info == 0;
}

class GatheringComputation : public Computation {
public:
  GatheringComputation(const Shape& of, MPI_Comm communicator) : shape(of) {
    const auto add = [&](long rows, long columns) {
      matrices.push_back(std::make_unique<Matrix>(rows, columns, communicator));
    };
    switch (shape.operation) {
    case Operation::multiply: add(shape.m, shape.k), add(shape.k, shape.n), add(shape.m, shape.n); break;
    case Operation::solve: add(shape.m, shape.m), add(shape.m, shape.n), add(shape.m, shape.n); break;
    case Operation::factor: add(shape.m, shape.m), add(shape.m, shape.m); break;
    }
  }
  Tiles input(int number) override { return matrices[static_cast<std::size_t>(number)]->tiles(); }
  Tiles result() override { return matrices.back()->tiles(); }
  bool run() override {
    Wholes wholes;
    for (std::size_t i = 0; i + 1 < matrices.size(); ++i) wholes.push_back(matrices[i]->gather());
    wholes.emplace_back(static_cast<std::size_t>(result().rows * result().columns));
    const bool done = compute(wholes);
    matrices.back()->put(wholes.back());
    return done;
  }

private:
  bool compute(Wholes& wholes) const {
    switch (shape.operation) {
    case Operation::multiply: return multiply(shape, wholes);
    case Operation::solve: return solve(shape, wholes);
    case Operation::factor: return factor(shape, wholes);
    }
    return false;
  }

  Shape shape;
  std::vector<std::unique_ptr<Matrix>> matrices;
};

class GatheringEngine : public Engine {
public:
  explicit GatheringEngine(MPI_Comm comm) : communicator(comm) {}
  std::unique_ptr<Computation> prepare(const Shape& shape) override {
    return std::make_unique<GatheringComputation>(shape, communicator);
  }

private:
  MPI_Comm communicator;
};

} // namespace

std::shared_ptr<Engine> gathering_engine(MPI_Comm communicator) {
  return std::make_shared<GatheringEngine>(communicator);
}

} // namespace cyclotron::mpi::scalapack
