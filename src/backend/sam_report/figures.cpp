// SPDX-License-Identifier: MIT
#include "backend/sam_report/figures.hpp"

#include "report/words.hpp"
#include "stream/ports.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::sam {
namespace {

double share(double part, Time cycles) { return cycles <= 0 ? 0 : std::min(1.0, part / static_cast<double>(cycles)); }

} // namespace

Time cycles_of(const Phases& phases) {
  Time sum = 0;
  for (const Phase& phase : phases) sum += phase.run.cycles;
  return sum;
}

std::uint64_t tokens_of(const Phases& phases) {
  std::uint64_t sum = 0;
  for (const Phase& phase : phases) sum += phase.run.tokens;
  return sum;
}

double utilisation_of(const BlockStatistics& block, const Run& run) {
  return share(static_cast<double>(block.busy), run.cycles * std::max(1, block.units));
}

double mean_utilisation(const Run& run) {
  double sum = 0;
  for (const BlockStatistics& block : run.blocks) sum += utilisation_of(block, run);
  return run.blocks.empty() ? 0 : sum / static_cast<double>(run.blocks.size());
}

std::uint64_t tokens_of(const StreamStatistics& stream) {
  return stream.data + stream.stop + stream.empty + stream.done;
}

double idle_of(const StreamStatistics& stream, const Run& run) {
  return 1 - share(static_cast<double>(tokens_of(stream)), run.cycles);
}

stream::Wire wire_of(const StreamStatistics& stream, const stream::Graph& graph) {
  return stream::outputs_of(graph.nodes[static_cast<std::size_t>(stream.node)])[static_cast<std::size_t>(stream.port)]
      .wire;
}

std::vector<PathShare> path_shares(const Run& run) {
  std::vector<PathShare> shares;
  Time whole = 0;
  for (const PathStep& step : run.critical_path) {
    auto found = std::ranges::find(shares, step.node, &PathShare::node);
    if (found == shares.end()) found = shares.insert(found, {step.node, 0, 0});
    found->cycles += step.end - step.begin;
    whole += step.end - step.begin;
  }
  for (PathShare& s : shares) s.share = share(static_cast<double>(s.cycles), whole);
  std::ranges::stable_sort(shares, std::ranges::greater{}, &PathShare::cycles);
  return shares;
}

std::string title_of(const Phase& phase) {
  return phase.graph.title.empty() ? phase.graph.result.name : phase.graph.title;
}

std::string heading_of(const Phases& phases, std::size_t phase) {
  const std::string title = title_of(phases[phase]);
  return phases.size() == 1 ? title : fmt::format("phase {} of {}: {}", phase + 1, phases.size(), title);
}

std::string main_figures(const Phase& phase) {
  return fmt::format("{}, {}, blocks busy {}",
                     report::count_text(static_cast<std::uint64_t>(phase.run.cycles), "cycle"),
                     report::count_text(phase.run.tokens, "token"), report::percent(mean_utilisation(phase.run)));
}

} // namespace cyclotron::sam
