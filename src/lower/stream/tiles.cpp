// SPDX-License-Identifier: MIT
#include "lower/stream/tiles.hpp"

#include <algorithm>

namespace cyclotron::lower {
namespace {

using recurrence::Affine;
using stream::Operation;

const StreamTile* tile_of(const std::vector<StreamTile>& tiles, const std::string& index) {
  const auto found = std::ranges::find(tiles, index, &StreamTile::index);
  return found == tiles.end() ? nullptr : &*found;
}

void append_parts(std::vector<std::string>& names, const StreamTile* tile, const std::string& index) {
  if (tile) names.insert(names.end(), tile->parts.begin(), tile->parts.end());
  else names.push_back(index);
}

StreamSplit split_operand(stream::Operand& operand, const std::vector<StreamTile>& tiles) {
  StreamSplit split;
  std::vector<std::string> indices;
  std::vector<int> first; // dimension that comes of each
  for (const std::string& index : operand.indices) {
    const StreamTile* tile = tile_of(tiles, index);
    split.push_back(tile ? tile->sizes : std::vector<std::int64_t>{});
    first.push_back(static_cast<int>(indices.size()));
    append_parts(indices, tile, index);
  }
  tensor::Format format;
  format.region = operand.format.region;
  for (std::size_t l = 0; l < operand.format.order.size(); ++l) {
    const auto dimension = static_cast<std::size_t>(operand.format.order[l]);
    for (int part = 0; part <= static_cast<int>(split[dimension].size()); ++part) {
      format.order.push_back(first[dimension] + part);
      format.levels.push_back(operand.format.levels[l]);
    }
  }
  operand.indices = std::move(indices);
  operand.format = std::move(format);
  return split;
}

StreamTerm constant(std::int64_t number) {
  StreamTerm term;
  term.kind = StreamTerm::Kind::constant;
  term.value = static_cast<double>(number);
  term.integer = number;
  return term;
}

StreamTerm applied(Operation operation, std::vector<StreamTerm> children, tensor::ValueType type) {
  StreamTerm term;
  term.kind = StreamTerm::Kind::apply;
  term.operation = operation;
  term.type = type;
  term.children = std::move(children);
  return term;
}

void split_term(StreamTerm& term, const StreamTile& tile, StreamEquation& equation) {
  const auto bound = std::ranges::find(term.variables, tile.index);
  if (bound != term.variables.end()) {
    const auto place = term.variables.erase(bound);
    term.variables.insert(place, tile.parts.begin(), tile.parts.end());
  }
  for (StreamTerm& child : term.children) split_term(child, tile, equation);
  if (term.kind != StreamTerm::Kind::operand) return;
  StreamOperand& operand = equation.operands[static_cast<std::size_t>(term.operand)];
  if (operand.kind != StreamOperand::Kind::index || operand.at.tensor != tile.index) return;
  // The value of the index is the sum of stride * part.
  const StreamOperand whole = operand;
  StreamTerm sum;
  for (std::size_t p = 0; p < tile.parts.size(); ++p) {
    StreamTerm part = term;
    part.operand = p == 0 ? term.operand : static_cast<int>(equation.operands.size());
    if (p > 0) equation.operands.push_back(whole);
    stream::Operand& at = equation.operands[static_cast<std::size_t>(part.operand)].at;
    at.tensor = at.name = tile.parts[p];
    if (tile.stride(p) != 1) part = applied(Operation::mul, {constant(tile.stride(p)), part}, term.type);
    sum = p == 0 ? part : applied(Operation::add, {sum, part}, term.type);
  }
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
  for (const std::string& v : equation.outputs) append_parts(outputs, tile_of(tiles, v), v);
  equation.outputs = outputs;
}

} // namespace

StreamSplits split_levels(StreamEquation& equation, const std::vector<StreamTile>& tiles) {
  StreamSplits splits;
  const auto split = [&](stream::Operand& operand) {
    const StreamSplit sizes = split_operand(operand, tiles);
    if (std::ranges::any_of(sizes, [](const auto& of_dimension) { return !of_dimension.empty(); }))
      splits[operand.name] = sizes;
  };
  if (equation.result_places.empty()) split(equation.result);
  for (StreamOperand& o : equation.operands)
    if (o.kind == StreamOperand::Kind::access && o.places.empty()) split(o.at);
  std::map<std::string, Affine> parts;
  for (const StreamTile& tile : tiles) {
    if (!equation.extents.count(tile.index)) continue;
    Affine sum;
    for (std::size_t p = 0; p < tile.parts.size(); ++p) sum.terms[tile.parts[p]] = tile.stride(p);
    parts[tile.index] = sum;
  }
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
