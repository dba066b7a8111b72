// SPDX-License-Identifier: MIT
// Facts one by one, first found first used: each is joined with those used before it, wherever a rule mentions it.
#include "recurrence/structure_solve.hpp"

#include <algorithm>

namespace cyclotron::recurrence::structure {

namespace {

// A relation of the group while it grows.
class Growing final : public Sink {
public:
  Growing(const SparseTensor& relation, const Packing& packing) : dims_(relation.dims), packing_(packing) {}

  void emit(const std::int64_t* head) override {
    if (const Key key = packing_.pack(head); table_.add(key) == static_cast<std::int64_t>(keys_.size()))
      keys_.push_back(key);
  }

  const Index* index(const std::vector<int>& bound, const std::vector<int>& free) {
    for (const auto& i : indexes_)
      if (i->bound() == bound && i->free() == free) return i.get();
    indexes_.push_back(std::make_unique<Index>(dims_, bound, free));
    return indexes_.back().get();
  }

  void check(Level& level, const Atom& atom) const {
    level.key = atom.at;
    level.table = &table_;
    level.packing = &packing_;
  }

  // The next fact that was not used yet, which the indexes have from now on.
  bool next(std::vector<std::int64_t>& tuple) {
    if (used_ == keys_.size()) return false;
    const Key key = keys_[used_++];
    tuple.clear();
    for (std::size_t d = 0; d < dims_.size(); ++d) tuple.push_back(packing_.coordinate(key, static_cast<int>(d)));
    for (const auto& i : indexes_) i->add(tuple.data());
    return true;
  }

  std::vector<Key> take() {
    sort_and_drop_repeated(keys_, packing_.bits());
    return std::move(keys_);
  }

private:
  std::vector<std::int64_t> dims_;
  Packing packing_;
  KeyTable table_;
  std::vector<Key> keys_; // in the order they were found
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Index>> indexes_;
};

} // namespace

void run_fact_by_fact(const Group& group, const std::vector<const Rule*>& rules, Store& store) {
  std::map<int, std::unique_ptr<Growing>> growing;
  for (int r : group) growing[r] = std::make_unique<Growing>(store.relation(r), store.packing(r));
  const PlanSource complete = store.source();
  PlanSource source;
  source.count = [&](int r) {
    if (!contains(group, r)) return complete.count(r);
    double count = 1; // not known yet; as if each had a few per row
    for (std::int64_t d : store.relation(r).dims) count = std::max(count, 8 * static_cast<double>(d));
    return count;
  };
  source.index = [&](int r, const std::vector<int>& bound, const std::vector<int>& free) {
    return contains(group, r) ? growing.at(r)->index(bound, free) : complete.index(r, bound, free);
  };
  source.check = [&](int r, Level& level, const Atom& atom) {
    if (contains(group, r)) growing.at(r)->check(level, atom);
    else complete.check(r, level, atom);
  };
  struct Use {
    Join join;
    Sink* sink;
  };
  std::map<int, std::vector<Use>> uses;
  for (const Rule* rule : rules) {
    bool recursive = false;
    for (std::size_t a = 0; a < rule->body.size(); ++a) {
      const int relation = rule->body[a].relation;
      if (!contains(group, relation)) continue;
      recursive = true;
      uses[relation].push_back(
          {Join(make_plan(*rule, store.relations(), rule->body[a].at, static_cast<int>(a), {}, {}, source)),
           growing.at(rule->head.relation).get()});
    }
    if (!recursive)
      Join(make_plan(*rule, store.relations(), {}, -1, {}, {}, source)).run(nullptr, *growing.at(rule->head.relation));
  }
  std::vector<std::int64_t> tuple;
  for (bool again = true; again;) {
    again = false;
    for (int r : group)
      while (growing.at(r)->next(tuple)) {
        again = true;
        for (Use& use : uses[r]) use.join.run(tuple.data(), *use.sink);
      }
  }
  for (int r : group) store.set(r, growing.at(r)->take());
}

} // namespace cyclotron::recurrence::structure
