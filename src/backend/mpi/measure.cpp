// SPDX-License-Identifier: MIT
#include "backend/mpi/measure.hpp"

#include "support/progress.hpp"

#include <algorithm>
#include <map>

namespace cyclotron::mpi {

namespace {

constexpr double shortest_measurement = 2e-3; // seconds
constexpr int most_calls = 50;
constexpr std::int64_t numbers_beyond_caches = 2'000'000; // of one core

// Numbers that neither overflow nor vanish: a diagonal that dominates keeps factors and solutions tame.
TileRef filled(Arena& arena, const std::vector<std::int64_t>& extents) {
  TileRef tile = arena.make(extents);
  const std::int64_t count = tile->numbers();
  for (std::int64_t i = 0; i < count; ++i) tile->values()[i] = 1e-3 * static_cast<double>(i % 17 - 8);
  if (extents.size() == 2)
    for (std::int64_t i = 0; i < std::min(extents[0], extents[1]); ++i) tile->values()[i * extents[1] + i] = 2;
  return tile;
}

// The operands of a call and where it goes.
struct Prepared {
  std::vector<TileRef> arguments;
  std::vector<Operand> operands;
  TileRef to;
};

Prepared prepared(const pe::KernelCall& call, const std::vector<std::int64_t>& result, Arena& arena) {
  Prepared made;
  for (const auto& extents : call.extents) {
    made.arguments.push_back(filled(arena, extents));
    made.operands.push_back({made.arguments.back()->values(), made.arguments.back()->extents.data()});
  }
  made.to = filled(arena, result);
  return made;
}

// The median of several calls, each on other tiles: in a run, too, a tile is seldom in the cache.
double seconds_of(const pe::KernelCall& call, Arena& arena) {
  const BlasKernel* blas = blas_kernel(call.kernel->name);
  if (!blas) return 2e-9 * recurrence::multiply_adds(*call.kernel, call.extents); // plain loops
  std::map<char, std::int64_t> extents;
  for (std::size_t a = 0; a < call.extents.size(); ++a)
    for (std::size_t d = 0; d < call.extents[a].size(); ++d)
      extents.emplace(call.kernel->arguments[a][d], call.extents[a][d]);
  std::vector<std::int64_t> result;
  for (char letter : call.kernel->result) result.push_back(extents[letter]);
  std::vector<Prepared> sets{prepared(call, result, arena)};
  std::int64_t numbers = sets[0].to->numbers();
  for (const TileRef& a : sets[0].arguments) numbers += a->numbers();
  const std::int64_t more =
      std::min<std::int64_t>(numbers_beyond_caches / std::max<std::int64_t>(numbers, 1), most_calls);
  for (std::int64_t i = 1; i < more; ++i) sets.push_back(prepared(call, result, arena));
  std::vector<double> times;
  double spent = 0;
  while (static_cast<int>(times.size()) < most_calls && (spent < shortest_measurement || times.size() < 3)) {
    Prepared& set = sets[times.size() % sets.size()];
    const double begin = seconds_now();
    blas->call(set.operands.data(), 1, blas->accumulates ? 1 : 0, set.to->values(), result.data());
    times.push_back(seconds_now() - begin);
    spent += times.back();
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

// There and back between ranks 2r and 2r + 1, all pairs at once.
pe::Link measure_link(const Context& context) {
  constexpr int small = 8, large = 1 << 20;
  const auto half_round = [&](int bytes, int rounds) {
    std::vector<char> buffer(static_cast<std::size_t>(bytes));
    const int other = context.rank() ^ 1;
    MPI_Barrier(context.comm());
    const double begin = seconds_now();
    if (other < context.ranks())
      for (int i = 0; i < rounds; ++i)
        for (int turn = 0; turn < 2; ++turn) {
          if (turn == (context.rank() & 1)) MPI_Send(buffer.data(), bytes, MPI_CHAR, other, 0, context.comm());
          else MPI_Recv(buffer.data(), bytes, MPI_CHAR, other, 0, context.comm(), MPI_STATUS_IGNORE);
        }
    double own = (seconds_now() - begin) / (2.0 * rounds), slowest = 0;
    MPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, context.comm());
    return slowest;
  };
  half_round(large, 2);
  const double latency = half_round(small, 50), transfer = half_round(large, 10);
  return {latency, large / std::max(transfer - latency, 1e-9)};
}

} // namespace

Measurement measure(const Job& job, Context& context) {
  Progress progress("measuring the steps of the program",
                    {static_cast<std::int64_t>(job.trace().kinds.size()), "kinds"});
  Measurement made;
  std::map<pe::KernelCall, double> known;
  for (const pe::StepKind& kind : job.trace().kinds) {
    double seconds = 1e-9 * static_cast<double>(kind.elementwise) + 5e-9 * static_cast<double>(kind.numbers) + 5e-7;
    for (const pe::KernelCall& call : kind.calls) {
      auto at = known.find(call);
      if (at == known.end()) {
        MPI_Barrier(context.comm());
        at = known.emplace(call, seconds_of(call, context.arena())).first;
      }
      seconds += at->second;
    }
    made.step_seconds.push_back(seconds);
    progress.advance_to(static_cast<std::int64_t>(made.step_seconds.size()));
  }
  MPI_Allreduce(MPI_IN_PLACE, made.step_seconds.data(), static_cast<int>(made.step_seconds.size()), MPI_DOUBLE, MPI_SUM,
                context.comm());
  for (double& s : made.step_seconds) s /= context.ranks();
  if (context.ranks() > 1) made.between_nodes = measure_link(context);
  // A tile on the same node is read where it is.
  made.within_node = context.arena().node_rank(context.rank()) >= 0 ? pe::Link{5e-7, 0} : made.between_nodes;
  return made;
}

namespace {

// All extents the same.
pe::KernelCall square_call(const recurrence::Kernel& kernel, std::int64_t edge) {
  pe::KernelCall call{&kernel, {}};
  for (std::string_view letters : kernel.arguments) call.extents.emplace_back(letters.size(), edge);
  return call;
}

// From the rates at two sizes: rate = flops * extent / (extent + half_extent).
pe::KernelSpeed speed_of(const recurrence::Kernel& kernel, Context& context) {
  constexpr std::int64_t small = 64, large = 384;
  const auto rate = [&](std::int64_t edge) {
    const pe::KernelCall call = square_call(kernel, edge);
    MPI_Barrier(context.comm());
    double own = seconds_of(call, context.arena()), sum = 0;
    MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, context.comm());
    return 2 * recurrence::multiply_adds(kernel, call.extents) * context.ranks() / sum;
  };
  rate(large); // to warm up
  const double fast = rate(large), slow = rate(small);
  const double ratio = std::clamp(fast / slow, 1.0, 0.9 * static_cast<double>(large) / small);
  const double half = large * (ratio - 1) / (static_cast<double>(large) / small - ratio);
  return {fast * (large + half) / large, half};
}

} // namespace

pe::MachineModel measure_machine(Context& context) {
  const Progress progress("measuring this machine");
  pe::MachineModel model;
  for (const recurrence::Kernel& kernel : recurrence::kernel_table())
    if (kernel.work.share > 0 && kernel.result.size() == 2 && blas_kernel(kernel.name))
      model.kernels[std::string(kernel.name)] = speed_of(kernel, context);
  if (context.ranks() > 1) model.between_nodes = measure_link(context);
  if (context.arena().node_rank(context.rank()) < 0) model.within_node = model.between_nodes;
  const int nodes = context.arena().nodes();
  model.ranks_per_node = nodes <= 1 ? 0 : (context.ranks() + nodes - 1) / nodes;
  return model;
}

pe::ClusterTime predict(const Job& job, const Measurement& measured, const Context& context) {
  pe::ClusterModel model;
  const pe::StepKind* first = job.trace().kinds.data();
  model.step_seconds = [&](const pe::StepKind& kind) {
    return measured.step_seconds[static_cast<std::size_t>(&kind - first)];
  };
  model.within_node = measured.within_node;
  model.between_nodes = measured.between_nodes;
  model.message_seconds = 2e-7;
  const int nodes = context.arena_nodes();
  model.ranks_per_node = nodes <= 1 ? 0 : (context.ranks() + nodes - 1) / nodes;
  return pe::cluster_time(job.trace(), job.placement(), job.ownership(), model);
}

} // namespace cyclotron::mpi
