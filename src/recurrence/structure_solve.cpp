// SPDX-License-Identifier: MIT
#include "recurrence/structure_solve.hpp"

#include "recurrence/integer_points.hpp"
#include "recurrence/structure_rows.hpp"
#include "recurrence/structure_walk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::recurrence::structure {

namespace {

// Gathers heads row by row: a row's last coordinates are kept once each and come out in order. Rows that come out
// of order, or in pieces, are put right at the end.
class RowSink final : public Sink {
public:
  RowSink(const std::vector<std::int64_t>& dims, const Packing& packing, double estimate)
      : packing_(packing), last_(packing.order().back()), with_set_(dims[as_size(last_)] <= largest_set),
        set_(with_set_ ? dims[as_size(last_)] : 0) {
    // Room that is not used costs nothing; to move what is there as it grows does.
    keys_.reserve(static_cast<std::size_t>(std::min(1.05 * estimate, most_reserved)));
  }

  void emit(const std::int64_t* head) override {
    const Key key = packing_.pack(head);
    if (!with_set_) return keys_.push_back(key);
    start_row(key - head[last_]);
    set_.insert(head[last_]);
  }

  void emit_all(std::int64_t* head, int place, Index::Fiber numbers, std::int64_t shift) override {
    if (!with_set_ || place != last_) return Sink::emit_all(head, place, numbers, shift);
    head[last_] = 0;
    start_row(packing_.pack(head));
    for (std::int64_t n = 0; n < numbers.count; ++n) set_.insert(numbers.first[n] + shift);
  }

  std::vector<Key> take() {
    end_row();
    sort_and_drop_repeated(keys_, packing_.bits());
    return std::move(keys_);
  }

private:
  static constexpr std::int64_t largest_set = std::int64_t{1} << 28; // 32 MiB
  static constexpr double most_reserved = 1 << 27;                   // 1 GiB

  void start_row(Key row) {
    if (row == row_ && open_) return;
    end_row();
    row_ = row;
    open_ = true;
  }

  void end_row() {
    if (open_) set_.drain([&](std::int64_t x) { keys_.push_back(row_ + x); });
    open_ = false;
  }

  const Packing& packing_;
  int last_;
  bool with_set_;
  CoordinateSet set_;
  Key row_ = 0;
  bool open_ = false;
  std::vector<Key> keys_;
};

// `C(i,j) <= A(i,j)` or `C(i,j) <= A(j,i)`: per dimension of the head, the dimension of the atom; else nothing.
std::optional<std::vector<int>> plain_copy(const Rule& rule, const std::vector<SparseTensor>& relations) {
  if (rule.body.size() != 1 || !rule.conditions.empty()) return std::nullopt;
  const Atom& atom = rule.body[0];
  const auto& from = relations[as_size(atom.relation)].dims;
  const auto& to = relations[as_size(rule.head.relation)].dims;
  if (from.size() != to.size()) return std::nullopt;
  std::vector<int> places(to.size(), -1);
  for (std::size_t d = 0; d < to.size(); ++d) {
    const LinearForm& form = rule.head.at[d];
    if (form.constant != 0 || form.terms.size() != 1 || form.terms[0].second != 1) return std::nullopt;
    for (std::size_t e = 0; e < from.size(); ++e)
      if (same(atom.at[e], form) && from[e] == to[d]) places[d] = static_cast<int>(e);
    if (places[d] < 0) return std::nullopt;
  }
  std::vector<int> each = places; // a variable may stand in two places of one side
  std::sort(each.begin(), each.end());
  for (std::size_t d = 0; d < each.size(); ++d)
    if (each[d] != static_cast<int>(d)) return std::nullopt;
  return places;
}

std::vector<Key> copied(const Facts& facts, const std::vector<int>& places, const Packing& packing) {
  std::vector<Key> keys(facts.keys.size(), 0);
  for (std::size_t d = 0; d < places.size(); ++d)
    for (std::size_t i = 0; i < keys.size(); ++i)
      keys[i] |= facts.packing.coordinate(facts.keys[i], places[d]) << packing.shift(static_cast<int>(d));
  sort_and_drop_repeated(keys, packing.bits());
  return keys;
}

// The facts themselves, where a copy of them would be the same keys in the same order.
const std::vector<Key>* same_keys(const Facts& facts, const std::vector<int>& places, const Packing& packing) {
  std::vector<int> order;
  for (int d : packing.order()) order.push_back(places[as_size(d)]);
  return order == facts.packing.order() ? &facts.keys : nullptr;
}

// The variables of all coordinates but the last, in storage order: rows come in order where they are bound first.
std::vector<int> row_variables(const Rule& rule, const Packing& packing) {
  std::vector<int> list;
  for (std::size_t l = 0; l + 1 < packing.order().size(); ++l)
    for (const auto& [v, c] : rule.head.at[as_size(packing.order()[l])].terms)
      if (std::find(list.begin(), list.end(), v) == list.end()) list.push_back(v);
  return list;
}

std::vector<Key> heads_of(const Rule& rule, const Packing& packing, Store& store) {
  Plan plan = make_plan(rule, store.relations(), {}, -1, row_variables(rule, packing), {}, store.source());
  RowSink sink(store.relation(rule.head.relation).dims, packing, plan.heads);
  Join(std::move(plan)).run(nullptr, sink);
  return sink.take();
}

void run_once(int relation, const std::vector<const Rule*>& rules, Store& store) {
  const Packing packing = store.packing(relation);
  std::vector<Key> all;
  const std::vector<Key>* only = nullptr; // instead of `all`: facts of another relation, as they are
  for (const Rule* rule : rules) {
    const auto places = plain_copy(*rule, store.relations());
    const Facts* from = places ? &store.facts(rule->body[0].relation) : nullptr;
    const std::vector<Key>* more = from ? same_keys(*from, *places, packing) : nullptr;
    std::vector<Key> own;
    if (!more) own = from ? copied(*from, *places, packing) : heads_of(*rule, packing, store);
    if (only) all = merged(*only, more ? *more : own);
    else if (!all.empty()) all = merged(all, more ? *more : own);
    else if (!more) all = std::move(own);
    only = !only && all.empty() ? more : nullptr;
  }
  store.set(relation, only ? *only : std::move(all));
}

// False where that cannot be, or an error was reported.
bool run_by_rows(int relation, const std::vector<const Rule*>& rules, Store& store, Diagnostics& diagnostics) {
  const SparseTensor& head = store.relation(relation);
  if (!is_nested(head.decl->format) || !has_room_for_parents(head, diagnostics)) return false;
  auto made = rows_of(head, rules, [&](int r) { return store.stored(r); });
  if (!made) return false;
  const auto count = static_cast<std::int64_t>(made->levels.back().coordinates.size());
  if (!has_room_for_entries(head, count, diagnostics)) return false;
  made->values = tensor::make_values(head.decl->type, static_cast<std::size_t>(count));
  store.set(relation, std::move(*made));
  return true;
}

// --- groups ---

// Strongly connected components (Tarjan), in the order in which they are complete.
class Grouping {
public:
  Grouping(std::size_t count, const std::vector<Rule>& rules) : needs_(count), number_(count, -1), low_(count, -1) {
    for (const Rule& r : rules)
      for (const Atom& a : r.body) needs_[as_size(r.head.relation)].push_back(a.relation);
    for (std::size_t i = 0; i < count; ++i)
      if (number_[i] < 0) visit(static_cast<int>(i));
  }
  std::vector<Group> groups;

private:
  void visit(int at) {
    number_[as_size(at)] = low_[as_size(at)] = next_++;
    stack_.push_back(at);
    for (int other : needs_[as_size(at)]) {
      if (number_[as_size(other)] < 0) visit(other);
      if (contains(stack_, other)) low_[as_size(at)] = std::min(low_[as_size(at)], low_[as_size(other)]);
    }
    if (low_[as_size(at)] != number_[as_size(at)]) return;
    Group group;
    do {
      group.push_back(stack_.back());
      stack_.pop_back();
    } while (group.back() != at);
    groups.push_back(std::move(group));
  }

  std::vector<std::vector<int>> needs_;
  std::vector<int> number_, low_;
  std::vector<int> stack_;
  int next_ = 0;
};

// A variable that stands in no atom and shares no condition with another asks only that its range is not empty, which
// it is not: `k` in `X(i,j) <= B(i,j) : 0 <= k < n`.
void drop_lone_variables(Rule& rule) {
  std::vector<bool> lone(rule.range.size(), true);
  const auto keep = [&](const LinearForm& form) {
    for (const auto& [v, c] : form.terms) lone[as_size(v)] = false;
  };
  for (const LinearForm& f : rule.head.at) keep(f);
  for (const Atom& a : rule.body)
    for (const LinearForm& f : a.at) keep(f);
  for (const LinearCondition& c : rule.conditions)
    if (c.form.terms.size() > 1 || c.kind != Condition::Kind::nonnegative) keep(c.form);
  rule.conditions.erase(std::remove_if(rule.conditions.begin(), rule.conditions.end(),
                                       [&](const LinearCondition& c) {
                                         return !c.form.terms.empty() && lone[as_size(c.form.terms[0].first)];
                                       }),
                        rule.conditions.end());
}

// Conditions that hold wherever the atoms of the body have elements, for `0 <= i < n` is most often known from them.
void drop_implied_conditions(Rule& rule, const std::vector<SparseTensor>& relations) {
  std::vector<std::int64_t> size(rule.range.size(), 0); // 0: not known
  for (const Atom& a : rule.body)
    for (std::size_t d = 0; d < a.at.size(); ++d)
      if (a.at[d].constant == 0 && a.at[d].terms.size() == 1 && a.at[d].terms[0].second == 1)
        size[as_size(a.at[d].terms[0].first)] = relations[as_size(a.relation)].dims[d];
  const auto holds_always = [&](const LinearCondition& c) {
    if (c.kind != Condition::Kind::nonnegative) return false;
    std::int64_t least = c.form.constant;
    for (const auto& [v, k] : c.form.terms) {
      if (size[as_size(v)] == 0) return false;
      if (k < 0) least += k * (size[as_size(v)] - 1);
    }
    return least >= 0;
  };
  std::vector<LinearCondition> kept;
  for (const LinearCondition& c : rule.conditions)
    if (!holds_always(c)) kept.push_back(c);
  rule.conditions = std::move(kept);
}

} // namespace

bool contains(const Group& group, int relation) {
  return std::find(group.begin(), group.end(), relation) != group.end();
}

std::vector<const Rule*> rules_of(const Group& group, const std::vector<Rule>& rules) {
  std::vector<const Rule*> list;
  for (const Rule& r : rules)
    if (contains(group, r.head.relation)) list.push_back(&r);
  return list;
}

bool solve(Rules& rules, IslContext& context, Store& store, Diagnostics& diagnostics) {
  for (Rule& r : rules.rules) {
    drop_implied_conditions(r, rules.relations);
    drop_lone_variables(r);
  }
  for (const Group& group : Grouping(rules.relations.size(), rules.rules).groups) {
    if (store.relation(group[0]).input) continue;
    const std::vector<const Rule*> own = rules_of(group, rules.rules);
    const bool recursive = std::any_of(own.begin(), own.end(), [&](const Rule* r) {
      return std::any_of(r->body.begin(), r->body.end(), [&](const Atom& a) { return contains(group, a.relation); });
    });
    if (!recursive) {
      const bool done = run_by_rows(group[0], own, store, diagnostics);
      if (diagnostics.failed()) return false;
      if (!done) run_once(group[0], own, store);
    } else if (!run_in_order(group, own, context, store)) {
      run_fact_by_fact(group, own, store);
    }
  }
  return true;
}

bool never_together(IslContext& context, std::size_t variables, const std::vector<LinearCondition>& conditions) {
  std::vector<Condition> named;
  for (const LinearCondition& c : conditions) {
    Affine affine{{}, c.form.constant};
    for (const auto& [v, k] : c.form.terms) affine.terms[fmt::format("v{}", v)] = k;
    named.push_back({affine, c.kind});
  }
  if (const auto some = has_integer_point(named)) return !*some;
  std::string names, texts;
  for (std::size_t v = 0; v < variables; ++v) names += fmt::format("{}v{}", v == 0 ? "" : ", ", v);
  for (const Condition& c : named) texts += (texts.empty() ? " : " : " and ") + isl_text(c);
  const auto empty =
      context.bounded([&] { return isl::set(context.get(), fmt::format("{{ [{}]{} }}", names, texts)).is_empty(); });
  return empty && *empty;
}

// --- the store ---

Store::Store(const std::vector<SparseTensor>& relations)
    : relations_(relations), facts_(relations.size()), made_(relations.size()), loaded_(relations.size(), false),
      indexes_(relations.size()) {
  for (std::size_t r = 0; r < relations.size(); ++r) {
    const tensor::Format& format = relations[r].input ? relations[r].input->format : relations[r].decl->format;
    facts_[r].dims = relations[r].dims;
    facts_[r].packing = Packing(relations[r].dims, format.order);
  }
}

const tensor::Tensor* Store::stored(int relation) const {
  if (const tensor::Tensor* input = relations_[as_size(relation)].input) return input;
  const auto& made = made_[as_size(relation)];
  return made ? &*made : nullptr;
}

void Store::load(int relation) {
  const tensor::Tensor* from = stored(relation);
  if (loaded_[as_size(relation)] || !from) return;
  loaded_[as_size(relation)] = true;
  facts_[as_size(relation)].keys = keys_of(*from, facts_[as_size(relation)].packing);
}

const Facts& Store::facts(int relation) {
  load(relation);
  return facts_[as_size(relation)];
}

void Store::set(int relation, tensor::Tensor made) { made_[as_size(relation)] = std::move(made); }
void Store::set(int relation, std::vector<Key> keys) { facts_[as_size(relation)].keys = std::move(keys); }

const Index* Store::index(int relation, const std::vector<int>& bound, const std::vector<int>& free) {
  auto& list = indexes_[as_size(relation)];
  for (const auto& i : list)
    if (i->bound() == bound && i->free() == free) return i.get();
  list.push_back(std::make_unique<Index>(relations_[as_size(relation)].dims, bound, free));
  list.back()->fill(facts(relation));
  return list.back().get();
}

PlanSource Store::source() {
  PlanSource source;
  source.count = [this](int relation) { return static_cast<double>(facts(relation).keys.size()); };
  source.index = [this](int relation, const std::vector<int>& bound, const std::vector<int>& free) {
    return index(relation, bound, free);
  };
  source.check = [this](int relation, Level& level, const Atom& atom) {
    std::vector<int> bound = facts(relation).packing.order(); // as it is sorted already
    const std::vector<int> last{bound.back()};
    bound.pop_back();
    for (int d : bound) level.key.push_back(atom.at[as_size(d)]);
    level.key.push_back(atom.at[as_size(last[0])]);
    level.index = index(relation, bound, last);
  };
  return source;
}

} // namespace cyclotron::recurrence::structure
