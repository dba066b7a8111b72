// SPDX-License-Identifier: MIT
#include "pe/plan.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace cyclotron::pe {

namespace {

class Planner {
public:
  Planner(const Executable& executable, const Trace& trace, const Placement& placement, const Ownership& ownership,
          int rank)
      : executable_(executable), trace_(trace), placement_(placement), ownership_(ownership) {
    plan_.rank = rank;
  }

  RankPlan run() {
    find_parts();
    deliver();
    for (int e = 0; e < executable_.elements(); ++e)
      if (placement_.rank_of[static_cast<std::size_t>(e)] == plan_.rank && executable_.code(e)) add(e);
    // Which values that are made here somebody waits for is known once all needs are.
    for (std::size_t c = 0; c < plan_.cargo.size(); ++c)
      if (const auto at = makers_.find(plan_.cargo[c].value); at != makers_.end())
        plan_.elements[at->second.first].makes[at->second.second].cargo = static_cast<int>(c);
    return std::move(plan_);
  }

private:
  int home_of(const Value& value) const {
    if (value.element >= 0) return placement_.rank_of[static_cast<std::size_t>(value.element)];
    return ownership_.owners[static_cast<std::size_t>(value.tensor)][static_cast<std::size_t>(value.part)];
  }

  int owner_of(const TracedStore& s) const {
    return ownership_.owners[static_cast<std::size_t>(s.tensor)][static_cast<std::size_t>(s.part)];
  }

  std::int64_t key(int tensor, std::int64_t part) const {
    return part * static_cast<std::int64_t>(ownership_.owners.size()) + tensor;
  }
  int part_number(int tensor, std::int64_t part) const { return part_numbers_.at(key(tensor, part)); }

  void find_parts() {
    for (std::size_t t = 0; t < ownership_.owners.size(); ++t)
      for (std::size_t p = 0; p < ownership_.owners[t].size(); ++p) {
        if (ownership_.owners[t][p] != plan_.rank) continue;
        part_numbers_[key(static_cast<int>(t), static_cast<std::int64_t>(p))] = static_cast<int>(plan_.parts.size());
        plan_.parts.push_back({static_cast<int>(t), static_cast<std::int64_t>(p)});
      }
    plan_.kept_bytes = ownership_.bytes[static_cast<std::size_t>(plan_.rank)];
  }

  // All transfers of all ranks, in the order of values and of the ranks that get them: so the numbers of mailboxes and
  // tags come out the same everywhere.
  void deliver() {
    std::vector<std::uint64_t> wanted; // value and rank
    const auto want = [&](int value, int rank) {
      if (home_of(trace_.values[static_cast<std::size_t>(value)]) != rank)
        wanted.push_back(static_cast<std::uint64_t>(value) << 32 | static_cast<std::uint32_t>(rank));
    };
    for (std::size_t e = 0; e < trace_.elements.size(); ++e)
      for (int v : trace_.elements[e].needs)
        if (v >= 0) want(v, placement_.rank_of[e]);
    for (const TracedStore& s : trace_.stores) {
      if (owner_of(s) == placement_.rank_of[static_cast<std::size_t>(s.element)]) continue;
      want(s.value, owner_of(s));
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<int> mailboxes(static_cast<std::size_t>(placement_.ranks));
    std::map<std::pair<int, int>, int> tags;
    for (std::uint64_t w : wanted) {
      const int value = static_cast<int>(w >> 32), to = static_cast<int>(w & 0xffffffffU);
      const Value& v = trace_.values[static_cast<std::size_t>(value)];
      const int from = home_of(v);
      const Delivery delivery{to, mailboxes[static_cast<std::size_t>(to)]++, tags[{from, to}]++};
      if (from == plan_.rank) {
        cargo(value).deliveries.push_back(delivery);
        ++plan_.messages_out;
        plan_.bytes_out += static_cast<std::uint64_t>(v.bytes());
      }
      if (to == plan_.rank) {
        Cargo& c = cargo(value);
        c.source = from;
        c.mailbox = delivery.mailbox;
        c.tag = delivery.tag;
        ++plan_.messages_in;
        plan_.bytes_in += static_cast<std::uint64_t>(v.bytes());
      }
    }
    plan_.mailboxes = mailboxes[static_cast<std::size_t>(plan_.rank)];
    for (const TracedStore& s : trace_.stores)
      if (owner_of(s) == plan_.rank && placement_.rank_of[static_cast<std::size_t>(s.element)] != plan_.rank)
        cargo(s.value).fills.push_back(part_number(s.tensor, s.part));
  }

  Cargo& cargo(int value) {
    const auto [at, is_new] = cargo_numbers_.emplace(value, static_cast<int>(plan_.cargo.size()));
    if (is_new) {
      Cargo made;
      made.value = value;
      const Value& v = trace_.values[static_cast<std::size_t>(value)];
      if (v.element < 0 && home_of(v) == plan_.rank) made.part = part_number(v.tensor, v.part);
      plan_.cargo.push_back(made);
    }
    return plan_.cargo[static_cast<std::size_t>(at->second)];
  }

  void add(int element) {
    const TracedElement& traced = trace_.elements[static_cast<std::size_t>(element)];
    PlannedElement made;
    made.element = element;
    made.steps = traced.steps;
    made.needs.reserve(traced.needs.size());
    for (std::size_t n = 0; n < traced.needs.size(); ++n) {
      const int v = traced.needs[n];
      if (v >= 0) ++cargo(v).uses;
      made.needs.push_back({v < 0 ? -1 : cargo_numbers_.at(v), traced.received[n]});
    }
    for (const Made& m : traced.makes) {
      Parting parting;
      if (m.store >= 0) {
        const TracedStore& s = trace_.stores[static_cast<std::size_t>(m.store)];
        if (owner_of(s) == plan_.rank) parting.part = part_number(s.tensor, s.part);
      }
      if (m.value >= 0) makers_[m.value] = {plan_.elements.size(), made.makes.size()};
      made.makes.push_back(parting);
    }
    plan_.elements.push_back(std::move(made));
  }

  const Executable& executable_;
  const Trace& trace_;
  const Placement& placement_;
  const Ownership& ownership_;
  RankPlan plan_;
  std::unordered_map<std::int64_t, int> part_numbers_;
  std::unordered_map<int, int> cargo_numbers_;
  std::unordered_map<int, std::pair<std::size_t, std::size_t>>
      makers_; // of values: the element here, and which of its makes
};

} // namespace

RankPlan plan(const Executable& executable, const Trace& trace, const Placement& placement, const Ownership& ownership,
              int rank) {
  return Planner(executable, trace, placement, ownership, rank).run();
}

} // namespace cyclotron::pe
