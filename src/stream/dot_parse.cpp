// SPDX-License-Identifier: MIT
#include "stream/attributes.hpp"
#include "stream/dot.hpp"
#include "stream/dot_operands.hpp"
#include "stream/dot_streams.hpp"
#include "stream/dot_syntax.hpp"
#include "stream/ports.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace cyclotron::stream {
namespace {

std::vector<std::string_view> needed(const Node& node) {
  switch (node.block) {
  case Block::fiberlookup:
    if (node.tensor.empty()) return {"tensor", "index", "format"};
    return {"tensor", "index", "mode", "format"};
  case Block::locate:
  case Block::lookup: return {"tensor", "mode", "format"};
  case Block::fiberwrite: return {"tensor", "mode"};
  case Block::arrayvals:
  case Block::repeat: return {"tensor"};
  case Block::spaccumulator: return {"order"};
  case Block::crddrop:
  case Block::crdhold: return {"outer", "inner"};
  case Block::alu:
    if (type_of(node) == "alu") return {"op"};
    return {};
  default: return {};
  }
}

class GraphReader {
public:
  GraphReader(const DotGraph& text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  std::optional<Graph> run() {
    const int before = diagnostics_.errors();
    for (const DotNode& node : text_.nodes) read_node(node);
    if (diagnostics_.errors() == before) read_streams();
    if (diagnostics_.errors() == before) connect();
    if (diagnostics_.errors() == before) read_operands(text_, graph_, diagnostics_);
    if (diagnostics_.errors() != before) return std::nullopt;
    return std::move(graph_);
  }

private:
  // --- blocks ---

  void read_node(const DotNode& text) {
    const DotAttribute* type = text.attributes.find("type");
    if (type == nullptr) {
      diagnostics_.error(text.span, fmt::format("the block `{}` has no `type`", text.id))
          .with_hint("write `type=\"fiberlookup\"`, say");
      return;
    }
    if (type->value == "broadcast") {
      broadcasts_[text.id] = nullptr;
      return;
    }
    Node node;
    if (!set_type(node, type->value)) {
      diagnostics_.error(type->span, fmt::format("there is no block of type `{}`", type->value))
          .with_hint(type_hint(type->value));
      return;
    }
    if (!read_attributes(node, text)) return;
    places_[text.id] = graph_.add(std::move(node));
    blocks_.push_back(text);
  }

  static std::string type_hint(const std::string& name) {
    const std::string near = nearest(name, type_names());
    return near.empty() ? "the types are " + join_names(type_names()) : fmt::format("did you mean `{}`?", near);
  }

  bool read_attributes(Node& node, const DotNode& text) {
    for (const DotAttribute& given : text.attributes.list) {
      const Attribute* attribute = attribute_named(given.name);
      if (attribute == nullptr || attribute->set(node, given.value)) continue;
      diagnostics_.error(given.span, fmt::format("`{}` is no value of `{}`", given.value, given.name))
          .with_hint(fmt::format("expected {}", attribute->expects));
      return false;
    }
    for (const std::string_view name : needed(node))
      if (text.attributes.find(name) == nullptr) {
        diagnostics_.error(text.span, fmt::format("the block `{}` ({}) has no `{}`", text.id, type_of(node), name))
            .with_hint(fmt::format("write `{}=\"…\"`, {}", name, attribute_named(name)->expects));
        return false;
      }
    if (const std::string problem = problem_of_ports(node); !problem.empty()) {
      diagnostics_.error(text.span, fmt::format("the block `{}` ({}) {}", text.id, type_of(node), problem));
      return false;
    }
    finish_operand(node, text);
    return read_subtraction(node, text);
  }

  bool read_subtraction(Node& node, const DotNode& text) {
    const DotAttribute* sub = text.attributes.find("sub");
    if (sub == nullptr || node.block != Block::alu || node.operation != Operation::add) return true;
    if (sub->value == "1") node.operation = Operation::sub;
    if (sub->value == "0" || sub->value == "1") return true;
    diagnostics_.error(sub->span, fmt::format("`{}` is no value of `sub`", sub->value))
        .with_hint("expected `0` or `1`");
    return false;
  }

  // The published files know operands by their tensors.
  static void finish_operand(Node& node, const DotNode& text) {
    const bool serves_operand = reads_tensor(node.block) || node.block == Block::repeat || node.block == Block::buffer;
    if (serves_operand && text.attributes.find("operand") == nullptr) node.operand = node.tensor;
    if (node.block == Block::repeat) node.tensor.clear();
  }

  // --- edges ---

  void read_streams() {
    for (const DotEdge& edge : text_.edges) {
      if (!check_end(edge.from, edge.from_span) || !check_end(edge.to, edge.to_span)) continue;
      const auto broadcast = broadcasts_.find(edge.to);
      if (broadcast == broadcasts_.end()) continue;
      if (broadcast->second != nullptr)
        diagnostics_.error(edge.span(), fmt::format("a second stream reaches the broadcast `{}`", edge.to));
      broadcast->second = &edge;
    }
    for (const DotEdge& edge : text_.edges)
      if (places_.contains(edge.to)) add_stream(edge);
  }

  bool check_end(const std::string& id, Span span) {
    if (places_.contains(id) || broadcasts_.contains(id)) return true;
    std::vector<std::string> names;
    for (const DotNode& node : text_.nodes) names.push_back(node.id);
    const std::string near = nearest(id, names);
    diagnostics_.error(span, fmt::format("there is no block `{}`", id))
        .with_hint(near.empty() ? fmt::format("a block is declared by `{} [type=\"…\"]`", id)
                                : fmt::format("did you mean `{}`?", near));
    return false;
  }

  void add_stream(const DotEdge& last) {
    const DotEdge* first = &last;
    for (std::size_t steps = 0; first != nullptr && broadcasts_.contains(first->from); ++steps)
      first = steps > broadcasts_.size() ? nullptr : broadcasts_[first->from];
    if (first == nullptr) {
      diagnostics_.error(last.from_span, fmt::format("no stream reaches the broadcast `{}`", last.from));
      return;
    }
    const std::optional<Wire> wire = wire_of(last);
    const auto from = places_.find(first->from);
    if (wire && from != places_.end()) streams_.push_back({from->second, places_[last.to], first, &last, *wire});
  }

  std::optional<Wire> wire_of(const DotEdge& edge) {
    const DotAttribute* type = edge.attributes.find("type");
    const std::optional<Wire> wire = type == nullptr ? std::nullopt : wire_named(type->value);
    const std::string hint = "expected `crd`, `ref`, `val`, `repsig`, `bv` or `skip`";
    if (type == nullptr) diagnostics_.error(edge.span(), "this edge has no `type`").with_hint(hint);
    else if (!wire)
      diagnostics_.error(type->span, fmt::format("there is no stream of type `{}`", type->value)).with_hint(hint);
    return wire;
  }

  void connect() {
    PortFinder finder(graph_, blocks_, streams_, diagnostics_);
    for (const DotStream& stream : streams_)
      if (const std::optional<Edge> edge = finder.edge(stream)) graph_.edges.push_back(*edge);
  }

  const DotGraph& text_;
  Diagnostics& diagnostics_;
  Graph graph_;
  std::vector<DotNode> blocks_; // as `graph_.nodes`
  std::map<std::string, int> places_;
  std::map<std::string, const DotEdge*> broadcasts_; // and the edge that leads to each
  std::vector<DotStream> streams_;
};

} // namespace

std::optional<std::vector<Graph>> parse_dot(std::int32_t file, Diagnostics& diagnostics) {
  const std::optional<std::vector<DotGraph>> texts = read_dot_syntax(file, diagnostics);
  if (!texts) return std::nullopt;
  std::vector<Graph> graphs;
  for (const DotGraph& text : *texts)
    if (std::optional<Graph> graph = GraphReader(text, diagnostics).run()) graphs.push_back(std::move(*graph));
  if (graphs.size() != texts->size()) return std::nullopt;
  return graphs;
}

} // namespace cyclotron::stream
