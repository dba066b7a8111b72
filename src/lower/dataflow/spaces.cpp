// SPDX-License-Identifier: MIT
// A space for every equation: its coordinates are the equation's variables, and its place is what the axes of the array
// are called in it. Equations over the same variables that depend on each other at fixed distances share a space: what
// they compute at a point is one step.
#include "lower/dataflow/dataflow_builder.hpp"

#include <isl/ctx.h>
#include <isl/set.h>

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::lower {

using namespace recurrence;

void DataflowBuilder::fresh_quota() const { isl_ctx_reset_operations(context().get().get()); }

std::string DataflowBuilder::new_value(int s, const std::string& name, tensor::ValueType type,
                                       const std::vector<Affine>& tile) {
  std::string result = name;
  const auto taken = [&] {
    return std::any_of(out_.values.begin(), out_.values.end(),
                       [&](const dataflow::Value& v) { return v.space == s && v.name == result; });
  };
  for (int i = 2; taken(); ++i) result = fmt::format("{}{}", name, i);
  out_.values.push_back({s, result, type, tile});
  return result;
}

// A value that is a copy of elements of a tensor: with fewer indices than dimensions, of tiles.
std::string DataflowBuilder::copy_value(int s, const std::string& tensor, std::size_t indices) {
  const TensorDecl& decl = *source().tensor(tensor);
  std::vector<Affine> tile;
  const std::size_t steps = source().is_stepped(tensor) ? 1 : 0;
  for (std::size_t d = indices - steps; d < decl.dims.size(); ++d)
    tile.push_back(accepted_affine(decl.dims[d], source()));
  return new_value(s, tensor, decl.type, tile);
}

void DataflowBuilder::add_rule(int s, const std::string& value, const isl::set& domain, Expr expr, Span span,
                               dataflow::Supply supply) {
  const isl::set simple = isl::manage(isl_set_coalesce(domain.intersect(space(s).domain).release()));
  if (!simple.is_empty()) out_.rules.push_back({s, value, simple, std::move(expr), supply, span});
}

int DataflowBuilder::add_space(const std::string& name, const std::vector<std::string>& coordinates,
                               const isl::set& domain, const std::map<std::string, Affine>& as) {
  std::string unique = name;
  for (int i = 2; out_.space_named(unique) >= 0; ++i) unique = fmt::format("{}{}", name, i);
  std::map<std::string, Affine> all = as;
  add_spacetime(all);
  out_.spaces.push_back({unique, coordinates, domain, all, place_of(all), {}});
  return static_cast<int>(out_.spaces.size()) - 1;
}

// The rows of a space-time matrix are names like others, where the columns that they need have a meaning.
void DataflowBuilder::add_spacetime(std::map<std::string, Affine>& as) const {
  if (!mapping_.spacetime) return;
  const SpaceTime& m = *mapping_.spacetime;
  for (std::size_t row = 0; row < m.axes.size(); ++row) {
    Affine sum;
    bool known = true;
    for (std::size_t column = 0; column < m.indices.size(); ++column) {
      const std::int64_t factor = m.factor(row, column);
      if (factor == 0) continue;
      const auto at = as.find(m.indices[column]);
      known &= at != as.end();
      if (known) sum = sum + factor * at->second;
    }
    if (known) as[m.axes[row]] = sum;
  }
}

// What computes on a map needs the indices that its axes are made of.
void DataflowBuilder::refuse_without_place(const ArrayEquation& e, const std::map<std::string, Affine>& as) const {
  for (const std::string& axis : mapping_.spacetime ? mapping_.space : std::vector<std::string>{}) {
    const SpaceTime& m = *mapping_.spacetime;
    if (as.count(axis)) continue;
    std::vector<std::string> lacks;
    for (const std::string& index : m.indices)
      if (!as.count(index)) lacks.push_back("`" + index + "`");
    diagnostics_
        .unsupported(e.source->span, fmt::format("`{}` has no place on this map: its equation lacks {}, and the axis "
                                                 "`{}` is made of {}",
                                                 e.tensor, fmt::join(lacks, " and "), axis, fmt::join(m.indices, ", ")))
        .with_hint("name its indices as the map does, and give it those that it lacks; an equation that only names an "
                   "element, as in `z(c) = Z(c, r-1)`, needs no place");
  }
}

Point DataflowBuilder::place_of(const std::map<std::string, Affine>& as) const {
  Point place;
  for (const std::string& axis : mapping_.space) {
    const auto at = as.find(axis);
    place.push_back(at == as.end() ? Affine{} : at->second);
  }
  return place;
}

// Names that have been split, where all their parts have a meaning.
void DataflowBuilder::add_split_names(const ArrayEquation& e, std::map<std::string, Affine>& as) {
  for (const auto& [name, formula] : e.split)
    if (std::all_of(formula.terms.begin(), formula.terms.end(), [&](const auto& t) { return as.count(t.first) > 0; }))
      as[name] = formula;
}

// What the program's names are in an equation: `L(i,i) = …` has j = i, as the dimensions of L are i and j.
std::map<std::string, Affine> DataflowBuilder::meaning_of(const ArrayEquation& e) const {
  std::map<std::string, Affine> as;
  for (const std::string& v : e.variables) as[v] = plain(v);
  add_split_names(e, as);
  const auto& names = equations_.dimension_names.at(e.tensor);
  for (std::size_t d = 0; d < names.size(); ++d) {
    if (names[d].empty()) continue;
    // Parts of a split name follow only where the equation has them itself.
    if (!as.count(names[d]) || !e.split.count(names[d])) as[names[d]] = e.target[d];
  }
  return as;
}

// Around a sum over `j < i` the points with these names are where and when the sum ends: at j = i.
void DataflowBuilder::add_ends_of_sums(const ArrayEquation& e, const std::vector<std::string>& names_around,
                                       std::map<std::string, Affine>& as) const {
  for (const ArrayEquation::Sum& sum : e.sums) {
    if (sum.outer != names_around) continue;
    std::vector<std::string> names = sum.outer;
    names.insert(names.end(), sum.own.begin(), sum.own.end());
    for (std::size_t v = 0; v < sum.own.size(); ++v) {
      const std::string& own = sum.own[v];
      if (as.count(own)) continue;
      const bool falls = signs_.count(own) && signs_.at(own) < 0;
      isl::set alone = sum.domain; // over the outer variables and this one
      std::vector<std::size_t> others;
      for (std::size_t o = 0; o < sum.own.size(); ++o)
        if (o != v) others.push_back(sum.outer.size() + o);
      alone = without(alone, others);
      std::vector<std::string> those = sum.outer;
      those.push_back(own);
      if (falls) alone = isl::manage(isl_set_neg(alone.copy()));
      // With all signs turned, the largest is the smallest.
      std::optional<Affine> last = last_of(alone, sum.outer.size(), those, source());
      if (!last) continue;
      if (falls) {
        for (auto& [name, c] : last->terms)
          if (source().is_size(name)) c = -c;
        last->constant = -last->constant;
      }
      const bool moves = std::any_of(last->terms.begin(), last->terms.end(),
                                     [&](const auto& t) { return !source().is_size(t.first); });
      const bool is_axis = std::find(mapping_.space.begin(), mapping_.space.end(), own) != mapping_.space.end();
      as[own] = is_axis && !moves ? *last : *last + Affine{{}, falls ? -1 : 1};
    }
  }
}

// `z(c) = Z(c, r-1)` computes nothing: it names an element of another tensor.
bool DataflowBuilder::is_alias(std::size_t equation) const {
  const ArrayEquation& e = equations_.equations[equation];
  const Access* a = as<Access>(e.source->value);
  if (!a || !equations_.is_computed(a->tensor) || a->tensor == e.tensor) return false;
  // Each element names another one.
  return map_to(context(), source(), e.variables, equations_.element_of(*a, e))
      .intersect_domain(e.domain)
      .is_injective();
}

void DataflowBuilder::plan_equations() {
  const std::vector<std::size_t> companions = find_companions();
  for (std::size_t i = 0; i < equations_.equations.size(); ++i) {
    fresh_quota();
    const ArrayEquation& e = equations_.equations[i];
    Plan plan;
    if (e.constant) plan.kind = Plan::Kind::constant;
    else if (is_alias(i)) plan.kind = Plan::Kind::alias;
    else if (as<Reduce>(e.source->value)) plan.kind = Plan::Kind::sum;
    std::map<std::string, Affine> as = meaning_of(e);
    if (plan.kind == Plan::Kind::rules) {
      add_ends_of_sums(e, e.variables, as);
      add_spacetime(as);
      refuse_without_place(e, as);
      plan.space = companions[i] < i ? plans_[companions[i]].space : -1;
      if (plan.space >= 0) space(plan.space).domain = space(plan.space).domain.unite(e.domain);
      else plan.space = add_space(e.tensor, e.variables, e.domain, as);
      const ExprType& type = equations_.checked->types.of(e.source->target);
      std::string value = e.tensor;
      const bool known = std::any_of(out_.values.begin(), out_.values.end(), [&](const dataflow::Value& v) {
        return v.space == plan.space && v.name == e.tensor;
      });
      if (!known) value = new_value(plan.space, e.tensor, type.type, type.shape);
      plan.found.push_back({e.domain, plan.space, value, dataflow::own_point(space(plan.space)), {}});
      plan.located = true;
    } else if (plan.kind == Plan::Kind::constant) {
      plan.found.push_back({e.domain, -1, "", {}, e.source->value});
      plan.located = true;
    }
    plans_.push_back(std::move(plan));
  }
  // Sums whose result nobody works on: first all spaces, so that reads between equations find each other.
  for (std::size_t i = 0; i < plans_.size(); ++i)
    if (plans_[i].kind == Plan::Kind::sum) {
      const ArrayEquation& e = equations_.equations[i];
      plans_[i].found = lower_sum(e, e.sum(e.source->value), e.tensor, meaning_of(e), true);
      plans_[i].located = true;
    }
  for (std::size_t i = 0; i < plans_.size(); ++i)
    if (plans_[i].kind == Plan::Kind::rules) {
      const ArrayEquation& e = equations_.equations[i];
      lower_body({plans_[i].space, plans_[i].found[0].value, e.domain, e.source->value, &e}, meaning_of(e));
    }
}

// Where the elements of an equation are, in its variables.
const std::vector<Located>& DataflowBuilder::located(std::size_t equation) {
  Plan& plan = plans_[equation];
  if (!plan.located) { // an alias: where the elements are that it names
    plan.located = true;
    const ArrayEquation& e = equations_.equations[equation];
    const Access& a = std::get<Access>(e.source->value->kind);
    plan.found = sources_of(a.tensor, equations_.element_of(a, e), e.variables, e.domain);
  }
  return plan.found;
}

std::optional<dataflow::Program> DataflowBuilder::run() {
  out_.context = equations_.context;
  out_.source = equations_.program;
  out_.axes = mapping_.space;
  plan_equations();
  for (int s = 0; s < static_cast<int>(out_.spaces.size()) && !diagnostics_.failed(); ++s) resolve(s);
  if (!diagnostics_.failed()) finish_pending();
  if (!diagnostics_.failed()) refuse_unused_ways();
  if (!diagnostics_.failed()) add_exports();
  if (diagnostics_.failed()) return std::nullopt;
  return std::move(out_);
}

} // namespace cyclotron::lower
