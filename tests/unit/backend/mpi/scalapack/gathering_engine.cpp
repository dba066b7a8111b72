// SPDX-License-Identifier: MIT
#include "gathering_engine.hpp"

#include "backend/mpi/scalapack/local_blas.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace cyclotron::mpi {

namespace {

// Tiles one after another; memory for all of them on all ranks.
class Matrix {
public:
  Matrix(long rows, long columns, MPI_Comm comm) : communicator(comm), layout{rows, columns, 7, 5, {}, {}} {
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
    each([&](long i, long j) {
      MPI_Bcast(layout.data(i, j), static_cast<int>(height(i) * width(j)), MPI_DOUBLE, layout.owner(i, j),
                communicator);
    });
    std::vector<double> whole(memory.size());
    each_element([&](double& element, long row, long column) {
      whole[static_cast<std::size_t>(row + column * layout.rows)] = element;
    });
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

using Computing = std::function<int(std::vector<std::vector<double>>&)>; // overwrites the last operand

class GatheringJob : public Job {
public:
  GatheringJob(const std::vector<std::pair<long, long>>& extents, MPI_Comm communicator, Computing of)
      : compute(std::move(of)) {
    for (const auto& [rows, columns] : extents)
      operands.push_back(std::make_unique<Matrix>(rows, columns, communicator));
  }
  Tiles tiles(int operand) override { return operands[static_cast<std::size_t>(operand)]->tiles(); }
  int run() override {
    std::vector<std::vector<double>> wholes;
    for (const auto& operand : operands) wholes.push_back(operand->gather());
    const int info = compute(wholes);
    operands.back()->put(wholes.back());
    return info;
  }

private:
  std::vector<std::unique_ptr<Matrix>> operands;
  Computing compute;
};

class GatheringEngine : public Engine {
public:
  explicit GatheringEngine(MPI_Comm comm) : communicator(comm) {}

  std::unique_ptr<Job> multiply(long m, long n, long k) override {
    return job({{m, k}, {k, n}, {m, n}}, [=](std::vector<std::vector<double>>& x) {
      const int rows = static_cast<int>(m), columns = static_cast<int>(n), inner = static_cast<int>(k);
      const double one = 1, zero = 0;
      dgemm_("N", "N", &rows, &columns, &inner, &one, x[0].data(), &rows, x[1].data(), &inner, &zero, x[2].data(),
             &rows, 1, 1);
      return 0;
    });
  }
  std::unique_ptr<Job> solve(long m, long n) override {
    return job({{m, m}, {m, n}}, [=](std::vector<std::vector<double>>& x) {
      const int rows = static_cast<int>(m), columns = static_cast<int>(n);
      const double one = 1;
      dtrsm_("L", "L", "N", "N", &rows, &columns, &one, x[0].data(), &rows, x[1].data(), &rows, 1, 1, 1, 1);
      return 0;
    });
  }
  std::unique_ptr<Job> factor(long m) override {
    return job({{m, m}}, [=](std::vector<std::vector<double>>& x) {
      const int rows = static_cast<int>(m);
      int info = 0;
      dpotrf_("L", &rows, x[0].data(), &rows, &info, 1);
      return info;
    });
  }

private:
  std::unique_ptr<Job> job(const std::vector<std::pair<long, long>>& extents, Computing compute) {
    return std::make_unique<GatheringJob>(extents, communicator, std::move(compute));
  }
  MPI_Comm communicator;
};

} // namespace

std::unique_ptr<Engine> gathering_engine(MPI_Comm communicator) {
  return std::make_unique<GatheringEngine>(communicator);
}

} // namespace cyclotron::mpi
