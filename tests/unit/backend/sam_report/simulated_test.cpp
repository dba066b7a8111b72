// SPDX-License-Identifier: MIT
// Reports of a run that was really simulated: their figures fit together.
#include "unit/stream/graphs.hpp"

#include "backend/sam_report/chrome_trace.hpp"
#include "backend/sam_report/json.hpp"
#include "backend/sam_report/text.hpp"
#include "backend/sam_report/timeline_picture.hpp"
#include "stream/dot.hpp"
#include "unit/report/xml_check.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace cyclotron::sam {
namespace {

using Vector = std::vector<double>;

// [2 0 3; 0 0 0; 0 5 0]
tensor::Tensor matrix(const tensor::Format& format) {
  return {{3, 3},
          format,
          {{tensor::LevelKind::compressed, 3, {0, 2}, {0, 2}, {}},
           {tensor::LevelKind::compressed, 3, {0, 2, 3}, {0, 2, 1}, {}}},
          Vector{2, 3, 5}};
}

tensor::Tensor vector(std::vector<std::int64_t> coordinates, Vector values) {
  const auto end = static_cast<std::int64_t>(coordinates.size());
  return {{3},
          {{tensor::LevelKind::compressed}, {0}},
          {{tensor::LevelKind::compressed, 3, {0, end}, std::move(coordinates), {}}},
          std::move(values)};
}

Run simulated(const stream::Graph& graph, const std::map<std::string, const tensor::Tensor*>& tensors) {
  Sources sources;
  Diagnostics diagnostics(sources);
  Options options;
  options.records = true;
  auto run = simulate(graph, tensors, {3}, {{"i", 3}, {"j", 3}}, options, diagnostics);
  EXPECT_TRUE(run) << diagnostics.render(false);
  return run ? std::move(*run) : Run{};
}

TEST(SimulatedRun, ReportsFitTogether) {
  const stream::Graph graph = stream::matrix_vector();
  const tensor::Tensor b = matrix(graph.operands[0].format), c = vector({0, 2}, {1, 4});
  const sam::Run run = simulated(graph, {{"B", &b}, {"c", &c}});
  EXPECT_EQ(run.result.values, tensor::Values(Vector{14}));
  const Phases phases = {{graph, run}};
  const nlohmann::ordered_json statistics = to_json(phases);
  ASSERT_EQ(statistics["blocks"].size(), 13U);
  for (const auto& block : statistics["blocks"]) {
    if (block["units"] > 1) continue; // intervals are those of the last unit
    Time busy = 0;
    for (const auto& interval : block["intervals"])
      if (interval[0] == "computes") busy += interval[2].get<Time>() - interval[1].get<Time>();
    EXPECT_EQ(busy, block["busy"].get<Time>()) << block["label"];
    EXPECT_LE(block["end"].get<Time>(), run.cycles);
  }
  const auto scan = std::ranges::find(run.streams, "fiberlookup B.j crd", &StreamStatistics::name);
  ASSERT_NE(scan, run.streams.end());
  EXPECT_EQ(std::vector({scan->data, scan->stop, scan->empty, scan->done}), (std::vector<std::uint64_t>{3, 2, 0, 1}));
  EXPECT_NE(summary(phases).find("fiberlookup B.j crd"), std::string::npos);
  EXPECT_EQ(report::xml_problem(timeline_svg(phases)), "");
  EXPECT_TRUE(nlohmann::json::accept(chrome_trace(phases)));
  ASSERT_FALSE(run.critical_path.empty());
  EXPECT_EQ(run.critical_path.back().end, run.cycles);
  EXPECT_NE(summary(phases).find("\n  critical path\n"), std::string::npos);
}

// A graph of others, as they ship it: x = b - C * d with b = [0 7 1].
TEST(SimulatedRun, OfAPublishedGraph) {
  std::stringstream text;
  text << std::ifstream(CYCLOTRON_STREAM_DATA "/mat_residual_HAND.gv").rdbuf();
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto graphs = stream::parse_dot(sources.add("g.gv", text.str()), diagnostics);
  ASSERT_TRUE(graphs) << diagnostics.render(false);
  const tensor::Tensor b = vector({1, 2}, {7, 1}), d = vector({0, 2}, {1, 4});
  const tensor::Tensor c = matrix((*graphs)[0].operands[1].format);
  const sam::Run run = simulated((*graphs)[0], {{"b", &b}, {"C", &c}, {"d", &d}});
  EXPECT_EQ(run.result, vector({0, 1, 2}, {-14, 7, 1}));
}

} // namespace
} // namespace cyclotron::sam
