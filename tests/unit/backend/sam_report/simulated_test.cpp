// SPDX-License-Identifier: MIT
// Reports of a run that was really simulated: their figures fit together.
#include "unit/stream/graphs.hpp"

#include "backend/sam_report/chrome_trace.hpp"
#include "backend/sam_report/json.hpp"
#include "backend/sam_report/text.hpp"
#include "backend/sam_report/timeline_picture.hpp"
#include "unit/backend/array_report/xml_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace cyclotron::sam {
namespace {

// x = B * c with B = [2 0 3; 0 0 0; 0 5 0], c = [1 0 4].
Run simulated(const stream::Graph& graph) {
  tensor::Tensor b, c;
  b.dims = {3, 3};
  b.format = graph.operands[0].format;
  b.levels = {{tensor::LevelKind::compressed, 3, {0, 2}, {0, 2}, {}},
              {tensor::LevelKind::compressed, 3, {0, 2, 3}, {0, 2, 1}, {}}};
  b.values = std::vector<double>{2, 3, 5};
  c.dims = {3};
  c.format = graph.operands[1].format;
  c.levels = {{tensor::LevelKind::compressed, 3, {0, 2}, {0, 2}, {}}};
  c.values = std::vector<double>{1, 4};
  Sources sources;
  Diagnostics diagnostics(sources);
  Options options;
  options.records = true;
  auto run = simulate(graph, {{"B", &b}, {"c", &c}}, {3}, {{"i", 3}, {"j", 3}}, options, diagnostics);
  EXPECT_TRUE(run) << diagnostics.render(false);
  return run ? std::move(*run) : Run{};
}

TEST(SimulatedRun, ReportsFitTogether) {
  const stream::Graph graph = stream::matrix_vector();
  const sam::Run run = simulated(graph);
  EXPECT_EQ(run.result.values, tensor::Values(std::vector<double>{14}));
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
  EXPECT_EQ(array_report::xml_problem(timeline_svg(phases)), "");
  EXPECT_TRUE(nlohmann::json::accept(chrome_trace(phases)));
}

} // namespace
} // namespace cyclotron::sam
