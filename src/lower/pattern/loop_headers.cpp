// SPDX-License-Identifier: MIT
// What a loop runs over: the contraction set of its statements, restricted to the levels that it walks through, as
// numbers, one fiber, or a scan of bit vectors. More than two fibers are joined two at a time, the inner ones into bit
// vectors of their own:
//
//   (B or C) and D   -->   scan(B or C) fills BC and the ranks of B and C in it; scan(BC and D)
#include "lower/pattern/nest_to_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

namespace build = pattern::build;
using pattern::Expr;
using recurrence::BinaryOp;

namespace {

bool same(const Presence& a, const Presence& b) {
  return a.kind == b.kind && a.atom == b.atom && a.parts.size() == b.parts.size() &&
         std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), same);
}

// `x and x` is x.
Presence simple(const Presence& presence) {
  if (presence.parts.empty()) return presence;
  Presence result = presence;
  for (Presence& part : result.parts) part = simple(part);
  return same(result.parts[0], result.parts[1]) ? result.parts[0] : result;
}

Expr at_least(const Expr& a, std::int64_t b) { return build::compare(BinaryOp::greater_equal, a, build::number(b)); }

bool starts_at_zero(recurrence::Reducer reducer) {
  return reducer == recurrence::Reducer::sum || reducer == recurrence::Reducer::any;
}

} // namespace

Presence NestToPattern::presence_of(const loops::Statement& statement) const {
  const auto is_sparse = [&](const recurrence::Access& a) {
    const auto at = operands_.find(recurrence::print(recurrence::Expr(a)));
    return at != operands_.end() && at->second.sparse();
  };
  std::function<Presence(const recurrence::Access&)> temporary = [&](const recurrence::Access& a) {
    const loops::Temporary* t = temporary_of(a, statement.equation);
    if (!t || !starts_at_zero(t->reducer)) return Presence::always();
    Presence some = Presence::never();
    loops::each_statement(nest_.body, [&](const loops::Statement& s, const auto&) {
      if (s.reducer && s.equation == statement.equation && s.access().tensor == t->name)
        some = either(some, nonzero(s.value, is_sparse, temporary));
    });
    return some;
  };
  if (statement.reducer && !starts_at_zero(*statement.reducer))
    return not_identity(statement.value, *statement.reducer, is_sparse);
  return nonzero(statement.value, is_sparse, temporary);
}

Presence NestToPattern::presence_at(const loops::Loop& loop, const Scope& scope) const {
  std::set<std::string> known;
  for (const Operand* operand : inputs_in(loop.body)) {
    const std::size_t level = scope.walked.at(operand->key).levels;
    if (level < operand->rank() && operand->compressed(level) && operand->walks(level, loop.variable))
      known.insert(operand->key);
  }
  Presence all = Presence::never();
  for (const loops::Statement* s : statements_in(loop)) all = either(all, restricted(presence_of(*s), known));
  return simple(all);
}

NestToPattern::Header NestToPattern::header_of(const loops::Loop& loop, const Presence& presence, Scope& scope,
                                               Body& to) {
  switch (presence.kind) {
  case Presence::Kind::atom: return one_fiber(loop, operands_.at(presence.atom), scope, to);
  case Presence::Kind::all_of:
  case Presence::Kind::any_of: return co_iteration(loop, presence, scope, to);
  default: return numbers(loop);
  }
}

// From the least of the ranges to the greatest; what a statement does not do, its guard says.
NestToPattern::Header NestToPattern::numbers(const loops::Loop& loop) {
  Expr first, end;
  for (const loops::Range& range : loop.ranges) {
    Expr least, most;
    for (const loops::Bound& b : range.lower) least = least ? build::max(least, formula(b.value)) : formula(b.value);
    for (const loops::Bound& b : range.upper) {
      const Expr behind = formula(b.value + Affine{{}, 1});
      most = most ? build::min(most, behind) : behind;
    }
    first = first ? build::min(first, least) : least;
    end = end ? build::max(end, most) : most;
  }
  Header header{pattern::Range{loop.variable, first, end}, {}, {}, true};
  return header;
}

NestToPattern::Header NestToPattern::one_fiber(const loops::Loop& loop, const Operand& operand, Scope& scope,
                                               Body& to) {
  const Fiber fiber = open_fiber(operand, scope.walked.at(operand.key).levels, true, scope, to);
  const std::string p = fresh(loop.variable + "_" + operand.tensor);
  Header header{pattern::Range{p, build::number(0), fiber.count}, {}, {}, false};
  header.first.push_back(build::let(loop.variable, ValueType::i64, build::dequeue(fiber.crd)));
  header.leaves.push_back({&operand, build::variable(p), true});
  return header;
}

// How many coordinates there are: tensors that meet in a loop may differ.
Expr NestToPattern::common_extent(const Presence& presence, const Scope& scope) const {
  if (presence.kind == Presence::Kind::atom) {
    const Operand& operand = operands_.at(presence.atom);
    return formula(operand.extent[scope.walked.at(operand.key).levels]);
  }
  return build::max(common_extent(presence.parts[0], scope), common_extent(presence.parts[1], scope));
}

NestToPattern::Header NestToPattern::co_iteration(const loops::Loop& loop, const Presence& presence, Scope& scope,
                                                  Body& to) {
  const Expr extent = common_extent(presence, scope);
  const Bits a = bits_of(presence.parts[0], loop.variable, extent, scope, to);
  const Bits b = bits_of(presence.parts[1], loop.variable, extent, scope, to);
  const bool both = presence.kind == Presence::Kind::all_of;
  const std::string pa = fresh("p_" + a.name), pb = fresh("p_" + b.name);
  Header header{pattern::Scan{a.name, b.name, both ? pattern::Join::both : pattern::Join::either, extent, pa, pb,
                              fresh(loop.variable + "_out"), loop.variable},
                {},
                {},
                false};
  std::map<const Operand*, std::pair<Expr, bool>> ranks; // of each access, from either side
  const auto add_side = [&](const Bits& side, const std::string& position) {
    const Expr p = build::variable(position);
    for (const auto& [operand, rank_at] : side.ranks) {
      const Expr in_side = rank_at(p);
      const Expr rank = both || in_side == p ? in_side : build::choose(at_least(p, 0), in_side, build::number(-1));
      const bool certain = both && side.certain;
      const auto [known, is_new] = ranks.try_emplace(operand, rank, certain);
      if (is_new || known->second.second) continue;
      known->second =
          certain ? std::pair(rank, true)
                  : std::pair(build::choose(at_least(known->second.first, 0), known->second.first, rank), false);
    }
  };
  add_side(a, pa);
  add_side(b, pb);
  for (const auto& [operand, rank] : ranks) {
    Expr own = rank.first;
    if (!ir::as<pattern::Variable>(own)) {
      const std::string name = fresh(operand->tensor + "_rank");
      header.first.push_back(build::let(name, ValueType::i64, own));
      own = build::variable(name);
    }
    header.leaves.push_back({operand, own, rank.second});
  }
  return header;
}

NestToPattern::Bits NestToPattern::bits_of(const Presence& presence, const std::string& loop, const Expr& extent,
                                           Scope& scope, Body& to) {
  if (presence.kind != Presence::Kind::atom) {
    const Bits a = bits_of(presence.parts[0], loop, extent, scope, to),
               b = bits_of(presence.parts[1], loop, extent, scope, to);
    const bool both = presence.kind == Presence::Kind::all_of;
    return joined(a, b, both ? pattern::Join::both : pattern::Join::either, extent, loop, to);
  }
  const Operand& operand = operands_.at(presence.atom);
  const std::size_t level = scope.walked.at(operand.key).levels;
  // An access may stand in the formula twice.
  const std::string id = operand.key + " bits";
  if (const auto known = scope.held.find(id); known != scope.held.end() && known->second.from == level)
    return {known->second.memory, {{&operand, [](const Expr& p) { return p; }}}, true};
  const Fiber fiber = open_fiber(operand, level, false, scope, to);
  const std::string bits = fresh(fmt::format("{}{}_bits", operand.tensor, level + 1));
  to.push_back(build::declare(MemoryKind::bits, bits, ValueType::boolean, extent));
  to.push_back({pattern::SetBits{bits, fiber.crd, fiber.count}});
  scope.held[id] = {bits, level, false};
  return {bits, {{&operand, [](const Expr& p) { return p; }}}, true};
}

// One bit vector of two, and for each access a table: its rank at each position of the new one.
NestToPattern::Bits NestToPattern::joined(const Bits& a, const Bits& b, pattern::Join join, const Expr& extent,
                                          const std::string& loop, Body& to) {
  const std::string name = fresh(a.name + "_" + b.name), crd = fresh(name + "_crd"), count = fresh(name + "_n");
  const std::string pa = fresh("p"), pb = fresh("p"), out = fresh(loop + "_out"), coordinate = fresh(loop);
  Bits result{name, {}, a.certain && b.certain && join == pattern::Join::both};
  to.push_back(build::declare(MemoryKind::fifo, crd, ValueType::i64, build::number(16)));
  to.push_back(build::declare(MemoryKind::reg, count, ValueType::i64, {}, build::number(0)));
  Body inside{build::enqueue(crd, build::variable(coordinate)),
              build::write(count, {}, build::number(1), recurrence::Reducer::sum)};
  const auto add_side = [&](const Bits& side, const std::string& position) {
    const Expr p = build::variable(position);
    for (const auto& [operand, rank_at] : side.ranks) {
      const std::string table = fresh(operand->tensor + "_ranks");
      to.push_back(build::declare(MemoryKind::sram, table, ValueType::i64, extent));
      inside.push_back(
          build::write(table, build::variable(out), build::choose(at_least(p, 0), rank_at(p), build::number(-1))));
      result.ranks.emplace_back(operand, [table](const Expr& at) { return build::read(table, at); });
    }
  };
  add_side(a, pa);
  add_side(b, pb);
  to.push_back({pattern::Loop{pattern::Scan{a.name, b.name, join, extent, pa, pb, out, coordinate},
                              build::number(1),
                              "",
                              recurrence::Reducer::sum,
                              std::move(inside),
                              {}}});
  to.push_back(build::declare(MemoryKind::bits, name, ValueType::boolean, extent));
  to.push_back({pattern::SetBits{name, crd, build::variable(count)}});
  return result;
}

// Accesses of which this loop says the coordinate, and that it does not walk through: they are found by a table.
void NestToPattern::tables(const loops::Loop& loop, const Header& header, Scope& scope, Body& to) {
  for (const Operand* operand : inputs_in(loop.body)) {
    const std::size_t level = scope.walked.at(operand->key).levels;
    if (level == operand->rank() || !operand->compressed(level)) continue;
    if (std::ranges::any_of(header.leaves, [&](const Leaf& leaf) { return leaf.operand == operand; })) continue;
    std::set<std::string> open = indices_in(operand->index[level], program_);
    std::erase_if(open, [&](const std::string& i) { return scope.bound.count(i) > 0; });
    if (open == std::set{loop.variable}) table(*operand, scope, to);
  }
}

// What coordinates must satisfy that come from a fiber, and not from the range of the loop.
Expr NestToPattern::in_range(const loops::Loop& loop, const Header& header, const Scope& scope) const {
  if (header.dense) return {};
  const auto last = [&](const Affine& value) {
    return std::ranges::all_of(header.leaves, [&](const Leaf& leaf) {
      return value == leaf.operand->extent[scope.walked.at(leaf.operand->key).levels] - Affine{{}, 1};
    });
  };
  Expr any;
  for (const loops::Range& range : loop.ranges) {
    Expr all;
    for (const loops::Bound& b : range.lower)
      if (!(b.value == Affine{}))
        all = build::both(all, condition({b.divisor * Affine{{{loop.variable, 1}}, 0} - b.value}));
    for (const loops::Bound& b : range.upper)
      if (b.divisor != 1 || !last(b.value))
        all = build::both(all, condition({b.value - b.divisor * Affine{{{loop.variable, 1}}, 0}}));
    if (!all) return {};
    any = any ? Expr(pattern::Binary{BinaryOp::logical_or, any, all}) : all;
  }
  return any;
}

} // namespace cyclotron::lower
