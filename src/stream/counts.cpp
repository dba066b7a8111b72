// SPDX-License-Identifier: MIT
#include "stream/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace cyclotron::stream {
namespace {

constexpr auto columns = std::to_array<std::pair<const char*, int Counts::*>>({
    {"Level scanner", &Counts::scan},
    {"Repeat", &Counts::repeat},
    {"Intersect", &Counts::intersect},
    {"Union", &Counts::unite},
    {"ALU", &Counts::alu},
    {"Reduce", &Counts::reduce},
    {"Crd drop", &Counts::drop},
    {"Level writer", &Counts::write},
    {"Array", &Counts::array},
    {"Other", &Counts::other},
});

int Counts::*column_of(Block block) {
  switch (block) {
  case Block::fiberlookup: return &Counts::scan;
  case Block::repeat: return &Counts::repeat;
  case Block::intersect:
  case Block::bvintersect: return &Counts::intersect;
  case Block::unite:
  case Block::bvunion: return &Counts::unite;
  case Block::alu: return &Counts::alu;
  case Block::reduce:
  case Block::spaccumulator: return &Counts::reduce;
  case Block::crddrop:
  case Block::bvdrop: return &Counts::drop;
  case Block::fiberwrite:
  case Block::pointwrite: return &Counts::write;
  case Block::arrayvals: return &Counts::array;
  case Block::repsiggen:
  case Block::crdhold: return nullptr;
  default: return &Counts::other;
  }
}

void add(Counts& counts, const Graph& graph) {
  for (const Node& node : graph.nodes)
    if (int Counts::*column = column_of(node.block)) ++(counts.*column);
}

} // namespace

Counts counts_of(const Graph& graph) {
  Counts counts;
  add(counts, graph);
  return counts;
}

Counts counts_of(const std::vector<Graph>& phases) {
  Counts counts;
  for (const Graph& graph : phases) add(counts, graph);
  return counts;
}

std::string to_table(const std::vector<CountsRow>& rows) {
  const bool others = std::ranges::any_of(rows, [](const CountsRow& row) { return row.counts.other > 0; });
  const std::size_t shown = columns.size() - (others ? 0 : 1);
  std::size_t name_width = 0;
  for (const CountsRow& row : rows) name_width = std::max(name_width, row.name.size());
  std::string text(name_width, ' ');
  for (std::size_t c = 0; c < shown; ++c) text += fmt::format("  {}", columns[c].first);
  for (const CountsRow& row : rows) {
    text += fmt::format("\n{:<{}}", row.name, name_width);
    for (std::size_t c = 0; c < shown; ++c)
      text += fmt::format("  {:>{}}", row.counts.*columns[c].second, std::string_view(columns[c].first).size());
  }
  return text + "\n";
}

} // namespace cyclotron::stream
