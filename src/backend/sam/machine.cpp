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
  units_.push_back(
      {simulation_.add(name), name, node, std::vector<Input*>(inputs, nullptr), std::deque<Output>(outputs)});
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
  Input& made = simulation_.connect<Token>(from.self, to.self, options, std::move(name));
  from.out[output].add(made);
  to.in[input] = &made;
  return made;
}

void Machine::build_node(int node) {
  const Node& n = node_at(node);
  const auto start = [&](Unit& unit, Body body) { simulation_.start(unit.self, std::move(body)); };
  switch (n.block) {
  case Block::fiberlookup: return build_scanner(node);
  case Block::intersect: return build_joiner(node, Join::intersection);
  case Block::unite: return build_joiner(node, Join::united);
  case Block::alu: return build_alu(node);
  case Block::spaccumulator: return build_accumulator(node);
  case Block::crdhold: return build_hold(node);
  case Block::fiberwrite: return build_writer(node);
  case Block::repsiggen: {
    Unit& unit = add_plain(node);
    return start(unit, make_signals(unit));
  }
  case Block::repeat: {
    Unit& unit = add_plain(node);
    return start(unit, repeat(unit));
  }
  case Block::arrayvals: {
    Unit& unit = add_plain(node);
    return start(unit, load_values(unit, tensor_of(node).values));
  }
  case Block::reduce: {
    Unit& unit = add_plain(node);
    return start(unit, reduce(unit, {n.reducer, type_of(node, 0)}, n.keeps_empty));
  }
  case Block::crddrop: {
    Unit& unit = add_plain(node);
    return start(unit, drop_coordinates(unit, n.on_values, n.on_values ? type_of(node, 1) : ValueType::f64));
  }
  case Block::locate: {
    Unit& unit = add_plain(node);
    std::int64_t parents = -1;
    const tensor::Level& level = n.tensor.empty() ? all_coordinates(node) : *level_of(node, parents);
    return start(unit, locate(unit, level, parents));
  }
  case Block::crdvals: {
    Unit& unit = add_plain(node);
    return start(unit, coordinates_as_values(unit, n.type));
  }
  case Block::crdmask: {
    Unit& unit = add_plain(node);
    return start(unit, mask_coordinates(unit, {n.factor, n.offset, n.others, n.relation}));
  }
  case Block::pointwrite: {
    Unit& unit = add_plain(node);
    return start(unit, write_points(unit, written_[node]));
  }
  default:
    throw Fault(fmt::format("{} is a block that the simulator does not have", labels_[static_cast<std::size_t>(node)]));
  }
}

void Machine::feed_root(int node) {
  Unit& root = add_unit(node, "root", 0, 1);
  const End& to = ends_[static_cast<std::size_t>(node)].in[0];
  engine::ChannelOptions options;
  options.latency = 0;
  wire(root, 0, *to.unit, to.port, options, "root");
  simulation_.start(root.self, sam::feed_root(root));
}

void Machine::build_scanner(int node) {
  const Node& n = node_at(node);
  Unit& unit = add_plain(node);
  if (n.tensor.empty()) return simulation_.start(unit.self, scan_dense(unit, all_coordinates(node).size, -1));
  std::int64_t parents = 1;
  const tensor::Level* level = level_of(node, parents);
  if (level->kind == tensor::LevelKind::dense)
    return simulation_.start(unit.self, scan_dense(unit, level->size, parents));
  if (level->kind == tensor::LevelKind::bitvector)
    throw Fault(fmt::format("{} is a block that the simulator does not have", unit.label));
  simulation_.start(unit.self, n.skips ? scan_skipping(unit, *level, simulation_) : scan_compressed(unit, *level));
}

// More than two sides are joined one after the other: the first two, then what comes out with the third, and so on.
void Machine::build_joiner(int node, Join kind) {
  const Node& n = node_at(node);
  const std::string& label = labels_[static_cast<std::size_t>(node)];
  if (n.widths.size() < 2) throw Fault(fmt::format("{} needs two sides at least", label));
  if (n.skips && (n.widths.size() != 2 || kind != Join::intersection))
    throw Fault(fmt::format("{} has skip wires, which only intersections of two sides can have", label));
  const std::size_t skips = n.skips ? 2 : 0;
  Ends& ends = ends_[static_cast<std::size_t>(node)];
  auto width = static_cast<std::size_t>(n.widths[0]);
  Unit* before = nullptr;
  for (std::size_t side = 1; side < n.widths.size(); ++side) {
    const auto more = static_cast<std::size_t>(n.widths[side]);
    const std::string part = n.widths.size() == 2 ? "" : fmt::format("part {}", side);
    Unit& unit = add_unit(node, part, 2 + width + more, 1 + width + more + skips);
    for (std::size_t i = 0; i <= width; ++i) {
      if (before) wire(*before, i, unit, i, {}, fmt::format("{} to side {}", label, side));
      else ends.in.push_back({&unit, i});
    }
    for (std::size_t i = 0; i <= more; ++i) ends.in.push_back({&unit, 1 + width + i});
    const bool last = side + 1 == n.widths.size();
    simulation_.start(unit.self, join(unit, kind, width, more, last, n.keeps_empty));
    width += more;
    before = &unit;
  }
  for (std::size_t i = 0; i <= width + skips; ++i) ends.out.push_back({before, i});
}

void Machine::build_alu(int node) {
  const Node& n = node_at(node);
  const Operation op = n.operation;
  const bool compares = op >= Operation::less && op <= Operation::not_equal;
  const bool logical = op == Operation::logical_and || op == Operation::logical_or || op == Operation::logical_not;
  Unit& unit = add_plain(node);
  Operands operands;
  std::vector<ValueType> types; // in the streams
  for (int i = 0; i < static_cast<int>(unit.in.size()); ++i) types.push_back(type_of(node, i));
  ValueType type = n.type;
  if (logical) type = ValueType::boolean;
  if (compares) { // in the widest of its types
    type = ValueType::boolean;
    for (const ValueType t : types)
      if (type == ValueType::boolean || (tensor::is_float(t) && t != ValueType::f32)) type = t;
      else if (tensor::is_float(t) && !tensor::is_float(type)) type = ValueType::f64;
  }
  std::size_t port = 0;
  for (int place = 0; place < stream::operands_of(op); ++place) {
    const bool condition = op == Operation::select && place == 0;
    const ValueType to = condition ? ValueType::boolean : type;
    const auto constant = std::ranges::find(n.constants, place, &stream::Constant::operand);
    Word& word = operands.words[static_cast<std::size_t>(place)];
    if (constant == n.constants.end()) operands.ports.push_back({static_cast<std::size_t>(place), types[port++], to});
    else if (tensor::is_float(to)) word = convert({.real = constant->value}, ValueType::f64, to);
    else word = {.whole = constant->integer};
  }
  const bool sparse = !tensor::is_dense(graph_.result.format);
  const ValueType result = compares || logical ? ValueType::boolean : n.type;
  simulation_.start(unit.self, compute(unit, {op, type, result, sparse}, std::move(operands)));
}

// Droppers of stops in front, one each input; the accumulator; those who put out.
void Machine::build_accumulator(int node) {
  const Node& n = node_at(node);
  const auto outer = static_cast<std::size_t>(n.outer), order = static_cast<std::size_t>(n.order);
  const std::size_t levels = outer + order;
  if (order == 0) throw Fault(fmt::format("{} gathers no level", labels_[static_cast<std::size_t>(node)]));
  Ends& ends = ends_[static_cast<std::size_t>(node)];
  Unit& gather = add_unit(node, "gather", levels + 1, 0);
  Unit& coordinates = add_unit(node, "coordinates", 0, levels);
  Unit& values = add_unit(node, "values", 0, 1);
  for (std::size_t i = 0; i <= levels; ++i) {
    Unit& dropper = add_unit(node, fmt::format("input {}", i), 1, 1);
    wire(dropper, 0, gather, i, {}, gather.label);
    simulation_.start(dropper.self, drop_stops(dropper));
    ends.in.push_back({&dropper, 0});
  }
  engine::ChannelOptions at_once;
  at_once.latency = 0;
  using Sent = std::shared_ptr<const Group>;
  Groups& to_values = simulation_.connect<Sent>(gather.self, values.self, at_once, values.label);
  Groups& to_coordinates = simulation_.connect<Sent>(gather.self, coordinates.self, at_once, coordinates.label);
  const Combination combination = {n.reducer, type_of(node, static_cast<int>(levels))};
  simulation_.start(gather.self, accumulate(gather, outer, order, combination, to_values, to_coordinates));
  simulation_.start(values.self, put_values(values, to_values));
  simulation_.start(coordinates.self, put_coordinates(coordinates, to_coordinates));
  for (std::size_t i = 0; i < levels; ++i) ends.out.push_back({&coordinates, i});
  ends.out.push_back({&values, 0});
}

void Machine::build_hold(int node) {
  Unit& inner = add_unit(node, "inner", 1, 2);
  Unit& outer = add_unit(node, "outer", 2, 1);
  wire(inner, 1, outer, 1, {}, inner.label);
  ends_[static_cast<std::size_t>(node)] = {{{&outer, 0}, {&inner, 0}}, {{&outer, 0}, {&inner, 0}}};
  simulation_.start(inner.self, hold(inner));
  simulation_.start(outer.self, repeat(outer));
}

void Machine::build_writer(int node) {
  const Node& n = node_at(node);
  Unit& unit = add_plain(node);
  Written& written = written_[node];
  simulation_.start(unit.self, n.mode < 0 ? write_values(unit, written) : write_level(unit, written, skips_empty()));
}

void Machine::connect(const stream::Edge& edge) {
  const auto end = [&](int node, int port, bool out) -> const End& {
    if (node >= 0 && node < static_cast<int>(ends_.size())) {
      const Ends& ends = ends_[static_cast<std::size_t>(node)];
      const auto& list = out ? ends.out : ends.in;
      if (port >= 0 && port < static_cast<int>(list.size())) return list[static_cast<std::size_t>(port)];
    }
    throw Fault("a wire of the graph ends at a port that does not exist");
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
  const bool skip = stream::outputs_of(n)[static_cast<std::size_t>(edge.from_port)].wire == stream::Wire::skip;
  if (!skip) options.capacity = options_.capacity; // a scanner need not look at all that it is told to skip
  const bool reads = n.block == Block::arrayvals || ((n.block == Block::fiberlookup || n.block == Block::locate) &&
                                                     !n.tensor.empty() && n.format != tensor::LevelKind::dense);
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
    if (level.kind == tensor::LevelKind::dense) parents *= level.size;
    else if (level.kind == tensor::LevelKind::bitvector) parents = level.positions.empty() ? 0 : level.positions.back();
    else parents = static_cast<std::int64_t>(level.coordinates.size());
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
    return n.block == Block::crddrop || (n.block == Block::reduce && !n.keeps_empty);
  });
}

} // namespace cyclotron::sam
