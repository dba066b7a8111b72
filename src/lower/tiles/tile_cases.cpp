// SPDX-License-Identifier: MIT
#include "lower/tiles/tile_cases.hpp"

#include "lower/contains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

using Names = std::vector<std::string>;
using Renaming = std::map<std::string, std::string>;

std::string renamed(const Renaming& renaming, const std::string& name) {
  const auto at = renaming.find(name);
  return at == renaming.end() ? name : at->second;
}

Comparison renamed(const Renaming& renaming, const Comparison& c) {
  return {renamed(renaming, c.left), c.relation, renamed(renaming, c.right)};
}

Expr index_named(const std::string& name, Span span = {}) { return Expr(Name{name, NameKind::index}, span); }

// Names that are equal become one, the first in `order`.
Renaming merged(const Comparisons& comparisons, const Names& order) {
  Renaming renaming;
  for (const std::string& name : order) renaming[name] = name;
  for (const Comparison& c : comparisons) {
    if (c.relation != Relation::equal) continue;
    std::string a = renaming.at(c.left), b = renaming.at(c.right);
    if (std::find(order.begin(), order.end(), a) > std::find(order.begin(), order.end(), b)) std::swap(a, b);
    for (auto& [from, to] : renaming)
      if (to == b) to = a;
  }
  return renaming;
}

// What holds where an expression stands, and what its indices are called there.
struct Scope {
  Names indices; // tiled ones, outermost first
  Comparisons tiles, inside;
  Renaming tile;  // an index, to the name of its tile
  Renaming place; // an index, to the name of its place inside

  // The names of places, in order.
  Names places() const {
    Names list;
    for (const std::string& i : indices) list.push_back(place.at(i));
    return list;
  }
};

class CaseMaker {
public:
  CaseMaker(const Program& program, const Lift& lift, const Blocks& blocks, const Equation& equation,
            const IndexOrder& order, Diagnostics& diagnostics)
      : program_(program), lift_(lift), blocks_(blocks), equation_(equation), order_(order), diagnostics_(diagnostics) {
  }

  std::vector<TileCase> run() {
    const auto ranges = tiled_ranges(program_, lift_, equation_, diagnostics_);
    if (!ranges) return {};
    const int before = diagnostics_.errors();
    constraints_ = tile_constraints(program_, lift_, equation_, *ranges, diagnostics_);
    Names targets;
    for (const Expr& i : equation_.access().indices)
      if (const Name* name = as<Name>(i); name && is_tiled(name->id) && !contains(targets, name->id))
        targets.push_back(name->id);
    std::vector<TileCase> cases;
    if (diagnostics_.errors() == before)
      for (const Choice& choice : choices(constraints_.between(targets), {}, {}, order_))
        cases.push_back(case_of(choice, targets));
    if (diagnostics_.errors() != before) return {};
    return cases;
  }

private:
  bool is_tiled(const std::string& name) const { return lift_.extents.count(name) != 0; }

  // --- cases of the left-hand side ---

  TileCase case_of(const Choice& choice, const Names& targets) {
    Scope scope{targets, choice.between_tiles(), choice.inside, {}, {}};
    scope.tile = merged(scope.tiles, targets);
    for (const std::string& t : targets) scope.place[t] = inside_of(t);
    merge_places(scope, choice.inside);

    collected_ = constraints_.plain;
    inside_.clear();
    bound_.clear();
    for (const PlacedComparison& p : choice.tiles)
      if (!p.implied || !order_.follows(p.comparison, written(choice))) collect(p, scope.tile);
    for (const Comparison& c : choice.inside) collect_inside(c);
    TileCase result;
    result.origin = &equation_;
    result.tile = *as<Access>(rewrite(equation_.target, scope));
    std::erase_if(result.tile.indices, [&](const Expr& i) {
      const Name* name = as<Name>(i);
      const bool inside = name && is_inside(name->id);
      if (inside) result.place.push_back(name->id);
      return inside;
    });
    result.value = rewrite(equation_.value, scope);
    std::stable_sort(collected_.begin(), collected_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [position, constraint] : collected_) result.constraints.push_back(constraint);
    result.inside = inside_;
    return result;
  }

  static void merge_places(Scope& scope, const Comparisons& inside) {
    const Renaming same = merged(inside, scope.places());
    for (auto& [index, place] : scope.place) place = same.at(place);
  }

  static Comparisons written(const Choice& choice) {
    Comparisons list;
    for (const PlacedComparison& p : choice.tiles)
      if (!p.implied) list.push_back(p.comparison);
    return list;
  }

  // Adds what a comparison says of tiles to the constraints of the case.
  void collect(const PlacedComparison& p, const Renaming& tile) {
    if (p.comparison.relation == Relation::equal) return;
    Expr left = index_named(renamed(tile, p.comparison.left)), right = index_named(renamed(tile, p.comparison.right));
    if (p.turned) std::swap(left, right);
    const bool greater = p.turned && p.comparison.relation == Relation::less;
    const Constraint c{{left, right}, {greater ? Relation::greater : p.comparison.relation}, equation_.span};
    for (const auto& [position, other] : collected_)
      if (other == c) return;
    collected_.emplace_back(p.position, c);
  }

  void collect_inside(const Comparison& c) {
    if (c.relation != Relation::equal && std::find(inside_.begin(), inside_.end(), c) == inside_.end())
      inside_.push_back(c);
  }

  // --- values ---

  Expr rewrite(const Expr& expr, const Scope& scope) {
    if (const Access* a = as<Access>(expr)) return rewrite_access(*a, expr->span, scope);
    if (const Reduce* r = as<Reduce>(expr)) return rewrite_reduce(*r, expr, scope);
    return ir::map_children<ExprNode>(expr, [&](const Expr& e) { return rewrite(e, scope); });
  }

  Expr rewrite_access(const Access& access, Span span, const Scope& scope) const {
    const std::vector<std::int64_t>& blocks = blocks_.at(access.tensor);
    Access result{access.tensor, access.step, {}};
    std::vector<Expr> places;
    for (std::size_t d = 0; d < access.indices.size(); ++d) {
      const Expr& index = access.indices[d];
      if (blocks[d] == 0) {
        result.indices.push_back(index);
        continue;
      }
      const std::string& name = as<Name>(index)->id;
      result.indices.push_back(index_named(scope.tile.at(name), index->span));
      places.push_back(index_named(scope.place.at(name), index->span));
    }
    result.indices.insert(result.indices.end(), places.begin(), places.end());
    return Expr(std::move(result), span);
  }

  Expr rewrite_reduce(const Reduce& reduce, const Expr& expr, const Scope& scope) {
    Names own;
    for (const Binder& b : reduce.variables)
      if (is_tiled(b.name)) own.push_back(b.name);
    if (own.empty()) return ir::map_children<ExprNode>(expr, [&](const Expr& e) { return rewrite(e, scope); });
    if (reduce.reducer != Reducer::sum) {
      diagnostics_
          .unsupported(expr->span, fmt::format("`{}` is over `{}`, which is tiled, but tiles can only be summed",
                                               name_of(reduce.reducer), own[0]))
          .note(lift_.span, "it is tiled here")
          .with_hint(fmt::format("leave `{}` out of `tile`", own[0]));
      return expr;
    }
    Expr total;
    int number = 0;
    for (const Choice& choice : choices(comparisons_of(own, scope), scope.tiles, scope.inside, order_)) {
      const Expr term = term_of(reduce, expr, own, choice, scope, number++);
      total = total ? Expr(Binary{BinaryOp::add, total, term}, expr->span) : term;
    }
    return total ? total : Expr(Number{0, 0}, expr->span);
  }

  std::vector<PlacedComparison> comparisons_of(const Names& own, const Scope& scope) const {
    std::vector<PlacedComparison> list;
    for (const PlacedComparison& p : constraints_.comparisons) {
      const bool left = contains(own, p.comparison.left), right = contains(own, p.comparison.right);
      const bool both = left && right;
      if (both || (left && contains(scope.indices, p.comparison.right)) ||
          (right && contains(scope.indices, p.comparison.left)))
        list.push_back(p);
    }
    return list;
  }

  // The sum over those tiles that one choice leaves. A variable whose tile is one of those outside is summed only over
  // places, under a name of its own.
  Expr term_of(const Reduce& reduce, const Expr& expr, const Names& own, const Choice& choice, Scope scope,
               int number) {
    const Comparisons outside = scope.tiles;
    scope.indices.insert(scope.indices.end(), own.begin(), own.end());
    scope.tiles = scope.tiles + choice.between_tiles();
    scope.tile = merged(scope.tiles, scope.indices);
    Renaming places; // of the choice, to those of this sum
    for (const std::string& i : own)
      scope.place[i] = inside_of(i) + (scope.tile.at(i) == i ? "" : std::to_string(number));
    for (const std::string& i : scope.indices) places[inside_of(i)] = scope.place.at(i);
    Comparisons inside;
    for (const Comparison& c : choice.inside) inside.push_back(renamed(places, c));
    scope.inside = scope.inside + inside;
    merge_places(scope, inside);
    for (const Comparison& c : inside) collect_inside(c);
    for (const PlacedComparison& p : choice.tiles) {
      const Comparison c = renamed(scope.tile, p.comparison);
      if (contains(own, c.left) || contains(own, c.right)) collect(p, scope.tile);
      else if (c.left != c.right && !order_.follows(c, outside)) refuse_undecided(p, expr);
    }
    const std::vector<Binder> variables = variables_of(reduce, scope);
    check_same_meaning(variables, expr);
    const Expr body = rewrite(reduce.body, scope);
    return variables.empty() ? body : Expr(Reduce{Reducer::sum, variables, body}, expr->span);
  }

  void refuse_undecided(const PlacedComparison& p, const Expr& expr) {
    diagnostics_
        .unsupported(expr->span,
                     fmt::format("which tiles `{} {} {}` leaves depends on indices whose order is not known",
                                 p.comparison.left, name_of(p.comparison.relation), p.comparison.right))
        .with_hint("write the equations on tiles by hand");
  }

  // Tiles first, then places.
  std::vector<Binder> variables_of(const Reduce& reduce, const Scope& scope) const {
    std::vector<Binder> tiles, places;
    for (const Binder& b : reduce.variables) {
      if (!is_tiled(b.name) || scope.tile.at(b.name) == b.name) tiles.push_back(b);
      if (is_tiled(b.name) && scope.place.at(b.name).starts_with(inside_of(b.name)))
        places.push_back({scope.place.at(b.name), b.span});
    }
    tiles.insert(tiles.end(), places.begin(), places.end());
    return tiles;
  }

  // Constraints go by names, so a name must mean the same in every sum of the case.
  void check_same_meaning(const std::vector<Binder>& variables, const Expr& expr) {
    for (const Binder& b : variables) {
      std::string meaning;
      for (const auto& [position, c] : collected_)
        for (const Expr& operand : c.operands)
          if (operand == index_named(b.name)) meaning += print(c) + ", ";
      for (const Comparison& c : inside_)
        if (c.mentions(b.name)) meaning += fmt::format("{} {} {}, ", c.left, name_of(c.relation), c.right);
      const auto [at, is_new] = bound_.emplace(b.name, meaning);
      const std::string name = b.name.substr(0, b.name.find('\''));
      if (at->second == meaning || !refused_.insert(name).second) continue;
      diagnostics_
          .unsupported(expr->span, fmt::format("`{}` would range over different tiles in parts of one sum", name))
          .note(lift_.span, "it is tiled here")
          .with_hint("give the inner sum a tensor of its own, or write the equations on tiles by hand");
      return;
    }
  }

  const Program& program_;
  const Lift& lift_;
  const Blocks& blocks_;
  const Equation& equation_;
  const IndexOrder& order_;
  Diagnostics& diagnostics_;
  TileConstraints constraints_;
  // Of the case that is being made.
  std::vector<std::pair<std::size_t, Constraint>> collected_;
  Comparisons inside_;
  std::map<std::string, std::string> bound_; // names of sums, and what constrains them
  std::set<std::string> refused_;
};

} // namespace

void each_inside_name(const Expr& expr, const std::function<void(const std::string&)>& f) {
  ir::walk<ExprNode>(expr, [&](const Expr& e) {
    if (const Name* n = as<Name>(e); n && is_inside(n->id)) f(n->id);
  });
}

std::vector<TileCase> tile_cases(const Program& program, const Lift& lift, const Blocks& blocks,
                                 const Equation& equation, const IndexOrder& order, Diagnostics& diagnostics) {
  return CaseMaker(program, lift, blocks, equation, order, diagnostics).run();
}

} // namespace cyclotron::lower
