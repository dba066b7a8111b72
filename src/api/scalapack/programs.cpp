// SPDX-License-Identifier: MIT
#include "api/scalapack/programs.hpp"

#include "driver/compile_array.hpp"
#include "driver/pipelines.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cyclotron::api {

namespace {

using mpi::scalapack::Operation;
using mpi::scalapack::Shape;

constexpr const char* product = R"(
tensor A(m, k)
tensor B(k, n)
tensor C(m, n)
C(i,j) = sum[l](A(i,l) * B(l,j))
schedule tiles {{
  tile i, j, l by {}
  space i, j
  time l
}}
)";

constexpr const char* triangular_solve = R"(
tensor L(m, m)
tensor B(m, n)
tensor X(m, n)
X(i,j) = (B(i,j) - sum[l](L(i,l) * X(l,j))) / L(i,i)   : l < i
schedule tiles {{
  tile i, j, l by {}
  space i, j
  time l
}}
)";

constexpr const char* cholesky = R"(
tensor A(m, m)
tensor L(m, m)
L(i,j) = (A(i,j) - sum[l](L(i,l) * L(j,l))) / L(j,j)   : l < j, j < i
L(i,i) = sqrt(A(i,i) - sum[l](L(i,l) * L(i,l)))        : l < i
schedule tiles {{
  tile i, j, l by {}
  space i, j
  time l
}}
)";

struct Source {
  std::string text;
  std::map<std::string, std::int64_t> sizes;
};

// Several tiles per rank along each dimension keep ranks busy; tiles beyond 256 make BLAS no faster.
long tile_extent(long extent, int ranks) {
  const double per_rank = static_cast<double>(extent) / (4 * std::sqrt(ranks));
  return std::clamp(static_cast<long>(per_rank / 16) * 16, 32L, 256L);
}

Source source_of(const Shape& shape, int ranks) {
  const auto [operation, m, n, k] = shape;
  switch (operation) {
  case Operation::multiply:
    return {fmt::format(product, tile_extent(std::max(m, n), ranks)), {{"m", m}, {"n", n}, {"k", k}}};
  case Operation::solve:
    return {fmt::format(triangular_solve, tile_extent(std::max(m, n), ranks)), {{"m", m}, {"n", n}}};
  case Operation::factor: return {fmt::format(cholesky, tile_extent(m, ranks)), {{"m", m}}};
  }
  throw std::runtime_error("no such operation");
}

// The program as text; empty where `problem` says why there is none.
std::string compiled(const Source& source, std::string& problem) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto front_end = driver::run_front_end(sources.add("scalapack.cyc", source.text), {}, diagnostics);
  if (front_end.checked) {
    const schedule::Schedule* schedule = &front_end.checked->unit->schedules.front();
    const auto array =
        driver::compile_array(*front_end.checked, schedule, source.sizes, {"scalapack", {}, {}}, diagnostics);
    if (array) return pe::print(array->program);
  }
  problem = diagnostics.render(false);
  return {};
}

// From rank 0 to all.
void broadcast(std::string& text, MPI_Comm communicator) {
  auto size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, communicator);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, 0, communicator);
}

} // namespace

pe::Program scalapack_program(const Shape& shape, MPI_Comm communicator) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &ranks);
  std::string text, problem;
  if (rank == 0) text = compiled(source_of(shape, ranks), problem);
  broadcast(text, communicator);
  broadcast(problem, communicator);
  if (!problem.empty()) throw std::runtime_error(problem);
  Sources sources;
  Diagnostics diagnostics(sources);
  auto program = pe::parse(sources.add("scalapack.pe", text), diagnostics);
  if (!program) throw std::runtime_error(diagnostics.render(false));
  return std::move(*program);
}

} // namespace cyclotron::api
