// SPDX-License-Identifier: MIT
// Finds structures fiber by fiber, along one dimension of each relation that plays the role of time. This works if
// every rule leads from earlier times to later ones. Everything that a fiber needs is then complete before the fiber
// is made, so that it is made once, from whole fibers.
#include "recurrence/structure_pivots.hpp"
#include "recurrence/structure_solve.hpp"

#include <algorithm>

namespace cyclotron::recurrence::structure {

namespace {

using Times = std::map<int, int>; // relation to dimension

constexpr int most_choices = 256;
constexpr std::int64_t most_steps = std::int64_t{1} << 26;

// A relation of the group: the fiber in the making is a sink, the others are in the indexes.
class Fibers final : public Sink {
public:
  Fibers(const SparseTensor& relation, const Packing& packing, int time)
      : dims_(relation.dims), packing_(packing), time_(time), other_(dims_.size() == 2 ? 1 - time : -1),
        set_(other_ < 0 ? 1 : dims_[as_size(other_)]) {
    if (other_ >= 0) index({packing_.order()[0]}, {packing_.order()[1]}); // for `take`
  }

  void emit(const std::int64_t* head) override { set_.insert(other_ < 0 ? 0 : head[other_]); }

  void emit_all(std::int64_t* head, int place, Index::Fiber numbers, std::int64_t shift) override {
    if (place != other_) return Sink::emit_all(head, place, numbers, shift);
    for (std::int64_t n = 0; n < numbers.count; ++n) set_.insert(numbers.first[n] + shift);
  }

  // Takes over the fiber in the making, which is that of this time.
  void complete(std::int64_t time) {
    last_.clear();
    set_.drain([&](std::int64_t x) { last_.push_back(static_cast<Coordinate>(x)); });
    if (last_.empty()) return;
    if (other_ < 0) {
      keys_.push_back(time);
      table_.add(time);
    }
    std::int64_t tuple[2];
    tuple[time_] = time;
    for (const auto& i : indexes_) {
      if (i->bound() == std::vector<int>{time_}) {
        i->add_fiber(time, last_);
        continue;
      }
      for (Coordinate x : last_) {
        if (other_ >= 0) tuple[other_] = x;
        i->add(tuple);
      }
    }
  }

  const std::vector<Coordinate>& last() const { return last_; } // of the fiber completed last
  std::int64_t steps() const { return dims_[as_size(time_)]; }
  double count() const { return 8 * static_cast<double>(std::max(dims_.front(), dims_.back())); } // a guess

  const Index* index(const std::vector<int>& bound, const std::vector<int>& free) {
    for (const auto& i : indexes_)
      if (i->bound() == bound && i->free() == free) return i.get();
    indexes_.push_back(std::make_unique<Index>(dims_, bound, free));
    return indexes_.back().get();
  }

  void check(Level& level, const Atom& atom) {
    level.key.push_back(atom.at[as_size(time_)]);
    if (other_ >= 0) {
      level.key.push_back(atom.at[as_size(other_)]);
      level.index = index({time_}, {other_});
    } else {
      level.table = &table_;
      level.packing = &packing_;
    }
  }

  // Matrices are read from an index by rows, or by columns as they are stored: that takes no sorting.
  std::vector<Key> take() {
    if (other_ >= 0) {
      const Index& rows = *index({packing_.order()[0]}, {packing_.order()[1]});
      std::int64_t count = 0;
      for (std::int64_t r = 0; r < packing_.size(packing_.order()[0]); ++r) count += rows.find(&r).count;
      keys_.reserve(static_cast<std::size_t>(count));
      for (std::int64_t r = 0; r < packing_.size(packing_.order()[0]); ++r) {
        const Index::Fiber fiber = rows.find(&r);
        const Key row = r << packing_.shift(packing_.order()[0]);
        const bool rising = fiber.count < 2 || fiber.first[0] < fiber.first[1];
        for (std::int64_t n = 0; n < fiber.count; ++n)
          keys_.push_back(row + fiber.first[rising ? n : fiber.count - 1 - n]);
      }
    }
    sort_and_drop_repeated(keys_, packing_.bits());
    return std::move(keys_);
  }

private:
  std::vector<std::int64_t> dims_;
  Packing packing_;
  int time_, other_; // dimensions; other: -1 for a vector
  CoordinateSet set_;
  std::vector<Coordinate> last_;
  std::vector<Key> keys_; // of a vector
  std::vector<std::unique_ptr<Index>> indexes_;
  KeyTable table_; // of a vector
};

class OrderedRun {
public:
  OrderedRun(const Group& group, const std::vector<const Rule*>& rules, IslContext& context, Store& store)
      : group_(group), rules_(rules), context_(context), store_(store) {}

  bool run() {
    if (!find_times()) return false;
    for (int r : group_) fibers_[r] = std::make_unique<Fibers>(store_.relation(r), store_.packing(r), times_.at(r));
    std::int64_t steps = 0;
    for (int r : group_) steps = std::max(steps, fibers_.at(r)->steps());
    if (steps > most_steps) return false;
    prepare_pivots(steps);
    std::vector<Join> joins = plans();
    for (std::int64_t n = 0; n < steps; ++n) {
      const std::int64_t time = rising_ ? n : steps - 1 - n;
      for (std::size_t r = 0; r < rules_.size(); ++r)
        if (Fibers& head = *fibers_.at(rules_[r]->head.relation); time < head.steps()) joins[r].run(&time, head);
      for (int r : group_) fibers_.at(r)->complete(time);
      if (pivots_.any()) find_pivot(time);
    }
    for (int r : group_) store_.set(r, fibers_.at(r)->take());
    return true;
  }

private:
  // --- times ---

  bool find_times() {
    int choices = 1;
    for (int r : group_) {
      const std::size_t rank = store_.relation(r).dims.size();
      if (rank > 2) return false;
      choices *= static_cast<int>(rank);
      if (choices > most_choices) return false;
    }
    for (const bool rising : {true, false})
      for (int choice = 0; choice < choices; ++choice) {
        int rest = choice;
        for (int r : group_) {
          const int rank = static_cast<int>(store_.relation(r).dims.size());
          times_[r] = rest % rank;
          rest /= rank;
        }
        rising_ = rising;
        if (leads_onward()) return true;
      }
    return false;
  }

  bool leads_onward() {
    for (std::size_t r = 0; r < rules_.size(); ++r)
      for (std::size_t a = 0; a < rules_[r]->body.size(); ++a)
        if (contains(group_, rules_[r]->body[a].relation) && !is_earlier(r, a)) return false;
    return true;
  }

  // Whether an atom of a rule is always of an earlier time than the head. Asked once for each pair of dimensions.
  bool is_earlier(std::size_t rule, std::size_t atom) {
    const Rule& r = *rules_[rule];
    const int from = times_.at(r.body[atom].relation), to = times_.at(r.head.relation);
    const auto [at, fresh] = earlier_.try_emplace({rule, atom, from, to, rising_}, false);
    if (!fresh) return at->second;
    const std::int64_t sign = rising_ ? 1 : -1; // it is not where sign * (from - to) >= 0 can be
    std::map<int, std::int64_t> terms;
    const LinearForm &f = r.body[atom].at[as_size(from)], &t = r.head.at[as_size(to)];
    for (const auto& [v, k] : f.terms) terms[v] += sign * k;
    for (const auto& [v, k] : t.terms) terms[v] -= sign * k;
    LinearForm difference{sign * (f.constant - t.constant), {}};
    for (const auto& [v, k] : terms)
      if (k != 0) difference.terms.emplace_back(v, k);
    std::vector<LinearCondition> conditions = r.conditions;
    conditions.push_back({difference, Condition::Kind::nonnegative});
    return at->second = never_together(context_, r.range.size(), conditions);
  }

  // --- pivots ---

  // Pivots of k must be known once the fibers of time k are, and be used after that.
  void prepare_pivots(std::int64_t steps) {
    pivots_ = find_pivots(group_, rules_, context_);
    if (!pivots_.any()) return;
    const auto time_is = [&](const Atom& a, int variable) {
      const LinearForm& form = a.at[as_size(times_.at(a.relation))];
      return form.constant == 0 && form.terms.size() == 1 && form.terms[0] == std::pair(variable, std::int64_t{1});
    };
    bool usable = std::all_of(pivots_.facts.begin(), pivots_.facts.end(), [&](const Atom& f) { return time_is(f, 0); });
    for (std::size_t r = 0; r < rules_.size(); ++r)
      if (const Skip* skip = pivots_.skips[r].get())
        usable = usable && std::any_of(rules_[r]->body.begin(), rules_[r]->body.end(),
                                       [&](const Atom& a) { return time_is(a, skip->variable); });
    if (!usable) {
      pivots_ = {};
      return;
    }
    table_.assign(static_cast<std::size_t>(steps), -1);
    for (const auto& skip : pivots_.skips)
      if (skip) skip->table = &table_;
  }

  // The nearest pivot of k puts off the most.
  void find_pivot(std::int64_t k) {
    const auto fiber = [&](const Atom& f) -> const std::vector<Coordinate>& { return fibers_.at(f.relation)->last(); };
    const auto serves = [&](std::int64_t p) {
      const std::int64_t pair[2] = {k, p};
      return std::all_of(pivots_.conditions.begin(), pivots_.conditions.end(),
                         [&](const LinearCondition& c) { return c.holds(pair); }) &&
             std::all_of(pivots_.facts.begin() + 1, pivots_.facts.end(),
                         [&](const Atom& f) { return std::binary_search(fiber(f).begin(), fiber(f).end(), p); });
    };
    const std::vector<Coordinate>& list = fiber(pivots_.facts[0]);
    const std::size_t count = list.size();
    for (std::size_t i = 0; i < count; ++i)
      if (const std::int64_t p = list[pivots_.rising ? i : count - 1 - i]; serves(p)) {
        table_[static_cast<std::size_t>(k)] = p;
        return;
      }
  }

  // --- plans ---

  std::vector<Join> plans() {
    const PlanSource complete = store_.source();
    PlanSource source;
    source.count = [&](int r) { return contains(group_, r) ? fibers_.at(r)->count() : complete.count(r); };
    source.index = [&](int r, const std::vector<int>& bound, const std::vector<int>& free) {
      return contains(group_, r) ? fibers_.at(r)->index(bound, free) : complete.index(r, bound, free);
    };
    source.check = [&](int r, Level& level, const Atom& atom) {
      if (contains(group_, r)) fibers_.at(r)->check(level, atom);
      else complete.check(r, level, atom);
    };
    std::vector<Join> joins;
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      const Rule& rule = *rules_[r];
      std::vector<const Skip*> skips;
      if (pivots_.any() && pivots_.skips[r]) skips.push_back(pivots_.skips[r].get());
      const Given time{rule.head.at[as_size(times_.at(rule.head.relation))]};
      joins.emplace_back(make_plan(rule, store_.relations(), time, -1, {}, skips, source));
    }
    return joins;
  }

  const Group& group_;
  const std::vector<const Rule*>& rules_;
  IslContext& context_;
  Store& store_;
  Times times_;
  bool rising_ = true;
  std::map<std::tuple<std::size_t, std::size_t, int, int, bool>, bool> earlier_;
  std::map<int, std::unique_ptr<Fibers>> fibers_;
  Pivots pivots_;
  std::vector<std::int64_t> table_; // of pivots
};

} // namespace

bool run_in_order(const Group& group, const std::vector<const Rule*>& rules, IslContext& context, Store& store) {
  return OrderedRun(group, rules, context, store).run();
}

} // namespace cyclotron::recurrence::structure
