// SPDX-License-Identifier: MIT
#include "stream/dot_streams.hpp"

#include "stream/ports.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::stream {
namespace {

std::string value_of(const DotAttributes& attributes, std::string_view name) {
  const DotAttribute* found = attributes.find(name);
  return found == nullptr ? "" : found->value;
}

// Of `in-C`: `in`, `C`. Of `i`: nothing, `i`.
struct Comment {
  std::string role, name;
};

Comment comment_of(const DotEdge& edge) {
  const std::string text = value_of(edge.attributes, "comment");
  const std::size_t dash = text.find('-');
  if (dash == std::string::npos) return {"", text};
  return {text.substr(0, dash), text.substr(dash + 1)};
}

std::string side_name(const DotStream& stream) {
  const Comment comment = comment_of(*stream.last);
  return comment.role == "in" ? comment.name : stream.first->from;
}

std::vector<std::string> port_names(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back("`" + port.name + "`");
  return names;
}

} // namespace

PortFinder::PortFinder(Graph& graph, const std::vector<DotNode>& blocks, const std::vector<DotStream>& streams,
                       Diagnostics& diagnostics)
    : graph_(graph), blocks_(blocks), diagnostics_(diagnostics) {
  for (int n = 0; n < static_cast<int>(graph_.nodes.size()); ++n) {
    if (joins(graph_.nodes[n])) find_sides(n, streams);
    if (graph_.nodes[n].block == Block::spaccumulator) find_outer_levels(n, streams);
    taken_.emplace_back(inputs_of(graph_.nodes[n]).size(), false);
  }
}

// A side is a stream of coordinates and the references that come with it, under one name.
void PortFinder::find_sides(int node, const std::vector<DotStream>& streams) {
  std::vector<Side>& sides = sides_[node];
  for (const DotStream& stream : streams)
    if (stream.to == node && stream.wire == Wire::crd) sides.push_back({side_name(stream), 0});
  for (const DotStream& stream : streams) {
    if (stream.to != node || stream.wire != Wire::ref) continue;
    const auto side = std::ranges::find(sides, side_name(stream), &Side::name);
    if (side != sides.end()) ++side->references;
  }
  if (blocks_[node].attributes.find("widths") != nullptr) return;
  for (const Side& side : sides) graph_.nodes[node].widths.push_back(side.references);
}

void PortFinder::find_outer_levels(int node, const std::vector<DotStream>& streams) {
  if (blocks_[node].attributes.find("above") != nullptr) return;
  int levels = 0;
  for (const DotStream& stream : streams) levels += stream.to == node && stream.wire == Wire::crd ? 1 : 0;
  graph_.nodes[node].outer = std::max(0, levels - graph_.nodes[node].order);
}

std::string PortFinder::name(int node) const {
  return fmt::format("`{}` ({})", blocks_[node].id, value_of(blocks_[node].attributes, "type"));
}

std::optional<Edge> PortFinder::edge(const DotStream& stream) {
  const int from = find_port(stream.from, true, stream);
  const int to = find_port(stream.to, false, stream);
  if (from < 0 || to < 0) return std::nullopt;
  if (taken_[stream.to][to]) {
    diagnostics_
        .error(stream.last->span(), fmt::format("a second stream reaches {} at `{}`", name(stream.to),
                                                inputs_of(graph_.nodes[stream.to])[to].name))
        .with_hint("an input takes one stream; `to=\"…\"` says which one an edge leads to");
    return std::nullopt;
  }
  taken_[stream.to][to] = true;
  return Edge{stream.from, from, stream.to, to};
}

int PortFinder::find_port(int node, bool output, const DotStream& stream) {
  const DotEdge& edge = output ? *stream.first : *stream.last;
  if (const DotAttribute* name = edge.attributes.find(output ? "from" : "to"))
    return named_port(node, output, stream, *name);
  const std::vector<Port> ports = output ? outputs_of(graph_.nodes[node]) : inputs_of(graph_.nodes[node]);
  std::vector<int> candidates;
  for (int p = 0; p < static_cast<int>(ports.size()); ++p)
    if (ports[p].wire == stream.wire) candidates.push_back(p);
  if (candidates.empty()) {
    diagnostics_
        .error(edge.span(),
               fmt::format("{} has no {} of type `{}`", name(node), output ? "output" : "input", name_of(stream.wire)))
        .with_hint(ports.empty() ? "" : fmt::format("it has {}", join_names(port_names(ports))));
    return -1;
  }
  if (candidates.size() == 1) return candidates.front();
  const int chosen = choose(node, output, stream, candidates);
  const bool found = std::ranges::find(candidates, chosen) != candidates.end();
  if (!found)
    diagnostics_
        .error(edge.span(),
               fmt::format("it is not clear which {} of {} this edge means", output ? "output" : "input", name(node)))
        .with_hint(fmt::format("write `{}=\"{}\"`, or another of {}", output ? "from" : "to",
                               ports[candidates.front()].name, join_names(port_names(ports))));
  return found ? chosen : -1;
}

int PortFinder::named_port(int node, bool output, const DotStream& stream, const DotAttribute& attribute) {
  const std::vector<Port> ports = output ? outputs_of(graph_.nodes[node]) : inputs_of(graph_.nodes[node]);
  const auto found = std::ranges::find(ports, attribute.value, &Port::name);
  if (found == ports.end()) {
    diagnostics_
        .error(attribute.span,
               fmt::format("{} has no {} `{}`", name(node), output ? "output" : "input", attribute.value))
        .with_hint(ports.empty() ? fmt::format("it has no {}s", output ? "output" : "input")
                                 : fmt::format("it has {}", join_names(port_names(ports))));
    return -1;
  }
  const bool number = output && found->wire == Wire::crd && stream.wire == Wire::ref; // it serves as a reference
  const bool leads_back = output && stream.wire == Wire::skip; // to a buffer, which may be told by any stream
  if (found->wire != stream.wire && !number && !leads_back) {
    diagnostics_.error(attribute.span, fmt::format("`{}` of {} is of type `{}`, but the edge's is `{}`", found->name,
                                                   name(node), name_of(found->wire), name_of(stream.wire)));
    return -1;
  }
  return static_cast<int>(found - ports.begin());
}

// One of several ports of the right type.
int PortFinder::choose(int node, bool output, const DotStream& stream, const std::vector<int>& candidates) {
  const Node& block = graph_.nodes[node];
  const Comment comment = comment_of(output ? *stream.first : *stream.last);
  if (joins(block)) return side_port(node, output, stream);
  if (block.block == Block::spaccumulator) return gathered_port(node, stream, output ? *stream.first : *stream.last);
  if (!block.outer_index.empty() || !block.inner_index.empty()) {
    if (output && comment.role == "outer") return 0;
    if (output && comment.role == "inner") return 1;
    if (comment.name == block.outer_index) return 0;
    return comment.name == block.inner_index ? 1 : -1;
  }
  if (output) return -1;
  const auto free = std::ranges::find_if(candidates, [&](int p) { return !taken_[node][p]; });
  return block.block == Block::alu && free != candidates.end() ? *free : -1;
}

// `in-C`, `out-C`; where nothing is said of an output, the consumer's tensor tells.
int PortFinder::side_port(int node, bool output, const DotStream& stream) const {
  const auto sides = sides_.find(node);
  const Comment comment = comment_of(*stream.first);
  const std::string consumer = graph_.nodes[stream.to].operand;
  const std::string wanted = output ? (comment.role == "out" ? comment.name : consumer) : side_name(stream);
  int port = output ? 1 : 0;
  for (const Side& side : sides->second) {
    if (side.name != wanted) {
      port += side.references + (output ? 0 : 1);
      continue;
    }
    if (output || stream.wire == Wire::crd) return port;
    const int end = std::min(port + side.references + 1, static_cast<int>(taken_[node].size()));
    for (int reference = port + 1; reference < end; ++reference)
      if (!taken_[node][reference]) return reference;
    return -1;
  }
  return -1;
}

// `in0` is the innermost index that is gathered, `in1` the next; an index that is not named lies above them.
int PortFinder::gathered_port(int node, const DotStream& stream, const DotEdge& edge) const {
  const Node& block = graph_.nodes[node];
  const int levels = block.outer + block.order;
  Comment comment = comment_of(edge);
  if (comment.name.empty()) comment = comment_of(*stream.last);
  for (int place = 0; place < block.order; ++place)
    if (value_of(blocks_[node].attributes, fmt::format("in{}", place)) == comment.name) return levels - 1 - place;
  if (comment.role == "inner") return levels - 1;
  return levels == 2 || block.outer == 1 ? 0 : -1;
}

} // namespace cyclotron::stream
