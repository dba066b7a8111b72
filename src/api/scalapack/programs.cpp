// SPDX-License-Identifier: MIT
#include "api/scalapack/programs.hpp"

#include "backend/mpi/data/agree.hpp"
#include "backend/mpi/measure.hpp"
#include "driver/choose_for_ranks.hpp"
#include "driver/pipelines.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace cyclotron::api {

namespace {

using mpi::scalapack::Operation;
using mpi::scalapack::Shape;

const char* recurrence_of(Operation operation) {
  switch (operation) {
  case Operation::multiply:
    return "tensor A(m, k)\ntensor B(k, n)\ntensor C(m, n)\n"
           "C(i,j) = sum[l](A(i,l) * B(l,j))\n";
  case Operation::solve:
    return "tensor L(m, m)\ntensor B(m, n)\ntensor X(m, n)\n"
           "X(i,j) = (B(i,j) - sum[l](L(i,l) * X(l,j))) / L(i,i)   : l < i\n";
  case Operation::factor:
    return "tensor A(m, m)\ntensor L(m, m)\n"
           "L(i,j) = (A(i,j) - sum[l](L(i,l) * L(j,l))) / L(j,j)   : l < j, j < i\n"
           "L(i,i) = sqrt(A(i,i) - sum[l](L(i,l) * L(i,l)))        : l < i\n";
  }
  throw std::logic_error("unknown operation");
}

std::map<std::string, std::int64_t> sizes_of(const Shape& shape) {
  std::map<std::string, std::int64_t> sizes{{"m", shape.m}};
  if (shape.operation != Operation::factor) sizes["n"] = shape.n;
  if (shape.operation == Operation::multiply) sizes["k"] = shape.k;
  return sizes;
}

double flops_of(const Shape& shape) {
  const double m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k);
  if (shape.operation == Operation::multiply) return 2 * m * n * k;
  return shape.operation == Operation::solve ? m * m * n : m * m * m / 3;
}

// Several tiles per rank along each dimension keep all ranks busy; tiles beyond 256 make BLAS no faster.
std::string square_tiles(long extent, int ranks) {
  const double per_rank = static_cast<double>(extent) / (4 * std::sqrt(ranks));
  return fmt::format("  tile i, j, l by {}\n", std::clamp(static_cast<long>(per_rank / 16) * 16, 32L, 256L));
}

// One block of the product for each rank.
std::string a_tile_per_rank(const Shape& shape, int ranks) {
  int few = static_cast<int>(std::sqrt(ranks));
  while (ranks % few != 0) --few;
  const int rows = shape.m < shape.n ? few : ranks / few, columns = ranks / rows;
  return fmt::format("  tile i by {}\n  tile j by {}\n  tile l by {}\n", (shape.m + rows - 1) / rows,
                     (shape.n + columns - 1) / columns, std::min(shape.k, 256L));
}

std::string usual_schedule(const Shape& shape, int ranks) {
  const std::string tiles =
      shape.operation == Operation::multiply
          ? a_tile_per_rank(shape, ranks)
          : square_tiles(shape.operation == Operation::solve ? std::max(shape.m, shape.n) : shape.m, ranks);
  return fmt::format("schedule usual {{\n{}  space i, j\n  time l\n}}\n", tiles);
}

constexpr double worth_a_search = 0.5; // seconds of computing

bool is_long(const Shape& shape, int ranks) {
  return flops_of(shape) / (ranks * pe::KernelSpeed().flops) > worth_a_search;
}

// The program as text; empty where `problem` says why there is none. With a model of the machine, the best by it.
std::string compiled(const Shape& shape, int ranks, const std::optional<pe::MachineModel>& machine,
                     std::string& problem) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::string text = recurrence_of(shape.operation) + usual_schedule(shape, ranks);
  const auto front_end = driver::run_front_end(sources.add("scalapack.cyc", text), {}, diagnostics);
  const auto sizes = sizes_of(shape);
  const driver::ArrayOptions options{"scalapack", {}, {}};
  if (front_end.checked && machine) {
    const auto chosen =
        driver::choose_for_ranks(*front_end.checked, nullptr, sizes, ranks, *machine, options, diagnostics);
    if (chosen) return pe::print(chosen->compiled.program);
  } else if (front_end.checked) {
    const schedule::Schedule* usual = &front_end.checked->unit->schedules.front();
    const auto array = driver::compile_array({&*front_end.checked, usual, {}, sizes, options}, diagnostics);
    if (array) return pe::print(array->program);
  }
  problem = diagnostics.render(false);
  return {};
}

} // namespace

mpi::scalapack::ProgramOf scalapack_programs() {
  return [measured = std::optional<pe::MachineModel>()](const Shape& shape, mpi::Context& context) mutable {
    const int ranks = context.ranks();
    const bool search = is_long(shape, ranks);
    if (search && !measured) measured = mpi::measure_machine(context);
    std::string text, problem;
    if (context.rank() == 0) text = compiled(shape, ranks, search ? measured : std::nullopt, problem);
    mpi::broadcast(text, 0, context.comm());
    mpi::broadcast(problem, 0, context.comm());
    if (!problem.empty()) throw std::runtime_error(problem);
    Sources sources;
    Diagnostics diagnostics(sources);
    auto program = pe::parse(sources.add("scalapack.pe", text), diagnostics);
    if (!program) throw std::runtime_error(diagnostics.render(false));
    return std::move(*program);
  };
}

} // namespace cyclotron::api
