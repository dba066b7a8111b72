// SPDX-License-Identifier: MIT
// Figure 14: what the tokens are on the coordinate streams of a matrix: those of its rows (outer) and of the entries
// in them (inner), for X = B with B in dcsr.
#include "stream/ports.hpp"
#include "study/runner.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace cyclotron::study {
namespace {

struct Source {
  std::string name;
  std::string recipe;
  bool seeded = false;
};

// Of growing size and different structure; the paper took fifteen from the SuiteSparse collection.
const std::vector<Source> default_sources = {
    {"tridiagonal 100", "tridiagonal:n=100"},
    {"laplacian 15x15", "laplacian2d:k=15"},
    {"random 200x300", "random:n=200,m=300,density=0.01", true},
    {"rmat 256", "rmat:n=256", true},
    {"band 500", "banded:n=500,lower=8,upper=8", true},
    {"laplacian 12x12x12", "laplacian3d:k=12"},
    {"random 1000", "random:n=1000,m=1000,density=0.02", true},
    {"rmat 4096", "rmat:n=4096", true},
    {"laplacian 100x100", "laplacian2d:k=100"},
    {"random 400x6000", "random:n=400,m=6000,density=0.05", true},
};
const std::vector<Source> quick_sources = {
    {"tridiagonal 20", "tridiagonal:n=20"},
    {"laplacian 6x6", "laplacian2d:k=6"},
    {"random 20x50", "random:n=20,m=50,density=0.2", true},
};

std::vector<Source> sources_of(const StudyOptions& options) {
  std::vector<Source> sources;
  for (const std::string& file : options.files)
    sources.push_back({tensor::file_kind(file) ? std::filesystem::path(file).stem().string() : file, file, false});
  if (!sources.empty()) return sources;
  sources = options.quick ? quick_sources : default_sources;
  for (Source& s : sources)
    if (s.seeded) s.recipe += fmt::format(",seed={}", options.seed);
  return sources;
}

const char* const program = "tensor B(n_i, n_j): dcsr\n"
                            "tensor X(n_i, n_j): dcsr\n"
                            "X(i,j) = B(i,j)\n";

struct Share {
  std::string name;
  std::uint64_t sam::StreamStatistics::*count; // null: idle
};
const std::vector<Share> shares = {{"data", &sam::StreamStatistics::data},
                                   {"stop", &sam::StreamStatistics::stop},
                                   {"empty", &sam::StreamStatistics::empty},
                                   {"done", &sam::StreamStatistics::done},
                                   {"idle", nullptr}};

std::uint64_t sum(const sam::StreamStatistics& s) { return s.data + s.stop + s.empty + s.done; }

// The coordinates that the scanner of this index puts out.
const sam::StreamStatistics& coordinates_of(const StudyRun& run, const std::string& index) {
  const stream::Graph& graph = run.program.phases.at(0);
  for (const sam::StreamStatistics& s : run.result.runs.at(0).streams) {
    const stream::Node& node = graph.nodes[static_cast<std::size_t>(s.node)];
    if (node.block == stream::Block::fiberlookup && node.index == index &&
        stream::outputs_of(node)[static_cast<std::size_t>(s.port)].wire == stream::Wire::crd)
      return s;
  }
  bug("the graph has no scanner of " + index);
}

struct Level {
  std::string name, index;
};
const std::vector<Level> levels = {{"outer", "i"}, {"inner", "j"}};

// Of all matrices, in percent.
struct Average {
  double control = 0, idle = 0;
};

explore::Panel panel_of(const Level& level) {
  explore::Panel panel;
  panel.title = fmt::format("{} stream, B{}", level.name, level.index);
  panel.y = "% of cycles";
  panel.kind = explore::ChartKind::stacked;
  for (const Share& share : shares) panel.series.push_back({share.name, {}, {}, share.count == nullptr});
  return panel;
}

// The shares of one stream go into the row, and onto the panel.
void take(const sam::StreamStatistics& s, double cycles, std::vector<Cell>& row, explore::Panel& panel) {
  const auto tokens = static_cast<double>(sum(s));
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const double count = shares[k].count ? static_cast<double>(s.*shares[k].count) : cycles - tokens;
    row.push_back(100 * count / cycles);
    panel.series[k].y.push_back(100 * count / cycles);
  }
  row.push_back(100 * (tokens - static_cast<double>(s.data)) / tokens);
}

} // namespace

std::optional<StudyReport> study_streams(StudyRunner& runner) {
  const std::vector<Source> sources = sources_of(runner.options());
  StudyReport report;
  report.title = "Tokens of the coordinate streams of X(i,j) = B(i,j), B in dcsr";
  report.columns = {"matrix", "rows",    "nonzeros", "stream", "data %",
                    "stop %", "empty %", "done %",   "idle %", "control %"};
  report.chart.title = report.title;
  for (const Level& level : levels) report.chart.panels.push_back(panel_of(level));
  std::vector<Average> averages(levels.size());
  runner.begin("matrices", static_cast<std::int64_t>(sources.size()));
  for (const Source& source : sources) {
    const auto entries = runner.matrix(source.recipe);
    if (!entries) return std::nullopt;
    const auto run = runner.run(program, {{{"n_i", entries->dims[0]}, {"n_j", entries->dims[1]}}, {{"B", *entries}}});
    if (!run) return std::nullopt;
    for (std::size_t l = 0; l < levels.size(); ++l) {
      auto& row = report.rows.emplace_back(
          std::vector<Cell>{source.name, entries->dims[0], run->result.results.at("X").stored(), levels[l].name});
      report.chart.panels[l].categories.push_back(source.name);
      take(coordinates_of(*run, levels[l].index), static_cast<double>(run->result.cycles), row, report.chart.panels[l]);
      averages[l].control += row.back().get<double>() / static_cast<double>(sources.size());
      averages[l].idle += row[row.size() - 2].get<double>() / static_cast<double>(sources.size());
    }
    runner.advance();
  }
  for (std::size_t l = 0; l < levels.size(); ++l)
    report.notes.push_back(fmt::format("Average of the {} stream: {:.2f}% of its tokens are control, and {:.2f}% of "
                                       "the cycles have none.",
                                       levels[l].name, averages[l].control, averages[l].idle));
  report.notes.emplace_back(
      "control: stop, empty and done tokens, of all tokens. The paper's matrices had 0.95% (outer) "
      "and 16.20% (inner).");
  return report;
}

} // namespace cyclotron::study
