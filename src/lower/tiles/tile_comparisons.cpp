// SPDX-License-Identifier: MIT
#include "lower/tiles/tile_comparisons.hpp"

#include "lower/contains.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;

namespace {

class ConstraintSorter {
public:
  ConstraintSorter(const Program& program, const Lift& lift, const std::map<std::string, Affine>& ranges,
                   Diagnostics& diagnostics)
      : program_(program), lift_(lift), ranges_(ranges), diagnostics_(diagnostics) {}

  void take(const Constraint& c) {
    if (!mentions(c, ranges_)) {
      result_.plain.emplace_back(result_.count++, c);
      return;
    }
    for (std::size_t i = 0; i < c.relations.size(); ++i) {
      const Constraint pair{{c.operands[i], c.operands[i + 1]}, {c.relations[i]}, c.span};
      const std::size_t position = result_.count++;
      if (!mentions(pair, ranges_)) result_.plain.emplace_back(position, pair);
      else if (!is_range(pair)) take_comparison(pair, position);
    }
  }

  TileConstraints result_;

private:
  static bool mentions(const Constraint& c, const auto& names) {
    bool found = false;
    for (const Expr& operand : c.operands)
      ir::walk<ExprNode>(operand, [&](const Expr& e) {
        if (const Name* n = as<Name>(e)) found = found || names.count(n->id) != 0;
      });
    return found;
  }

  // `0 <= i`, `i < n`.
  bool is_range(const Constraint& pair) const {
    const Condition c = condition_of(accepted_affine(pair.operands[0], program_), pair.relations[0],
                                     accepted_affine(pair.operands[1], program_));
    if (c.kind != Condition::Kind::nonnegative) return false;
    for (const auto& [name, size] : ranges_) {
      const Affine index{{{name, 1}}, 0}, last = size - index - Affine{{}, 1};
      for (const Affine& rest : {c.affine - index, c.affine - last})
        if (rest.is_constant() && rest.constant >= 0) return true;
    }
    return false;
  }

  void take_comparison(const Constraint& pair, std::size_t position) {
    const Name *left = as<Name>(pair.operands[0]), *right = as<Name>(pair.operands[1]);
    if (!left || !right || !ranges_.count(left->id) || !ranges_.count(right->id)) {
      diagnostics_.unsupported(pair.span, fmt::format("`{}` is not about whole tiles", print(pair)))
          .note(lift_.span, "the index is tiled here")
          .with_hint("tiled indices can be compared with each other, as in `k < j`; leave the index out of `tile`, or "
                     "write the equations on tiles by hand");
      return;
    }
    if (lift_.extents.at(left->id) != lift_.extents.at(right->id) || ranges_.at(left->id) != ranges_.at(right->id)) {
      const auto tiles = [&](const Name& n) {
        return fmt::format("`{}` has tiles of {} in a dimension of `{}`", n.id, lift_.extents.at(n.id),
                           print(ranges_.at(n.id)));
      };
      diagnostics_
          .unsupported(pair.span, fmt::format("`{}` compares indices whose tiles differ: {}, {}", print(pair),
                                              tiles(*left), tiles(*right)))
          .note(lift_.span, "they are tiled here")
          .with_hint("indices that are compared need tiles of one extent, in dimensions of one size");
      return;
    }
    const Relation r = pair.relations[0];
    const bool turned = r == Relation::greater || r == Relation::greater_equal;
    const Relation upward = r == Relation::greater ? Relation::less : turned ? Relation::less_equal : r;
    result_.comparisons.push_back(
        {{turned ? right->id : left->id, upward, turned ? left->id : right->id}, position, turned});
  }

  const Program& program_;
  const Lift& lift_;
  const std::map<std::string, Affine>& ranges_;
  Diagnostics& diagnostics_;
};

// The ways in which one comparison can hold.
std::vector<Choice> ways(const PlacedComparison& p) {
  const auto tiles = [&](Relation r) {
    PlacedComparison one = p;
    one.comparison.relation = r;
    return one;
  };
  if (p.implied) {
    PlacedComparison after = p;
    std::swap(after.comparison.left, after.comparison.right);
    return {{{tiles(Relation::less)}, {}}, {{tiles(Relation::equal)}, {}}, {{after}, {}}};
  }
  const auto& [left, relation, right] = p.comparison;
  std::vector<Choice> list;
  if (relation == Relation::not_equal) list.push_back({{tiles(Relation::not_equal)}, {}});
  else if (relation != Relation::equal) list.push_back({{tiles(Relation::less)}, {}});
  list.push_back({{tiles(Relation::equal)}, {{inside_of(left), relation, inside_of(right)}}});
  return list;
}

} // namespace

bool is_inside(const std::string& name) { return name.find('\'') != std::string::npos; }
std::string inside_of(const std::string& tile) { return tile + "'"; }

Comparisons Choice::between_tiles() const {
  Comparisons list;
  for (const PlacedComparison& p : tiles) list.push_back(p.comparison);
  return list;
}

std::vector<PlacedComparison> TileConstraints::between(const std::vector<std::string>& targets) const {
  std::vector<PlacedComparison> list;
  std::map<std::string, std::vector<std::string>> compared;
  for (const PlacedComparison& p : comparisons) {
    const bool left = contains(targets, p.comparison.left), right = contains(targets, p.comparison.right);
    if (left && right) list.push_back(p);
    else if (left) compared[p.comparison.right].push_back(p.comparison.left);
    else if (right) compared[p.comparison.left].push_back(p.comparison.right);
  }
  for (const auto& [variable, names] : compared)
    for (std::size_t i = 0; i < names.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (names[i] != names[j]) list.push_back({{names[j], Relation::less, names[i]}, count, false, true});
  return list;
}

TileConstraints tile_constraints(const Program& program, const Lift& lift, const Equation& equation,
                                 const std::map<std::string, Affine>& ranges, Diagnostics& diagnostics) {
  ConstraintSorter sorter(program, lift, ranges, diagnostics);
  for (const Constraint& c : equation.constraints) sorter.take(c);
  return std::move(sorter.result_);
}

std::vector<Choice> choices(const std::vector<PlacedComparison>& comparisons, const Comparisons& tiles,
                            const Comparisons& inside, const IndexOrder& order) {
  std::vector<Choice> list{{}};
  for (const PlacedComparison& p : comparisons) {
    std::vector<Choice> longer;
    for (const Choice& before : list)
      for (const Choice& way : ways(p)) {
        Choice both = before;
        both.tiles.insert(both.tiles.end(), way.tiles.begin(), way.tiles.end());
        both.inside = both.inside + way.inside;
        if (order.possible(tiles + both.between_tiles()) && order.possible(inside + both.inside))
          longer.push_back(std::move(both));
      }
    list = std::move(longer);
  }
  return list;
}

} // namespace cyclotron::lower
