// SPDX-License-Identifier: MIT
// Figure 13: one product of two sparse vectors, with what accelerators do to walk through them faster: compression,
// skipping of coordinates that the other side lacks, levels split in two, words of 64 bits instead of coordinates.
// Three kinds of data: uniformly random over sparsity, and runs and blocks (patterns.hpp) over their length.
#include "study/patterns.hpp"
#include "study/runner.hpp"

#include <fmt/format.h>

namespace cyclotron::study {
namespace {

constexpr std::int64_t vector_size = 2000, pattern_nonzeros = 400;

struct Structure {
  std::string name;
  std::string format;
  std::string command; // of the schedule; "": none
};

const std::vector<Structure> structures = {
    {"dense", "dense", ""},
    {"crd", "{compressed}", ""},
    {"crd, skip", "{compressed}", "skip i"},
    {"crd, split", "{compressed}", "tile i by 64"},
    {"bits", "{bitvector}", ""},
    {"bits, split", "{bitvector}", "tile i by 64"},
};

std::string program_of(const Structure& s) {
  std::string text;
  for (const char* name : {"b", "c", "x"}) text += fmt::format("tensor {}(n): {}\n", name, s.format);
  text += "x(i) = b(i) * c(i)\n";
  return s.command.empty() ? text : text + fmt::format("schedule given {{\n  {}\n}}\n", s.command);
}

struct Point {
  double x = 0; // on the chart
  Cell shown;
  VectorPair data;
};

struct Pattern {
  std::string name, parameter;
  std::vector<Point> points;
};

std::optional<Pattern> random_vectors(StudyRunner& runner) {
  Pattern pattern{"urandom", "nonzeros", {}};
  for (std::int64_t nonzeros : {1600, 800, 400, 200, 100, 50, 25, 12}) {
    const double density = static_cast<double>(nonzeros) / static_cast<double>(vector_size);
    auto b = runner.random({vector_size}, density, 1), c = runner.random({vector_size}, density, 2);
    if (!b || !c) return std::nullopt;
    pattern.points.push_back({static_cast<double>(nonzeros), nonzeros, {std::move(*b), std::move(*c)}});
  }
  return pattern;
}

Pattern structured(const std::string& name, VectorPair (*make)(std::int64_t, std::int64_t, std::int64_t, std::uint64_t),
                   std::uint64_t seed) {
  Pattern pattern{name, "length", {}};
  for (std::int64_t length : {1, 2, 5, 10, 20, 40, 100, 200})
    pattern.points.push_back({static_cast<double>(length), length, make(vector_size, pattern_nonzeros, length, seed)});
  return pattern;
}

std::optional<std::vector<Pattern>> patterns_of(StudyRunner& runner) {
  auto random = random_vectors(runner);
  if (!random) return std::nullopt;
  std::vector<Pattern> all{std::move(*random), structured("runs", runs, runner.options().seed),
                           structured("blocks", blocks, runner.options().seed)};
  if (runner.options().quick)
    for (Pattern& pattern : all) {
      std::vector<Point> some;
      for (std::size_t p = 0; p < pattern.points.size(); p += 3) some.push_back(std::move(pattern.points[p]));
      pattern.points = std::move(some);
    }
  return all;
}

} // namespace

std::optional<StudyReport> study_structures(StudyRunner& runner) {
  const auto patterns = patterns_of(runner);
  if (!patterns) return std::nullopt;
  StudyReport report;
  report.title = fmt::format("Cycles of x(i) = b(i) * c(i), vectors of {}", vector_size);
  report.columns = {"data", "parameter", "value"};
  for (const Structure& s : structures) report.columns.push_back(s.name);
  std::size_t points = 0;
  for (const Pattern& pattern : *patterns) points += pattern.points.size();
  runner.begin("vectors", static_cast<std::int64_t>(points * structures.size()));
  for (const Pattern& pattern : *patterns) {
    explore::Panel panel{pattern.name, pattern.parameter, "cycles", explore::ChartKind::lines, true, true, {}, {}};
    for (const Structure& s : structures) panel.series.push_back({s.name, {}, {}, false});
    for (const Point& point : pattern.points) {
      auto& row = report.rows.emplace_back(std::vector<Cell>{pattern.name, pattern.parameter, point.shown});
      for (std::size_t s = 0; s < structures.size(); ++s) {
        const auto run = runner.run(program_of(structures[s]),
                                    {{{"n", vector_size}}, {{"b", point.data.first}, {"c", point.data.second}}});
        if (!run) return std::nullopt;
        row.push_back(run->result.cycles);
        panel.series[s].x.push_back(point.x);
        panel.series[s].y.push_back(static_cast<double>(run->result.cycles));
        runner.advance();
      }
    }
    report.chart.panels.push_back(std::move(panel));
  }
  report.notes = {
      fmt::format("runs and blocks have {} nonzeros in each vector. Vectors are split, and made words of 64 "
                  "bits, before the run.",
                  pattern_nonzeros)};
  report.chart.title = report.title;
  return report;
}

} // namespace cyclotron::study
