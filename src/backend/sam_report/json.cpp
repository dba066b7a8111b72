// SPDX-License-Identifier: MIT
#include "backend/sam_report/json.hpp"

#include "report/json_lines.hpp"
#include "stream/attributes.hpp"
#include "stream/ports.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace cyclotron::sam {
namespace {

using Json = nlohmann::ordered_json;

Json phase_json(const Phase& phase) {
  const Run& run = phase.run;
  return {{"title", phase.graph.title},
          {"order", phase.graph.order},
          {"cycles", run.cycles},
          {"tokens", run.tokens},
          {"utilisation", mean_utilisation(run)},
          {"deadlock", run.deadlock ? Json(run.deadlock->lines()) : Json()}};
}

void add_blocks(Json& list, const Phase& phase, std::size_t number) {
  const std::vector<PathShare> path = path_shares(phase.run);
  for (const BlockStatistics& block : phase.run.blocks) {
    Json intervals = Json::array();
    for (const engine::Interval& i : block.intervals)
      intervals.push_back({report::name_of(i.activity), i.begin, i.end});
    const auto on_path = std::ranges::find(path, block.node, &PathShare::node);
    list.push_back({{"phase", number},
                    {"node", block.node},
                    {"label", block.label},
                    {"type", stream::type_of(phase.graph.nodes[static_cast<std::size_t>(block.node)])},
                    {"units", block.units},
                    {"busy", block.busy},
                    {"receiving", block.waiting_to_receive},
                    {"sending", block.waiting_to_send},
                    {"utilisation", utilisation_of(block, phase.run)},
                    {"end", block.end},
                    {"path_cycles", on_path == path.end() ? 0 : on_path->cycles},
                    {"intervals", std::move(intervals)}});
    if (phase.graph.nodes[static_cast<std::size_t>(block.node)].block == stream::Block::buffer)
      list.back().update({{"asked", block.asked}, {"reads", block.reads}, {"bytes", block.bytes}});
  }
}

void add_streams(Json& list, const Phase& phase, std::size_t number) {
  for (const StreamStatistics& s : phase.run.streams) {
    const auto ports = stream::outputs_of(phase.graph.nodes[static_cast<std::size_t>(s.node)]);
    list.push_back({{"phase", number},
                    {"node", s.node},
                    {"port", ports[static_cast<std::size_t>(s.port)].name},
                    {"name", s.name},
                    {"type", stream::name_of(wire_of(s, phase.graph))},
                    {"data", s.data},
                    {"stop", s.stop},
                    {"empty", s.empty},
                    {"done", s.done},
                    {"idle", idle_of(s, phase.run)},
                    {"most_waiting", s.most_waiting}});
  }
}

} // namespace

Json to_json(const Phases& phases) {
  Json list = Json::array(), blocks = Json::array(), streams = Json::array(), path = Json::array();
  for (std::size_t p = 0; p < phases.size(); ++p) {
    list.push_back(phase_json(phases[p]));
    add_blocks(blocks, phases[p], p);
    add_streams(streams, phases[p], p);
    for (const PathStep& step : phases[p].run.critical_path)
      path.push_back({{"phase", p}, {"node", step.node}, {"begin", step.begin}, {"end", step.end}});
  }
  return {{"cycles", cycles_of(phases)}, {"tokens", tokens_of(phases)},   {"phases", std::move(list)},
          {"blocks", std::move(blocks)}, {"streams", std::move(streams)}, {"critical_path", std::move(path)}};
}

std::string json(const Phases& phases) {
  return report::json_lines(to_json(phases), {"phases", "blocks", "streams", "critical_path"});
}

} // namespace cyclotron::sam
