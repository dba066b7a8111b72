// SPDX-License-Identifier: MIT
#include "lower/tile_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

using Names = std::vector<std::string>;
using Renaming = std::map<std::string, std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string renamed(const Renaming& renaming, const std::string& name) {
  const auto at = renaming.find(name);
  return at == renaming.end() ? name : at->second;
}

Expr index_named(const std::string& name, Span span = {}) { return Expr(Name{name, NameKind::index}, span); }

// A comparison of tiled indices, and which constraint it comes from: results keep the user's order.
struct Placed {
  Comparison comparison;
  std::size_t position = 0;
  bool implied = false; // not written, only to tell cases apart
};

// One way in which all comparisons can hold.
struct Choice {
  std::vector<Placed> tiles;
  Comparisons inside;
};

// What holds where an expression stands, and what its indices are called there.
struct Scope {
  Names tiles; // outermost first
  Comparisons known_tiles, known_inside;
  Renaming tile, inside;
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
    ranges_ = *ranges;
    const int before = diagnostics_.errors();
    for (const Constraint& c : equation_.constraints) sort_constraint(c);
    for (const Expr& i : equation_.access().indices)
      if (const Name* name = as<Name>(i); name && is_tiled(name->id) && !contains(targets_, name->id))
        targets_.push_back(name->id);
    std::vector<TileCase> cases;
    if (diagnostics_.errors() == before)
      for (const Choice& choice : choices(comparisons_of_targets(), {})) cases.push_back(case_of(choice));
    if (diagnostics_.errors() != before) return {};
    return cases;
  }

private:
  bool is_tiled(const std::string& name) const { return ranges_.count(name) != 0; }

  // --- constraints ---

  void sort_constraint(const Constraint& c) {
    for (std::size_t i = 0; i < c.relations.size(); ++i) {
      const Constraint pair{{c.operands[i], c.operands[i + 1]}, {c.relations[i]}, c.span};
      const std::size_t position = position_++;
      bool tiled = false;
      for (const Expr& operand : pair.operands)
        ir::walk<ExprNode>(operand, [&](const Expr& e) {
          if (const Name* n = as<Name>(e)) tiled = tiled || is_tiled(n->id);
        });
      if (!tiled) plain_.emplace_back(position, pair);
      else if (!is_range(pair)) add_comparison(pair, position);
    }
  }

  // `0 <= i`, `i < n`: what the dimension says already.
  bool is_range(const Constraint& pair) const {
    const Condition c = condition_of(accepted_affine(pair.operands[0], program_), pair.relations[0],
                                     accepted_affine(pair.operands[1], program_));
    if (c.kind != Condition::Kind::nonnegative) return false;
    for (const auto& [name, size] : ranges_) {
      const Affine index{{{name, 1}}, 0};
      for (const Affine& rest : {c.affine - index, c.affine - (size - index) + Affine{{}, 1}})
        if (rest.is_constant() && rest.constant >= 0) return true;
    }
    return false;
  }

  void add_comparison(const Constraint& pair, std::size_t position) {
    const Name *left = as<Name>(pair.operands[0]), *right = as<Name>(pair.operands[1]);
    if (!left || !right || !is_tiled(left->id) || !is_tiled(right->id)) {
      diagnostics_.unsupported(pair.span, fmt::format("`{}` is not about whole tiles", print(pair)))
          .note(lift_.span, "the index is tiled here")
          .with_hint("tiled indices can be compared with each other, as in `k < j`; leave the index out of `tile`, or "
                     "write the equations on tiles by hand");
      return;
    }
    if (lift_.extents.at(left->id) != lift_.extents.at(right->id) || ranges_.at(left->id) != ranges_.at(right->id)) {
      diagnostics_
          .unsupported(pair.span,
                       fmt::format("`{}` compares indices whose tiles differ: `{}` has tiles of {} in `{}`, "
                                   "`{}` tiles of {} in `{}`",
                                   print(pair), left->id, lift_.extents.at(left->id), print(ranges_.at(left->id)),
                                   right->id, lift_.extents.at(right->id), print(ranges_.at(right->id))))
          .with_hint("indices that are compared need tiles of one extent, in dimensions of one size");
      return;
    }
    switch (pair.relations[0]) {
    case Relation::greater: comparisons_.push_back({{right->id, Relation::less, left->id}, position}); return;
    case Relation::greater_equal:
      comparisons_.push_back({{right->id, Relation::less_equal, left->id}, position});
      return;
    default: comparisons_.push_back({{left->id, pair.relations[0], right->id}, position});
    }
  }

  // Those between indices of the left-hand side. Two of them that one reduction variable is compared with are told
  // apart, too: which tiles it meets depends on their order.
  std::vector<Placed> comparisons_of_targets() const {
    std::vector<Placed> list;
    std::map<std::string, Names> compared;
    for (const Placed& p : comparisons_) {
      const bool left = contains(targets_, p.comparison.left), right = contains(targets_, p.comparison.right);
      if (left && right) list.push_back(p);
      else if (left) compared[p.comparison.right].push_back(p.comparison.left);
      else if (right) compared[p.comparison.left].push_back(p.comparison.right);
    }
    for (const auto& [variable, names] : compared)
      for (std::size_t i = 1; i < names.size(); ++i)
        if (names[i] != names[0]) list.push_back({{names[0], Relation::less, names[i]}, position_, true});
    return list;
  }

  // --- choices ---

  // The ways in which one comparison can hold, those with different tiles first.
  static std::vector<Choice> ways(const Placed& p) {
    const auto& [left, relation, right] = p.comparison;
    const auto tiles = [&](Relation r, bool swap = false) {
      return Placed{swap ? Comparison{right, r, left} : Comparison{left, r, right}, p.position, p.implied};
    };
    if (p.implied)
      return {{{tiles(Relation::less)}, {}}, {{tiles(Relation::equal)}, {}}, {{tiles(Relation::less, true)}, {}}};
    std::vector<Choice> list;
    if (relation == Relation::not_equal) list.push_back({{tiles(Relation::not_equal)}, {}});
    else if (relation != Relation::equal) list.push_back({{tiles(Relation::less)}, {}});
    list.push_back({{tiles(Relation::equal)}, {p.comparison}});
    return list;
  }

  std::vector<Choice> choices(const std::vector<Placed>& comparisons, const Scope& scope) const {
    std::vector<Choice> list{{}};
    for (const Placed& p : comparisons) {
      std::vector<Choice> longer;
      for (const Choice& before : list)
        for (const Choice& way : ways(p)) {
          Choice both = before;
          both.tiles.insert(both.tiles.end(), way.tiles.begin(), way.tiles.end());
          both.inside = both.inside + way.inside;
          if (order_.possible(scope.known_tiles + tiles_of(both)) && order_.possible(scope.known_inside + both.inside))
            longer.push_back(std::move(both));
        }
      list = std::move(longer);
    }
    return list;
  }

  static Comparisons tiles_of(const Choice& choice) {
    Comparisons list;
    for (const Placed& p : choice.tiles) list.push_back(p.comparison);
    return list;
  }

  // Indices that are equal get one name, that of the outermost.
  static void merge(const Comparisons& comparisons, const Names& order, Renaming& renaming) {
    for (const Comparison& c : comparisons) {
      if (c.relation != Relation::equal) continue;
      std::string a = renamed(renaming, c.left), b = renamed(renaming, c.right);
      if (a == b) continue;
      if (std::find(order.begin(), order.end(), a) > std::find(order.begin(), order.end(), b)) std::swap(a, b);
      for (auto& [from, to] : renaming)
        if (to == b) to = a;
      renaming[b] = a;
    }
  }

  static Comparisons renamed_all(Comparisons list, const Renaming& renaming) {
    for (Comparison& c : list) c = {renamed(renaming, c.left), c.relation, renamed(renaming, c.right)};
    return list;
  }

  static std::string inside_of(const std::string& tile) { return tile + "'"; }

  // --- cases of the left-hand side ---

  TileCase case_of(const Choice& choice) {
    Scope scope;
    scope.tiles = targets_;
    scope.known_tiles = tiles_of(choice);
    merge(scope.known_tiles, targets_, scope.tile);
    Names places;
    for (const std::string& t : targets_) places.push_back(inside_of(t));
    for (const Comparison& c : choice.inside)
      scope.known_inside.push_back({inside_of(c.left), c.relation, inside_of(c.right)});
    merge(scope.known_inside, places, scope.inside);
    for (const std::string& t : targets_) scope.inside.emplace(inside_of(t), inside_of(t));

    collected_ = plain_;
    inside_ = renamed_all(scope.known_inside, scope.inside);
    bool whole = true;
    for (const Placed& p : choice.tiles) whole = whole && collect(p, choice, scope.tile);
    TileCase result;
    result.origin = &equation_;
    const Expr target = rewrite(equation_.target, scope);
    result.tile = *as<Access>(target);
    for (auto& i = result.tile.indices; !i.empty() && as<Name>(i.back()) && is_inside(as<Name>(i.back())->id);) {
      result.place.insert(result.place.begin(), as<Name>(i.back())->id);
      i.pop_back();
    }
    result.value = rewrite(equation_.value, scope);
    std::stable_sort(collected_.begin(), collected_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [position, constraint] : collected_) result.constraints.push_back(constraint);
    for (const Comparison& c : inside_)
      if (c.relation != Relation::equal) result.inside.push_back(c);
    return result;
  }

  // Adds what a comparison says of tiles to the constraints of the case, unless it only tells cases apart that the
  // others tell apart already.
  bool collect(const Placed& p, const Choice& choice, const Renaming& renaming) {
    if (p.comparison.relation == Relation::equal) return true;
    if (p.implied) {
      Comparisons others;
      for (const Placed& o : choice.tiles)
        if (!o.implied) others.push_back(o.comparison);
      if (order_.follows(p.comparison, others)) return true;
    }
    const Constraint c{
        {index_named(renamed(renaming, p.comparison.left)), index_named(renamed(renaming, p.comparison.right))},
        {p.comparison.relation},
        equation_.span};
    for (const auto& [position, other] : collected_)
      if (other == c) return true;
    collected_.emplace_back(p.position, c);
    return true;
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
      result.indices.push_back(index_named(renamed(scope.tile, name), index->span));
      places.push_back(index_named(renamed(scope.inside, inside_of(name)), index->span));
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
          .unsupported(expr->span, fmt::format("`{}` over `{}`, which is tiled: tiles can only be summed",
                                               name_of(reduce.reducer), own[0]))
          .note(lift_.span, "it is tiled here")
          .with_hint(fmt::format("leave `{}` out of `tile`", own[0]));
      return expr;
    }
    std::vector<Placed> comparisons;
    for (const Placed& p : comparisons_) {
      const bool left = contains(own, p.comparison.left), right = contains(own, p.comparison.right);
      if ((left && (right || contains(scope.tiles, p.comparison.right))) ||
          (right && contains(scope.tiles, p.comparison.left)))
        comparisons.push_back(p);
    }
    Expr total;
    int number = 0;
    for (const Choice& choice : choices(comparisons, scope)) {
      const Expr term = term_of(reduce, expr, own, choice, scope, number++);
      total = total ? Expr(Binary{BinaryOp::add, total, term}, expr->span) : term;
    }
    return total ? total : Expr(Number{0, 0}, expr->span);
  }

  // The sum over those tiles that one choice leaves.
  Expr term_of(const Reduce& reduce, const Expr& expr, const Names& own, const Choice& choice, Scope scope,
               int number) {
    scope.tiles.insert(scope.tiles.end(), own.begin(), own.end());
    const Comparisons known = scope.known_tiles, tiles = tiles_of(choice);
    scope.known_tiles = scope.known_tiles + tiles;
    merge(tiles, scope.tiles, scope.tile);
    Names places;
    for (const std::string& t : scope.tiles) {
      const bool is_own = contains(own, t), merged = renamed(scope.tile, t) != t;
      if (is_own) scope.inside[inside_of(t)] = inside_of(t) + (merged ? std::to_string(number) : "");
      places.push_back(scope.inside.at(inside_of(t)));
    }
    Comparisons inside;
    for (const Comparison& c : choice.inside)
      inside.push_back({scope.inside.at(inside_of(c.left)), c.relation, scope.inside.at(inside_of(c.right))});
    scope.known_inside = scope.known_inside + inside;
    merge_places(inside, places, scope.inside);
    for (const Comparison& c : renamed_all(inside, {}))
      if (c.relation != Relation::equal && std::find(inside_.begin(), inside_.end(), c) == inside_.end())
        inside_.push_back(c);
    for (const Placed& p : choice.tiles) {
      if (is_decided(p, own, scope, known)) collect_of_sum(p, own, choice, scope);
      else refuse_undecided(p, expr);
    }
    return sum_of(reduce, expr, scope);
  }

  static void merge_places(const Comparisons& inside, const Names& places, Renaming& renaming) {
    Renaming merged;
    merge(inside, places, merged);
    for (auto& [name, place] : renaming) place = renamed(merged, place);
  }

  // Once the reduction's tile is one of those outside, nothing new may follow for those.
  bool is_decided(const Placed& p, const Names& own, const Scope& scope, const Comparisons& known) const {
    const Comparison c{renamed(scope.tile, p.comparison.left), p.comparison.relation,
                       renamed(scope.tile, p.comparison.right)};
    if (contains(own, c.left) || contains(own, c.right) || c.left == c.right) return true;
    return order_.follows(c, known);
  }

  void collect_of_sum(const Placed& p, const Names& own, const Choice& choice, const Scope& scope) {
    if (contains(own, renamed(scope.tile, p.comparison.left)) || contains(own, renamed(scope.tile, p.comparison.right)))
      collect(p, choice, scope.tile);
  }

  void refuse_undecided(const Placed& p, const Expr& expr) {
    diagnostics_
        .unsupported(expr->span,
                     fmt::format("which tiles `{} {} {}` leaves depends on indices whose order is not known",
                                 p.comparison.left, name_of(p.comparison.relation), p.comparison.right))
        .with_hint("write the equations on tiles by hand");
  }

  Expr sum_of(const Reduce& reduce, const Expr& expr, const Scope& scope) {
    std::vector<Binder> tiles, places;
    for (const Binder& b : reduce.variables) {
      if (!is_tiled(b.name)) {
        tiles.push_back(b);
        continue;
      }
      if (renamed(scope.tile, b.name) == b.name) tiles.push_back(b);
      const std::string place = scope.inside.at(inside_of(b.name));
      if (place.starts_with(inside_of(b.name))) places.push_back({place, b.span});
    }
    tiles.insert(tiles.end(), places.begin(), places.end());
    const Expr body = rewrite(reduce.body, scope);
    return tiles.empty() ? body : Expr(Reduce{Reducer::sum, std::move(tiles), body}, expr->span);
  }

  const Program& program_;
  const Lift& lift_;
  const Blocks& blocks_;
  const Equation& equation_;
  const IndexOrder& order_;
  Diagnostics& diagnostics_;
  std::map<std::string, Affine> ranges_;
  Names targets_;
  std::size_t position_ = 0;
  std::vector<std::pair<std::size_t, Constraint>> plain_; // constraints without tiled indices
  std::vector<Placed> comparisons_;                       // constraints between tiled indices
  std::vector<std::pair<std::size_t, Constraint>> collected_;
  Comparisons inside_;
};

} // namespace

bool is_inside(const std::string& name) { return name.find('\'') != std::string::npos; }

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
