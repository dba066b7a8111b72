// SPDX-License-Identifier: MIT
#include "recurrence/structure_pivots.hpp"

#include <algorithm>

namespace cyclotron::recurrence::structure {

namespace {

using Conditions = std::vector<LinearCondition>;
using Substitution = std::vector<int>; // variable to variable, -1 where nothing is said

bool is_plain(const LinearForm& form) {
  return form.constant == 0 && form.terms.size() == 1 && form.terms[0].second == 1;
}
bool is_plain(const Atom& atom) {
  return std::all_of(atom.at.begin(), atom.at.end(), [](const LinearForm& f) { return is_plain(f); });
}
int variable_of(const LinearForm& form) { return form.terms[0].first; }

bool mentions(const LinearForm& form, int variable) {
  return std::any_of(form.terms.begin(), form.terms.end(), [&](const auto& t) { return t.first == variable; });
}
bool mentions(const Atom& atom, int variable) {
  return std::any_of(atom.at.begin(), atom.at.end(), [&](const LinearForm& f) { return mentions(f, variable); });
}

LinearForm replaced(const LinearForm& form, const Substitution& by) {
  LinearForm result{form.constant, {}};
  for (const auto& [v, k] : form.terms) {
    const int w = by[static_cast<std::size_t>(v)];
    const auto at = std::find_if(result.terms.begin(), result.terms.end(), [&](const auto& t) { return t.first == w; });
    if (at == result.terms.end()) result.terms.emplace_back(w, k);
    else at->second += k;
  }
  result.terms.erase(
      std::remove_if(result.terms.begin(), result.terms.end(), [](const auto& t) { return t.second == 0; }),
      result.terms.end());
  std::sort(result.terms.begin(), result.terms.end());
  return result;
}
Atom replaced(Atom atom, const Substitution& by) {
  for (LinearForm& f : atom.at) f = replaced(f, by);
  return atom;
}
Conditions replaced(Conditions conditions, const Substitution& by) {
  for (LinearCondition& c : conditions) c.form = replaced(c.form, by);
  return conditions;
}

template <class T> bool has(const std::vector<T>& list, const T& item) {
  return std::any_of(list.begin(), list.end(), [&](const T& other) { return same(other, item); });
}
template <class T> void add_once(std::vector<T>& list, const std::vector<T>& items) {
  for (const T& item : items)
    if (!has(list, item)) list.push_back(item);
}
template <class T> bool same_set(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const T& x) { return has(b, x); });
}

bool only_mentions(const LinearForm& form, int a, int b) {
  return std::all_of(form.terms.begin(), form.terms.end(), [&](const auto& t) { return t.first == a || t.first == b; });
}

LinearCondition negated(const LinearCondition& c) { // of a nonnegative one
  LinearForm form{-c.form.constant - 1, c.form.terms};
  for (auto& [v, k] : form.terms) k = -k;
  return {form, Condition::Kind::nonnegative};
}

// A rule used to derive an atom with p in place of k.
struct Use {
  std::size_t rule = 0;
  Substitution by; // its variables to those of the rule in hand
};

// How one rule can do without some of its firings.
struct Candidate {
  int k = -1, p = -1;
  std::vector<Atom> facts;  // in 0 and 1
  Conditions pivot, others; // pivot: in 0 and 1; others: in the rule's variables and p
  std::vector<Use> uses;
};

class PivotFinder {
public:
  PivotFinder(const Group& group, const std::vector<const Rule*>& rules, IslContext& context)
      : group_(group), rules_(rules), context_(context) {}

  Pivots run() {
    Pivots result;
    std::vector<std::optional<Candidate>> candidates;
    for (const Rule* r : rules_) candidates.push_back(candidate(*r));
    const auto first = std::find_if(candidates.begin(), candidates.end(), [](const auto& c) { return c.has_value(); });
    if (first == candidates.end()) return {};
    // One table serves all rules with the same kind of pivot; others go without.
    result.facts = (*first)->facts;
    for (auto& c : candidates) {
      if (c && !same_set(c->facts, result.facts)) c.reset();
      if (c) add_once(result.conditions, c->pivot);
    }
    if (!has_direction(result)) return {};
    for (std::size_t r = 0; r < rules_.size(); ++r)
      if (candidates[r]) drop_implied(*rules_[r], *candidates[r], result.conditions);
    for (std::size_t r = 0; r < rules_.size(); ++r)
      if (candidates[r] && !firings_remain(*rules_[r], *candidates[r], candidates, result.conditions)) return {};
    for (const auto& c : candidates)
      result.skips.push_back(c ? std::make_unique<Skip>(Skip{c->k, c->p, nullptr, c->others}) : nullptr);
    return result;
  }

private:
  std::optional<Candidate> candidate(const Rule& rule) const {
    if (!is_plain(rule.head) || rule.body.size() < 2) return std::nullopt;
    for (const Atom& a : rule.body)
      if (!contains(group_, a.relation) || !is_plain(a)) return std::nullopt;
    for (int k = 0; k < static_cast<int>(rule.range.size()); ++k)
      if (!mentions(rule.head, k))
        if (auto found = candidate(rule, k)) return found;
    return std::nullopt;
  }

  std::optional<Candidate> candidate(const Rule& rule, int k) const {
    Candidate c;
    c.k = k;
    c.p = static_cast<int>(rule.range.size());
    Substitution p_for_k(rule.range.size() + 1);
    for (std::size_t v = 0; v < p_for_k.size(); ++v) p_for_k[v] = static_cast<int>(v) == k ? c.p : static_cast<int>(v);
    Conditions all = replaced(rule.conditions, p_for_k);
    std::vector<Atom> facts; // in the rule's variables
    for (const Atom& a : rule.body)
      if (mentions(a, k) && !derive(rule, c, replaced(a, p_for_k), facts, all)) return std::nullopt;
    if (facts.empty()) return std::nullopt;
    Substitution to_pair(rule.range.size() + 1, -1);
    to_pair[static_cast<std::size_t>(k)] = 0;
    to_pair[static_cast<std::size_t>(c.p)] = 1;
    for (const Atom& f : facts) c.facts.push_back(replaced(f, to_pair));
    for (const LinearCondition& x : all) {
      if (x.kind != Condition::Kind::nonnegative) return std::nullopt;
      if (only_mentions(x.form, k, c.p)) add_once(c.pivot, replaced(Conditions{x}, to_pair));
      else add_once(c.others, {x});
    }
    return c;
  }

  // Finds a rule by which the atom follows from those of the rule in hand and from facts about k and p alone.
  bool derive(const Rule& rule, Candidate& c, const Atom& goal, std::vector<Atom>& facts, Conditions& all) const {
    for (std::size_t r = 0; r < rules_.size(); ++r) {
      const auto by = unified(*rules_[r], goal, c.k);
      if (!by) continue;
      std::vector<Atom> needed;
      const bool fits = std::all_of(rules_[r]->body.begin(), rules_[r]->body.end(), [&](const Atom& b) {
        const Atom given = replaced(b, *by);
        if (has(rule.body, given)) return true;
        needed.push_back(given);
        return mentions(given, c.p) && mentions(given, c.k) &&
               std::all_of(given.at.begin(), given.at.end(), [&](const auto& f) { return only_mentions(f, c.k, c.p); });
      });
      if (!fits) continue;
      add_once(facts, needed);
      add_once(all, replaced(rules_[r]->conditions, *by));
      c.uses.push_back({r, *by});
      return true;
    }
    return false;
  }

  // The values of a rule's variables that make its head the goal; the one that is not in the head becomes k.
  std::optional<Substitution> unified(const Rule& rule, const Atom& goal, int k) const {
    if (rule.head.relation != goal.relation || !is_plain(rule.head) || rule.body.empty()) return std::nullopt;
    for (const Atom& a : rule.body)
      if (!contains(group_, a.relation) || !is_plain(a)) return std::nullopt;
    Substitution by(rule.range.size(), -1);
    for (std::size_t d = 0; d < goal.at.size(); ++d) {
      int& value = by[static_cast<std::size_t>(variable_of(rule.head.at[d]))];
      if (value >= 0 && value != variable_of(goal.at[d])) return std::nullopt;
      value = variable_of(goal.at[d]);
    }
    int open = 0;
    const auto close = [&](const LinearForm& form) {
      for (const auto& [v, c] : form.terms)
        if (int& value = by[static_cast<std::size_t>(v)]; value < 0) {
          value = k;
          ++open;
        }
    };
    for (const Atom& a : rule.body)
      for (const LinearForm& f : a.at) close(f);
    for (const LinearCondition& c : rule.conditions) close(c.form);
    return open <= 1 ? std::optional<Substitution>(by) : std::nullopt;
  }

  bool has_direction(Pivots& pivots) const {
    const auto excludes = [&](std::int64_t sign) { // sign * (p - k) <= 0
      Conditions list = pivots.conditions;
      list.push_back({{0, {{0, sign}, {1, -sign}}}, Condition::Kind::nonnegative});
      return never_together(context_, 2, list);
    };
    pivots.rising = excludes(1);
    return pivots.rising || excludes(-1);
  }

  // What is known where a firing of the rule is put off: its conditions, those of the pivot, and the candidate's.
  static Conditions known(const Rule& rule, const Candidate& c, const Conditions& pivot) {
    Conditions list = rule.conditions;
    add_once(list, replaced(pivot, {c.k, c.p}));
    return list;
  }

  // The fewer variables must be known, the earlier a firing is seen not to be needed.
  void drop_implied(const Rule& rule, Candidate& c, const Conditions& pivot) const {
    for (std::size_t i = 0; i < c.others.size();) {
      Conditions list = known(rule, c, pivot);
      for (std::size_t j = 0; j < c.others.size(); ++j) list.push_back(j == i ? negated(c.others[j]) : c.others[j]);
      if (never_together(context_, rule.range.size() + 1, list))
        c.others.erase(c.others.begin() + static_cast<std::ptrdiff_t>(i));
      else ++i;
    }
  }

  // The firings that stand in for one that is put off must not be put off themselves, for the same k.
  bool firings_remain(const Rule& rule, const Candidate& c, const std::vector<std::optional<Candidate>>& all,
                      const Conditions& pivot) const {
    return std::all_of(c.uses.begin(), c.uses.end(), [&](const Use& use) {
      if (!all[use.rule]) return true;
      Substitution by = use.by;
      by.resize(rules_[use.rule]->range.size() + 1, -1);
      by[static_cast<std::size_t>(all[use.rule]->p)] = c.p;
      Conditions list = known(rule, c, pivot);
      add_once(list, c.others);
      add_once(list, replaced(all[use.rule]->others, by));
      return never_together(context_, rule.range.size() + 1, list);
    });
  }

  const Group& group_;
  const std::vector<const Rule*>& rules_;
  IslContext& context_;
};

} // namespace

Pivots find_pivots(const Group& group, const std::vector<const Rule*>& rules, IslContext& context) {
  return PivotFinder(group, rules, context).run();
}

} // namespace cyclotron::recurrence::structure
