// SPDX-License-Identifier: MIT
#include "pe/execute.hpp"

#include <fmt/format.h>

#include <limits>

namespace cyclotron::pe {

using recurrence::Failure;
using recurrence::Tile;

namespace {

bool fails(Position& state, Failure failure) {
  state.fault = Fault::arithmetic;
  state.failure = failure;
  return false;
}

// A value for every element of one tile, or of two of the same shape; one without a shape has that of the other.
template <class F> TileRef each(const Tile& a, F&& f) {
  auto made = std::make_shared<Tile>(a);
  for (double& v : made->values) v = f(v);
  return made;
}

template <class F> TileRef each_pair(const Tile& a, const Tile& b, F&& f) {
  if (b.dims.empty()) return each(a, [&](double v) { return f(v, b.values[0]); });
  if (a.dims.empty()) return each(b, [&](double v) { return f(a.values[0], v); });
  if (a.dims != b.dims) return nullptr;
  auto made = std::make_shared<Tile>(a);
  for (std::size_t i = 0; i < b.values.size(); ++i) made->values[i] = f(a.values[i], b.values[i]);
  return made;
}

template <class Indices> std::string list(const Indices& indices, const std::int64_t* frame) {
  std::string text;
  for (const Linear& l : indices) text += fmt::format("{}{}", text.empty() ? "" : ", ", l.evaluate(frame));
  return text;
}

} // namespace

int position(const Place& place, const std::int64_t* frame) {
  std::int64_t offset = 0;
  for (const PlaceIndex& d : place.indices) {
    std::int64_t index = d.form.evaluate(frame) - d.extent.first;
    if (d.extent.ring) index = remainder(index, d.extent.count);
    if (index < 0 || index >= d.extent.count) return -1;
    offset = offset * d.extent.count + index;
  }
  return place.base + static_cast<int>(offset);
}

bool compute_rare(Position& state, const Instruction& i) {
  Word* const w = state.words;
  const double real = w[i.b].real;
  switch (i.op) {
  case Opcode::div_real:
    if (w[i.c].real == 0) return fails(state, Failure::divides_by_zero);
    w[i.a].real = real / w[i.c].real;
    return true;
  case Opcode::sqrt_real:
    if (real < 0) return fails(state, Failure::root_of_negative);
    w[i.a].real = std::sqrt(real);
    return true;
  case Opcode::log_real:
    if (real < 0) return fails(state, Failure::log_of_negative);
    w[i.a].real = std::log(real);
    return true;
  case Opcode::pow_real: w[i.a].real = std::pow(real, w[i.c].real); return true;
  case Opcode::exp_real: w[i.a].real = std::exp(real); return true;
  case Opcode::negate_whole:
  case Opcode::abs_whole:
    if (w[i.b].whole == std::numeric_limits<std::int64_t>::min()) {
      state.fault = Fault::overflow;
      return false;
    }
    w[i.a].whole = i.op == Opcode::negate_whole || w[i.b].whole < 0 ? -w[i.b].whole : w[i.b].whole;
    return true;
  default: bug("no such operation on numbers");
  }
}

TileRef sum_of(const Tile& a, const Tile& b, bool subtract) {
  return subtract ? each_pair(a, b, [](double x, double y) { return x - y; })
                  : each_pair(a, b, [](double x, double y) { return x + y; });
}

bool compute_tile(State& state, const Instruction& i) {
  TileRef& to = state.tiles[i.a];
  const auto tile = [&](int number) -> const Tile& { return *state.tiles[number]; };
  const double number = i.op == Opcode::fill_tile                                   ? state.words[i.b].real
                        : i.op == Opcode::scale_tile || i.op == Opcode::divide_tile ? state.words[i.c].real
                                                                                    : 0;
  switch (i.op) {
  case Opcode::add_tile: to = sum_of(tile(i.b), tile(i.c), false); break;
  case Opcode::sub_tile: to = sum_of(tile(i.b), tile(i.c), true); break;
  case Opcode::scale_tile: to = each(tile(i.b), [&](double v) { return v * number; }); break;
  case Opcode::divide_tile:
    if (number == 0) return fails(state, Failure::divides_by_zero);
    to = each(tile(i.b), [&](double v) { return v / number; });
    break;
  case Opcode::negate_tile: to = each(tile(i.b), [](double v) { return -v; }); break;
  case Opcode::round_tile:
    to = each(tile(i.b), [](double v) { return static_cast<double>(static_cast<float>(v)); });
    break;
  case Opcode::fill_tile: to = std::make_shared<Tile>(Tile{{}, {number}}); break;
  default: bug("no such operation on tiles");
  }
  if (!to) state.fault = Fault::unlike_tiles;
  return to != nullptr;
}

std::vector<Tile> arguments_of(const KernelCode& kernel, const State& state) {
  std::vector<Tile> list;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    list.push_back(*state.tiles[kernel.arguments[i]]);
    if (!list.back().dims.empty()) continue;
    std::int64_t count = 1;
    for (std::int64_t d : kernel.largest[i]) count *= d;
    list.back().values.assign(static_cast<std::size_t>(count), list.back().values[0]);
    list.back().dims = kernel.largest[i];
  }
  return list;
}

std::string step_at(const Position& state, const std::vector<std::string>& spaces) {
  const int at = static_cast<int>(state.at - state.code->instructions.data());
  for (const StepCode& s : state.code->steps) {
    if (at < s.first || at > s.last) continue;
    std::string text;
    for (const auto& [name, form] : s.coordinates)
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", name, form.evaluate(state.frame));
    const std::string& space = spaces[static_cast<std::size_t>(s.space)];
    return text.empty() ? space : fmt::format("{}({})", space, text);
  }
  return {};
}

std::string element_at(const Position& state, const std::vector<std::string>& spaces) {
  const int at = static_cast<int>(state.at - state.code->instructions.data());
  for (const ComputeCode& c : state.code->computes) {
    if (at < c.first || at > c.last) continue;
    if (c.tensor.empty()) return c.target;
    return c.indices.empty() ? c.tensor : fmt::format("{}({})", c.tensor, list(c.indices, state.frame));
  }
  return step_at(state, spaces);
}

} // namespace cyclotron::pe
