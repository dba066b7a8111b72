// SPDX-License-Identifier: MIT
// Which arrays are on the chip, in which memory, and where they are loaded. Positions are read one loop further out
// than the coordinates of their level, coordinates in the loop of their level, values in the loop of the last level.
#include "lower/pattern/nest_to_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

namespace build = pattern::build;
using pattern::Expr;

namespace {

constexpr std::int64_t fifo_depth = 16;

std::string positions_of(std::size_t level) { return fmt::format("{}_pos", level + 1); }
std::string id_of(const Operand& operand, const std::string& array) { return operand.key + " " + array; }

} // namespace

Expr NestToPattern::extent_of(const Operand& operand, std::size_t from, std::size_t end) const {
  Expr product = build::number(1);
  for (std::size_t l = from; l < end; ++l) product = build::mul(product, formula(operand.extent[l]));
  return product;
}

// Walks as far as the loops around allow, and loads what is due on the way.
void NestToPattern::enter(const Nodes& nodes, Scope& scope, Body& to) {
  for (const Operand* operand : inputs_in(nodes)) {
    load_chunks(*operand, scope, to);
    for (;;) {
      if (walk_dense(*operand, scope)) load_chunks(*operand, scope, to);
      else if (const std::size_t level = scope.walked[operand->key].levels;
               level < operand->rank() && operand->compressed(level) &&
               std::ranges::all_of(indices_in(operand->index[level], program_),
                                   [&](const auto& i) { return scope.bound.count(i) > 0; })) {
        look_up(*operand, scope, to);
        load_chunks(*operand, scope, to);
      } else break;
    }
  }
}

// Whether the indices of these levels are inside of the tensor, where the loops around do not see to it: what is read
// in an iteration may be loaded before a guard says that it has nothing to do. Missing: they are.
Expr NestToPattern::inside(const Operand& operand, std::size_t from, std::size_t end, const Scope& scope) const {
  using recurrence::BinaryOp;
  Expr all;
  for (std::size_t l = from; l < end; ++l) {
    const Affine& index = operand.index[l];
    const bool rises =
        index.constant >= 0 && std::ranges::all_of(index.terms, [](const auto& t) { return t.second > 0; });
    if (!rises) all = build::both(all, build::compare(BinaryOp::greater_equal, formula(index), build::number(0)));
    const auto loop = index.terms.size() == 1 ? scope.loops.find(index.terms.begin()->first) : scope.loops.end();
    const auto ends_inside = [&](const loops::Range& range) {
      return std::ranges::any_of(range.upper, [&](const loops::Bound& b) {
        return b.divisor == 1 && b.value == operand.extent[l] - Affine{{}, 1};
      });
    };
    if (loop == scope.loops.end() || !operand.walks(l, loop->first) ||
        !std::ranges::all_of(loop->second->ranges, ends_inside))
      all = build::both(all, build::compare(BinaryOp::less, formula(index), formula(operand.extent[l])));
  }
  return all;
}

bool NestToPattern::walk_dense(const Operand& operand, Scope& scope) const {
  Walked& w = scope.walked[operand.key];
  if (w.levels == operand.rank() || operand.compressed(w.levels)) return false;
  for (const std::string& index : indices_in(operand.index[w.levels], program_))
    if (!scope.bound.count(index)) return false;
  const Expr parent = w.position ? w.position : build::number(0);
  w.position = build::add(build::mul(parent, formula(operand.extent[w.levels])), formula(operand.index[w.levels]));
  w.rank = {};
  ++w.levels;
  return true;
}

// The place of a coordinate in its fiber, by a table of all coordinates.
void NestToPattern::look_up(const Operand& operand, Scope& scope, Body& to) {
  Walked& w = scope.walked[operand.key];
  const std::string id = id_of(operand, fmt::format("{}_at", w.levels + 1));
  if (!scope.held.count(id)) table(operand, scope, to);
  const std::string rank = fresh(fmt::format("{}{}_rank", operand.tensor, w.levels + 1));
  const Expr found = build::read(scope.held.at(id).memory, formula(operand.index[w.levels]));
  to.push_back(build::let(rank, ValueType::i64,
                          build::choose(inside(operand, w.levels, w.levels + 1, scope), found, build::number(-1))));
  step_into({&operand, build::variable(rank), false}, scope, to);
}

void NestToPattern::table(const Operand& operand, Scope& scope, Body& to) {
  const std::size_t level = scope.walked[operand.key].levels;
  const Fiber fiber = open_fiber(operand, level, false, scope, to);
  const std::string at = fresh(fmt::format("{}{}_at", operand.tensor, level + 1));
  const Expr extent = formula(operand.extent[level]);
  to.push_back(build::declare(MemoryKind::sparse_sram, at, ValueType::i64, extent));
  const std::string z = fresh("z");
  to.push_back(build::foreach (z, build::number(0), extent, {build::write(at, build::variable(z), build::number(-1))}));
  const std::string p = fresh("p"), coordinate = fresh("c");
  to.push_back(build::foreach (p, build::number(0), fiber.count,
                               {build::let(coordinate, ValueType::i64, build::dequeue(fiber.crd)),
                                build::write(at, build::variable(coordinate), build::variable(p))}));
  scope.held[id_of(operand, fmt::format("{}_at", level + 1))] = {at, level, false};
}

void NestToPattern::load_chunks(const Operand& operand, Scope& scope, Body& to) {
  const std::size_t rank = operand.rank();
  if (rank == 0 || !operand.compressed(rank - 1)) load_chunk(operand, "_vals", rank, scope, to);
  for (std::size_t l = 0; l < rank; ++l)
    if (operand.compressed(l) && (l == 0 || !operand.compressed(l - 1)))
      load_chunk(operand, positions_of(l), l, scope, to);
}

void NestToPattern::load_chunk(const Operand& operand, const std::string& array, std::size_t depth, Scope& scope,
                               Body& to) {
  const Walked& w = scope.walked[operand.key];
  const std::string id = id_of(operand, array);
  const std::size_t from = depth == 0 ? 0 : operand.chunk(depth);
  if (scope.held.count(id) || w.levels != from) return;
  const bool positions = array != "_vals";
  const Expr count = build::add(extent_of(operand, from, depth), build::number(positions ? 1 : 0));
  // Addresses in any order: where some other operand says which come.
  const bool random = !positions && std::ranges::any_of(operands_, [&](const auto& entry) {
    const Operand& other = entry.second;
    for (std::size_t l = 0; l < other.rank(); ++l)
      for (std::size_t own = from; own < depth; ++own)
        if (other.compressed(l) && other.equation == operand.equation)
          for (const auto& [name, c] : operand.index[own].terms)
            if (other.walks(l, name)) return true;
    return false;
  });
  const std::string memory = fresh(operand.tensor + array);
  to.push_back(build::declare(random ? MemoryKind::sparse_sram : MemoryKind::sram, memory,
                              positions ? ValueType::i64 : operand.type, count));
  const Expr position = w.position ? w.position : build::number(0);
  const Expr first = build::mul(position, extent_of(operand, from, depth)), end = build::add(first, count);
  const Expr there = build::both(w.present, inside(operand, operand.first_dense(depth), from, scope));
  to.push_back(build::load(memory, operand.tensor + array + "_d", build::choose(there, first, build::number(0)),
                           build::choose(there, end, build::number(0)), parallel_));
  scope.held[id] = {memory, from, false};
}

Expr NestToPattern::element(const Operand& operand, const std::string& array, std::size_t depth,
                            const Scope& scope) const {
  const Held held = scope.held.at(id_of(operand, array));
  if (held.by_rank) return build::read(held.memory, scope.walked.at(operand.key).rank);
  Expr index = build::number(0);
  for (std::size_t l = held.from; l < depth; ++l)
    index = build::add(build::mul(index, formula(operand.extent[l])), formula(operand.index[l]));
  return build::read(held.memory, index);
}

// Loads what belongs to one parent: its coordinates, and beside them the values, or the positions of the next level.
NestToPattern::Fiber NestToPattern::open_fiber(const Operand& operand, std::size_t level, bool in_order, Scope& scope,
                                               Body& to) {
  const Walked w = scope.walked[operand.key];
  const std::string of = fmt::format("{}{}", operand.tensor, level + 1);
  Expr first = element(operand, positions_of(level), level, scope);
  const auto* read = ir::as<pattern::Read>(first);
  Expr end = build::read(read->memory, build::add(read->index, build::number(1)));
  const Expr there = build::both(w.present, inside(operand, operand.first_dense(level), level, scope));
  first = build::choose(there, first, build::number(0));
  end = build::choose(there, end, build::number(0));
  const std::string first_name = fresh(of + "_first"), end_name = fresh(of + "_end");
  to.push_back(build::let(first_name, ValueType::i64, first));
  to.push_back(build::let(end_name, ValueType::i64, end));
  const Expr begin = build::variable(first_name), behind = build::variable(end_name);
  scope.first[operand.key] = begin;
  const Fiber fiber{fresh(of + "_crd"), begin, build::sub(behind, begin)};
  const auto load_fifo = [&](const std::string& name, ValueType type, const std::string& dram) {
    to.push_back(build::declare(MemoryKind::fifo, name, type, build::number(fifo_depth)));
    to.push_back(build::load(name, dram, begin, behind));
  };
  load_fifo(fiber.crd, ValueType::i64, of + "_crd_d");
  if (level + 1 == operand.rank()) {
    const std::string values = fresh(operand.tensor + "_vals");
    if (in_order) load_fifo(values, operand.type, operand.tensor + "_vals_d");
    else {
      to.push_back(build::declare(MemoryKind::sparse_sram, values, operand.type, formula(operand.extent[level])));
      to.push_back(build::load(values, operand.tensor + "_vals_d", begin, behind));
    }
    scope.held[id_of(operand, "_vals")] = {values, level, true};
    scope.held[id_of(operand, "fifo")] = {in_order ? values : "", level, true};
  } else if (operand.compressed(level + 1)) {
    const std::string positions = fresh(operand.tensor + positions_of(level + 1));
    to.push_back(build::declare(MemoryKind::sram, positions, ValueType::i64,
                                build::add(formula(operand.extent[level]), build::number(1))));
    const Expr last = build::add(behind, build::number(1));
    to.push_back(build::load(positions, operand.tensor + positions_of(level + 1) + "_d", begin,
                             build::choose(there, last, begin)));
    scope.held[id_of(operand, positions_of(level + 1))] = {positions, level, true};
  }
  return fiber;
}

// What is known of an access in the body of the loop that walks through one of its levels.
void NestToPattern::step_into(const Leaf& leaf, Scope& scope, Body& to) {
  const Operand& operand = *leaf.operand;
  Walked& w = scope.walked[operand.key];
  w.rank = leaf.rank;
  w.position = build::add(scope.first.at(operand.key), leaf.rank);
  w.present = leaf.certain ? Expr() : build::compare(recurrence::BinaryOp::greater_equal, leaf.rank, build::number(0));
  ++w.levels;
  const auto fifo = scope.held.find(id_of(operand, "fifo"));
  if (w.levels != operand.rank() || fifo == scope.held.end() || fifo->second.memory.empty()) return;
  const std::string name = fresh(operand.tensor + "_value");
  to.push_back(build::let(name, operand.type, build::dequeue(fifo->second.memory)));
  scope.read[operand.key] = name;
}

} // namespace cyclotron::lower
