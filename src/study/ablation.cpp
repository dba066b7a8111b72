// SPDX-License-Identifier: MIT
// Table 2: how many algorithms of a corpus need a block, and so would be lost without it.
#include "stream/ports.hpp"
#include "study/corpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

namespace cyclotron::study {
namespace {

using stream::Block;
using stream::Graph;
using stream::Node;

bool any(const Graph& graph, const std::function<bool(const Node&)>& is) {
  return std::ranges::any_of(graph.nodes, is);
}

bool is_alu(const Node& node, std::initializer_list<stream::Operation> operations) {
  return node.block == Block::alu && std::ranges::count(operations, node.operation) > 0;
}

// How many sides of a join walk through something else than a dense level.
int sparse_sides(const Graph& graph, int join) {
  const auto ports = stream::inputs_of(graph.nodes[static_cast<std::size_t>(join)]);
  int sparse = 0;
  for (const stream::Edge& e : graph.edges) {
    if (e.to != join || ports[static_cast<std::size_t>(e.to_port)].wire != stream::Wire::crd) continue;
    const Node& from = graph.nodes[static_cast<std::size_t>(e.from)];
    const bool is_join = from.block == Block::intersect || from.block == Block::unite;
    if (is_join) sparse += sparse_sides(graph, e.from) > 0;
    else sparse += from.block != Block::fiberlookup || !tensor::is_full(from.format);
  }
  return sparse;
}

// Where all sides are dense, each has all coordinates, and one of them would do without a join.
bool joins(const Graph& graph, Block block, int sparse) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].block == block && sparse_sides(graph, static_cast<int>(n)) >= sparse) return true;
  return false;
}

bool has(const Graph& graph, std::initializer_list<Block> blocks) {
  return any(graph, [&](const Node& n) { return std::ranges::count(blocks, n.block) > 0; });
}

bool walks(const Graph& graph, Block block, bool dense_counts) {
  return any(graph, [&](const Node& n) {
    return n.block == block && n.mode >= 0 && (dense_counts || !tensor::is_full(n.format));
  });
}

struct Removal {
  std::string primitive;
  double published; // percentage of the published study's distinct algorithms
  bool (*loses)(const Graph& graph);
};

const std::vector<Removal> removals = {
    {"compressed level scanner", 72.23, [](const Graph& g) { return walks(g, Block::fiberlookup, false); }},
    {"compressed and dense level scanners", 99.35, [](const Graph& g) { return walks(g, Block::fiberlookup, true); }},
    {"repeater", 82.37, [](const Graph& g) { return has(g, {Block::repeat}); }},
    {"unioner", 15.63, [](const Graph& g) { return joins(g, Block::unite, 1); }},
    {"intersecter, locator kept", 18.75, [](const Graph& g) { return joins(g, Block::intersect, 2); }},
    {"intersecter and locator", 48.92,
     [](const Graph& g) { return joins(g, Block::intersect, 1) || has(g, {Block::locate}); }},
    {"adder", 26.65,
     [](const Graph& g) {
       return any(g, [](const Node& n) { return is_alu(n, {stream::Operation::add, stream::Operation::sub}); });
     }},
    {"multiplier", 83.88,
     [](const Graph& g) { return any(g, [](const Node& n) { return is_alu(n, {stream::Operation::mul}); }); }},
    {"reducer", 78.35,
     [](const Graph& g) {
       return has(g, {Block::reduce, Block::spaccumulator});
     }},
    {"coordinate dropper", 16.07, [](const Graph& g) { return has(g, {Block::crddrop}); }},
    {"compressed level writer", 28.00, [](const Graph& g) { return walks(g, Block::fiberwrite, false); }},
    {"compressed and dense level writers", 96.33, [](const Graph& g) { return walks(g, Block::fiberwrite, true); }},
};

// In a quick study, every so many-th.
constexpr std::size_t quick_step = 10;

} // namespace

std::optional<StudyReport> study_ablation(StudyRunner& runner) {
  std::vector<Algorithm> all = corpus();
  if (runner.options().quick) {
    std::vector<Algorithm> some;
    for (std::size_t a = 0; a < all.size(); a += quick_step) some.push_back(all[a]);
    all = some;
  }
  std::vector<std::int64_t> lost(removals.size(), 0);
  std::set<std::string> equations;
  runner.begin("algorithms", static_cast<std::int64_t>(all.size()));
  for (const Algorithm& algorithm : all) {
    equations.insert(algorithm.equation);
    const auto inputs = small_inputs(algorithm, runner);
    const auto run = inputs ? runner.run(program_of(algorithm), *inputs) : std::nullopt;
    if (!run) return std::nullopt;
    for (std::size_t r = 0; r < removals.size(); ++r)
      lost[r] += std::ranges::any_of(run->program.phases, removals[r].loses);
    runner.advance();
  }
  StudyReport report;
  report.title = fmt::format("Algorithms lost without a block, of {} in our own corpus ({} equations)", all.size(),
                             equations.size());
  report.columns = {"removed", "lost", "%", "published %"};
  explore::Panel panel{"",    "",    "% lost", explore::ChartKind::bars,
                       false, false, {},       {{"our corpus", {}, {}, false}, {"published", {}, {}, false}}};
  for (std::size_t r = 0; r < removals.size(); ++r) {
    const double share = 100 * static_cast<double>(lost[r]) / static_cast<double>(all.size());
    report.rows.push_back({removals[r].primitive, lost[r], share, removals[r].published});
    panel.categories.push_back(removals[r].primitive);
    panel.series[0].y.push_back(share);
    panel.series[1].y.push_back(removals[r].published);
  }
  report.notes = {
      "published: of 3839 distinct algorithms that visitors of a web page compiled, a corpus that is not public. Ours "
      "differs; the shapes can be compared, not the numbers.",
      "A join whose sides are all dense is not counted: one side would do. An intersecter can be replaced by locators "
      "where at most one side is sparse.",
      "Every graph was run on random tensors and computed what its equation means."};
  report.chart = {report.title, {panel}};
  return report;
}

} // namespace cyclotron::study
