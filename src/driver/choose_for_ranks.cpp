// SPDX-License-Identifier: MIT
#include "driver/choose_for_ranks.hpp"

#include "pe/trace.hpp"
#include "support/pass_clock.hpp"
#include "support/progress.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

// More points than this cost more to plan than they bring.
constexpr double most_points = 40'000;
constexpr std::size_t axes_tried = 2;

// The largest dimension that each index runs over alone.
std::map<std::string, std::int64_t> extents_of(const Program& program,
                                               const std::map<std::string, std::int64_t>& sizes) {
  std::map<std::string, std::int64_t> extents;
  const auto look = [&](const Access& access) {
    const TensorDecl* decl = program.tensor(access.tensor);
    if (!decl) return;
    for (std::size_t d = 0; d < access.indices.size() && d < decl->dims.size(); ++d) {
      const Name* name = ir::as<Name>(access.indices[d]);
      if (!name || program.is_size(name->id)) continue;
      const std::int64_t extent =
          accepted_affine(decl->dims[d], program).evaluate([&](const std::string& size) { return sizes.at(size); });
      extents[name->id] = std::max(extents[name->id], extent);
    }
  };
  for (const Equation& e : program.equations) {
    look(e.access());
    ir::walk<ExprNode>(e.value, [&](const Expr& x) {
      if (const Access* a = ir::as<Access>(x)) look(*a);
    });
  }
  return extents;
}

using Tiling = std::map<std::string, std::int64_t>;

// Square tiles of usual sizes; and, for each way to arrange the ranks, tiles that give every rank one block of two
// indices.
std::vector<Tiling> tilings_of(const std::map<std::string, std::int64_t>& extents, int ranks) {
  std::set<Tiling> found;
  std::int64_t largest = 1;
  for (const auto& [index, extent] : extents) largest = std::max(largest, extent);
  const auto uniform = [&](std::int64_t edge) {
    Tiling tiling;
    for (const auto& [index, extent] : extents)
      tiling[index] = std::clamp<std::int64_t>(edge, 1, std::max<std::int64_t>(extent, 1));
    return tiling;
  };
  std::vector<std::int64_t> edges;
  for (std::int64_t edge : {32, 64, 96, 128, 192, 256, 384, 512})
    if (edge < largest) edges.push_back(edge);
  edges.push_back(largest);
  for (std::int64_t edge : {1024, 2048, 4096}) // of what is larger than the others suffice for
    if (edge < largest && largest / 512 > 32) edges.push_back(edge);
  for (std::int64_t edge : edges) found.insert(uniform(edge));
  for (int rows = 1; rows <= ranks; ++rows) {
    if (ranks % rows != 0 || rows * rows > 4 * ranks || 4 * rows * rows < ranks) continue;
    for (const auto& [a, extent_a] : extents)
      for (const auto& [b, extent_b] : extents) {
        if (a == b || extent_a < rows || extent_b < ranks / rows) continue;
        for (std::int64_t edge : {256, 512}) {
          Tiling tiling = uniform(std::min(edge, largest));
          tiling[a] = (extent_a + rows - 1) / rows;
          tiling[b] = (extent_b + ranks / rows - 1) / (ranks / rows);
          found.insert(tiling);
        }
      }
  }
  // One index over all ranks.
  for (const auto& [a, extent] : extents)
    for (std::int64_t edge : {128, 256}) {
      Tiling tiling = uniform(std::min(edge, largest));
      tiling[a] = std::max<std::int64_t>((extent + ranks - 1) / ranks, 1);
      found.insert(tiling);
    }
  std::vector<Tiling> list;
  for (const Tiling& tiling : found) {
    double points = 1;
    for (const auto& [index, edge] : tiling)
      points *= std::ceil(static_cast<double>(extents.at(index)) / static_cast<double>(edge));
    if (points <= most_points) list.push_back(tiling);
  }
  return list;
}

} // namespace

double predict_seconds(const pe::Program& program, int ranks, const pe::MachineModel& machine) {
  const TimedPass predicting("predict");
  const pe::Executable executable(program);
  const pe::Trace trace = pe::trace(executable);
  if (!trace.problem.empty()) return std::numeric_limits<double>::infinity();
  const pe::Placement placement = pe::place(executable, trace, ranks);
  return pe::cluster_time(trace, placement, pe::own(executable, trace, placement), machine.cluster()).seconds;
}

std::optional<RankSchedule> choose_for_ranks(const frontend::Checked& checked, const schedule::Schedule* schedule,
                                             const std::map<std::string, std::int64_t>& sizes, int ranks,
                                             const pe::MachineModel& machine, const ArrayOptions& options,
                                             Diagnostics& diagnostics) {
  const auto given = [&]() -> std::optional<RankSchedule> {
    auto compiled = compile_array({&checked, schedule, {}, sizes, options}, diagnostics);
    if (!compiled) return std::nullopt;
    const double seconds = predict_seconds(compiled->program, ranks, machine);
    return RankSchedule{std::move(*compiled), seconds, 1};
  };
  if (schedule) return given();
  std::optional<RankSchedule> best;
  int tried = 0;
  const std::vector<Tiling> tilings = tilings_of(extents_of(checked.program(), sizes), ranks);
  Progress progress("choosing tiles", {static_cast<std::int64_t>(tilings.size()), "tilings"});
  for (const Tiling& tiling : tilings) {
    progress.advance_to(&tiling - tilings.data());
    lower::Mapping mapping;
    mapping.lift = lower::Lift{tiling, {}};
    Diagnostics attempt(diagnostics.sources());
    std::vector<std::vector<std::string>> choices = axes_of(checked, mapping, attempt);
    choices.resize(std::min(choices.size(), axes_tried));
    for (const auto& axes : choices) {
      mapping.space = axes;
      mapping.space_given = true;
      Diagnostics quiet(diagnostics.sources());
      auto compiled = compile_array({&checked, nullptr, mapping, sizes, options}, quiet);
      if (!compiled) continue;
      ++tried;
      const double seconds = predict_seconds(compiled->program, ranks, machine);
      if (!best || seconds < best->predicted_seconds) best = RankSchedule{std::move(*compiled), seconds, 0};
    }
  }
  if (!best) return given();
  best->tried = tried;
  best->compiled.dataflow.chosen = true;
  return best;
}

} // namespace cyclotron::driver
