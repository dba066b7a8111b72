// SPDX-License-Identifier: MIT
#include "lower/pe/cells.hpp"

#include "lower/pe/step_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::Rule;

namespace {

// An action, and at which points of its space it happens.
struct Sited {
  isl::set points;
  pe::Action action;
};

pe::Supply supply_of(const Rule& rule) {
  if (rule.supply == dataflow::Supply::boundary) return pe::Supply::boundary;
  return rule.supply == dataflow::Supply::broadcast ? pe::Supply::broadcast : pe::Supply::direct;
}

class Divider {
public:
  Divider(const dataflow::Program& program, const std::vector<Read>& reads, const std::vector<Link>& links,
          const Stores& stores, pe::Program& to)
      : program_(program), reads_(reads), links_(links), stores_(stores), to_(to), loads_(program.spaces.size()),
        receives_(program.spaces.size()), computes_(program.spaces.size()), sends_(program.spaces.size()),
        exports_(program.spaces.size()) {}

  std::vector<Cell> run() {
    declare();
    for (std::size_t l = 0; l < links_.size(); ++l) add_receives_and_sends(l);
    for (std::size_t s = 0; s < program_.spaces.size(); ++s)
      for (const std::size_t r : stores_.rules[s]) add_rule(r);
    for (const dataflow::Export& e : program_.exports)
      at(exports_, e.space).push_back({e.domain, pe::Store{e.tensor, e.indices, own_slot(e.space, e.value)}});
    std::vector<Cell> cells;
    for (std::size_t s = 0; s < program_.spaces.size(); ++s) divide(s, cells);
    return cells;
  }

private:
  using PerSpace = std::vector<std::vector<Sited>>;
  static std::vector<Sited>& at(PerSpace& list, int space) { return list[static_cast<std::size_t>(space)]; }
  const dataflow::Space& space(int s) const { return program_.spaces[static_cast<std::size_t>(s)]; }

  std::size_t value_number(int s, const std::string& name) const {
    for (std::size_t v = 0; v < program_.values.size(); ++v)
      if (program_.values[v].space == s && program_.values[v].name == name) return v;
    bug("a value that is not declared");
  }
  const Keep& keep(int s, const std::string& value) const { return stores_.values[value_number(s, value)]; }
  pe::Slot own_slot(int s, const std::string& value) const { return keep(s, value).at(dataflow::own_point(space(s))); }

  static std::vector<std::int64_t> extents(const dataflow::Value& v) {
    std::vector<std::int64_t> result;
    for (const Affine& a : v.tile) result.push_back(a.constant);
    return result;
  }

  // --- registers and channels ---

  void declare() {
    for (std::size_t v = 0; v < program_.values.size(); ++v)
      declare(stores_.values[v].name, program_.values[v], stores_.values[v].table);
    for (std::size_t l = 0; l < links_.size(); ++l) {
      const dataflow::Value& v = program_.value(links_[l].space, links_[l].value);
      if (links_[l].kept) declare(stores_.links[l].name, v, stores_.links[l].table);
      std::string name = keep(v.space, v.name).name;
      const auto same = std::count_if(to_.channels.begin(), to_.channels.end(),
                                      [&](const pe::Channel& c) { return c.value == name; });
      to_.channels.push_back(
          {same == 0 ? name : fmt::format("{}_{}", name, same + 1), name, links_[l].offset, v.type, extents(v)});
    }
  }

  void declare(const std::string& name, const dataflow::Value& v, const std::vector<pe::Register::Extent>& table) {
    to_.registers.push_back({name, v.type, extents(v), table});
  }

  // A register that only one step uses. The rules of one value are for different points, so they share those of the
  // same purpose, first with first and so on.
  pe::Slot passing(const Rule& rule, const std::string& wish, tensor::ValueType type, std::vector<std::int64_t> tile) {
    const std::size_t number = used_[{&rule, wish}]++;
    std::vector<std::string>& shared = passing_[{rule.space, rule.value, wish}];
    if (number == shared.size()) {
      std::string name = wish;
      for (int n = 2; to_.find_register(name); ++n) name = wish + std::to_string(n);
      to_.registers.push_back({name, type, std::move(tile), {}});
      shared.push_back(name);
    }
    return {shared[number], {}};
  }

  // --- actions ---

  void add_receives_and_sends(std::size_t l) {
    const Link& link = links_[l];
    at(sends_, link.space).push_back({link.sent, pe::Send{own_slot(link.space, link.value), static_cast<int>(l)}});
    for (const std::size_t g : link.order) {
      const std::size_t r = link.reads[g];
      const Read& read = reads_[r];
      landing_[r] = link.kept ? stores_.links[l].at(read.what.point) : landing(read);
      if (!link.receives[g].is_empty())
        at(receives_, program_.rules[read.rule].space)
            .push_back({link.receives[g], pe::Receive{landing_.at(r), static_cast<int>(l)}});
    }
  }

  // Where a value lands that only this step needs.
  pe::Slot landing(const Read& read) {
    const Rule& rule = program_.rules[read.rule];
    if (only_moves(rule)) return own_slot(rule.space, rule.value);
    const bool same = rule.space == read.what.space && rule.value == read.what.value;
    const bool free = std::none_of(reads_.begin(), reads_.end(), [&](const Read& other) {
      return !other.own && other.what.space == rule.space && other.what.value == rule.value &&
             (other.is_local() || (&other != &read && other.rule == read.rule));
    });
    if (same && free && keep(rule.space, rule.value).table.empty()) return own_slot(rule.space, rule.value);
    const dataflow::Value& v = program_.value(read.what.space, read.what.value);
    return passing(rule, keep(v.space, v.name).name + "_in", v.type, extents(v));
  }

  void add_rule(std::size_t r) {
    const Rule& rule = program_.rules[r];
    if (rule.domain.is_empty()) return;
    const pe::Slot to = own_slot(rule.space, rule.value);
    if (const Access* a = as<Access>(rule.expr); a && !dataflow::reference_of(*a, program_)) {
      at(loads_, rule.space).push_back({rule.domain, pe::Load{to, a->tensor, indices(*a), supply_of(rule)}});
      return;
    }
    std::size_t next = 0; // reads are in the order of the expression
    while (next < reads_.size() && reads_[next].rule != r) ++next;
    const Expr value = with_slots(rule, rule.expr, next);
    // A value that is there already, where it belongs.
    if (const Access* a = as<Access>(value); a && a->tensor == to.name && indices(*a) == to.at) return;
    at(computes_, rule.space).push_back({rule.domain, pe::Compute{to, value}});
  }

  std::vector<Affine> indices(const Access& access) const {
    std::vector<Affine> result;
    for (const Expr& e : access.indices) result.push_back(accepted_affine(e, *program_.source));
    return result;
  }

  Expr expression_of_slot(const pe::Slot& slot) const {
    Access access{slot.name, std::nullopt, {}};
    for (const Affine& a : slot.at) access.indices.push_back(expression_of(a, *program_.source));
    return Expr(std::move(access));
  }

  // The expression with slots in place of values and elements.
  Expr with_slots(const Rule& rule, const Expr& expr, std::size_t& next) {
    const Access* a = as<Access>(expr);
    if (!a) return ir::map_children<ExprNode>(expr, [&](const Expr& e) { return with_slots(rule, e, next); });
    if (const auto ref = dataflow::reference_of(*a, program_)) {
      const std::size_t read = next++;
      const auto landed = landing_.find(read);
      return expression_of_slot(landed != landing_.end() ? landed->second
                                                         : keep(ref->space, ref->value).at(ref->point));
    }
    return expression_of_slot(loaded(rule, *a));
  }

  // An element that stands in the middle of an expression is loaded into a register of its own.
  pe::Slot loaded(const Rule& rule, const Access& access) {
    const TensorDecl& decl = *program_.source->tensor(access.tensor);
    std::vector<std::int64_t> tile;
    for (std::size_t d = access.indices.size(); d < decl.dims.size(); ++d)
      tile.push_back(accepted_affine(decl.dims[d], *program_.source).constant);
    const pe::Slot slot = passing(rule, access.tensor + "_load", decl.type, tile);
    at(loads_, rule.space).push_back({rule.domain, pe::Load{slot, access.tensor, indices(access), supply_of(rule)}});
    return slot;
  }

  // --- cells ---

  // Splits a space by which actions happen where; points with the same actions are one cell.
  void divide(std::size_t s, std::vector<Cell>& to) {
    isl_ctx_reset_operations(program_.context->get().get());
    std::vector<Cell> cells;
    if (!program_.spaces[s].domain.is_empty()) cells.push_back({static_cast<int>(s), program_.spaces[s].domain, {}});
    for (const PerSpace* phase : {&loads_, &receives_, &computes_, &sends_, &exports_})
      for (const Sited& sited : (*phase)[s]) cells = split(cells, sited);
    for (Cell& cell : cells) {
      order_sends(cell.actions);
      const auto same = std::find_if(to.begin(), to.end(), [&](const Cell& other) {
        return other.space == cell.space && other.actions == cell.actions;
      });
      if (same == to.end()) to.push_back(std::move(cell));
      else same->points = same->points.unite(cell.points).coalesce();
    }
  }

  static std::vector<Cell> split(const std::vector<Cell>& cells, const Sited& sited) {
    std::vector<Cell> result;
    for (const Cell& cell : cells) {
      const isl::set inside = cell.points.intersect(sited.points).coalesce();
      const isl::set outside = cell.points.subtract(sited.points).coalesce();
      if (!outside.is_empty()) result.push_back({cell.space, outside, cell.actions});
      if (inside.is_empty()) continue;
      result.push_back({cell.space, inside, cell.actions});
      result.back().actions.push_back(sited.action);
    }
    return result;
  }

  // What is only passed on leaves before anything is computed.
  static void order_sends(std::vector<pe::Action>& actions) {
    std::set<std::string> computed;
    for (const pe::Action& a : actions)
      if (const pe::Compute* compute = std::get_if<pe::Compute>(&a)) computed.insert(compute->to.name);
    const auto first = std::find_if(actions.begin(), actions.end(),
                                    [](const pe::Action& a) { return std::holds_alternative<pe::Compute>(a); });
    std::stable_partition(first, actions.end(), [&](const pe::Action& a) {
      const pe::Send* send = std::get_if<pe::Send>(&a);
      return send && !computed.count(send->from.name);
    });
  }

  const dataflow::Program& program_;
  const std::vector<Read>& reads_;
  const std::vector<Link>& links_;
  const Stores& stores_;
  pe::Program& to_;
  std::map<std::size_t, pe::Slot> landing_; // of what is received, per read
  std::map<std::tuple<int, std::string, std::string>, std::vector<std::string>> passing_;
  std::map<std::pair<const Rule*, std::string>, std::size_t> used_;
  PerSpace loads_, receives_, computes_, sends_, exports_;
};

} // namespace

std::vector<Cell> cells_of(const dataflow::Program& program, const std::vector<Read>& reads,
                           const std::vector<Link>& links, const Stores& stores, pe::Program& to) {
  return Divider(program, reads, links, stores, to).run();
}

} // namespace cyclotron::lower
