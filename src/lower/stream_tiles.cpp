// SPDX-License-Identifier: MIT
#include "lower/stream_tiles.hpp"

#include <algorithm>

namespace cyclotron::lower {
namespace {

using recurrence::Affine;
using stream::Operation;

const StreamTile* tile_of(const std::vector<StreamTile>& tiles, const std::string& index) {
  const auto found = std::ranges::find(tiles, index, &StreamTile::index);
  return found == tiles.end() ? nullptr : &*found;
}

StreamSplit split_operand(stream::Operand& operand, const std::vector<StreamTile>& tiles) {
  StreamSplit split;
  std::vector<std::string> indices;
  std::vector<int> first; // dimension that comes of each
  for (const std::string& index : operand.indices) {
    const StreamTile* tile = tile_of(tiles, index);
    split.push_back(tile ? tile->size : 0);
    first.push_back(static_cast<int>(indices.size()));
    indices.push_back(tile ? tile->outer : index);
    if (tile) indices.push_back(tile->inner);
  }
  tensor::Format format;
  format.region = operand.format.region;
  for (std::size_t l = 0; l < operand.format.order.size(); ++l) {
    const auto dimension = static_cast<std::size_t>(operand.format.order[l]);
    for (int part = 0; part < (split[dimension] ? 2 : 1); ++part) {
      format.order.push_back(first[dimension] + part);
      format.levels.push_back(operand.format.levels[l]);
    }
  }
  operand.indices = std::move(indices);
  operand.format = std::move(format);
  return split;
}

void split_term(StreamTerm& term, const StreamTile& tile, StreamEquation& equation) {
  const auto bound = std::ranges::find(term.variables, tile.index);
  if (bound != term.variables.end()) {
    *bound = tile.outer;
    term.variables.insert(std::ranges::find(term.variables, tile.outer) + 1, tile.inner);
  }
  for (StreamTerm& child : term.children) split_term(child, tile, equation);
  if (term.kind != StreamTerm::Kind::operand) return;
  StreamOperand& operand = equation.operands[static_cast<std::size_t>(term.operand)];
  if (operand.kind != StreamOperand::Kind::index || operand.at.tensor != tile.index) return;
  // The value of the index is size * outer + inner.
  operand.at.tensor = operand.at.name = tile.outer;
  StreamOperand inner = operand;
  inner.at.tensor = inner.at.name = tile.inner;
  StreamTerm outer_term = term, inner_term = term, size, product, sum;
  inner_term.operand = static_cast<int>(equation.operands.size());
  equation.operands.push_back(inner);
  size.kind = StreamTerm::Kind::constant;
  size.value = static_cast<double>(tile.size);
  size.integer = tile.size;
  product.kind = sum.kind = StreamTerm::Kind::apply;
  product.type = sum.type = term.type;
  product.operation = Operation::mul;
  product.children = {size, outer_term};
  sum.operation = Operation::add;
  sum.children = {product, inner_term};
  term = sum;
}

// What is not walked through keeps its levels: the places in them are computed from the parts.
void split_places(StreamEquation& equation, const std::vector<StreamTile>& tiles,
                  const std::map<std::string, Affine>& parts) {
  for (Affine& place : equation.result_places) place = recurrence::substitute(place, parts);
  for (StreamOperand& o : equation.operands)
    for (std::size_t d = 0; d < o.places.size(); ++d) {
      if (parts.count(o.at.indices[d])) o.walked[d] = false;
      o.places[d] = recurrence::substitute(o.places[d], parts);
    }
  for (std::string& name : equation.result.indices) {
    if (equation.result_places.empty() || !parts.count(name)) continue;
    const Affine extent = equation.extents.at(name); // its own name may be that of a part
    do name += "+0";
    while (!equation.extents.try_emplace(name, extent).second);
  }
  std::vector<std::string> outputs;
  for (const std::string& v : equation.outputs) {
    const StreamTile* tile = tile_of(tiles, v);
    outputs.push_back(tile ? tile->outer : v);
    if (tile) outputs.push_back(tile->inner);
  }
  equation.outputs = outputs;
}

} // namespace

StreamSplits split_levels(StreamEquation& equation, const std::vector<StreamTile>& tiles) {
  StreamSplits splits;
  const auto split = [&](stream::Operand& operand) {
    const StreamSplit sizes = split_operand(operand, tiles);
    if (std::ranges::any_of(sizes, [](std::int64_t size) { return size != 0; })) splits[operand.name] = sizes;
  };
  if (equation.result_places.empty()) split(equation.result);
  for (StreamOperand& o : equation.operands)
    if (o.kind == StreamOperand::Kind::access && o.places.empty()) split(o.at);
  std::map<std::string, Affine> parts;
  for (const StreamTile& tile : tiles)
    if (equation.extents.count(tile.index)) parts[tile.index] = Affine{{{tile.outer, tile.size}, {tile.inner, 1}}, 0};
  for (StreamCondition& c : equation.conditions) c.left = recurrence::substitute(c.left, parts);
  split_places(equation, tiles, parts);
  for (const StreamTile& tile : tiles) {
    if (!parts.count(tile.index)) continue;
    split_term(equation.value, tile, equation);
    const Affine extent = equation.extents.at(tile.index);
    equation.conditions.push_back({parts.at(tile.index) - extent, recurrence::Relation::less, tile.span, true});
  }
  return splits;
}

void order_levels(StreamEquation& equation, const StreamSplits& splits, const std::vector<std::string>& order) {
  const auto sort = [&](stream::Operand& operand) {
    if (!splits.count(operand.name)) return;
    std::vector<std::pair<int, tensor::LevelKind>> levels;
    for (std::size_t l = 0; l < operand.format.order.size(); ++l)
      levels.emplace_back(operand.format.order[l], operand.format.levels[l]);
    std::ranges::stable_sort(levels, {}, [&](const auto& level) {
      return std::ranges::find(order, operand.indices[static_cast<std::size_t>(level.first)]) - order.begin();
    });
    for (std::size_t l = 0; l < levels.size(); ++l)
      std::tie(operand.format.order[l], operand.format.levels[l]) = levels[l];
  };
  sort(equation.result);
  for (StreamOperand& o : equation.operands) sort(o.at);
}

} // namespace cyclotron::lower
