// SPDX-License-Identifier: MIT
#include "backend/cuda/adjacent.hpp"

#include "code/build.hpp"

namespace cyclotron::backend::cuda {

Position position_of(const code::Expr& index) {
  if (const auto number = code::build::known(index)) return {{}, *number};
  const code::Binary* b = ir::as<code::Binary>(index);
  if (b && b->op == code::BinaryOp::add) {
    const Position lhs = position_of(b->lhs), rhs = position_of(b->rhs);
    return {lhs.rest && rhs.rest ? code::build::add(lhs.rest, rhs.rest)
            : lhs.rest           ? lhs.rest
                                 : rhs.rest,
            lhs.constant + rhs.constant};
  }
  const auto number = b && b->op == code::BinaryOp::sub ? code::build::known(b->rhs) : std::nullopt;
  if (!number) return {index, 0};
  const Position lhs = position_of(b->lhs);
  return {lhs.rest, lhs.constant - *number};
}

bool is_plain(const code::Expr& expr) {
  bool plain = true;
  ir::walk<code::ExprNode>(expr, [&](const code::Expr& e) {
    plain &= ir::as<code::Number>(e) || ir::as<code::Variable>(e) || ir::as<code::Binary>(e);
  });
  return plain;
}

namespace {

// A memory, an index and a stride, of a load or a store; nothing where it has a mask or no stride.
struct Access {
  std::string memory;
  code::Expr index, stride;
};

std::optional<Access> load_access(const code::Statement& s) {
  const auto* d = std::get_if<code::Declare>(&s.kind);
  const auto* a = std::get_if<code::Assign>(&s.kind);
  const code::Expr value = d ? d->value : a ? a->value : code::Expr();
  const code::Load* l = value ? ir::as<code::Load>(value) : nullptr;
  if (!l || l->mask || !l->stride) return std::nullopt;
  return Access{l->memory, l->index, l->stride};
}

std::optional<Access> store_access(const code::Statement& s) {
  const auto* store = std::get_if<code::Store>(&s.kind);
  if (!store || store->mask || !store->stride) return std::nullopt;
  return Access{store->memory, store->index, store->stride};
}

std::size_t run_of(const code::Body& body, std::size_t at, const code::Scope& scope,
                   std::optional<Access> (*access_of)(const code::Statement&)) {
  const auto first = access_of(body[at]);
  const auto count = first ? code::build::known(first->stride) : std::nullopt;
  if (!count || *count < 2 || *count > 8 || !is_plain(first->index)) return 0;
  const std::int64_t bytes = *count * code::bytes_of(scope.memory(first->memory)->scalar);
  const auto wanted = static_cast<std::size_t>(*count);
  if ((bytes != 8 && bytes != 16) || at + wanted > body.size()) return 0;
  const Position begin = position_of(first->index);
  for (std::size_t v = 1; v < wanted; ++v) {
    const auto next = access_of(body[at + v]);
    if (!next || next->memory != first->memory || code::build::known(next->stride) != count) return 0;
    const Position position = position_of(next->index);
    const bool same_rest = begin.rest && position.rest ? begin.rest == position.rest : !begin.rest && !position.rest;
    if (!same_rest || position.constant != begin.constant + static_cast<std::int64_t>(v)) return 0;
  }
  return wanted;
}

} // namespace

std::size_t adjacent_loads(const code::Body& body, std::size_t at, const code::Scope& scope) {
  return run_of(body, at, scope, load_access);
}

std::size_t adjacent_stores(const code::Body& body, std::size_t at, const code::Scope& scope) {
  return run_of(body, at, scope, store_access);
}

// With one stride s, lanes k apart have elements s * k apart.
bool stores_apart(const code::Store& a, const code::Store& b, std::int64_t lanes) {
  if (a.memory != b.memory) return true;
  const auto stride = a.stride ? code::build::known(a.stride) : std::nullopt;
  if (!stride || *stride < 1 || !b.stride || code::build::known(b.stride) != stride) return false;
  const Position at = position_of(a.index), other = position_of(b.index);
  const bool same_rest = at.rest && other.rest ? at.rest == other.rest && is_plain(at.rest) : !at.rest && !other.rest;
  const std::int64_t distance = std::abs(at.constant - other.constant);
  return same_rest && (distance % *stride != 0 || distance >= lanes * *stride || distance == 0);
}

const code::Load& load_in(const code::Statement& statement) {
  const auto* d = std::get_if<code::Declare>(&statement.kind);
  return *ir::as<code::Load>(d ? d->value : std::get<code::Assign>(statement.kind).value);
}

} // namespace cyclotron::backend::cuda
