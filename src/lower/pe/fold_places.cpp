// SPDX-License-Identifier: MIT
#include "lower/pe/fold_places.hpp"

#include "lower/pe/places.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::lower {

using namespace recurrence;
using dataflow::Rule;
using dataflow::Space;

namespace {

// More than these many neighbours of one value are no neighbours.
constexpr int most_pieces = 16;

Affine named(const std::string& name, std::int64_t factor = 1) { return Affine{{{name, factor}}, 0}; }

// A coordinate that is added: a formula in those before it, divided and rounded down.
struct Quotient {
  std::string name;
  Affine formula;
  std::int64_t divisor = 1;
};

// What a fold does to one space.
struct Change {
  std::vector<Quotient> quotients;
  Point place;
  Point later; // further components of time
};

class Folder {
public:
  Folder(const dataflow::Program& program, const std::vector<Fold>& folds, const std::vector<bool>& falling,
         Diagnostics& diagnostics)
      : before_(program), folds_(folds), falling_(falling), diagnostics_(diagnostics), result_{program, {}} {}

  std::optional<Folded> run() {
    result_.wraps.resize(before_.axes.size());
    for (std::size_t s = 0; s < before_.spaces.size(); ++s) changes_.push_back({{}, before_.spaces[s].place, {}});
    for (std::size_t f = 0; f < folds_.size(); ++f)
      if (!add_fold(folds_[f], falling_[f])) return std::nullopt;
    for (std::size_t s = 0; s < before_.spaces.size(); ++s) change_space(s);
    // The axis counts other PEs than the coordinate of its name.
    for (const Fold& fold : folds_)
      for (std::string& axis : result_.program.axes)
        if (axis == fold.axis) axis += "_pe";
    result_.program.rules.clear();
    for (const Rule& r : before_.rules)
      if (!change_rule(r)) return std::nullopt;
    for (dataflow::Export& e : result_.program.exports) e.domain = e.domain.apply(added_[at(e.space)]);
    return std::move(result_);
  }

private:
  static std::size_t at(int space) { return static_cast<std::size_t>(space); }

  bool add_fold(const Fold& fold, bool falling) {
    const auto axis = std::find(before_.axes.begin(), before_.axes.end(), fold.axis);
    if (axis == before_.axes.end()) {
      diagnostics_.error(fold.span, fmt::format("`{}` is no axis of the array, so it cannot be folded", fold.axis))
          .with_hint("`fold` takes an index that `space` names");
      return false;
    }
    const auto a = static_cast<std::size_t>(axis - before_.axes.begin());
    const auto [first, last] = range_of_places(before_, a);
    const std::int64_t extent = last - first + 1;
    const std::int64_t whole = std::max<std::int64_t>(1, (extent + fold.count - 1) / fold.count);
    const std::int64_t block = fold.cyclic || fold.block > 1 ? fold.block : whole;
    const bool turns = extent > block * fold.count;
    result_.wraps[a] = turns;
    for (std::size_t s = 0; s < before_.spaces.size(); ++s) {
      Change& change = changes_[s];
      const Affine own = before_.spaces[s].place[a] - Affine{{}, first};
      Affine block_number = own;
      std::vector<Affine> later;
      if (block > 1) {
        change.quotients.push_back({unused_name(s, fold.axis + "_block"), own, block});
        block_number = named(change.quotients.back().name);
        later.push_back(own - block * block_number); // the place inside its block
      }
      change.place[a] = block_number;
      if (turns) {
        change.quotients.push_back({unused_name(s, fold.axis + "_turn"), block_number, fold.count});
        const Affine turn = named(change.quotients.back().name);
        change.place[a] = block_number - fold.count * turn;
        later.insert(later.begin(), turn);
      }
      for (const Affine& part : later) change.later.push_back(falling ? -1 * part : part);
    }
    return true;
  }

  std::string unused_name(std::size_t s, const std::string& wish) const {
    std::string name = wish;
    const auto& taken = before_.spaces[s].coordinates;
    while (std::find(taken.begin(), taken.end(), name) != taken.end()) name += "_";
    return name;
  }

  // { [coordinates] -> [coordinates, quotients] }
  isl::map added(const Space& space, const Change& change) const {
    std::vector<std::string> all = space.coordinates, both;
    for (const std::string& c : space.coordinates) both.push_back(c + "'");
    std::vector<Condition> conditions;
    for (std::size_t i = 0; i < both.size(); ++i)
      conditions.push_back(condition_of(named(both[i]), Relation::equal, named(all[i])));
    for (const Quotient& q : change.quotients) {
      all.push_back(q.name);
      const Affine rest = q.formula - q.divisor * named(q.name);
      conditions.push_back(condition_of(Affine{}, Relation::less_equal, rest));
      conditions.push_back(condition_of(rest, Relation::less, Affine{{}, q.divisor}));
    }
    both.insert(both.end(), all.begin(), all.end());
    isl_map* map = isl_map_from_range(set_where(*before_.context, *before_.source, both, conditions, false).release());
    return isl::manage(
        isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(space.coordinates.size())));
  }

  void change_space(std::size_t s) {
    Space& space = result_.program.spaces[s];
    const Change& change = changes_[s];
    added_.push_back(added(before_.spaces[s], change));
    space.domain = space.domain.apply(added_.back());
    for (const Quotient& q : change.quotients) space.coordinates.push_back(q.name);
    space.place = change.place;
    space.time.insert(space.time.end(), change.later.begin(), change.later.end());
  }

  // The rule in pieces: in each, every value that it reads is at a constant distance in the new coordinates too.
  bool change_rule(const Rule& rule) {
    isl_ctx_reset_operations(before_.context->get().get());
    std::vector<Rule> pieces{rule};
    pieces[0].domain = rule.domain.apply(added_[at(rule.space)]);
    if (pieces[0].domain.is_empty()) return true;
    std::vector<dataflow::Reference> references;
    ir::walk<ExprNode>(rule.expr, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      if (const auto ref = a ? dataflow::reference_of(*a, before_) : std::nullopt) references.push_back(*ref);
    });
    for (const dataflow::Reference& ref : references) {
      std::vector<Rule> finer;
      for (const Rule& piece : pieces)
        if (!split(piece, ref, finer)) return refuse(rule, ref);
      pieces = std::move(finer);
    }
    for (Rule& piece : pieces) result_.program.rules.push_back(std::move(piece));
    return true;
  }

  bool refuse(const Rule& rule, const dataflow::Reference& ref) {
    diagnostics_
        .error(rule.span, fmt::format("values of `{}` come to `{}` from PEs at different distances, so the "
                                      "array cannot be folded",
                                      ref.value, rule.value))
        .with_hint("pass them on from neighbour to neighbour: a rule that reads the value one place away");
    return false;
  }

  // Splits by the distance between the quotients of the reader and of the element.
  bool split(const Rule& piece, const dataflow::Reference& ref, std::vector<Rule>& to) const {
    const Space& reader = result_.program.spaces[at(piece.space)];
    const std::size_t count = changes_[at(ref.space)].quotients.size();
    const isl::map element = map_to(*before_.context, *before_.source, reader.coordinates, ref.point)
                                 .apply_range(added_[at(ref.space)])
                                 .intersect_domain(piece.domain);
    // { reader -> quotients of the element - quotients of the reader }
    Point own;
    for (const Quotient& q : changes_[at(piece.space)].quotients) own.push_back(named(q.name));
    own.resize(count);
    const isl::map mine = map_to(*before_.context, *before_.source, reader.coordinates, own);
    isl_map* theirs = isl_map_project_out(element.copy(), isl_dim_out, 0, static_cast<unsigned>(ref.point.size()));
    const isl::map distance = isl::manage(isl_map_sum(theirs, isl_map_neg(mine.copy())));
    std::optional<std::vector<std::vector<std::int64_t>>> distances = points_of(distance.range(), most_pieces);
    if (!distances) return false;
    for (const std::vector<std::int64_t>& d : *distances) {
      Rule part = piece;
      Point extended = ref.point;
      isl_map* here = distance.copy();
      for (std::size_t q = 0; q < count; ++q) {
        here = isl_map_fix_si(here, isl_dim_out, static_cast<unsigned>(q), static_cast<int>(d[q]));
        extended.push_back(own[q] + Affine{{}, d[q]});
      }
      part.domain = isl::manage(isl_map_domain(here)).coalesce();
      part.expr = replaced(piece.expr, ref, extended);
      to.push_back(std::move(part));
    }
    return true;
  }

  // The first access to this element that has not been extended yet.
  Expr replaced(const Expr& expr, const dataflow::Reference& ref, const Point& extended) const {
    bool done = false;
    const std::function<Expr(const Expr&)> replace = [&](const Expr& e) -> Expr {
      const Access* a = done ? nullptr : as<Access>(e);
      const auto own = a ? dataflow::reference_of(*a, before_) : std::nullopt;
      if (own && own->space == ref.space && own->value == ref.value && own->point == ref.point) {
        done = true;
        const Expr next = dataflow::refer_to(result_.program, ref.space, ref.value, extended);
        return Expr(*as<Access>(next), e->span);
      }
      return ir::map_children<ExprNode>(e, replace);
    };
    return replace(expr);
  }

  const dataflow::Program& before_;
  const std::vector<Fold>& folds_;
  const std::vector<bool>& falling_;
  Diagnostics& diagnostics_;
  Folded result_;
  std::vector<Change> changes_; // per space
  std::vector<isl::map> added_;
};

// How many reads are of values whose time comes after the time of the reader: on its own PE, where that cannot be, and
// on others.
std::pair<int, int> backward_reads(const dataflow::Program& program) {
  std::pair<int, int> count;
  const auto map = [&](const Space& s, const Point& point) {
    return map_to(*program.context, *program.source, s.coordinates, point);
  };
  for (const Rule& rule : program.rules) {
    isl_ctx_reset_operations(program.context->get().get());
    const Space& reader = program.spaces[static_cast<std::size_t>(rule.space)];
    ir::walk<ExprNode>(rule.expr, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      const auto ref = a ? dataflow::reference_of(*a, program) : std::nullopt;
      if (!ref) return;
      const Space& from = program.spaces[static_cast<std::size_t>(ref->space)];
      const isl::map in_time =
          isl::manage(isl_map_lex_ge_map(map(reader, reader.time).release(), map(from, from.time).release()));
      const isl::map late = map(reader, ref->point).intersect_domain(rule.domain).subtract(in_time);
      const isl::map same_pe = map(reader, reader.place).apply_range(map(from, from.place).reverse());
      if (!late.is_empty()) ++(late.is_disjoint(same_pe) ? count.second : count.first);
    });
  }
  return count;
}

} // namespace

std::optional<Folded> fold_places(const dataflow::Program& program, const std::vector<Fold>& folds,
                                  Diagnostics& diagnostics) {
  std::optional<Folded> best;
  std::pair<int, int> fewest;
  for (unsigned choice = 0; choice < (1U << folds.size()); ++choice) {
    std::vector<bool> falling;
    for (std::size_t f = 0; f < folds.size(); ++f) falling.push_back((choice & (1U << f)) != 0);
    auto attempt = Folder(program, folds, falling, diagnostics).run();
    if (!attempt) return std::nullopt;
    const std::pair<int, int> backward = backward_reads(attempt->program);
    if (best && backward >= fewest) continue;
    best.emplace(std::move(*attempt));
    fewest = backward;
    if (fewest == std::pair(0, 0)) break;
  }
  return best;
}

} // namespace cyclotron::lower
