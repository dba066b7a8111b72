// SPDX-License-Identifier: MIT
// The pictures of a run: the coloured graph, blocks over time.
#include "unit/backend/sam_report/copy_run.hpp"
#include "unit/report/xml_check.hpp"

#include "backend/sam_report/graph_picture.hpp"
#include "backend/sam_report/timeline_picture.hpp"
#include "stream/dot.hpp"
#include "support/program.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace cyclotron::sam {
namespace {

using report::count_of;
using report::xml_problem;

TEST(GraphPicture, Dot) {
  const stream::Graph graph = copy_graph();
  const sam::Run run = copy_run();
  const std::string dot = graph_dot({{graph, run}});
  EXPECT_EQ(count_of(dot, "x(i) = b(i)\\n8 cycles, 12 tokens, blocks busy 50.0 %\""), 1U) << dot;
  EXPECT_EQ(count_of(dot, R"(label="FiberLookup i: b0\ncompressed\n50.0 %, path 50.0 %")"), 1U);
  EXPECT_EQ(count_of(dot, R"(fillcolor="#21918c" fontcolor="#ffffff")"), 4U);
  EXPECT_EQ(count_of(dot, R"(label="crd\n4" style=dashed penwidth=5.00)"), 1U);
  Sources sources;
  Diagnostics diagnostics(sources);
  EXPECT_EQ(stream::parse_dot(sources.add("g.gv", dot), diagnostics), std::vector{graph});
}

TEST(GraphPicture, SvgNeedsGraphviz) {
  const stream::Graph graph = copy_graph();
  const sam::Run run = copy_run();
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "/nowhere", 1);
  const auto none = graph_svgs({{graph, run}}, diagnostics);
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(none);
  EXPECT_EQ(diagnostics.render(false),
            "error: a picture of the graph needs Graphviz, and there is no `dot` on this machine\n"
            "hint: install it (`apt install graphviz`), or ask for a `.dot` file\n");
}

TEST(GraphPicture, Svg) {
  if (find_program("dot").empty()) GTEST_SKIP() << "Graphviz is not installed";
  const stream::Graph graph = copy_graph();
  const sam::Run run = copy_run();
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto pictures = graph_svgs({{graph, run}, {graph, run}}, diagnostics);
  ASSERT_TRUE(pictures) << diagnostics.render(false);
  ASSERT_EQ(pictures->size(), 2U);
  EXPECT_EQ(count_of((*pictures)[1], "<g id=\"node"), 4U);
  EXPECT_EQ(count_of((*pictures)[1], "phase 2 of 2: 8 cycles"), 1U);
}

TEST(Timeline, RowsAndBars) {
  const stream::Graph graph = copy_graph();
  const sam::Run run = copy_run();
  const std::string svg = timeline_svg({{graph, run}});
  EXPECT_EQ(xml_problem(svg), "");
  for (const BlockStatistics& block : run.blocks) EXPECT_EQ(count_of(svg, ">" + block.label + "</text>"), 1U) << svg;
  // A column of 16 points per cycle: the values' writer waits two cycles and works four.
  const double left = 20 + 17 * 6.6 + 10;
  const auto bar = [&](int from, int to, int row, const char* look) {
    return fmt::format(R"(<rect x="{:.6g}" y="{}" width="{}" height="12" {})", left + 16 * from, 62 + 18 * row,
                       16 * (to - from), look);
  };
  EXPECT_EQ(count_of(svg, bar(0, 2, 3, R"(fill="#e9b44c" fill-opacity="0.38")")), 1U) << svg;
  EXPECT_EQ(count_of(svg, bar(2, 6, 3, R"(fill="#2a788e" fill-opacity="1")")), 1U);
  EXPECT_EQ(count_of(svg, "height=\"2\" class=\"ink\""), 3U + 1U); // the critical path, and its place in the legend
}

TEST(Timeline, LongRunsShareColumns) {
  const stream::Graph graph = copy_graph();
  sam::Run run = copy_run();
  run.cycles = 9000; // ten cycles a column
  run.blocks.resize(1);
  run.blocks[0].intervals = {{engine::Activity::computes, 0, 5}, {engine::Activity::computes, 10, 8990}};
  run.critical_path.clear();
  const std::string svg = timeline_svg({{graph, run}});
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_EQ(count_of(svg, R"(width="1" height="12" fill="#2a788e" fill-opacity="0.5")"), 1U) << svg;
  for (int mark = 0; mark <= 9; ++mark) EXPECT_EQ(count_of(svg, fmt::format(">{}</text>", 1000 * mark)), 1U) << mark;
  EXPECT_EQ(count_of(svg, R"(width="898" height="12" fill="#2a788e" fill-opacity="1")"), 1U);
}

TEST(Timeline, WithoutRecords) {
  const stream::Graph graph = copy_graph();
  sam::Run run = copy_run();
  for (BlockStatistics& block : run.blocks) block.intervals.clear();
  const std::string svg = timeline_svg({{graph, run}});
  EXPECT_EQ(xml_problem(svg), "");
  EXPECT_EQ(count_of(svg, R"(width="96" height="12" fill="#2a788e" fill-opacity="0.5")"), 1U) << svg;
  EXPECT_EQ(xml_problem(timeline_svg({})), "");
}

} // namespace
} // namespace cyclotron::sam
