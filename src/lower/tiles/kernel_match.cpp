// SPDX-License-Identifier: MIT
#include "lower/tiles/kernel_match.hpp"

#include "lower/tiles/kernel_definitions.hpp"
#include "lower/tiles/terms.hpp"

#include <algorithm>
#include <set>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

using Renaming = std::map<std::string, std::string>;

// A part of the pattern that could not be decided yet: a read of an argument on its diagonal.
struct Postponed {
  std::string argument;
  std::vector<std::string> places;
  Expr value;
  const TileCase* of;
};

// What is known so far: one way to see the pattern in the equations.
struct Found {
  Renaming indices; // of the definition, to places
  std::map<std::string, Elements> arguments;
  std::map<std::string, Access> results; // tensors that the definition computes, as tiles
  std::vector<Postponed> postponed;
};

std::vector<std::string> free_places(const Expr& expr) {
  std::set<std::string> names, bound;
  each_inside_name(expr, [&](const std::string& n) { names.insert(n); });
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    if (const Reduce* r = as<Reduce>(e))
      for (const Binder& b : r->variables) names.erase(b.name);
  });
  return {names.begin(), names.end()};
}

// The expression with its bound indices numbered, and the constraints on them: equal for what differs in names only.
struct Numbered {
  Expr value;
  std::multiset<std::string> constraints;
  bool operator==(const Numbered&) const = default;
};

Numbered numbered(const Expr& expr, const TileCase& of, const Renaming& places) {
  Renaming names = places;
  std::set<std::string> bound;
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    if (const Reduce* r = as<Reduce>(e))
      for (const Binder& b : r->variables)
        if (bound.insert(b.name).second) names[b.name] = "#" + std::to_string(bound.size());
  });
  Numbered result{with_names(expr, names), {}};
  for (const Constraint& c : of.constraints) {
    const Constraint again = with_names(c, names);
    if (print(again).find('#') != std::string::npos) result.constraints.insert(print(again));
  }
  for (const Comparison& c : of.inside) {
    const auto name = [&](const std::string& n) { return names.count(n) ? names.at(n) : n; };
    if (bound.count(c.left) || bound.count(c.right))
      result.constraints.insert(name(c.left) + std::string(name_of(c.relation)) + name(c.right));
  }
  return result;
}

// Matches one definition. Each step gives all ways to go on; patterns are small.
class Matcher {
public:
  Matcher(const KernelDefinition& definition, const IndexOrder& order, bool transposed)
      : program_(definition.program), order_(order), transposed_(transposed) {}

  using Ways = std::vector<Found>;

  // All equations of the definition with all cases of the groups that they fall on.
  Ways match_group(const TileGroup& group, const std::vector<TileGroup>& groups) {
    Found start;
    start.results.emplace(program_.equations[0].access().tensor, group.tile());
    Ways ways = match_cases(program_.equations[0].access().tensor, group, start);
    for (const TensorDecl& t : program_.tensors) {
      if (!program_.is_output(t.name.name) || t.name.name == program_.equations[0].access().tensor) continue;
      Ways longer;
      for (const Found& f : ways)
        if (const auto tile = f.results.find(t.name.name); tile != f.results.end())
          for (const TileGroup& g : groups)
            if (g.tile() == tile->second) append(longer, match_cases(t.name.name, g, f));
      ways = std::move(longer);
    }
    return completed(ways);
  }

  Ways match_elements(const Elements& elements) {
    const Equation& equation = program_.equations[0];
    Found start;
    of_ = elements.of;
    equation_ = &equation;
    // What holds where the elements are needed may be used: the kernel's other elements are not.
    known_ = inside_on(elements.places);
    if (!bind_target(equation, elements.places, start)) return {};
    return completed(match(equation.value, elements.value, start));
  }

private:
  static void append(Ways& to, Ways more) { std::move(more.begin(), more.end(), std::back_inserter(to)); }

  // Every case with one equation of the definition, and every equation with one case.
  Ways match_cases(const std::string& tensor, const TileGroup& group, const Found& start) {
    std::vector<const Equation*> equations;
    for (const Equation& e : program_.equations)
      if (e.access().tensor == tensor) equations.push_back(&e);
    Ways all;
    if (equations.size() != group.cases.size()) return all;
    std::vector<const TileCase*> cases = group.cases;
    std::sort(cases.begin(), cases.end());
    do {
      Ways ways{start};
      for (std::size_t i = 0; i < cases.size(); ++i) {
        Ways longer;
        for (const Found& f : ways) append(longer, match_equation(*equations[i], *cases[i], f));
        ways = std::move(longer);
      }
      append(all, std::move(ways));
    } while (std::next_permutation(cases.begin(), cases.end()));
    return all;
  }

  Ways match_equation(const Equation& equation, const TileCase& one, Found found) {
    of_ = &one;
    equation_ = &equation;
    found.indices.clear();
    std::vector<std::string> place = one.place;
    if (transposed_) std::reverse(place.begin(), place.end());
    if (!bind_target(equation, place, found)) return {};
    if (!order_.equivalent(comparisons_on(found.indices), inside_on(place))) return {};
    return match(equation.value, one.value, found);
  }

  static bool bind_target(const Equation& equation, const std::vector<std::string>& place, Found& found) {
    const std::vector<Expr>& indices = equation.access().indices;
    if (indices.size() != place.size()) return false;
    for (std::size_t d = 0; d < place.size(); ++d) {
      const auto [at, is_new] = found.indices.emplace(as<Name>(indices[d])->id, place[d]);
      if (at->second != place[d]) return false;
    }
    std::set<std::string> different;
    for (const auto& [from, to] : found.indices) different.insert(to);
    return different.size() == found.indices.size();
  }

  // The constraints of the definition, as far as they are about these indices.
  Comparisons comparisons_on(const Renaming& indices) const {
    Comparisons list;
    for (const Constraint& c : equation_->constraints) {
      const auto left = indices.find(as<Name>(c.operands[0])->id), right = indices.find(as<Name>(c.operands[1])->id);
      if (left != indices.end() && right != indices.end())
        list.push_back({left->second, c.relations[0], right->second});
    }
    return list;
  }

  Comparisons inside_on(const std::vector<std::string>& places) const {
    Comparisons list;
    const auto known = [&](const std::string& n) { return std::find(places.begin(), places.end(), n) != places.end(); };
    for (const Comparison& c : of_->inside)
      if (known(c.left) && known(c.right)) list.push_back(c);
    return list;
  }

  // --- expressions ---

  Ways match(const Expr& pattern, const Expr& expr, const Found& found) {
    if (const Access* a = as<Access>(pattern))
      return program_.is_output(a->tensor) ? match_result(*a, expr, found) : match_argument(*a, expr, found);
    if (const Reduce* r = as<Reduce>(pattern)) return match_sum(*r, expr, found);
    if (is_sum_of_terms(pattern)) return match_terms(pattern, expr, found);
    if (const Number* n = as<Number>(pattern)) {
      const Number* other = as<Number>(expr);
      return other && other->value == n->value ? Ways{found} : Ways{};
    }
    if (const Call* c = as<Call>(pattern)) {
      const Call* other = as<Call>(expr);
      if (!other || other->function != c->function || other->arguments.size() != 1) return {};
      return match(c->arguments[0], other->arguments[0], found);
    }
    const Binary& b = *as<Binary>(pattern);
    if (b.op == BinaryOp::mul) return match_factors(b, expr, found);
    const Binary* other = as<Binary>(expr);
    if (!other || other->op != b.op) return {};
    Ways ways;
    for (const Found& f : match(b.lhs, other->lhs, found)) append(ways, match(b.rhs, other->rhs, f));
    return ways;
  }

  std::vector<std::string> places_of(const Access& pattern, const Found& found) const {
    std::vector<std::string> places;
    for (const Expr& i : pattern.indices) places.push_back(found.indices.at(as<Name>(i)->id));
    return places;
  }

  Ways match_result(const Access& pattern, const Expr& expr, Found found) const {
    const Access* access = as<Access>(expr);
    std::vector<std::string> places = places_of(pattern, found);
    if (transposed_) std::reverse(places.begin(), places.end());
    if (!access || access->indices.size() < places.size()) return {};
    Access tile = *access;
    tile.indices.resize(access->indices.size() - places.size());
    for (std::size_t d = 0; d < places.size(); ++d) {
      const Name* place = as<Name>(access->indices[tile.indices.size() + d]);
      if (!place || place->id != places[d]) return {};
    }
    const auto at = found.results.emplace(pattern.tensor, tile).first;
    if (at->second != tile) return {};
    return {std::move(found)};
  }

  Ways match_argument(const Access& pattern, const Expr& expr, Found found) const {
    const std::vector<std::string> places = places_of(pattern, found);
    for (const std::string& name : free_places(expr))
      if (std::find(places.begin(), places.end(), name) == places.end()) return {};
    const bool distinct = std::set<std::string>(places.begin(), places.end()).size() == places.size();
    if (distinct && !found.arguments.count(pattern.tensor))
      found.arguments.emplace(pattern.tensor, Elements{places, expr, of_});
    else found.postponed.push_back({pattern.tensor, places, expr, of_});
    return {std::move(found)};
  }

  Ways match_sum(const Reduce& pattern, const Expr& expr, Found found) {
    const Reduce* reduce = as<Reduce>(expr);
    if (!reduce || reduce->reducer != pattern.reducer || reduce->variables.size() != pattern.variables.size())
      return {};
    std::vector<std::string> places;
    for (const auto& [index, place] : found.indices) places.push_back(place);
    for (std::size_t v = 0; v < pattern.variables.size(); ++v) {
      if (!is_inside(reduce->variables[v].name)) return {};
      found.indices[pattern.variables[v].name] = reduce->variables[v].name;
      places.push_back(reduce->variables[v].name);
    }
    if (!order_.equivalent(known_ + comparisons_on(found.indices), inside_on(places))) return {};
    Ways ways = match(pattern.body, reduce->body, found);
    for (Found& f : ways)
      for (const Binder& b : pattern.variables) f.indices.erase(b.name);
    return ways;
  }

  // A bare argument takes all terms that the rest of the pattern leaves.
  Ways match_terms(const Expr& pattern, const Expr& expr, const Found& found) {
    struct Partial {
      Found found;
      std::vector<Term> left;
    };
    std::vector<Partial> partials{{found, terms_of(expr)}};
    const Access* rest = nullptr;
    for (const Term& p : terms_of(pattern)) {
      if (const Access* a = as<Access>(p.value); a && !program_.is_output(a->tensor)) {
        rest = a;
        continue;
      }
      std::vector<Partial> longer;
      for (const Partial& partial : partials)
        for (std::size_t t = 0; t < partial.left.size(); ++t) {
          if (partial.left[t].negative != p.negative) continue;
          std::vector<Term> left = partial.left;
          left.erase(left.begin() + static_cast<std::ptrdiff_t>(t));
          for (Found& f : match(p.value, partial.left[t].value, partial.found)) longer.push_back({std::move(f), left});
        }
      partials = std::move(longer);
    }
    Ways ways;
    for (const Partial& p : partials) {
      if (!rest && p.left.empty()) ways.push_back(p.found);
      if (rest && !p.left.empty()) append(ways, match_argument(*rest, sum_of(p.left, expr->span), p.found));
    }
    return ways;
  }

  // Two factors, each of which takes some of those found.
  Ways match_factors(const Binary& pattern, const Expr& expr, const Found& found) {
    const std::vector<Expr> factors = factors_of(expr);
    Ways ways;
    if (factors.size() < 2 || factors.size() > 8) return ways;
    for (std::size_t chosen = 1; chosen + 1 < (std::size_t(1) << factors.size()); ++chosen) {
      std::vector<Expr> left, right;
      for (std::size_t f = 0; f < factors.size(); ++f) ((chosen >> f & 1) ? left : right).push_back(factors[f]);
      for (const Found& f : match(pattern.lhs, product_of(left, expr->span), found))
        append(ways, match(pattern.rhs, product_of(right, expr->span), f));
    }
    return ways;
  }

  // --- the end ---

  // Those where every argument is bound, all its uses agree, and none needs what the kernel computes.
  Ways completed(const Ways& ways) const {
    Ways list;
    for (const Found& f : ways)
      if (is_complete(f)) list.push_back(f);
    return list;
  }

  bool is_complete(const Found& found) const {
    for (const TensorDecl* t : program_.inputs()) {
      // Names of reduction variables go with a case, so all arguments are taken from one.
      const auto at = found.arguments.find(t->name.name);
      if (at == found.arguments.end() || at->second.of != found.arguments.begin()->second.of) return false;
    }
    for (const auto& [name, elements] : found.arguments)
      for (const auto& [result, tile] : found.results)
        if (reads_tile(elements.value, tile)) return false;
    return std::all_of(found.postponed.begin(), found.postponed.end(), [&](const Postponed& p) {
      const Elements& elements = found.arguments.at(p.argument);
      Renaming places;
      for (std::size_t d = 0; d < p.places.size(); ++d) places[elements.places[d]] = p.places[d];
      return numbered(elements.value, *elements.of, places) == numbered(p.value, *p.of, {});
    });
  }

  const Program& program_;
  const IndexOrder& order_;
  bool transposed_;
  const TileCase* of_ = nullptr;
  const Equation* equation_ = nullptr;
  Comparisons known_;
};

KernelUse use_of(const KernelDefinition& definition, const Found& found, bool transposed) {
  KernelUse use{definition.kernel, {}, transposed};
  for (const TensorDecl* t : definition.program.inputs()) use.arguments.push_back(found.arguments.at(t->name.name));
  return use;
}

} // namespace

std::vector<std::string> places_read(const Expr& expr) {
  std::vector<std::string> places;
  if (const Access* access = as<Access>(expr))
    for (const Expr& i : access->indices)
      if (const Name* name = as<Name>(i); name && is_inside(name->id)) places.push_back(name->id);
  return places;
}

bool reads_tile(const Expr& value, const Access& tile) {
  bool found = false;
  ir::walk<ExprNode>(value, [&](const Expr& e) {
    const Access* a = as<Access>(e);
    if (!a || a->tensor != tile.tensor || a->step != tile.step) return;
    found = found || std::equal(tile.indices.begin(), tile.indices.end(), a->indices.begin());
  });
  return found;
}

std::vector<KernelUse> kernels_for(const Elements& elements, const IndexOrder& order) {
  std::vector<KernelUse> uses;
  for (const KernelDefinition& d : kernel_definitions()) {
    const Equation& e = d.program.equations[0];
    if (d.program.equations.size() > 1) continue;
    for (const Found& f : Matcher(d, order, false).match_elements(elements)) {
      const KernelUse use = use_of(d, f, false);
      // A definition that is a bare argument fits everything; it is meant for a tile that is read as it is.
      if (!as<Access>(e.value) || places_read(elements.value) == use.arguments[0].places) uses.push_back(use);
    }
  }
  return uses;
}

std::vector<KernelUse> kernels_for(const TileGroup& group, const std::vector<TileGroup>& groups,
                                   const IndexOrder& order) {
  std::vector<KernelUse> uses;
  const bool matrix = group.cases[0]->place.size() == 2;
  for (const KernelDefinition& d : kernel_definitions())
    for (const bool transposed : {false, true})
      if (matrix || !transposed)
        for (const Found& f : Matcher(d, order, transposed).match_group(group, groups))
          uses.push_back(use_of(d, f, transposed));
  return uses;
}

} // namespace cyclotron::lower
