// SPDX-License-Identifier: MIT
// Results. A dense one is a piece on the chip while the loops inside of it run, and is stored when they end. Entries of
// a compressed level are appended in the order of the loops: coordinates and values go through fifos, and a register
// counts them.
#include "lower/pattern/nest_to_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

namespace build = pattern::build;
using pattern::Expr;
using recurrence::Reducer;

namespace {

// The level below a dense one or on top: its positions are found by the coordinates.
bool is_first_compressed(const Operand& operand, std::size_t level) {
  return operand.compressed(level) && (level == 0 || !operand.compressed(level - 1));
}

} // namespace

// What belongs to a result by itself: the same at every place.
std::string NestToPattern::name_of(const Operand& result, const std::string& what) {
  const auto [at, is_new] = own_names_.try_emplace(result.tensor + "_" + what);
  if (is_new) at->second = fresh(result.tensor + "_" + what);
  return at->second;
}

std::string NestToPattern::array_of(const Operand& result, std::size_t level, const char* what) {
  const std::string wish = fmt::format("{}{}_{}", result.tensor, level + 1, what);
  const auto [at, is_new] = own_names_.try_emplace(wish);
  if (is_new) at->second = fresh(wish);
  return at->second;
}

std::string NestToPattern::count_of(const Operand& result, std::size_t level) { return array_of(result, level, "n"); }

void NestToPattern::find_results() {
  std::map<std::string, int> statements;
  loops::each_statement(nest_.body, [&](const loops::Statement& s, const std::vector<const loops::Loop*>& around) {
    const std::string& tensor = s.access().tensor;
    const recurrence::TensorDecl* declared = program_.tensor(tensor);
    if (!declared) return; // a temporary
    std::vector<std::string> path;
    for (const loops::Loop* loop : around) path.push_back(loop->variable);
    Result& result = results_[tensor];
    if (++statements[tensor] > 1) return;
    result.operand = operand_of(s.target, stored_format(declared->format), program_, std::move(path));
    result.operand.equation = s.equation;
  });
  std::set<std::string> read;
  loops::each_statement(nest_.body, [&](const loops::Statement& s, const auto&) {
    ir::walk<recurrence::ExprNode>(s.value, [&](const recurrence::Expr& e) {
      if (const auto* a = recurrence::as<recurrence::Access>(e)) read.insert(a->tensor);
    });
  });
  for (auto& [tensor, result] : results_) {
    result.whole = statements.at(tensor) > 1 || read.count(tensor) > 0;
    result.appended = result.operand.sparse() && !result.whole && can_append(result.operand);
    const recurrence::TensorDecl& declared = *program_.tensor(tensor);
    if (result.operand.sparse() && !result.appended) {
      const recurrence::Expr target = recurrence::Access{tensor, {}, {}};
      result.operand.format = tensor::dense_format(static_cast<int>(declared.dims.size()));
      result.whole = true;
      std::vector<Affine> extent;
      for (const recurrence::Expr& d : declared.dims) extent.push_back(recurrence::accepted_affine(d, program_));
      result.operand.extent = extent;
      result.operand.index.assign(extent.size(), Affine{});
    }
    if (!(result.operand.format.levels == declared.format.levels &&
          result.operand.format.order == declared.format.order))
      result_.stored[tensor] = result.operand.format;
  }
}

// The loops around its statement are its levels, one after the other; its dense levels are not below compressed ones
// and above others.
bool NestToPattern::can_append(const Operand& operand) const {
  if (operand.path.size() != operand.rank()) return false;
  bool left_dense = false;
  for (std::size_t l = 0; l < operand.rank(); ++l) {
    if (!operand.walks(l, operand.path[l])) return false;
    left_dense |= l > 0 && !operand.compressed(l) && operand.compressed(l - 1);
    if (left_dense && operand.compressed(l)) return false;
  }
  return true;
}

void NestToPattern::open_results(Body& to) {
  for (const auto& [tensor, result] : results_) {
    if (!result.appended) continue;
    for (std::size_t l = 0; l < result.operand.rank(); ++l) {
      if (!result.operand.compressed(l)) continue;
      to.push_back(build::declare(MemoryKind::reg, count_of(result.operand, l), ValueType::i64, {}, build::number(0)));
      if (!is_first_compressed(result.operand, l)) continue;
      const std::string positions = array_of(result.operand, l, "pos"), z = fresh("z");
      const Expr count = build::add(extent_of(result.operand, 0, l), build::number(1));
      to.push_back(build::declare(MemoryKind::sram, positions, ValueType::i64, count));
      to.push_back(
          build::foreach (z, build::number(0), count, {build::write(positions, build::variable(z), build::number(0))}));
    }
  }
}

// How many entries each parent has becomes where they end.
void NestToPattern::close_results(Body& to) {
  for (const auto& [tensor, result] : results_) {
    if (!result.appended) continue;
    for (std::size_t l = 0; l < result.operand.rank(); ++l) {
      if (!is_first_compressed(result.operand, l)) continue;
      const std::string positions = array_of(result.operand, l, "pos"), z = fresh("z"), sum = fresh(tensor + "_sum");
      const Expr parents = extent_of(result.operand, 0, l);
      const Expr next = build::add(build::variable(z), build::number(1));
      to.push_back(build::declare(MemoryKind::reg, sum, ValueType::i64, {}, build::number(0)));
      to.push_back(build::foreach (z, build::number(0), parents,
                                   {build::write(sum, {}, build::read(positions, next), Reducer::sum),
                                    build::write(positions, next, build::variable(sum))}));
      to.push_back(build::store(positions, fmt::format("{}{}_pos_d", tensor, l + 1), build::number(0),
                                build::add(parents, build::number(1)), parallel_));
    }
  }
}

// Dense results, or the dense levels below an entry: a piece on the chip that is zero at first.
void NestToPattern::open_chunks(const Nodes& nodes, Scope& scope, Body& to, Body& end) {
  std::set<std::string> written;
  for (const loops::Node& n : nodes) {
    if (const auto* s = std::get_if<loops::Statement>(&n.kind)) written.insert(s->access().tensor);
    else
      for (const loops::Statement* inside : statements_in(std::get<loops::Loop>(n.kind)))
        written.insert(inside->access().tensor);
  }
  for (const auto& [tensor, result] : results_) {
    const Operand& operand = result.operand;
    const std::size_t rank = operand.rank();
    const bool dense_end = rank == 0 || !operand.compressed(rank - 1);
    if (!written.count(tensor) || !dense_end || scope.held.count("= " + tensor)) continue;
    const std::size_t from = result.whole || rank == 0 ? 0 : operand.chunk(rank);
    const std::string id = "= " + tensor;
    Walked& w = scope.walked[id];
    Operand as_result = operand;
    as_result.key = "= " + tensor;
    while (w.levels < from && walk_dense(as_result, scope)) {}
    if (w.levels != from) continue;
    const std::string memory = fresh(tensor + "_vals"), z = fresh("z");
    const Expr count = extent_of(operand, from, rank), position = w.position ? w.position : build::number(0);
    to.push_back(build::declare(MemoryKind::sram, memory, operand.type, count));
    to.push_back(build::foreach (z, build::number(0), count,
                                 {build::write(memory, build::variable(z), build::zero(operand.type))}, parallel_));
    const Expr first = build::mul(position, count);
    end.push_back(build::store(memory, tensor + "_vals_d", first, build::add(first, count), parallel_));
    scope.held["= " + tensor] = {memory, from, false};
  }
}

// The results of which this loop is a level, and which.
std::vector<std::pair<const Operand*, std::size_t>> NestToPattern::appended_at(const loops::Loop& loop) const {
  std::vector<std::pair<const Operand*, std::size_t>> all;
  for (const loops::Statement* s : statements_in(loop)) {
    const auto at = results_.find(s->access().tensor);
    if (at == results_.end() || !at->second.appended) continue;
    const Operand& operand = at->second.operand;
    for (std::size_t l = 0; l < operand.rank(); ++l)
      if (operand.path[l] == loop.variable && operand.compressed(l)) all.emplace_back(&operand, l);
  }
  return all;
}

void NestToPattern::begin_level(const loops::Loop& loop, Body& to) {
  for (const auto& [operand, level] : appended_at(loop)) {
    const auto fifo = [&](const std::string& name, ValueType type) {
      to.push_back(build::declare(MemoryKind::fifo, name, type, build::number(16)));
    };
    fifo(array_of(*operand, level, "crd"), ValueType::i64);
    if (level + 1 == operand->rank()) fifo(name_of(*operand, "vals"), operand->type);
    else if (operand->compressed(level + 1)) fifo(array_of(*operand, level + 1, "pos"), ValueType::i64);
    to.push_back(
        build::let(array_of(*operand, level, "first"), ValueType::i64, build::variable(count_of(*operand, level))));
  }
}

void NestToPattern::begin_entry(const loops::Loop& loop, Scope& scope, Body& to) {
  for (const auto& [operand, level] : appended_at(loop)) {
    if (level + 1 == operand->rank() || operand->compressed(level + 1)) continue;
    const std::string at = array_of(*operand, level, "entry");
    to.push_back(build::let(at, ValueType::i64, build::variable(count_of(*operand, level))));
    const std::string id = "= " + operand->tensor;
    Walked& w = scope.walked[id];
    w.levels = level + 1;
    w.position = build::variable(at);
  }
}

void NestToPattern::end_entry(const loops::Loop& loop, Body& to) {
  for (const auto& [operand, level] : appended_at(loop)) {
    if (level + 1 == operand->rank()) continue; // its statement does it
    to.push_back(build::enqueue(array_of(*operand, level, "crd"), build::variable(loop.variable)));
    to.push_back(build::write(count_of(*operand, level), {}, build::number(1), Reducer::sum));
    if (operand->compressed(level + 1))
      to.push_back(
          build::enqueue(array_of(*operand, level + 1, "pos"), build::variable(count_of(*operand, level + 1))));
  }
}

void NestToPattern::end_level(const loops::Loop& loop, Body& to) {
  for (const auto& [operand, level] : appended_at(loop)) {
    const Expr first = build::variable(array_of(*operand, level, "first"));
    const Expr end = build::variable(count_of(*operand, level)), one = build::number(1);
    const std::string& tensor = operand->tensor;
    to.push_back(
        build::store(array_of(*operand, level, "crd"), fmt::format("{}{}_crd_d", tensor, level + 1), first, end));
    if (level + 1 == operand->rank())
      to.push_back(build::store(name_of(*operand, "vals"), tensor + "_vals_d", first, end));
    else if (operand->compressed(level + 1))
      to.push_back(build::store(array_of(*operand, level + 1, "pos"), fmt::format("{}{}_pos_d", tensor, level + 2),
                                build::add(first, one), build::add(end, one)));
    if (!is_first_compressed(*operand, level)) continue;
    Expr parent = build::number(0);
    for (std::size_t l = 0; l < level; ++l)
      parent = build::add(build::mul(parent, formula(operand->extent[l])), formula(operand->index[l]));
    to.push_back(build::write(array_of(*operand, level, "pos"), build::add(parent, one), build::sub(end, first)));
  }
}

void NestToPattern::store(const loops::Statement& statement, const Expr& value, const Scope& scope, Body& to) {
  const Result& result = results_.at(statement.access().tensor);
  const std::string& tensor = result.operand.tensor;
  const std::size_t rank = result.operand.rank();
  if (const auto held = scope.held.find("= " + tensor); held != scope.held.end()) {
    const Operand own = operand_of(statement.target, result.operand.format, program_, {});
    Expr index = build::number(0);
    for (std::size_t l = held->second.from; l < rank; ++l)
      index = build::add(build::mul(index, formula(own.extent[l])), formula(own.index[l]));
    to.push_back(build::write(held->second.memory, index, value));
    return;
  }
  const std::string& last = result.operand.path.back();
  Body append;
  Expr appended = value;
  const bool may_be_zero = scope.dense.count(last) > 0; // zeros of a loop over all numbers are not stored
  if (may_be_zero) {
    const std::string name = fresh(tensor + "_value");
    to.push_back(build::let(name, result.operand.type, value));
    appended = build::variable(name);
  }
  append.push_back(build::enqueue(array_of(result.operand, rank - 1, "crd"), build::variable(last)));
  append.push_back(build::enqueue(name_of(result.operand, "vals"), appended));
  append.push_back(build::write(count_of(result.operand, rank - 1), {}, build::number(1), Reducer::sum));
  if (may_be_zero)
    to.push_back(
        build::when(build::compare(recurrence::BinaryOp::not_equal, appended, build::zero(result.operand.type)),
                    std::move(append)));
  else std::move(append.begin(), append.end(), std::back_inserter(to));
}

} // namespace cyclotron::lower
