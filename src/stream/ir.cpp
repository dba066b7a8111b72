// SPDX-License-Identifier: MIT
#include "stream/ir.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace cyclotron::stream {
namespace {

template <class T, std::size_t n>
std::string_view name_in(const std::array<std::pair<T, std::string_view>, n>& table, T value) {
  for (const auto& [known, name] : table)
    if (known == value) return name;
  return "?";
}

template <class T, std::size_t n>
std::optional<T> value_in(const std::array<std::pair<T, std::string_view>, n>& table, std::string_view name) {
  for (const auto& [value, known] : table)
    if (known == name) return value;
  return std::nullopt;
}

constexpr auto block_names = std::to_array<std::pair<Block, std::string_view>>({
    {Block::fiberlookup, "fiberlookup"},
    {Block::repsiggen, "repsiggen"},
    {Block::repeat, "repeat"},
    {Block::intersect, "intersect"},
    {Block::unite, "union"},
    {Block::locate, "locate"},
    {Block::arrayvals, "arrayvals"},
    {Block::alu, "alu"},
    {Block::reduce, "reduce"},
    {Block::spaccumulator, "spaccumulator"},
    {Block::crddrop, "crddrop"},
    {Block::crdhold, "crdhold"},
    {Block::fiberwrite, "fiberwrite"},
    {Block::pointwrite, "pointwrite"},
    {Block::bvconvert, "bvconvert"},
    {Block::bvexpand, "bvexpand"},
    {Block::bvintersect, "bvintersect"},
    {Block::bvunion, "bvunion"},
    {Block::bvdrop, "bvdrop"},
    {Block::split, "split"},
    {Block::flatten, "flatten"},
    {Block::parallelize, "parallelize"},
    {Block::serialize, "serialize"},
    {Block::crdvals, "crdvals"},
    {Block::crdmask, "crdmask"},
    {Block::crdplace, "crdplace"},
    {Block::lookup, "lookup"},
    {Block::buffer, "buffer"},
});

constexpr auto wires = std::to_array<std::pair<Wire, std::string_view>>({
    {Wire::crd, "crd"},
    {Wire::ref, "ref"},
    {Wire::val, "val"},
    {Wire::bv, "bv"},
    {Wire::repsig, "repsig"},
    {Wire::skip, "skip"},
});

constexpr auto operations = std::to_array<std::pair<Operation, std::string_view>>({
    {Operation::add, "add"},
    {Operation::sub, "sub"},
    {Operation::mul, "mul"},
    {Operation::div, "div"},
    {Operation::min, "min"},
    {Operation::max, "max"},
    {Operation::pow, "pow"},
    {Operation::less, "less"},
    {Operation::less_equal, "less_equal"},
    {Operation::greater, "greater"},
    {Operation::greater_equal, "greater_equal"},
    {Operation::equal, "equal"},
    {Operation::not_equal, "not_equal"},
    {Operation::logical_and, "and"},
    {Operation::logical_or, "or"},
    {Operation::negate, "negate"},
    {Operation::logical_not, "not"},
    {Operation::sqrt, "sqrt"},
    {Operation::abs, "abs"},
    {Operation::exp, "exp"},
    {Operation::log, "log"},
    {Operation::select, "select"},
});

std::string plain_label(const Node& node) {
  const std::string block(node.block == Block::alu ? name_of(node.operation) : name_of(node.block));
  switch (node.block) {
  case Block::buffer:
  case Block::fiberlookup:
  case Block::locate:
  case Block::lookup:
  case Block::repeat:
    return block + " " + (node.operand.empty() ? "all" : node.operand) + (node.index.empty() ? "" : "." + node.index);
  case Block::arrayvals: return block + " " + node.operand;
  case Block::fiberwrite: return block + " " + node.tensor + (node.mode < 0 ? " vals" : "." + node.index);
  case Block::pointwrite: return block + " " + node.tensor;
  case Block::crddrop:
  case Block::crdhold:
  case Block::split:
  case Block::flatten:
  case Block::bvdrop: return block + " " + node.outer_index + "," + node.inner_index;
  default: return node.index.empty() ? block : block + " " + node.index;
  }
}

} // namespace

bool reads_tensor(Block block) {
  return block == Block::fiberlookup || block == Block::locate || block == Block::lookup || block == Block::arrayvals;
}

std::string_view name_of(Block block) { return name_in(block_names, block); }
std::optional<Block> block_named(std::string_view name) { return value_in(block_names, name); }
std::string_view name_of(Wire wire) { return name_in(wires, wire); }
std::optional<Wire> wire_named(std::string_view name) { return value_in(wires, name); }
std::string_view name_of(Operation operation) { return name_in(operations, operation); }
std::optional<Operation> operation_named(std::string_view name) { return value_in(operations, name); }

int operands_of(Operation operation) {
  if (operation == Operation::select) return 3;
  return operation >= Operation::negate ? 1 : 2;
}

int Graph::add(Node node) {
  nodes.push_back(std::move(node));
  return static_cast<int>(nodes.size()) - 1;
}

void Graph::connect(int from, int from_port, int to, int to_port) { edges.push_back({from, from_port, to, to_port}); }

const Operand* Graph::operand(std::string_view name) const {
  const auto found = std::ranges::find(operands, name, &Operand::name);
  return found == operands.end() ? nullptr : &*found;
}

std::vector<std::string> labels_of(const Graph& graph) {
  std::vector<std::string> labels;
  std::map<std::string, int> count, used;
  for (const Node& node : graph.nodes) ++count[labels.emplace_back(plain_label(node))];
  for (std::string& label : labels)
    if (count[label] > 1) label += " #" + std::to_string(++used[std::string(label)]);
  return labels;
}

} // namespace cyclotron::stream
