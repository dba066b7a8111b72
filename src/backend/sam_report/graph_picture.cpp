// SPDX-License-Identifier: MIT
#include "backend/sam_report/graph_picture.hpp"

#include "report/colours.hpp"
#include "report/words.hpp"
#include "stream/dot.hpp"
#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace cyclotron::sam {
namespace {

constexpr double thinnest = 0.7, thickest = 5;
constexpr double time_limit = 120; // seconds for one picture

stream::NodePaint paint_of(const BlockStatistics& block, const Run& run, const std::vector<PathShare>& path) {
  const double share = utilisation_of(block, run);
  const report::Colour fill = report::ramp(share);
  std::string note = report::percent(share);
  const auto on_path = std::ranges::find(path, block.node, &PathShare::node);
  if (on_path != path.end()) note += fmt::format(", path {}", report::percent(on_path->share));
  return {report::hex(fill), report::hex(report::ink_on(fill)), std::move(note)};
}

stream::Painting painting_of(const Phases& phases, std::size_t p) {
  const auto& [graph, run] = phases[p];
  stream::Painting painting;
  const std::vector<PathShare> path = path_shares(run);
  for (const BlockStatistics& block : run.blocks) painting.nodes.push_back(paint_of(block, run, path));
  std::uint64_t most = 1;
  for (const StreamStatistics& s : run.streams) most = std::max(most, tokens_of(s));
  for (const stream::Edge& edge : graph.edges) {
    const auto found = std::ranges::find_if(
        run.streams, [&](const StreamStatistics& s) { return s.node == edge.from && s.port == edge.from_port; });
    const std::uint64_t tokens = found == run.streams.end() ? 0 : tokens_of(*found);
    const double share = static_cast<double>(tokens) / static_cast<double>(most);
    painting.edges.push_back({thinnest + (thickest - thinnest) * share, std::to_string(tokens)});
  }
  painting.caption = main_figures(phases[p]) + (run.deadlock ? ", stuck" : "");
  if (phases.size() > 1) painting.caption = fmt::format("phase {} of {}: ", p + 1, phases.size()) + painting.caption;
  return painting;
}

std::optional<std::string> draw(const std::string& tool, const std::string& dot, Diagnostics& diagnostics) {
  const TemporaryFolder workshop("dot");
  if (!workshop.exists()) {
    diagnostics.error("no folder for temporary files could be made").with_hint("set TMPDIR to one that can be written");
    return std::nullopt;
  }
  std::ofstream(workshop.file("graph.gv")) << dot;
  const ProgramRun run =
      run_program({tool, "-Tsvg", "-o", workshop.file("graph.svg"), workshop.file("graph.gv")}, {}, time_limit);
  if (!run.succeeded()) {
    diagnostics.error(fmt::format("Graphviz drew no picture: `dot` {}", describe_end(run)))
        .with_hint("ask for a `.dot` file, and draw it with another program")
        .note(report::shortened(run.output, 200));
    return std::nullopt;
  }
  std::stringstream svg;
  svg << std::ifstream(workshop.file("graph.svg")).rdbuf();
  return svg.str();
}

} // namespace

std::string graph_dot(const Phases& phases) {
  std::vector<stream::Graph> graphs;
  std::vector<stream::Painting> paintings;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    graphs.push_back(phases[p].graph);
    paintings.push_back(painting_of(phases, p));
  }
  return stream::print_dot(graphs, paintings);
}

std::optional<std::vector<std::string>> graph_svgs(const Phases& phases, Diagnostics& diagnostics) {
  const std::string tool = find_program("dot");
  if (tool.empty()) {
    diagnostics.error("a picture of the graph needs Graphviz, and there is no `dot` on this machine")
        .with_hint("install it (`apt install graphviz`), or ask for a `.dot` file");
    return std::nullopt;
  }
  std::vector<std::string> pictures;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    std::optional<std::string> svg =
        draw(tool, stream::print_dot({phases[p].graph}, {painting_of(phases, p)}), diagnostics);
    if (!svg) return std::nullopt;
    pictures.push_back(std::move(*svg));
  }
  return pictures;
}

} // namespace cyclotron::sam
