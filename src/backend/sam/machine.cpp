// SPDX-License-Identifier: MIT
#include "backend/sam/machine.hpp"

#include "stream/ports.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::sam {

using stream::Block;
using stream::Node;
using stream::Operation;

Machine::Machine(const stream::Graph& graph, const Tensors& tensors, const Extents& extents, const Options& options)
    : graph_(graph), tensors_(tensors), extents_(extents), options_(options), labels_(stream::labels_of(graph)),
      simulation_({.records = options.records, .shuffle = options.shuffle}), ends_(graph.nodes.size()) {}

void Machine::build() {
  const auto exists = [&](int node) { return node >= 0 && node < static_cast<int>(graph_.nodes.size()); };
  for (const stream::Edge& edge : graph_.edges)
    if (!exists(edge.from) || !exists(edge.to)) throw Fault("a wire of the graph ends at a block that does not exist");
  for (int node = 0; node < static_cast<int>(graph_.nodes.size()); ++node) {
    build_node(node);
    if (node_at(node).root) feed_root(node);
  }
  for (const stream::Edge& edge : graph_.edges) connect(edge);
  for (const Unit& unit : units_)
    if (std::ranges::find(unit.in, nullptr) != unit.in.end())
      throw Fault(fmt::format("{} has an input that nothing feeds", unit.label));
}

const Output* Machine::output(int node, int port) const {
  const End& end = ends_[static_cast<std::size_t>(node)].out[static_cast<std::size_t>(port)];
  return &end.unit->out[end.port];
}

ValueType Machine::written_type(int node) const {
  return type_of(node, static_cast<int>(stream::inputs_of(node_at(node)).size()) - 1);
}

Unit& Machine::add_unit(int node, const std::string& part, std::size_t inputs, std::size_t outputs) {
  const std::string& label = labels_[static_cast<std::size_t>(node)];
  std::string name = part.empty() ? label : label + " (" + part + ")";
  units_.push_back({simulation_.add(name), name, node, std::vector<Input*>(inputs, nullptr),
                    std::deque<Output>(outputs), std::max(1, node_at(node).vector), -1, 0});
  return units_.back();
}

// A block of one unit: its ports are those of the unit.
Unit& Machine::add_plain(int node) {
  const std::size_t inputs = stream::inputs_of(node_at(node)).size(),
                    outputs = stream::outputs_of(node_at(node)).size();
  Unit& unit = add_unit(node, "", inputs, outputs);
  Ends& ends = ends_[static_cast<std::size_t>(node)];
  for (std::size_t i = 0; i < inputs; ++i) ends.in.push_back({&unit, i});
  for (std::size_t i = 0; i < outputs; ++i) ends.out.push_back({&unit, i});
  return unit;
}

Input& Machine::wire(Unit& from, std::size_t output, Unit& to, std::size_t input, engine::ChannelOptions options,
                     std::string name) {
  options.window = options_.window;
  options.counts_waiting = options_.waiting;
  Input& made = simulation_.connect<Token>(from.self, to.self, options, std::move(name));
  from.out[output].add(made);
  to.in[input] = &made;
  return made;
}

void Machine::feed_root(int node) {
  Unit& root = add_unit(node, "root", 0, 1);
  const End& to = ends_[static_cast<std::size_t>(node)].in[0];
  engine::ChannelOptions options;
  options.latency = 0;
  wire(root, 0, *to.unit, to.port, options, "root");
  simulation_.start(root.self, sam::feed_root(root));
}

void Machine::connect(const stream::Edge& edge) {
  const auto end = [&](int node, int port, bool out) -> const End& {
    const Ends& ends = ends_[static_cast<std::size_t>(node)];
    const auto& list = out ? ends.out : ends.in;
    if (port >= 0 && port < static_cast<int>(list.size())) return list[static_cast<std::size_t>(port)];
    throw Fault(fmt::format("{} has no port for one of its wires", labels_[static_cast<std::size_t>(node)]));
  };
  const End& from = end(edge.from, edge.from_port, true);
  const End& to = end(edge.to, edge.to_port, false);
  if (to.unit->in[to.port]) throw Fault(fmt::format("{} has two wires at one input", to.unit->label));
  const auto ports = stream::outputs_of(node_at(edge.from));
  const std::string& name = ports[static_cast<std::size_t>(edge.from_port)].name;
  wire(*from.unit, from.port, *to.unit, to.port, options_of(edge), name + " of " + from.unit->label);
  if (options_.tokens) from.unit->out[from.port].keep_tokens();
}

engine::ChannelOptions Machine::options_of(const stream::Edge& edge) const {
  engine::ChannelOptions options;
  const Node& n = node_at(edge.from);
  const auto to = stream::inputs_of(node_at(edge.to));
  const bool skip = to[static_cast<std::size_t>(edge.to_port)].wire == stream::Wire::skip;
  if (!skip) options.capacity = options_.capacity; // a scanner need not look at all that it is told to skip
  const bool reads =
      n.block == Block::arrayvals || (stream::reads_tensor(n.block) && !n.tensor.empty() && !tensor::is_full(n.format));
  if (!reads || options_.memory_latency <= 1) return options;
  options.latency = options_.memory_latency;
  if (options.capacity > 0) options.capacity += static_cast<std::size_t>(options_.memory_latency - 1);
  return options;
}

const tensor::Tensor& Machine::tensor_of(int node) const {
  const Node& n = node_at(node);
  for (const std::string& name : {n.operand, n.tensor})
    if (const auto found = tensors_.find(name); found != tensors_.end() && found->second) return *found->second;
  throw Fault(fmt::format("{} needs the tensor `{}`", labels_[static_cast<std::size_t>(node)], n.tensor));
}

const tensor::Level* Machine::level_of(int node, std::int64_t& parents) const {
  const Node& n = node_at(node);
  const tensor::Tensor& tensor = tensor_of(node);
  const std::string& label = labels_[static_cast<std::size_t>(node)];
  parents = 1;
  for (std::size_t l = 0; l < tensor.levels.size(); ++l) {
    const tensor::Level& level = tensor.levels[l];
    if (tensor.format.order[l] == n.mode) {
      if (level.kind == n.format) return &level;
      throw Fault(fmt::format("{} expects a level that is {}, but that of `{}` is {}", label, name_of(n.format),
                              n.tensor, name_of(level.kind)));
    }
    parents = tensor::entry_count(level, parents);
  }
  throw Fault(
      fmt::format("{} works on dimension {} of `{}`, which has {}", label, n.mode, n.tensor, tensor.levels.size()));
}

// The level of no tensor: all coordinates of the node's index.
const tensor::Level& Machine::all_coordinates(int node) {
  const std::string& index = node_at(node).index;
  const auto extent = extents_.find(index);
  if (extent == extents_.end())
    throw Fault(fmt::format("{} needs the size of `{}`", labels_[static_cast<std::size_t>(node)], index));
  tensor::Level& level = made_levels_.emplace_back();
  level.size = extent->second;
  return level;
}

ValueType Machine::type_of(int node, int input) const {
  for (const stream::Edge& edge : graph_.edges)
    if (edge.to == node && edge.to_port == input) return type_from(edge.from, edge.from_port);
  return ValueType::f64;
}

ValueType Machine::type_from(int node, int output) const {
  const Node& n = node_at(node);
  switch (n.block) {
  case Block::arrayvals: return tensor_of(node).type();
  case Block::alu:
    if (n.operation >= Operation::less && n.operation <= Operation::logical_or) return ValueType::boolean;
    return n.operation == Operation::logical_not ? ValueType::boolean : n.type;
  case Block::reduce:
  case Block::serialize:
  case Block::parallelize: return type_of(node, 0);
  case Block::crddrop:
  case Block::spaccumulator: return type_of(node, output);
  default: return n.type;
  }
}

bool Machine::skips_empty() const {
  return std::ranges::any_of(graph_.nodes, [](const Node& n) {
    return n.block == Block::crddrop || n.block == Block::bvdrop || (n.block == Block::reduce && !n.keeps_empty);
  });
}

} // namespace cyclotron::sam
