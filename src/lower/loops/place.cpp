// SPDX-License-Identifier: MIT
#include "lower/loops/place.hpp"

#include "lower/loops/guards.hpp"
#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace cyclotron::lower {

using namespace recurrence;
using loops::Loop;
using loops::Node;
using loops::Range;
using loops::Statement;

namespace {

constexpr int most_tries = 20000;

struct Live {
  std::size_t dependence;
  Rest* rest;
};

struct Group {
  std::vector<std::size_t> parts;
  bool leaf = false;
  std::map<std::size_t, std::string> choice; // part -> own variable
  bool may_rise = true, may_fall = true;
  bool forall = true;
  std::vector<Range> ranges;
  std::string ranges_key; // the same for equal ranges
};

// The loops around a place, and a text that the same loops share.
struct Around {
  Scope loops;
  std::string key;
};

class Placer {
public:
  Placer(const Parts& parts, const std::vector<std::string>& order, const Program& program, PlaceMemory& memory,
         const MayShare& may_share, Types& types, const Together& together)
      : parts_(parts), order_(order), program_(program), memory_(memory), may_share_(may_share), types_(types),
        together_(together) {}

  PlaceResult run() {
    std::vector<Live> live;
    for (std::size_t d = 0; d < parts_.dependences.size(); ++d) live.push_back({d, memory_.dependences[d].get()});
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < parts_.parts.size(); ++i) all.push_back(i);
    PlaceResult result;
    result.body = place(all, live, {}, std::vector<Names>(all.size()), true);
    result.obstacle = obstacle_;
    result.gave_up = tries_ > most_tries;
    if (result.body) hoist_guards(*result.body);
    for (const LetDecl& l : program_.lets) with_names(l.value, {});
    return result;
  }

private:
  using Body = std::optional<std::vector<Node>>;

  // --- one depth ---

  // `build`: make the nodes; else only find out whether it is possible.
  Body place(const std::vector<std::size_t>& members, const std::vector<Live>& live, const Around& around,
             const std::vector<Names>& names, bool build) {
    if (++tries_ > most_tries) return std::nullopt;
    std::vector<Group> groups;
    for (const std::vector<std::size_t>& circle : circles(members, live, names)) {
      std::optional<Group> group = group_of(circle, live, around, names);
      if (!group) return std::nullopt;
      share_or_append(std::move(*group), groups, live, around, names);
    }
    std::vector<Node> body;
    for (Group& g : groups) {
      if (g.leaf) {
        if (build) body.push_back({statement(g.parts[0], around, names[g.parts[0]])});
        continue;
      }
      if (!build) continue; // group_of has seen that its inside is possible
      body.push_back({loop(g, live, around, names)});
    }
    return body;
  }

  // Strongly connected components in the order of their dependences; among independent ones, in the order of the
  // program.
  std::vector<std::vector<std::size_t>> circles(const std::vector<std::size_t>& members, const std::vector<Live>& live,
                                                const std::vector<Names>& names) const {
    const std::size_t n = members.size();
    const auto position = [&](std::size_t part) {
      return static_cast<std::size_t>(std::find(members.begin(), members.end(), part) - members.begin());
    };
    std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
    for (const Live& l : live) {
      const std::size_t a = position(from(l)), b = position(to(l));
      if (a < n && b < n) reach[a][b] = true;
    }
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        if (reach[i][k])
          for (std::size_t j = 0; j < n; ++j) reach[i][j] = reach[i][j] || reach[k][j];
    std::vector<bool> done(n, false);
    std::vector<std::vector<std::size_t>> result;
    for (std::size_t left = n; left > 0;) {
      // The first whose circle needs nothing that is not done; statements before loops, so that loops come together.
      const std::size_t before = left;
      for (std::size_t turn = 0; turn < 2 * n && left == before; ++turn) {
        const std::size_t i = turn % n;
        if (done[i] || (turn < n && !remaining(members[i], names[members[i]]).empty())) continue;
        bool ready = true;
        for (std::size_t j = 0; j < n; ++j) ready &= done[j] || !reach[j][i] || (reach[i][j] && reach[j][i]) || j == i;
        if (!ready) continue;
        std::vector<std::size_t> circle;
        for (std::size_t j = 0; j < n; ++j)
          if (!done[j] && (j == i || (reach[i][j] && reach[j][i]))) {
            circle.push_back(members[j]);
            done[j] = true;
            --left;
          }
        result.push_back(circle);
      }
    }
    return result;
  }

  std::size_t from(const Live& l) const { return parts_.dependences[l.dependence].from; }
  std::size_t to(const Live& l) const { return parts_.dependences[l.dependence].to; }

  // --- choosing variables ---

  std::vector<std::string> remaining(std::size_t part, const Names& names) const {
    std::vector<std::string> list;
    for (const std::string& v : parts_.parts[part].variables)
      if (!names.count(v)) list.push_back(v);
    return list;
  }

  std::size_t variable_index(std::size_t part, const std::string& name) const {
    const auto& v = parts_.parts[part].variables;
    return static_cast<std::size_t>(std::find(v.begin(), v.end(), name) - v.begin());
  }

  std::size_t order_of(const std::string& name) const {
    return static_cast<std::size_t>(std::find(order_.begin(), order_.end(), name) - order_.begin());
  }

  std::optional<Group> group_of(const std::vector<std::size_t>& circle, const std::vector<Live>& live,
                                const Around& around, const std::vector<Names>& names) {
    std::vector<Live> inside;
    for (const Live& l : live)
      if (contains(circle, from(l)) && contains(circle, to(l))) inside.push_back(l);
    Group group;
    group.parts = circle;
    const bool exhausted =
        std::any_of(circle.begin(), circle.end(), [&](std::size_t p) { return remaining(p, names[p]).empty(); });
    if (exhausted) {
      if (circle.size() == 1 && inside.empty()) {
        group.leaf = true;
        return group;
      }
      note_obstacle(inside);
      return std::nullopt;
    }
    // The part with most variables leads: it takes the next one of the wanted order.
    std::size_t widest = circle[0];
    for (std::size_t p : circle)
      if (remaining(p, names[p]).size() > remaining(widest, names[widest]).size()) widest = p;
    std::vector<std::vector<std::string>> wishes;
    std::vector<std::size_t> ordered{widest};
    for (std::size_t p : circle)
      if (p != widest) ordered.push_back(p);
    const std::vector<std::string> lead_wishes = wishes_of_widest(widest, names[widest]);
    for (const std::string& lead : lead_wishes) {
      wishes.assign(1, {lead});
      const std::string lead_range = range(widest, lead, around, names[widest]).key;
      for (std::size_t i = 1; i < ordered.size(); ++i)
        wishes.push_back(wishes_of(ordered[i], lead, lead_range, around, names[ordered[i]]));
      if (choose(ordered, 0, wishes, inside, around, names, group)) {
        finish_group(group, around, names);
        return group;
      }
    }
    return std::nullopt;
  }

  // With a wanted order the next of its variables, and nothing else; without one all, in their own order.
  std::vector<std::string> wishes_of_widest(std::size_t part, const Names& names) const {
    std::vector<std::string> list = remaining(part, names);
    std::stable_sort(list.begin(), list.end(),
                     [&](const std::string& a, const std::string& b) { return order_of(a) < order_of(b); });
    if (!list.empty() && order_of(list[0]) < order_.size()) list.resize(1);
    return list;
  }

  // The loop's own variable comes first where it ranges as the loop does. Then, as in the paper, one that may stand
  // for it: it ranges as the loop does and says which element is written.
  std::vector<std::string> wishes_of(std::size_t part, const std::string& lead, const std::string& lead_range,
                                     const Around& around, const Names& names) {
    std::vector<std::string> list = remaining(part, names);
    const auto rank = [&](const std::string& v) {
      const bool same_range = range(part, v, around, names).key == lead_range;
      const bool writes = contains(parts_.parts[part].target_variables, v);
      if (same_range && v == lead) return 0;
      if (same_range && writes) return 1;
      if (v == lead) return 2;
      if (same_range) return 3;
      return 4;
    };
    std::stable_sort(list.begin(), list.end(),
                     [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
    return list;
  }

  // Tries the wishes part after part; a choice must let every dependence among the parts so far stay or move on, all
  // in one direction.
  bool choose(const std::vector<std::size_t>& ordered, std::size_t next,
              const std::vector<std::vector<std::string>>& wishes, const std::vector<Live>& inside,
              const Around& around, const std::vector<Names>& names, Group& group) {
    if (++tries_ > most_tries) return false;
    if (next == ordered.size()) return inside_is_possible(group, inside, around, names);
    const std::size_t part = ordered[next];
    for (const std::string& wish : wishes[next]) {
      Group tried = group;
      tried.choice[part] = wish;
      std::vector<std::size_t> blame;
      for (const Live& l : inside) {
        const std::size_t a = from(l), b = to(l);
        if ((a != part && b != part) || !tried.choice.count(a) || !tried.choice.count(b)) continue;
        if (!take(tried, l)) blame.push_back(l.dependence);
      }
      if (!tried.may_rise && !tried.may_fall) {
        if (!blame.empty() && !obstacle_.known) obstacle_ = {blame[0], true};
        continue;
      }
      if (choose(ordered, next + 1, wishes, inside, around, names, tried)) {
        group = std::move(tried);
        return true;
      }
    }
    return false;
  }

  // Counts one dependence in; false where it leaves no direction.
  bool take(Group& group, const Live& l) const {
    const Rest::Step& step = l.rest->along(variable_index(from(l), group.choice.at(from(l))),
                                           variable_index(to(l), group.choice.at(to(l))), memory_.context);
    if (step.forward) group.may_fall = false;
    if (step.backward) group.may_rise = false;
    if (step.forward || step.backward) group.forall = false;
    return group.may_rise || group.may_fall;
  }

  bool inside_is_possible(const Group& group, const std::vector<Live>& inside, const Around& around,
                          const std::vector<Names>& names) {
    if (!group.may_rise && !group.may_fall) return false;
    Group copy = group;
    finish_group(copy, around, names);
    const auto [inner, inner_names] = enter(copy, around, names);
    const std::vector<Live> left = carried_on(group, inside);
    // The same question comes up for every pair of loops that might be shared around it.
    std::string question;
    for (std::size_t p : group.parts) question += fmt::format("{} {} ", p, described(inner_names[p]));
    for (const Live& l : left) question += fmt::format(" {}", static_cast<const void*>(l.rest));
    question += inner.key;
    if (const auto at = possible_.find(question); at != possible_.end()) return at->second;
    const bool possible = place(group.parts, left, inner, inner_names, false).has_value();
    possible_.emplace(std::move(question), possible);
    return possible;
  }

  // The dependences that stay within one iteration.
  std::vector<Live> carried_on(const Group& group, const std::vector<Live>& live) const {
    std::vector<Live> left;
    for (const Live& l : live) {
      const auto a = group.choice.find(from(l)), b = group.choice.find(to(l));
      if (a == group.choice.end() || b == group.choice.end()) continue;
      const Rest::Step& step =
          l.rest->along(variable_index(from(l), a->second), variable_index(to(l), b->second), memory_.context);
      if (step.equal) left.push_back({l.dependence, step.equal.get()});
      else if (parts_.dependences[l.dependence].nothing) left.push_back(l);
    }
    return left;
  }

  void note_obstacle(const std::vector<Live>& inside) {
    if (!inside.empty() && !obstacle_.known) obstacle_ = {inside[0].dependence, true};
  }

  // --- sharing loops ---

  void share_or_append(Group group, std::vector<Group>& groups, const std::vector<Live>& live, const Around& around,
                       const std::vector<Names>& names) {
    if (!group.leaf)
      for (std::size_t i = groups.size(); i-- > 0;) {
        if (!groups[i].leaf)
          if (std::optional<Group> both = shared(groups[i], group, live, around, names)) {
            groups[i] = std::move(*both);
            gather(i, groups, live, around, names);
            return;
          }
        if (needs(groups[i], group, live)) break;
      }
    groups.push_back(std::move(group));
  }

  bool needs(const Group& first, const Group& then, const std::vector<Live>& live) const {
    return std::any_of(live.begin(), live.end(),
                       [&](const Live& l) { return contains(first.parts, from(l)) && contains(then.parts, to(l)); });
  }

  // A group that grew may have become what holds others together.
  void gather(std::size_t at, std::vector<Group>& groups, const std::vector<Live>& live, const Around& around,
              const std::vector<Names>& names) {
    for (std::size_t i = at; i-- > 0;) {
      if (!groups[i].leaf && belong_together(groups[i], groups[at]))
        if (std::optional<Group> both = shared(groups[i], groups[at], live, around, names)) {
          groups[i] = std::move(*both);
          groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(at));
          at = i;
          continue;
        }
      if (needs(groups[i], groups[at], live)) return;
    }
  }

  std::optional<Group> shared(const Group& a, const Group& b, const std::vector<Live>& live, const Around& around,
                              const std::vector<Names>& names) {
    const bool wanted = belong_together(a, b);
    if (!wanted && (a.ranges_key != b.ranges_key || !may_share_(a.choice, b.choice))) return std::nullopt;
    if (!wanted && (uses_apart(a, b) || uses_apart(b, a))) return std::nullopt;
    // Where only some iterations of a loop around concern one of them, that is better asked outside than inside.
    if (!wanted && !together_.tensors.empty() && asked(a, around, names) != asked(b, around, names))
      return std::nullopt;
    Group both = a;
    both.parts.insert(both.parts.end(), b.parts.begin(), b.parts.end());
    std::sort(both.parts.begin(), both.parts.end());
    both.choice.insert(b.choice.begin(), b.choice.end());
    both.may_rise &= b.may_rise;
    both.may_fall &= b.may_fall;
    both.forall &= b.forall;
    std::vector<Live> inside;
    for (const Live& l : live) {
      if (!contains(both.parts, from(l)) || !contains(both.parts, to(l))) continue;
      inside.push_back(l);
      if (!take(both, l)) return std::nullopt;
    }
    // Two loops that carry nothing are worth more than one that does.
    if (a.forall && b.forall && !both.forall) return std::nullopt;
    if (!inside_is_possible(both, inside, around, names)) return std::nullopt;
    if (wanted) finish_group(both, around, names);
    return both;
  }

  // Whether one writes and the other reads a tensor that is to be there before it is read.
  bool uses_apart(const Group& writer, const Group& reader) const {
    bool found = false;
    for (std::size_t w : writer.parts) {
      const std::string& own = program_.equations[static_cast<std::size_t>(parts_.parts[w].equation)].access().tensor;
      if (!together_.apart.count(own)) continue;
      for (std::size_t r : reader.parts)
        ir::walk<ExprNode>(parts_.parts[r].value, [&](const Expr& e) {
          if (const Access* a = as<Access>(e)) found |= a->tensor == own;
        });
    }
    return found;
  }

  // What must hold of the loops around for each part of a group to run.
  std::set<std::string> asked(const Group& group, const Around& around, const std::vector<Names>& names) {
    std::set<std::string> texts;
    for (std::size_t p : group.parts) {
      std::vector<Condition> known;
      for (const Condition& c : parts_.parts[p].conditions)
        if (std::all_of(c.affine.terms.begin(), c.affine.terms.end(),
                        [&](const auto& term) { return program_.is_size(term.first) || names[p].count(term.first); }))
          known.push_back(c);
      for (const Condition& c : memory_.bounds.guard_of(renamed(known, names[p]), around.loops))
        texts.insert(isl_text(c));
    }
    return texts;
  }

  // Whether both run along wanted variables and have to do with the same of the tensors that are to be kept together.
  bool belong_together(const Group& a, const Group& b) const {
    for (const Group* g : {&a, &b})
      for (const auto& [part, variable] : g->choice)
        if (!together_.variables.count(variable)) return false;
    const auto tensors = [&](const Group& g) {
      std::set<std::string> found;
      for (std::size_t p : g.parts) {
        const Part& part = parts_.parts[p];
        const std::string& own = program_.equations[static_cast<std::size_t>(part.equation)].access().tensor;
        if (together_.tensors.count(own)) found.insert(own);
        ir::walk<ExprNode>(part.value, [&](const Expr& e) {
          if (const Access* read = as<Access>(e); read && together_.tensors.count(read->tensor))
            found.insert(read->tensor);
        });
      }
      return found;
    };
    const std::set<std::string> first = tensors(a), second = tensors(b);
    return std::any_of(first.begin(), first.end(), [&](const std::string& t) { return second.count(t) > 0; });
  }

  // --- ranges ---

  // Own variables as the loops around call them; those without a loop yet get a name that nobody has.
  Names all_names(std::size_t part, const Names& names) const {
    Names all = names;
    for (const std::string& v : parts_.parts[part].variables)
      if (!all.count(v)) all[v] = v + "'";
    return all;
  }

  const KnownRange& range(std::size_t part, const std::string& variable, const Around& around, const Names& names) {
    std::string question = fmt::format("{} {} {}{}", part, variable, described(names), around.key);
    const auto [at, is_new] = memory_.ranges.try_emplace(std::move(question));
    if (is_new) {
      Range found = memory_.bounds.range_of(renamed(parts_.parts[part].conditions, all_names(part, names)),
                                            variable + "'", around.loops);
      std::string key = key_of(found);
      at->second = {std::move(found), std::move(key)};
    }
    return at->second;
  }

  // Ranges inside others are left out.
  void finish_group(Group& group, const Around& around, const std::vector<Names>& names) {
    std::vector<const KnownRange*> kept;
    for (const auto& [part, variable] : group.choice) {
      const KnownRange* own = &range(part, variable, around, names[part]);
      const auto inside = [&](const KnownRange* a, const KnownRange* b) {
        return a->key == b->key || memory_.bounds.inside(a->range, b->range, around.loops);
      };
      if (std::any_of(kept.begin(), kept.end(), [&](const KnownRange* other) { return inside(own, other); })) continue;
      std::erase_if(kept, [&](const KnownRange* other) { return inside(other, own); });
      kept.push_back(own);
    }
    group.ranges.clear();
    for (const KnownRange* r : kept) group.ranges.push_back(r->range);
    std::sort(kept.begin(), kept.end(), [](const KnownRange* a, const KnownRange* b) { return a->key < b->key; });
    group.ranges_key.clear();
    for (const KnownRange* r : kept) group.ranges_key.append(r->key) += '|';
  }

  // --- building ---

  // The name of the variable that the wanted order, or else the part with most variables, gives.
  std::string loop_name(const Group& group, const Around& around, const std::vector<Names>& names) const {
    const auto free = [&](const std::string& name) {
      return std::none_of(around.loops.begin(), around.loops.end(), [&](const ScopeLoop& l) { return l.name == name; });
    };
    std::string best;
    std::size_t best_count = 0, best_order = 0;
    for (const auto& [part, own] : group.choice) {
      if (!free(own)) continue;
      const std::size_t count = remaining(part, names[part]).size();
      if (best.empty() || count > best_count || (count == best_count && order_of(own) < best_order)) {
        best = own;
        best_count = count;
        best_order = order_of(own);
      }
    }
    if (!best.empty()) return best;
    for (const std::string& name : order_)
      if (free(name)) return name;
    for (int i = 2;; ++i)
      if (std::string name = group.choice.begin()->second + std::to_string(i); free(name) && !known_name(name))
        return name;
  }

  bool known_name(const std::string& name) const {
    return program_.is_size(name) || program_.tensor(name) || program_.let(name);
  }

  std::pair<Around, std::vector<Names>> enter(const Group& group, const Around& around,
                                              const std::vector<Names>& names) const {
    const std::string name = loop_name(group, around, names);
    Around inner = around;
    inner.loops.push_back({name, group.ranges});
    inner.key.append(name).append("|").append(group.ranges_key) += ' ';
    std::vector<Names> inner_names(names.size()); // other parts do not come inside
    for (const auto& [part, own] : group.choice) {
      inner_names[part] = names[part];
      inner_names[part][own] = name;
    }
    return {inner, inner_names};
  }

  Loop loop(const Group& group, const std::vector<Live>& live, const Around& around, const std::vector<Names>& names) {
    const auto [inner, inner_names] = enter(group, around, names);
    Loop result;
    result.variable = inner.loops.back().name;
    result.rising = group.may_rise;
    result.forall = group.forall;
    for (const auto& [part, own] : group.choice)
      result.reduces |= parts_.parts[part].reducer && !contains(parts_.parts[part].target_variables, own);
    result.ranges = group.ranges;
    std::vector<Live> inside;
    for (const Live& l : live)
      if (contains(group.parts, from(l)) && contains(group.parts, to(l))) inside.push_back(l);
    Body body = place(group.parts, carried_on(group, inside), inner, inner_names, true);
    if (!body) bug("a loop that was possible could not be built");
    result.body = std::move(*body);
    ask_for_one(result);
    return result;
  }

  Statement statement(std::size_t number, const Around& around, const Names& names) {
    const Part& part = parts_.parts[number];
    Statement s;
    s.equation = part.equation;
    s.reducer = part.reducer;
    s.target = with_names(part.target, names);
    s.value = with_names(part.value, names);
    s.guard = memory_.bounds.guard_of(renamed(part.conditions, names), around.loops);
    return s;
  }

  Expr with_names(const Expr& expr, const Names& names) {
    Expr result;
    if (const Name* n = as<Name>(expr); n && n->kind == NameKind::index) {
      Name next = *n;
      if (const auto at = names.find(n->id); at != names.end()) next.id = at->second;
      result = Expr(std::move(next), expr->span);
    } else {
      result = ir::map_children<ExprNode>(expr, [&](const Expr& child) { return with_names(child, names); });
    }
    if (const ExprType* type = parts_.types.find(expr)) types_.set(result, *type);
    return result;
  }

  static bool contains(const auto& list, const auto& item) {
    return std::find(list.begin(), list.end(), item) != list.end();
  }

  const Parts& parts_;
  const std::vector<std::string>& order_;
  const Program& program_;
  PlaceMemory& memory_;
  const MayShare& may_share_;
  Types& types_;
  const Together& together_;
  Obstacle obstacle_;
  std::map<std::string, bool> possible_; // what is inside a loop, by question
  int tries_ = 0;
};

} // namespace

PlaceResult place(const Parts& parts, const std::vector<std::string>& order, const Program& program,
                  PlaceMemory& memory, const MayShare& may_share, Types& types, const Together& together) {
  return Placer(parts, order, program, memory, may_share, types, together).run();
}

} // namespace cyclotron::lower
