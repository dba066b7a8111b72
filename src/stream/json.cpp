// SPDX-License-Identifier: MIT
#include "stream/json.hpp"

#include "stream/attributes.hpp"
#include "stream/operand_text.hpp"
#include "stream/ports.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace cyclotron::stream {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* form = "cyclotron stream 1"; // changes when a reader must

// --- writing ---

Json value_of(const Attribute& attribute, const std::string& text) {
  if (attribute.kind == AttributeKind::flag) return text == "true";
  if (attribute.kind == AttributeKind::number && Json::accept(text)) return Json::parse(text);
  if (attribute.kind != AttributeKind::list) return text;
  Json list = Json::array();
  for (const std::string& piece : pieces_of(text, ','))
    list.push_back(Json::accept(piece) ? Json::parse(piece) : Json(piece));
  return list;
}

Json json_of(const Operand& operand) {
  Json levels = Json::array();
  for (const tensor::LevelKind level : operand.format.levels) levels.push_back(tensor::name_of(level));
  return {{"name", operand.name}, {"tensor", operand.tensor},      {"indices", operand.indices},
          {"levels", levels},     {"order", operand.format.order}, {"region", static_cast<int>(operand.format.region)}};
}

Json json_of(const Graph& graph) {
  Json operands = Json::array(), blocks = Json::array(), edges = Json::array();
  for (const Operand& operand : graph.operands) operands.push_back(json_of(operand));
  const std::vector<std::string> labels = labels_of(graph);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    Json block = {{"label", labels[n]}, {"type", type_of(node)}};
    if (block["type"] == "add") block["sub"] = node.operation == Operation::sub;
    for (const Attribute& attribute : attributes())
      if (!has_default(node, attribute)) block[std::string(attribute.name)] = value_of(attribute, attribute.get(node));
    blocks.push_back(std::move(block));
  }
  for (const Edge& edge : graph.edges) {
    const Port from = outputs_of(graph.nodes[edge.from])[edge.from_port];
    edges.push_back({{"from", edge.from},
                     {"output", from.name},
                     {"to", edge.to},
                     {"input", inputs_of(graph.nodes[edge.to])[edge.to_port].name},
                     {"type", name_of(from.wire)}});
  }
  return {{"title", graph.title}, {"order", graph.order}, {"operands", operands}, {"result", json_of(graph.result)},
          {"blocks", blocks},     {"edges", edges}};
}

// --- reading ---

struct Wrong {
  std::string message, hint;
};

const Json& member(const Json& json, const char* name, Json::value_t type, const std::string& where) {
  if (!json.is_object() || !json.contains(name)) throw Wrong{fmt::format("{} has no `{}`", where, name), ""};
  const Json& value = json[name];
  const bool whole = type == Json::value_t::number_integer && value.is_number_integer();
  if (value.type() != type && !whole)
    throw Wrong{fmt::format("`{}` of {} should be {}", name, where, Json(type).type_name()), ""};
  return value;
}

std::string text_member(const Json& json, const char* name, const std::string& where) {
  return member(json, name, Json::value_t::string, where).get<std::string>();
}

const Json& list_member(const Json& json, const char* name, const std::string& where) {
  return member(json, name, Json::value_t::array, where);
}

int number_member(const Json& json, const char* name, const std::string& where) {
  return member(json, name, Json::value_t::number_integer, where).get<int>();
}

template <class T> std::vector<T> list_of(const Json& json, const char* name, const std::string& where) {
  std::vector<T> values;
  for (const Json& value : list_member(json, name, where)) {
    const bool fits = std::is_same_v<T, std::string> ? value.is_string() : value.is_number_integer();
    if (!fits) throw Wrong{fmt::format("`{}` of {} holds `{}`", name, where, value.dump()), ""};
    values.push_back(value.get<T>());
  }
  return values;
}

Operand operand_of(const Json& json, const std::string& where) {
  Operand operand{text_member(json, "name", where),
                  text_member(json, "tensor", where),
                  list_of<std::string>(json, "indices", where),
                  {}};
  for (const std::string& name : list_of<std::string>(json, "levels", where)) {
    const std::optional<tensor::LevelKind> level = tensor::level_kind_named(name);
    if (!level)
      throw Wrong{fmt::format("`{}` in {} is no kind of level", name, where),
                  fmt::format("expected {}", attribute_named("format")->expects)};
    operand.format.levels.push_back(*level);
  }
  operand.format.order = list_of<int>(json, "order", where);
  const int region = number_member(json, "region", where);
  if (region < 0 || region > static_cast<int>(tensor::Region::offchip))
    throw Wrong{fmt::format("`region` of {} is {}", where, region), "expected 0, 1 (on chip) or 2 (off chip)"};
  operand.format.region = static_cast<tensor::Region>(region);
  return operand;
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& piece : value) text += (text.empty() ? "" : ",") + text_of(piece);
  return text;
}

Node node_of(const Json& json, const std::string& where) {
  Node node;
  const std::string type = text_member(json, "type", where);
  if (!set_type(node, type))
    throw Wrong{fmt::format("{} is of type `{}`, which does not exist", where, type),
                "the types are " + join_names(type_names())};
  if (type == "add" && json.contains("sub") && member(json, "sub", Json::value_t::boolean, where).get<bool>())
    node.operation = Operation::sub;
  for (const Attribute& attribute : attributes()) {
    const auto found = json.find(attribute.name);
    if (found != json.end() && !attribute.set(node, text_of(*found)))
      throw Wrong{fmt::format("`{}` is no value of `{}` of {}", text_of(*found), attribute.name, where),
                  fmt::format("expected {}", attribute.expects)};
  }
  if (const std::string problem = problem_of_ports(node); !problem.empty()) throw Wrong{where + " " + problem, ""};
  return node;
}

int port_of(const std::vector<Port>& ports, const std::string& name, const std::string& where) {
  const auto found = std::ranges::find(ports, name, &Port::name);
  if (found != ports.end()) return static_cast<int>(found - ports.begin());
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back("`" + port.name + "`");
  throw Wrong{fmt::format("{} names a port `{}` that its block does not have", where, name),
              names.empty() ? "" : "the ports are " + join_names(names)};
}

Edge edge_of(const Json& json, const Graph& graph, const std::string& where) {
  Edge edge;
  edge.from = number_member(json, "from", where);
  edge.to = number_member(json, "to", where);
  const int nodes = static_cast<int>(graph.nodes.size());
  for (const int node : {edge.from, edge.to})
    if (node < 0 || node >= nodes)
      throw Wrong{fmt::format("{} names the block {}", where, node), fmt::format("there are {} blocks", nodes)};
  edge.from_port = port_of(outputs_of(graph.nodes[edge.from]), text_member(json, "output", where), where);
  edge.to_port = port_of(inputs_of(graph.nodes[edge.to]), text_member(json, "input", where), where);
  return edge;
}

Graph graph_of(const Json& json, const std::string& where) {
  Graph graph;
  graph.title = text_member(json, "title", where);
  graph.order = list_of<std::string>(json, "order", where);
  for (const Json& operand : list_member(json, "operands", where))
    graph.operands.push_back(operand_of(operand, "an operand"));
  graph.result = operand_of(member(json, "result", Json::value_t::object, where), "the result");
  for (const Json& block : list_member(json, "blocks", where))
    graph.add(node_of(block, fmt::format("block {} of {}", graph.nodes.size(), where)));
  for (const Json& edge : list_member(json, "edges", where))
    graph.edges.push_back(edge_of(edge, graph, fmt::format("edge {} of {}", graph.edges.size(), where)));
  return graph;
}

} // namespace

std::string print_json(const std::vector<Graph>& phases) {
  Json graphs = Json::array();
  for (const Graph& graph : phases) graphs.push_back(json_of(graph));
  return Json{{"form", form}, {"graphs", graphs}}.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<std::vector<Graph>> parse_json(std::int32_t file, Diagnostics& diagnostics) {
  try {
    const Json json = Json::parse(diagnostics.sources().text(file));
    if (text_member(json, "form", "the file") != form)
      throw Wrong{"this is JSON of another form", fmt::format("expected `\"form\": \"{}\"`", form)};
    std::vector<Graph> graphs;
    for (const Json& graph : list_member(json, "graphs", "the file"))
      graphs.push_back(graph_of(graph, fmt::format("graph {}", graphs.size())));
    return graphs;
  } catch (const Json::parse_error& problem) {
    const auto at = static_cast<std::uint32_t>(problem.byte == 0 ? 0 : problem.byte - 1);
    diagnostics.error(Span{file, at, at + 1}, "this is no JSON").with_hint("the text is wrong at this place");
  } catch (const Wrong& wrong) {
    diagnostics.error(Span{file, 0, 0}, wrong.message).with_hint(wrong.hint);
  }
  return std::nullopt;
}

} // namespace cyclotron::stream
