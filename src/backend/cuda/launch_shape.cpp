// SPDX-License-Identifier: MIT
#include "backend/cuda/launch_shape.hpp"

#include "code/scope.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace cyclotron::backend::cuda {

using code::BinaryOp, code::Expr;

namespace {

using Values = std::map<std::string, std::int64_t>;

std::optional<std::int64_t> computed(BinaryOp op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (op) {
  case BinaryOp::add: return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case BinaryOp::sub: return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case BinaryOp::mul: return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case BinaryOp::min: return std::min(a, b);
  case BinaryOp::max: return std::max(a, b);
  case BinaryOp::div:
    if (b <= 0) return std::nullopt;
    return a / b;
  case BinaryOp::floor_div:
  case BinaryOp::mod:
    if (b <= 0) return std::nullopt;
    result = a / b - (a % b < 0 ? 1 : 0);
    return op == BinaryOp::mod ? a - result * b : result;
  default: return std::nullopt;
  }
}

// Arithmetic in what is known; nothing for all else.
std::optional<std::int64_t> value_of(const Expr& expr, const Values& known) {
  if (const code::Number* n = ir::as<code::Number>(expr))
    return code::is_whole(n->scalar) ? std::optional(n->whole) : std::nullopt;
  if (const code::Variable* v = ir::as<code::Variable>(expr)) {
    const auto found = known.find(v->name);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }
  const code::Binary* b = ir::as<code::Binary>(expr);
  const auto lhs = b ? value_of(b->lhs, known) : std::nullopt, rhs = b ? value_of(b->rhs, known) : std::nullopt;
  return lhs && rhs ? computed(b->op, *lhs, *rhs) : std::nullopt;
}

std::optional<std::int64_t> turns_of(const code::For& f, const Values& known) {
  const auto first = value_of(f.first, known), end = value_of(f.end, known);
  std::int64_t distance = 0;
  if (!first || !end || __builtin_sub_overflow(*end, *first, &distance)) return std::nullopt;
  if (f.step < 0) distance = -distance;
  const std::int64_t step = std::abs(f.step);
  return distance <= 0 ? 0 : (distance - 1) / step + 1;
}

// What is declared outermost and never assigned, as far as it is known.
Values values_at_start(const code::Kernel& kernel, const std::vector<std::int64_t>& sizes) {
  Values known;
  for (std::size_t i = 0; i < sizes.size(); ++i) known[kernel.sizes[i]] = sizes[i];
  std::set<std::string> assigned;
  code::any_statement(kernel.body, [&](const code::Statement& s) {
    if (const auto* a = std::get_if<code::Assign>(&s.kind)) assigned.insert(a->name);
    return false;
  });
  for (const code::Statement& s : kernel.body) {
    const auto* d = std::get_if<code::Declare>(&s.kind);
    if (!d || d->type.lanes || d->type.scalar != code::Scalar::i64 || assigned.count(d->name)) continue;
    const auto value = d->value ? value_of(d->value, known) : 0;
    if (value) known[d->name] = *value;
  }
  return known;
}

// Of the outermost loops, also where a condition stands around them.
void count_turns(const code::Body& body, const Values& known, Turns& to) {
  for (const code::Statement& s : body) {
    if (const auto* i = std::get_if<code::If>(&s.kind)) count_turns(i->body, known, to);
    const auto* f = std::get_if<code::For>(&s.kind);
    if (!f || f->run == code::Run::serial) continue;
    std::optional<std::int64_t>& most = f->run == code::Run::blocks ? to.blocks : to.workers;
    const auto turns = turns_of(*f, known);
    most = most && turns ? std::optional(std::max(*most, *turns)) : std::nullopt;
  }
}

// Blocks for so many turns; without a number as many as there is room for.
std::int64_t blocks_for(const std::optional<std::int64_t>& turns, std::int64_t per_block, std::int64_t resident) {
  return turns ? (*turns + per_block - 1) / per_block : resident;
}

} // namespace

Turns outermost_turns(const code::Kernel& kernel, const std::vector<std::int64_t>& sizes) {
  const Values known = values_at_start(kernel, sizes);
  Turns result;
  count_turns(kernel.body, known, result);
  return result;
}

LaunchShape launch_shape(const code::Kernel& kernel, const std::vector<std::int64_t>& sizes, std::int64_t threads,
                         const Room& room) {
  const Turns turns = outermost_turns(kernel, sizes);
  const std::int64_t resident = room.multiprocessors * std::max<std::int64_t>(1, room.resident_blocks);
  // A little work is spread over all multiprocessors, in blocks of fewer threads.
  if (turns.blocks == 0 && turns.workers)
    while (threads > 64 && blocks_for(turns.workers, threads / kernel.lanes, 0) < 2 * room.multiprocessors &&
           threads / 2 % warp_threads == 0)
      threads /= 2;
  std::int64_t blocks =
      std::max(blocks_for(turns.workers, threads / kernel.lanes, resident), blocks_for(turns.blocks, 1, resident));
  const bool has_scratch = std::any_of(kernel.memories.begin(), kernel.memories.end(),
                                       [](const code::Memory& m) { return m.role == code::Role::scratch; });
  if (has_scratch) blocks = std::min(blocks, resident);
  return {std::clamp<std::int64_t>(blocks, 1, std::numeric_limits<std::int32_t>::max()), threads};
}

} // namespace cyclotron::backend::cuda
