// SPDX-License-Identifier: MIT
// Which units every kind of block is made of.
#include "backend/sam/machine.hpp"
#include "stream/ports.hpp"
#include "tensor/fiber_bytes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::sam {

using stream::Block;
using stream::Node;
using stream::Operation;

void Machine::build_node(int node) {
  const Node& n = node_at(node);
  switch (n.block) {
  case Block::fiberlookup: return build_scanner(node);
  case Block::intersect: return build_joiner(node, Join::intersection);
  case Block::unite: return build_joiner(node, Join::united);
  case Block::alu: return build_alu(node);
  case Block::spaccumulator: return build_accumulator(node);
  case Block::crdhold: return build_hold(node);
  case Block::fiberwrite: return build_writer(node);
  case Block::bvconvert: return build_converter(node);
  case Block::bvdrop: return build_bit_dropper(node);
  default: break;
  }
  Unit& unit = add_plain(node);
  simulation_.start(unit.self, body_of(node, unit));
}

// Of a block that is one unit.
Body Machine::body_of(int node, Unit& unit) {
  const Node& n = node_at(node);
  const bool needs_width = n.block == Block::split || n.block == Block::flatten || n.block == Block::parallelize ||
                           n.block == Block::serialize;
  if (needs_width && n.width < 1) throw Fault(fmt::format("{} needs a width of 1 at least", unit.label));
  switch (n.block) {
  case Block::repsiggen: return make_signals(unit);
  case Block::repeat: return repeat(unit);
  case Block::arrayvals: return load_values(unit, tensor_of(node).values);
  case Block::reduce: return reduce(unit, {n.reducer, type_of(node, 0)}, n.keeps_empty);
  case Block::crddrop: return drop_coordinates(unit, n.on_values, n.on_values ? type_of(node, 1) : ValueType::f64);
  case Block::crdvals: return coordinates_as_values(unit, n.type);
  case Block::crdmask: return mask_coordinates(unit, {n.factor, n.offset, n.others, n.relation});
  case Block::pointwrite: return write_points(unit, written_[node]);
  case Block::split: return split(unit, n.width);
  case Block::flatten: return flatten(unit, n.width);
  case Block::parallelize: return parallelize(unit);
  case Block::serialize: return n.order > 0 ? serialize_fibers(unit, n.order) : serialize(unit);
  case Block::bvexpand: return expand_bits(unit, width_of(node, 0), has_reference_a_bit(node));
  case Block::bvintersect: return join_bits(unit, Join::intersection);
  case Block::bvunion: return join_bits(unit, Join::united);
  case Block::crdplace: return place_coordinates(unit, {n.offset, n.others});
  case Block::lookup: {
    std::int64_t parents = 1;
    const tensor::Level& level = *level_of(node, parents);
    return look_up(unit, level, parents, {n.offset, n.others});
  }
  case Block::buffer: return buffer(unit, buffer_of(node), buffers_[node]);
  case Block::locate: {
    std::int64_t parents = -1;
    const tensor::Level& level = n.tensor.empty() ? all_coordinates(node) : *level_of(node, parents);
    return locate(unit, level, parents);
  }
  default: throw Fault(fmt::format("{} is a block that the simulator does not have", unit.label));
  }
}

Buffer Machine::buffer_of(int node) const {
  const Node& n = node_at(node);
  if (n.bytes < 1 || n.rate < 1 || n.latency < 0)
    throw Fault(fmt::format("{} needs a size and a rate of 1 at least, and a latency of 0 at least",
                            labels_[static_cast<std::size_t>(node)]));
  const tensor::Tensor& tensor = tensor_of(node);
  std::size_t level = 0;
  while (level < tensor.levels.size() && tensor.format.order[level] != n.mode) ++level;
  if (level == tensor.levels.size())
    throw Fault(fmt::format("{} works on dimension {} of `{}`, which has {}", labels_[static_cast<std::size_t>(node)],
                            n.mode, n.tensor, tensor.levels.size()));
  return {n.bytes, n.rate, n.latency, n.order, tensor::fiber_bytes(tensor, level)};
}

void Machine::build_scanner(int node) {
  const Node& n = node_at(node);
  Unit& unit = add_plain(node);
  if (n.tensor.empty())
    return simulation_.start(unit.self, scan_dense(unit, all_coordinates(node).size, -1, n.keeps_empty));
  std::int64_t parents = 1;
  const tensor::Level* level = level_of(node, parents);
  if (tensor::is_full(level->kind))
    return simulation_.start(unit.self, scan_dense(unit, level->size, parents, n.keeps_empty));
  if (tensor::properties_of(level->kind).bits)
    return simulation_.start(unit.self, scan_bits(unit, *level, n.keeps_empty));
  simulation_.start(unit.self,
                    n.skips ? scan_skipping(unit, *level, simulation_) : scan_compressed(unit, *level, n.keeps_empty));
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
  if (unit.in.empty()) throw Fault(fmt::format("{} has constants only, and no stream to work on", unit.label));
  Operands operands;
  std::vector<ValueType> types(unit.in.size()); // in the streams
  for (std::size_t i = 0; i < types.size(); ++i) types[i] = type_of(node, static_cast<int>(i));
  ValueType type = logical ? ValueType::boolean : n.type;
  if (compares) type = std::ranges::any_of(types, tensor::is_float) ? ValueType::f64 : ValueType::i64;
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
  Body body = n.mode < 0                             ? write_values(unit, written)
              : tensor::properties_of(n.format).bits ? write_bits(unit, written, width_of(node, 0), skips_empty())
                                                     : write_level(unit, written, skips_empty());
  simulation_.start(unit.self, std::move(body));
}

// Joiners of words give a reference for each bit, scanners and converters one for each word.
bool Machine::has_reference_a_bit(int node) const {
  for (const stream::Edge& edge : graph_.edges)
    if (edge.to == node && edge.to_port == 1) {
      const Block from = node_at(edge.from).block;
      return from == Block::bvintersect || from == Block::bvunion;
    }
  return false;
}

// How many coordinates the words at an input stand for.
std::int64_t Machine::width_of(int node, int input) const {
  for (const stream::Edge& edge : graph_.edges) {
    if (edge.to != node || edge.to_port != input) continue;
    const Node& from = node_at(edge.from);
    if (from.block == Block::bvconvert) return from.width;
    if (from.block == Block::bvintersect || from.block == Block::bvunion) return width_of(edge.from, 0);
    if (from.block == Block::bvdrop) return width_of(edge.from, edge.from_port);
  }
  return 64;
}

void Machine::build_bit_dropper(int node) {
  Unit& both = add_unit(node, "inner", 1, 2);
  Unit& clear = add_unit(node, "clear", 2, 1);
  Unit& outer = add_unit(node, "outer fibers", 1, 1);
  Unit& inner = add_unit(node, "inner fibers", 1, 1);
  engine::ChannelOptions at_once;
  at_once.latency = 0;
  wire(both, 0, clear, 1, at_once, both.label);
  wire(both, 1, inner, 0, at_once, both.label);
  wire(clear, 0, outer, 0, at_once, clear.label);
  ends_[static_cast<std::size_t>(node)] = {{{&clear, 0}, {&both, 0}}, {{&outer, 0}, {&inner, 0}}};
  // Where a fiber of the outer level is several words, each must keep its place.
  const auto extent = extents_.find(node_at(node).outer_index);
  const bool keeps_zeros = extent != extents_.end() && extent->second > width_of(node, 0);
  simulation_.start(both.self, pass_twice(both));
  simulation_.start(clear.self, clear_bits(clear, keeps_zeros));
  simulation_.start(outer.self, drop_empty_fibers(outer));
  simulation_.start(inner.self, drop_empty_fibers(inner));
}

void Machine::build_converter(int node) {
  const Node& n = node_at(node);
  const std::string& label = labels_[static_cast<std::size_t>(node)];
  if (n.width < 1 || n.width > 64) throw Fault(fmt::format("{} needs a width of 1 to 64 bits", label));
  Unit& collect = add_unit(node, "collect", 1, 0);
  Unit& words = add_unit(node, "words", 0, 2);
  Fibers& fibers = simulation_.connect<BitFiber>(collect.self, words.self, {}, label);
  ends_[static_cast<std::size_t>(node)] = {{{&collect, 0}}, {{&words, 0}, {&words, 1}}};
  simulation_.start(collect.self, collect_bits(collect, n.width, all_coordinates(node).size, fibers));
  simulation_.start(words.self, put_bits(words, fibers));
}

} // namespace cyclotron::sam
