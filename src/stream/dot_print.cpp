// SPDX-License-Identifier: MIT
#include "stream/attributes.hpp"
#include "stream/dot.hpp"
#include "stream/dot_look.hpp"
#include "stream/operand_text.hpp"
#include "stream/ports.hpp"
#include "stream/wire_names.hpp"
#include "support/quote.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace cyclotron::stream {
namespace {

using Named = std::vector<std::pair<std::string, std::string>>;

class GraphPrinter {
public:
  GraphPrinter(const Graph& graph, const Painting& painting)
      : graph_(graph), painting_(painting), wiring_(graph), names_(graph) {}

  std::string run() {
    out_ = "digraph SAM {\n";
    print_graph_attributes();
    int broadcasts = static_cast<int>(graph_.nodes.size());
    for (int n = 0; n < static_cast<int>(graph_.nodes.size()); ++n) {
      print_node(n);
      for (int p = 0; p < static_cast<int>(wiring_.out_of[n].size()); ++p)
        if (wiring_.out_of[n][p].size() > 1) print_broadcast(broadcasts_[{n, p}] = broadcasts++);
    }
    for (int e = 0; e < static_cast<int>(graph_.edges.size()); ++e) print_edge(e);
    return out_ + "}\n";
  }

private:
  // --- the graph. The published tools read the comment from the second line. ---

  void print_graph_attributes() {
    std::vector<std::string> formats, operands;
    const auto add = [&](const Operand& operand) {
      std::string text = fmt::format("{}={}", operand.tensor, published_format(operand.format));
      if (std::ranges::find(formats, text) == formats.end()) formats.push_back(std::move(text));
    };
    add(graph_.result);
    for (const Operand& operand : graph_.operands) {
      add(operand);
      operands.push_back(operand_text(operand));
    }
    const std::string caption = painting_.caption.empty() ? "" : fmt::format("\\n{}", quoted_inside(painting_.caption));
    out_ += fmt::format("    comment=\"{}\"\n", fmt::join(formats, ","));
    out_ += fmt::format("    label=\"{}{}\" labelloc=t fontname=\"Helvetica\" fontsize=18\n",
                        quoted_inside(graph_.title), caption);
    out_ += fmt::format("    title={}\n", quote(graph_.title));
    out_ += fmt::format("    order=\"{}\"\n", fmt::join(graph_.order, ","));
    out_ += fmt::format("    operands={}\n", quote(fmt::format("{}", fmt::join(operands, ";"))));
    out_ += fmt::format("    result={}\n", quote(operand_text(graph_.result)));
  }

  static std::string quoted_inside(const std::string& text) {
    const std::string quoted = quote(text);
    return quoted.substr(1, quoted.size() - 2);
  }

  // --- blocks ---

  void print_node(int n) {
    const Node& node = graph_.nodes[n];
    const Named published = published_attributes(n);
    std::vector<std::string> comment;
    for (const auto& [name, value] : published) comment.push_back(name + "=" + value);
    const std::string gathered = fmt::format("{}", fmt::join(names_.gathered(n), ","));
    out_ += fmt::format("    {} [comment={} label=\"{}{}\"{}", n, quote(fmt::format("{}", fmt::join(comment, ","))),
                        picture_label(node, gathered), note_of(n), look_of(n));
    for (const auto& [name, value] : published) out_ += fmt::format(" {}={}", name, quote(value));
    for (const auto& [name, value] : further_attributes(n, published))
      out_ += fmt::format(" {}={}", name, quote(value));
    out_ += "]\n";
  }

  std::string note_of(int n) const {
    if (painting_.nodes.empty() || painting_.nodes[n].note.empty()) return "";
    return "\\n" + quoted_inside(painting_.nodes[n].note);
  }

  std::string look_of(int n) const {
    const Colours colours = colours_of(graph_.nodes[n]);
    std::string look = fmt::format(" color={} shape=box style=filled fontname=\"Helvetica\"", colours.fill);
    if (painting_.nodes.empty() || painting_.nodes[n].fill.empty()) return look + " fontcolor=" + colours.font;
    return look + fmt::format(" penwidth=3 fillcolor=\"{}\" fontcolor=\"{}\"", painting_.nodes[n].fill,
                              painting_.nodes[n].font);
  }

  // What the published files say of such a block, in their order.
  Named published_attributes(int n) const {
    const Node& node = graph_.nodes[n];
    Named list = {{"type", type_of(node)}};
    const auto add = [&](std::initializer_list<const char*> attributes) {
      for (const char* name : attributes) list.emplace_back(name, attribute_named(name)->get(node));
    };
    switch (node.block) {
    case Block::fiberlookup:
      if (node.tensor.empty()) add({"index", "tensor", "format"});
      else add({"index", "tensor", "mode", "format"});
      list.emplace_back("src", "true");
      add({"root"});
      break;
    case Block::locate:
    case Block::lookup: add({"index", "tensor", "mode", "format"}); break;
    case Block::repsiggen:
    case Block::intersect:
    case Block::unite: add({"index"}); break;
    case Block::repeat:
      list.insert(list.end(), {{"index", node.index}, {"tensor", tensor_of(node.operand)}});
      add({"root"});
      break;
    case Block::arrayvals: add({"tensor"}); break;
    case Block::alu:
      if (list[0].second == "add") list.emplace_back("sub", node.operation == Operation::sub ? "1" : "0");
      break;
    case Block::spaccumulator: {
      add({"order"});
      int place = 0;
      for (std::string& index : names_.gathered(n)) list.emplace_back(fmt::format("in{}", place++), std::move(index));
      break;
    }
    case Block::crddrop:
    case Block::crdhold:
      add({"outer", "inner"});
      if (node.on_values) add({"vals"});
      break;
    case Block::fiberwrite: add_writer(list, node); break;
    default: break;
    }
    return list;
  }

  std::string tensor_of(const std::string& name) const {
    const Operand* operand = graph_.operand(name);
    return operand == nullptr ? name : operand->tensor;
  }

  // --- writers: the published tools set arrays of the largest size aside ---

  void add_writer(Named& list, const Node& node) const {
    if (node.mode < 0) {
      list.insert(list.end(),
                  {{"mode", "vals"}, {"tensor", node.tensor}, {"size", positions_above(graph_.result.format.rank())}});
    } else {
      list.insert(list.end(), {{"index", node.index},
                               {"tensor", node.tensor},
                               {"mode", std::to_string(node.mode)},
                               {"format", std::string(tensor::name_of(node.format))}});
      const std::vector<int>& order = graph_.result.format.order;
      const int level = static_cast<int>(std::ranges::find(order, node.mode) - order.begin());
      if (tensor::properties_of(node.format).listed() && level < graph_.result.format.rank()) {
        list.emplace_back("segsize", level == 0 ? "2" : positions_above(level) + "+1");
        list.emplace_back("crdsize", level == 0 ? dimension(0) : positions_above(level + 1));
      }
    }
    list.emplace_back("sink", "true");
  }

  std::string positions_above(int level) const {
    std::string text = "1";
    for (int l = 0; l < level; ++l) text += "*" + dimension(l);
    return text;
  }

  // The dimension of the result that a level stores, as one of an operand with the same index.
  std::string dimension(int level) const {
    const std::vector<std::string>& indices = graph_.result.indices;
    const auto mode = static_cast<std::size_t>(graph_.result.format.order[level]);
    if (mode < indices.size())
      for (const Operand& operand : graph_.operands) {
        const auto found = std::ranges::find(operand.indices, indices[mode]);
        if (found != operand.indices.end())
          return fmt::format("{}{}_dim", operand.tensor, found - operand.indices.begin());
      }
    return fmt::format("{}{}_dim", graph_.result.tensor, mode);
  }

  // What remains to be said, so that the block can be read again.
  Named further_attributes(int n, const Named& published) const {
    const Node& node = graph_.nodes[n];
    Named list;
    for (const Attribute& attribute : attributes()) {
      const bool said = std::ranges::find(published, attribute.name, &Named::value_type::first) != published.end();
      if (attribute.name == "operand") {
        if (node.operand != implied_operand(node)) list.emplace_back("operand", node.operand);
      } else if (!said && !has_default(node, attribute)) list.emplace_back(attribute.name, attribute.get(node));
    }
    return list;
  }

  std::string implied_operand(const Node& node) const {
    switch (node.block) {
    case Block::fiberlookup:
    case Block::locate:
    case Block::lookup:
    case Block::arrayvals: return node.tensor;
    case Block::repeat: return tensor_of(node.operand);
    default: return "";
    }
  }

  void print_broadcast(int id) {
    out_ += fmt::format("    {} [comment=\"type=broadcast\" label=\"\" shape=point style=invis width=0 height=0 "
                        "type=\"broadcast\"]\n",
                        id);
  }

  // --- edges ---

  void print_edge(int e) {
    const Edge& edge = graph_.edges[e];
    const auto broadcast = broadcasts_.find({edge.from, edge.from_port});
    const std::string from_port = outputs_of(graph_.nodes[edge.from])[edge.from_port].name;
    const Port to = inputs_of(graph_.nodes[edge.to])[edge.to_port];
    const std::string comment = names_.comment(edge), look = line_of(to.wire) + look_of_edge(e);
    std::string label(name_of(to.wire));
    if (!comment.empty()) label += "_" + comment;
    std::string source = std::to_string(edge.from);
    if (broadcast != broadcasts_.end()) {
      source = std::to_string(broadcast->second);
      if (wiring_.out_of[edge.from][edge.from_port].front() == e)
        out_ += fmt::format("    {} -> {} [{}arrowhead=none type=\"{}\" from=\"{}\"]\n", edge.from, source,
                            look.empty() ? "" : look.substr(1) + " ", name_of(to.wire), from_port);
    }
    out_ += fmt::format("    {} -> {} [label=\"{}{}\"{} fontname=\"Helvetica\" fontsize=10 type=\"{}\"", source,
                        edge.to, label, note_of_edge(e), look, name_of(to.wire));
    if (!comment.empty()) out_ += fmt::format(" comment={}", quote(comment));
    if (broadcast == broadcasts_.end()) out_ += fmt::format(" from=\"{}\"", from_port);
    out_ += fmt::format(" to=\"{}\"]\n", to.name);
  }

  std::string look_of_edge(int e) const {
    if (painting_.edges.empty() || painting_.edges[e].thickness == 0) return "";
    return fmt::format(" penwidth={:.2f}", painting_.edges[e].thickness);
  }

  std::string note_of_edge(int e) const {
    if (painting_.edges.empty() || painting_.edges[e].note.empty()) return "";
    return "\\n" + quoted_inside(painting_.edges[e].note);
  }

  const Graph& graph_;
  const Painting& painting_;
  Wiring wiring_;
  WireNames names_;
  std::map<std::pair<int, int>, int> broadcasts_; // of [node, port]
  std::string out_;
};

} // namespace

std::string print_dot(const std::vector<Graph>& phases, const std::vector<Painting>& paintings) {
  const Painting plain;
  std::string text;
  for (std::size_t i = 0; i < phases.size(); ++i)
    text += GraphPrinter(phases[i], paintings.empty() ? plain : paintings[i]).run();
  return text;
}

} // namespace cyclotron::stream
