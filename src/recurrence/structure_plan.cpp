// SPDX-License-Identifier: MIT
// Chooses the loops for a rule: tries the orders of its atoms and takes the one that should meet the fewest tuples.
#include "recurrence/structure_join.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace cyclotron::recurrence::structure {

namespace {

constexpr std::size_t most_atoms_permuted = 5;
constexpr double cost_of_disorder = 6; // per head: what sorting them in the end takes

std::int64_t coefficient_of(const LinearForm& form, int variable) {
  for (const auto& [v, c] : form.terms)
    if (v == variable) return c;
  return 0;
}

LinearForm without(LinearForm form, int variable) {
  form.terms.erase(
      std::remove_if(form.terms.begin(), form.terms.end(), [&](const auto& t) { return t.first == variable; }),
      form.terms.end());
  return form;
}

class Planner {
public:
  Planner(const Rule& rule, const std::vector<SparseTensor>& relations, const PlanSource& source)
      : rule_(rule), relations_(relations), source_(source), bound_(rule.range.size(), false) {
    plan_.head = rule.head.at;
    plan_.variables = static_cast<int>(rule.range.size());
  }

  Plan run(const Given& given, const std::vector<int>& order, const std::vector<int>& rows,
           const std::vector<const Skip*>& skips) {
    add_given(given);
    for (int a : order) add_atom(rule_.body[static_cast<std::size_t>(a)]);
    for (const LinearForm& form : rule_.head.at) bind_all(form);
    for (const LinearCondition& c : rule_.conditions) bind_all(c.form);
    place_conditions();
    place_skips(skips);
    mark_whole();
    mark_ahead();
    const bool in_order =
        plan_.bound_by_turn.size() >= rows.size() && std::equal(rows.begin(), rows.end(), plan_.bound_by_turn.begin());
    plan_.heads = tuples_;
    if (!in_order) plan_.cost += cost_of_disorder * tuples_;
    return std::move(plan_);
  }

private:
  std::vector<int> unbound(const LinearForm& form) const {
    std::vector<int> list;
    for (const auto& [v, c] : form.terms)
      if (!bound_[static_cast<std::size_t>(v)]) list.push_back(v);
    return list;
  }

  bool head_known() const {
    return std::all_of(rule_.head.at.begin(), rule_.head.at.end(),
                       [&](const LinearForm& f) { return unbound(f).empty(); });
  }

  // Adds a level that binds these variables and meets so many tuples each time.
  void add(Level level, const std::vector<int>& binds, double tuples) {
    level.enough = head_known();
    for (int v : binds) {
      bound_[static_cast<std::size_t>(v)] = true;
      bound_at_.resize(rule_.range.size(), -1);
      bound_at_[static_cast<std::size_t>(v)] = static_cast<int>(plan_.levels.size());
      plan_.bound_by_turn.push_back(v);
    }
    plan_.cost += tuples_ * (1 + (level.enough ? std::min(tuples, 4.0) : tuples));
    tuples_ *= level.enough ? std::min(tuples, 1.0) : tuples;
    plan_.levels.push_back(std::move(level));
  }

  void add_range(int variable) {
    Level level;
    level.kind = Level::Kind::range;
    level.variable = variable;
    level.range = rule_.range[static_cast<std::size_t>(variable)];
    const double count = static_cast<double>(level.range.second - level.range.first + 1);
    add(std::move(level), {variable}, count);
  }

  void bind_all(const LinearForm& form) {
    for (int v : unbound(form)) add_range(v);
  }

  // How the form equals a coordinate that is met; binds at most one variable.
  Match match_of(const LinearForm& form, std::vector<int>& binds) {
    const std::vector<int> open = unbound(form);
    if (open.empty()) return {form, -1, 0};
    binds.push_back(open[0]);
    bound_[static_cast<std::size_t>(open[0])] = true;
    return {without(form, open[0]), open[0], coefficient_of(form, open[0])};
  }

  void add_given(const Given& given) {
    if (given.empty()) return;
    // All but one variable of each form run through their ranges first.
    for (const LinearForm& form : given) {
      const std::vector<int> open = unbound(form);
      for (std::size_t i = 1; i < open.size(); ++i) add_range(open[i]);
    }
    Level level;
    std::vector<int> binds;
    for (const LinearForm& form : given) level.matches.push_back(match_of(form, binds));
    add(std::move(level), binds, 1);
  }

  // The free coordinates in an order in which each binds at most one variable; nothing where there is none.
  std::optional<std::vector<int>> order_of(const Atom& atom, std::vector<int> free) const {
    std::set<int> known;
    std::vector<int> order;
    while (!free.empty()) {
      const auto next = std::find_if(free.begin(), free.end(), [&](int d) {
        const std::vector<int> open = unbound(atom.at[static_cast<std::size_t>(d)]);
        return std::count_if(open.begin(), open.end(), [&](int v) { return !known.count(v); }) <= 1;
      });
      if (next == free.end()) return std::nullopt;
      for (int v : unbound(atom.at[static_cast<std::size_t>(*next)])) known.insert(v);
      order.push_back(*next);
      free.erase(next);
    }
    return order;
  }

  void add_atom(const Atom& atom) {
    const std::vector<std::int64_t>& dims = relations_[static_cast<std::size_t>(atom.relation)].dims;
    std::vector<int> bound, free;
    double tuples = source_.count(atom.relation);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const bool known = unbound(atom.at[d]).empty();
      (known ? bound : free).push_back(static_cast<int>(d));
      if (known) tuples /= static_cast<double>(std::max<std::int64_t>(dims[d], 1));
    }
    Level level;
    level.relation = atom.relation;
    if (free.empty()) {
      level.kind = Level::Kind::check;
      source_.check(atom.relation, level, atom);
      add(std::move(level), {}, std::min(tuples, 1.0));
      return;
    }
    // The first dimensions of the head come first, so that heads come in their order where they can.
    std::stable_sort(free.begin(), free.end(), [&](int a, int b) { return rank_of(atom, a) < rank_of(atom, b); });
    const auto order = order_of(atom, free);
    if (!order) {
      const LinearForm& form = atom.at[static_cast<std::size_t>(free[0])];
      add_range(unbound(form).back());
      return add_atom(atom);
    }
    level.kind = Level::Kind::fiber;
    for (int d : bound) level.key.push_back(atom.at[static_cast<std::size_t>(d)]);
    std::vector<int> binds;
    for (int d : *order) level.matches.push_back(match_of(atom.at[static_cast<std::size_t>(d)], binds));
    for (int v : binds) bound_[static_cast<std::size_t>(v)] = false; // until the level is added
    if (order->size() == 1) {
      level.variable = level.matches[0].variable;
      level.range = rule_.range[static_cast<std::size_t>(level.variable)];
    }
    level.index = source_.index(atom.relation, bound, *order);
    add(std::move(level), binds, tuples);
  }

  // Where the head first mentions what this coordinate would bind, in storage order.
  std::size_t rank_of(const Atom& atom, int dimension) const {
    const std::vector<int>& storage = relations_[static_cast<std::size_t>(rule_.head.relation)].decl->format.order;
    const std::vector<int> open = unbound(atom.at[static_cast<std::size_t>(dimension)]);
    for (std::size_t l = 0; l < storage.size(); ++l)
      for (int v : open)
        if (coefficient_of(rule_.head.at[static_cast<std::size_t>(storage[l])], v) != 0) return l;
    return storage.size();
  }

  int level_of(const LinearForm& form) const {
    int at = 0;
    for (const auto& [v, c] : form.terms) at = std::max(at, bound_at_[static_cast<std::size_t>(v)]);
    return at;
  }

  void place_conditions() {
    for (const LinearCondition& c : rule_.conditions) {
      Level& level = plan_.levels[static_cast<std::size_t>(level_of(c.form))];
      const std::int64_t k = level.variable >= 0 ? coefficient_of(c.form, level.variable) : 0;
      if (k != 0 && c.kind != Condition::Kind::nonzero)
        level.limits.push_back({without(c.form, level.variable), k, c.kind == Condition::Kind::zero});
      else level.tests.push_back(c);
    }
  }

  void place_skips(const std::vector<const Skip*>& skips) {
    for (const Skip* skip : skips) {
      int at = bound_at_[static_cast<std::size_t>(skip->variable)];
      for (const LinearCondition& c : skip->conditions) at = std::max(at, level_of(without(c.form, skip->pivot)));
      plan_.levels[static_cast<std::size_t>(at)].skips.push_back(skip);
      plan_.variables = std::max(plan_.variables, skip->pivot + 1);
    }
  }

  void mark_ahead() {
    for (std::size_t l = 0; l + 1 < plan_.levels.size(); ++l) {
      Level& level = plan_.levels[l];
      const Level& next = plan_.levels[l + 1];
      if (level.kind != Level::Kind::fiber || next.kind != Level::Kind::fiber || next.key.size() != 1) continue;
      const LinearForm& key = next.key[0];
      if (key.constant != 0 || key.terms.size() != 1 || key.terms[0].second != 1) continue;
      for (std::size_t i = 0; i < level.matches.size(); ++i) {
        const Match& m = level.matches[i];
        const bool is_key = m.variable == key.terms[0].first && m.coefficient == 1;
        if (is_key && m.rest.terms.empty() && m.rest.constant == 0) level.ahead_place = static_cast<int>(i);
      }
    }
  }

  void mark_whole() {
    if (plan_.levels.empty()) return;
    Level& last = plan_.levels.back();
    if (last.kind != Level::Kind::fiber || last.variable < 0 || last.enough) return;
    if (last.matches[0].coefficient != 1 || !last.tests.empty() || !last.skips.empty()) return;
    int place = -1, places = 0;
    for (std::size_t d = 0; d < plan_.head.size(); ++d)
      if (const std::int64_t k = coefficient_of(plan_.head[d], last.variable); k != 0) {
        place = k == 1 ? static_cast<int>(d) : -1;
        ++places;
      }
    last.whole = places == 1 && place >= 0;
    plan_.run_place = place;
  }

  const Rule& rule_;
  const std::vector<SparseTensor>& relations_;
  const PlanSource& source_;
  Plan plan_;
  std::vector<bool> bound_;
  std::vector<int> bound_at_; // per variable: the level that binds it
  double tuples_ = 1;         // that reach the next level, by estimate
};

} // namespace

Plan make_plan(const Rule& rule, const std::vector<SparseTensor>& relations, const Given& given, int skipped_atom,
               const std::vector<int>& rows, const std::vector<const Skip*>& skips, const PlanSource& source) {
  std::vector<int> order;
  for (std::size_t a = 0; a < rule.body.size(); ++a)
    if (static_cast<int>(a) != skipped_atom) order.push_back(static_cast<int>(a));
  // Orders are tried without making any index.
  PlanSource estimate = source;
  estimate.index = [](int, const auto&, const auto&) { return nullptr; };
  estimate.check = [](int, Level&, const Atom&) {};
  std::vector<int> best;
  double least = 0;
  const bool permute = order.size() <= most_atoms_permuted;
  for (std::size_t turn = 0; permute || turn < order.size(); ++turn) {
    const Plan plan = Planner(rule, relations, estimate).run(given, order, rows, skips);
    if (turn == 0 || plan.cost < least) {
      least = plan.cost;
      best = order;
    }
    if (!permute) std::rotate(order.begin(), order.begin() + 1, order.end());
    else if (!std::next_permutation(order.begin(), order.end())) break;
  }
  return Planner(rule, relations, source).run(given, best, rows, skips);
}

} // namespace cyclotron::recurrence::structure
