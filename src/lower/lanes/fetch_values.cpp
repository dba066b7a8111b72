// SPDX-License-Identifier: MIT
#include "lower/lanes/fetch_values.hpp"

#include "lower/lanes/reload.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::Reference;
using dataflow::Rule;
using lanes::Flow;

namespace {

// Where a value comes from, at some of its points; in the coordinates of its own space.
struct Source {
  isl::set domain;
  Reference what;
  Expr constant; // instead
};

bool is_constant(const Expr& expr) {
  bool constant = true;
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    const Name* name = as<Name>(e);
    constant &= !as<Access>(e) && !(name && name->kind == NameKind::index);
  });
  return constant;
}

class SourceFinder {
public:
  SourceFinder(const dataflow::Program& program, const Reference& value)
      : program_(program), value_(value), space_(program.spaces[static_cast<std::size_t>(value.space)]) {}

  // Nothing where the value is computed, or where what arrives depends on the way.
  std::optional<std::vector<Source>> run() {
    if (!read_rules()) return std::nullopt;
    std::vector<Source> sources;
    for (const Rule* rule : constants_) {
      const isl::map to_kept = map(kept());
      const isl::set there = to_kept.intersect_domain(rule->domain).range();
      sources.push_back({to_kept.intersect_range(there).domain(), {-1, "", {}}, rule->expr});
    }
    for (const auto& [rule, from] : starts_) {
      const bool known = std::any_of(sources.begin(), sources.end(), [&, what = &from](const Source& s) {
        return s.what.space == what->space && s.what.value == what->value;
      });
      if (!known && !add_sources(from, sources)) return std::nullopt;
    }
    for (std::size_t a = 0; a < sources.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (!sources[a].domain.is_disjoint(sources[b].domain)) return std::nullopt;
    return sources;
  }

private:
  // Rules that pass the value on, and those that it starts with; false where one computes, or reads an input.
  bool read_rules() {
    std::vector<bool> moves(space_.coordinates.size(), false);
    for (const Rule& rule : program_.rules) {
      if (rule.space != value_.space || rule.value != value_.value) continue;
      const Access* a = as<Access>(rule.expr);
      const auto from = a ? dataflow::reference_of(*a, program_) : std::nullopt;
      if (is_constant(rule.expr)) {
        constants_.push_back(&rule);
        continue;
      }
      if (!from) return false;
      if (from->space != value_.space || from->value != value_.value) {
        starts_.emplace_back(&rule, *from);
        continue;
      }
      const Point own = dataflow::own_point(space_);
      for (std::size_t c = 0; c < own.size(); ++c)
        if (from->point[c] != own[c]) moves[c] = true;
    }
    for (std::size_t c = 0; c < moves.size(); ++c)
      if (!moves[c]) kept_.push_back(space_.coordinates[c]);
    return !starts_.empty();
  }

  isl::map map(const Point& point) const {
    return map_to(*program_.context, *program_.source, space_.coordinates, point);
  }

  Point kept() const {
    Point point;
    for (const std::string& name : kept_) point.push_back(Affine{{{name, 1}}, 0});
    return point;
  }

  // Coordinates that no rule changes are the same where the value starts and where it is used: they must say which one
  // it is.
  bool add_sources(const Reference& like, std::vector<Source>& to) const {
    std::optional<isl::map> all;
    for (const auto& [rule, from] : starts_) {
      if (from.space != like.space || from.value != like.value) continue;
      const isl::map starts = map(kept()).intersect_domain(rule->domain).reverse();
      const isl::map own = starts.apply_range(map(from.point).intersect_domain(rule->domain));
      all = all ? all->unite(own) : own;
    }
    if (!all->is_single_valued()) return false;
    const auto pieces = pieces_of(isl::manage(isl_map_coalesce(all->copy())), kept_, *program_.source);
    if (!pieces) return false;
    const isl::map to_kept = map(kept());
    for (const Piece& piece : *pieces)
      to.push_back({to_kept.intersect_range(piece.domain).domain(), {like.space, like.value, piece.point}, {}});
    return true;
  }

  const dataflow::Program& program_;
  const Reference& value_;
  const dataflow::Space& space_;
  std::vector<std::pair<const Rule*, Reference>> starts_;
  std::vector<const Rule*> constants_;
  std::vector<std::string> kept_; // coordinates that no rule changes
};

bool is_same_read(const Reference& a, const Reference& b) {
  return a.space == b.space && a.value == b.value && a.point == b.point;
}

// The rule with the value read from its source, for the points where that is the source.
Rule with_source(const dataflow::Program& program, const Rule& rule, const Reference& read, const Source& source) {
  const auto& own = program.spaces[static_cast<std::size_t>(rule.space)].coordinates;
  const auto& names = program.spaces[static_cast<std::size_t>(read.space)].coordinates;
  const isl::map reads = map_to(*program.context, *program.source, own, read.point);
  std::map<std::string, Affine> by;
  for (std::size_t c = 0; c < names.size(); ++c) by[names[c]] = read.point[c];
  Point point;
  for (const Affine& a : source.what.point) point.push_back(substitute(a, by));
  const Expr there =
      source.constant ? source.constant : dataflow::refer_to(program, source.what.space, source.what.value, point);
  const std::function<Expr(const Expr&)> replaced = [&](const Expr& e) -> Expr {
    const Access* a = as<Access>(e);
    const auto ref = a ? dataflow::reference_of(*a, program) : std::nullopt;
    if (!ref) return ir::map_children<ExprNode>(e, replaced);
    return is_same_read(*ref, read) ? there : e;
  };
  Rule result = rule;
  result.domain = rule.domain.intersect(reads.intersect_range(source.domain).domain());
  result.expr = replaced(rule.expr);
  return result;
}

} // namespace

bool fetch_value(dataflow::Program& program, const std::function<bool(const Flow&)>& which) {
  const std::vector<Flow> flows = lanes::flows_of(program);
  const auto is_of = [&](std::size_t rule, const Reference& what) {
    return program.rules[rule].space == what.space && program.rules[rule].value == what.value;
  };
  for (const Flow& passed : flows) {
    const Rule& passing = program.rules[passed.rule];
    if (!as<Access>(passing.expr) || !which(passed)) continue;
    const Reference value{passing.space, passing.value, {}};
    const auto sources = SourceFinder(program, value).run();
    const auto read = std::find_if(flows.begin(), flows.end(), [&](const Flow& f) {
      return f.what.space == value.space && f.what.value == value.value && !is_of(f.rule, value);
    });
    if (!sources || read == flows.end()) continue;
    const Rule rule = program.rules[read->rule];
    const auto at = program.rules.erase(program.rules.begin() + static_cast<std::ptrdiff_t>(read->rule));
    std::vector<Rule> parts;
    for (const Source& source : *sources) {
      Rule part = with_source(program, rule, read->what, source);
      part.domain = isl::manage(isl_set_coalesce(part.domain.copy()));
      if (!part.domain.is_empty()) parts.push_back(std::move(part));
    }
    program.rules.insert(at, parts.begin(), parts.end());
    drop_what_nobody_reads(program);
    return true;
  }
  return false;
}

} // namespace cyclotron::lower
