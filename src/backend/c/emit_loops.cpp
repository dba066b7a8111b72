// SPDX-License-Identifier: MIT
// Loops as C: which sparse accesses a loop walks, which it follows, and which are searched.
#include "backend/c/emitter.hpp"

#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

std::vector<const StatementInfo*> Emitter::inside(const std::vector<Node>& body) const {
  std::vector<const StatementInfo*> list;
  loops::each_statement(body, [&](const Statement& s, const auto&) {
    if (const StatementInfo& info = statements_.at(&s); !is_copy_in_place(info)) list.push_back(&info);
  });
  return list;
}

std::vector<std::string> Emitter::keys_of(const std::vector<const StatementInfo*>& statements) const {
  std::vector<std::string> keys;
  for (const StatementInfo* s : statements)
    for (const std::string& key : s->accesses)
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  return keys;
}

// Elements whose structure may lead a loop though no statement touches them.
std::vector<std::string> Emitter::wanted_of(const std::vector<const StatementInfo*>& statements) const {
  const std::vector<std::string> keys = keys_of(statements);
  std::vector<std::string> list;
  for (const StatementInfo* s : statements)
    if (!s->wanted.empty() && std::find(keys.begin(), keys.end(), s->wanted) == keys.end() &&
        std::find(list.begin(), list.end(), s->wanted) == list.end())
      list.push_back(s->wanted);
  return list;
}

bool Emitter::in_scope(const Affine& affine) const {
  return std::all_of(affine.terms.begin(), affine.terms.end(), [&](const auto& term) {
    return program_.is_size(term.first) ||
           std::any_of(scope_.begin(), scope_.end(), [&](const Loop* l) { return l->variable == term.first; });
  });
}

// Where the stored coordinates of the next level stand.
std::pair<std::string, std::string> Emitter::segment(const AccessInfo& info, const Resolved& at) {
  if (!at.begin.empty()) return {at.begin, at.end};
  const std::string& pos = info.tensor->positions[at.levels];
  const bool simple = at.position.find(' ') == std::string::npos;
  const std::string next = simple && at.position == "0" ? "1" : at.position + " + 1";
  if (at.present.empty())
    return {fmt::format("{}[{}]", pos, at.position), fmt::format("{}[{}]", pos, next)};
  return {fmt::format("({} ? {}[{}] : 0)", at.present, pos, at.position),
          fmt::format("({} ? {}[{}] : 0)", at.present, pos, next)};
}

// Whether the loop over `variable` can walk the next level: its coordinate is the variable plus something known.
bool Emitter::walkable(const AccessInfo& info, const Resolved& at, const std::string& variable) const {
  if (at.levels >= info.coordinates.size()) return false;
  const LevelKind kind = info.tensor->decl->format.levels[at.levels];
  if (kind != LevelKind::compressed && kind != LevelKind::singleton) return false;
  const Affine& c = info.coordinates[at.levels];
  if (c.coefficient(variable) != 1) return false;
  return in_scope(c - Affine{{{variable, 1}}, 0});
}

// One entry of the next level is chosen: it stands at `position`; where coordinates repeat, up to `end`.
void Emitter::enter_entry(const AccessInfo& info, Resolved& at, const std::string& position, const std::string& end) {
  const auto& levels = info.tensor->decl->format.levels;
  const bool repeats = at.levels + 1 < levels.size() && levels[at.levels + 1] == LevelKind::singleton;
  at.begin = repeats ? position : "";
  at.end = repeats ? end : "";
  at.position = position;
  ++at.levels;
}

// The marching pointers that know where `wanted` is: it is their variable, the outermost loop, which only rises.
const Marching* Emitter::marching_of(const AccessInfo& info, const Resolved& at, const Affine& wanted) const {
  if (!info.tensor->entries.empty() || info.tensor->stepped || !at.begin.empty() || scope_.empty()) return nullptr;
  if (info.tensor->decl->format.levels[at.levels] != LevelKind::compressed || !at.present.empty()) return nullptr;
  for (const Marching& m : options_.marching)
    if (m.tensor == info.tensor->decl->name.name && wanted == Affine{{{m.variable, 1}}, 0} &&
        scope_[0]->variable == m.variable && scope_[0]->rising && !parallel_)
      return &m;
  return nullptr;
}

std::string Emitter::march(const Marching& m, const AccessInfo& info, const Resolved& at, const std::string& end) {
  std::string& name = pointers_[fmt::format("{}/{}", m.tensor, at.levels)];
  if (name.empty()) name = names_.fresh(info.tensor->name + "_march");
  return fmt::format("{}(&{}[{}], {}, {}, {})", use("cyc_march"), name, at.position, info.tensor->coordinates[at.levels],
                     end, c_names_.at(m.variable));
}

// A level whose coordinate is known but which no loop walks.
void Emitter::search(const AccessInfo& info, Resolved& at) {
  const TensorNames& t = *info.tensor;
  const LevelKind kind = t.decl->format.levels[at.levels];
  const std::string wanted = text(info.coordinates[at.levels]);
  const std::string name = names_.fresh("p_" + identifier(info.key));
  if (kind == LevelKind::bitvector) {
    const std::string parent = at.present.empty() ? at.position : fmt::format("({} ? {} : -1)", at.present, at.position);
    line(fmt::format("const int64_t {} = {}({}, {}, {}, {}, {});", name, use("cyc_bit"), t.bits[at.levels],
                     t.positions[at.levels], parent, t.sizes[at.levels], wanted));
    enter_entry(info, at, name, "");
    at.present = name + " >= 0";
    return;
  }
  const auto [begin, end] = segment(info, at);
  const std::string& crd = t.coordinates[at.levels];
  const auto& levels = t.decl->format.levels;
  const bool repeats = at.levels + 1 < levels.size() && levels[at.levels + 1] == LevelKind::singleton;
  if (const Marching* m = marching_of(info, at, info.coordinates[at.levels])) {
    const std::string pointer = names_.fresh(name + "_march");
    line(fmt::format("const int64_t {} = {};", pointer, march(*m, info, at, end)));
    line(fmt::format("const int64_t {0} = {1} < {2} && {3}[{1}] == {4} ? {1} : -1;", name, pointer, end, crd, wanted));
    enter_entry(info, at, name, "");
    at.present = name + " >= 0";
    return;
  }
  if (!repeats) {
    line(fmt::format("const int64_t {} = {}({}, {}, {}, {});", name, use("cyc_find"), crd, begin, end, wanted));
    resolved_["found " + fiber_of(info, at.levels) + ";" + wanted].position = name;
    enter_entry(info, at, name, "");
    at.present = name + " >= 0";
    return;
  }
  const std::string last = names_.fresh(name + "_end");
  line(fmt::format("const int64_t {} = {}({}, {}, {}, {});", name, use("cyc_lower"), crd, begin, end, wanted));
  line(fmt::format("const int64_t {} = {}({}, {}, {}, {} + 1);", last, use("cyc_lower"), crd, name, end, wanted));
  enter_entry(info, at, name, last);
  at.present = fmt::format("{} < {}", name, last);
}

// What must hold for a coordinate to be inside its tensor, as far as the loops around do not see to it: the position
// arrays of a sparse tensor must not be read beyond their ends, even for an access that a guard keeps from happening.
std::string Emitter::range_check(const AccessInfo& info, std::size_t level) {
  const Affine& c = info.coordinates[level];
  const auto dim = static_cast<std::size_t>(info.tensor->decl->format.order[level]);
  const Affine size = accepted_affine(info.tensor->decl->dims[dim], program_);
  lower::Scope scope;
  for (const Loop* l : scope_) scope.push_back({l->variable, l->ranges});
  return conditions(bounds_.guard_of({condition_of({}, Relation::less_equal, c), condition_of(c, Relation::less, size)},
                                     scope));
}

// Resolves accesses as far as the variables in scope allow.
void Emitter::advance(const std::vector<std::string>& keys, const std::vector<std::string>& wanted) {
  std::vector<std::string> all = keys;
  all.insert(all.end(), wanted.begin(), wanted.end());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string& key = all[k];
    const bool touched = k < keys.size(); // others are never searched for
    const AccessInfo& info = accesses_.at(key);
    Resolved& at = resolved_[key];
    const TensorNames& t = *info.tensor;
    if (touched && at.base.empty() && (!info.step || in_scope(*info.step))) {
      if (!t.stepped) at.base = t.values;
      else {
        const StepPlan& plan = plan_.steps.at(t.decl->name.name);
        const std::string step = info.last_step ? t.last : text(*info.step);
        std::string slot = fmt::format("({} - {})", step, t.first);
        if (info.last_step) slot = fmt::format("({0} < {1} ? 0 : {0} - {1})", t.last, t.first);
        if (!plan.all) slot += fmt::format(" % {}", plan.kept);
        // One pointer per step in use.
        const std::string stem = t.name + "_" + (info.last_step ? "last" : identifier(text(*info.step)));
        const std::string pointer_key = "pointer " + stem;
        if (const auto known = resolved_.find(pointer_key); known != resolved_.end()) at.base = known->second.base;
        else {
          const std::string name = names_.fresh(stem);
          line(fmt::format("{} *const {} = {} + {} * {};", c_type(t.decl->type), name, t.steps, slot, t.count));
          at.base = name;
          resolved_[pointer_key].base = name;
        }
      }
    }
    while (at.levels < info.coordinates.size() && in_scope(info.coordinates[at.levels])) {
      if (t.decl->format.levels[at.levels] != LevelKind::dense) {
        if (!touched) break;
        search(info, at);
        continue;
      }
      if (t.sparse())
        if (const std::string check = range_check(info, at.levels); !check.empty())
          at.present = at.present.empty() ? check : at.present + " && " + check;
      const std::string own = text(info.coordinates[at.levels]);
      const std::string& size = t.sizes[at.levels];
      if (at.position == "0") at.position = own;
      else {
        const bool simple = at.position.find(' ') == std::string::npos;
        at.position = fmt::format("{} * {} + {}", simple ? at.position : "(" + at.position + ")", size, own);
      }
      ++at.levels;
    }
  }
}

// A loop over one value.
bool Emitter::is_single(const Loop& loop) {
  return loop.ranges.size() == 1 && loop.ranges[0].lower.size() == 1 && loop.ranges[0].lower == loop.ranges[0].upper &&
         loop.ranges[0].lower[0].divisor == 1;
}

// Whether a loop has no loops inside but those over one value.
bool Emitter::is_flat(const Loop& loop) const {
  return std::all_of(loop.body.begin(), loop.body.end(), [&](const Node& n) {
    const Loop* inner = std::get_if<Loop>(&n.kind);
    return !inner || (is_single(*inner) && is_flat(*inner));
  });
}

// Whether what a flat loop writes stands side by side in memory. Scattered writes are slower in vectors than without.
bool Emitter::stores_in_a_row(const Loop& loop) {
  bool in_a_row = true;
  loops::each_statement(loop.body, [&](const Statement& s, const auto&) {
    std::vector<Affine> places;
    if (s.reducer) {
      const TemporaryPlan& plan = plan_.temporaries.at({s.access().tensor, s.equation});
      if (plan.kind == TemporaryPlan::Kind::scalar) return;
      const std::vector<Affine> all = coordinates_of(s.access(), program_);
      if (plan.kind == TemporaryPlan::Kind::array)
        for (std::size_t d : plan.kept) places.push_back(all[d]);
    }
    if (places.empty()) {
      const StatementInfo& info = statements_.at(&s);
      if (info.target.empty()) return;
      const AccessInfo& target = accesses_.at(info.target);
      if (target.tensor->sparse()) in_a_row = false;
      places = target.coordinates;
    }
    for (std::size_t d = 0; d < places.size(); ++d) {
      const std::int64_t c = places[d].coefficient(loop.variable);
      in_a_row &= d + 1 == places.size() ? c == 1 : c == 0;
    }
  });
  return in_a_row;
}

std::string Emitter::pragma_of(const Loop& loop, bool plain, bool dense) {
  if (!plain) return "";
  const bool innermost = is_flat(loop);
  std::string clauses;
  if (innermost && loop.forall && loop.reduces) {
    bool all_sums = true;
    loops::each_statement(loop.body, [&](const Statement& s, const auto&) {
      if (!s.reducer) {
        all_sums = false;
        return;
      }
      const auto& plan = plan_.temporaries.at({s.access().tensor, s.equation});
      const loops::Temporary& t = *nest_.temporary(s.access().tensor, s.equation);
      all_sums &= plan.kind == TemporaryPlan::Kind::scalar && !plan.counted && *s.reducer == Reducer::sum &&
                  tensor::is_float(t.type);
      clauses += fmt::format(" reduction(+ : {})", temporaries_.at({t.name, t.equation}));
    });
    if (!all_sums) return "";
  }
  if (loop.vector_width != 0 || (innermost && dense && !clauses.empty()))
    return "#pragma omp simd" + (loop.vector_width > 0 ? fmt::format(" simdlen({})", loop.vector_width) : "") + clauses;
  if (loop.unroll > 0) return fmt::format("#pragma GCC unroll {}", loop.unroll);
  if (innermost && dense && loop.forall && !loop.reduces && stores_in_a_row(loop)) return "CYC_INDEPENDENT";
  return "";
}

// Values that an innermost loop reads again and again are loaded before it. An element is written once, before it is
// read, so nothing in the loop changes it.
void Emitter::load_ahead(const Loop& loop, const std::vector<const StatementInfo*>& statements,
                         const std::vector<std::string>& keys) {
  if (!is_flat(loop) || is_single(loop)) return;
  for (const std::string& key : keys) {
    const AccessInfo& info = accesses_.at(key);
    Resolved& at = resolved_.at(key);
    if (at.levels != info.coordinates.size() || at.base.empty() || !at.value.empty()) continue;
    const bool read = std::any_of(statements.begin(), statements.end(),
                                  [&](const StatementInfo* s) { return s->reads.count(key) > 0; });
    const bool written = std::any_of(statements.begin(), statements.end(), [&](const StatementInfo* s) {
      if (s->statement->reducer || s->statement->access().tensor != info.tensor->decl->name.name) return false;
      const AccessInfo& target = accesses_.at(s->target);
      if (!info.step || !target.step) return true;
      const Affine apart = *info.step - *target.step; // another step is other memory
      return !apart.is_constant() || apart.constant == 0;
    });
    if (!read || written || info.coordinates.empty()) continue;
    // The loop may not run at all: then the element need not be there.
    bool inside = true;
    for (std::size_t l = 0; l < info.coordinates.size() && !info.tensor->sparse(); ++l)
      inside &= range_check(info, l).empty();
    if (!inside || info.last_step) continue;
    const std::string name = names_.fresh(identifier(key));
    const std::string value = element(key);
    line(fmt::format("const {} {} = {};", c_type(info.tensor->decl->type), name,
                     at.present.empty() ? value : fmt::format("{} ? {} : 0", at.present, value)));
    at.value = name;
  }
}

// The position of a coordinate that was searched for in this fiber before; empty where there is none.
std::string Emitter::found_near(const AccessInfo& info, const Resolved& at, const Affine& coordinate) const {
  const auto found = resolved_.find("found " + fiber_of(info, at.levels) + ";" + text(coordinate));
  return found == resolved_.end() ? "" : found->second.position;
}

void Emitter::emit_loop(const Loop& loop) {
  if (inside(loop.body).empty()) return;
  if (!loop.guard.empty()) open(fmt::format("if ({})", conditions(loop.guard)));
  emit_loop_inside(loop);
  if (!loop.guard.empty()) close();
}

// Positions of an access along a loop: begin and end, cut to the loop's range.
struct Emitter::Walk {
  std::string key, begin, end, position, offset, crd;
  bool repeats = false;
};

Emitter::Walk Emitter::walk_of(const std::string& key, const Loop& loop) {
  const AccessInfo& info = accesses_.at(key);
  const Resolved& at = resolved_.at(key);
  const TensorNames& t = *info.tensor;
  Walk w;
  w.key = key;
  const auto& levels = t.decl->format.levels;
  w.repeats = at.levels + 1 < levels.size() && levels[at.levels + 1] == LevelKind::singleton;
  w.crd = t.coordinates[at.levels];
  const Affine offset = info.coordinates[at.levels] - Affine{{{loop.variable, 1}}, 0};
  w.offset = offset == Affine{} ? "" : text(offset);
  w.position = names_.fresh("p_" + identifier(key));
  std::tie(w.begin, w.end) = segment(info, at);
  const std::string plus = w.offset.empty() ? "" : fmt::format(" + {}", w.offset);
  const auto dim = static_cast<std::size_t>(t.decl->format.order[at.levels]);
  const std::string low = lower_text(loop), end = end_text(loop);
  if (low != "0" || !w.offset.empty()) {
    const std::string name = names_.fresh(w.position + "_begin");
    std::string position = lower_position(info, at, w.begin, w.end, low + plus, std::nullopt);
    if (loop.ranges.size() == 1 && loop.ranges[0].lower.size() == 1 && loop.ranges[0].lower[0].divisor == 1) {
      const Affine before = loop.ranges[0].lower[0].value + offset - Affine{{}, 1};
      if (const std::string near = found_near(info, at, before); !near.empty())
        position = fmt::format("{0} >= 0 ? {0} + 1 : {1}", near, position);
    }
    line(fmt::format("const int64_t {} = {};", name, position));
    w.begin = name;
  }
  std::optional<Affine> past; // one behind the last coordinate, where that is one expression
  if (loop.ranges.size() == 1 && loop.ranges[0].upper.size() == 1 && loop.ranges[0].upper[0].divisor == 1)
    past = loop.ranges[0].upper[0].value + Affine{{}, 1} + offset;
  if (end != text(accepted_affine(t.decl->dims[dim], program_)) || !w.offset.empty()) {
    const std::string name = names_.fresh(w.position + "_end");
    std::string position = lower_position(info, at, w.begin, w.end, end + plus, past);
    if (past)
      if (const std::string near = found_near(info, at, *past); !near.empty())
        position = fmt::format("{0} >= 0 ? {0} : {1}", near, position);
    line(fmt::format("const int64_t {} = {};", name, position));
    w.end = name;
  }
  return w;
}

// The first position whose coordinate is at least `wanted`.
std::string Emitter::lower_position(const AccessInfo& info, const Resolved& at, const std::string& begin,
                                    const std::string& end, const std::string& wanted,
                                    const std::optional<Affine>& affine) {
  if (affine)
    if (const Marching* m = marching_of(info, at, *affine)) return march(*m, info, at, segment(info, at).second);
  return fmt::format("{}({}, {}, {}, {})", use("cyc_lower"), info.tensor->coordinates[at.levels], begin, end, wanted);
}

void Emitter::emit_loop_inside(const Loop& loop) {
  const std::vector<const StatementInfo*> statements = inside(loop.body);
  const std::vector<std::string> keys = keys_of(statements), wanted = wanted_of(statements);
  std::vector<std::string> all = keys;
  all.insert(all.end(), wanted.begin(), wanted.end());
  std::set<std::string> walkers, spread;
  for (const std::string& key : all) {
    if (!walkable(accesses_.at(key), resolved_[key], loop.variable)) continue;
    if (fiber_workspace(accesses_.at(key), resolved_.at(key))) spread.insert(key);
    else walkers.insert(key);
  }
  // Of accesses that must all be there, the one whose fiber was found last leads: the others may be spread out.
  const auto better = [&](const std::string& a, const std::string& b) {
    const auto score = [&](const std::string& key) { return depth_of(accesses_.at(key), resolved_.at(key).levels); };
    return score(a) > score(b);
  };

  // The accesses that say where there is something to do: any of them, or everywhere.
  std::vector<std::string> leaders;
  bool everywhere = clears_steps(loop);
  for (const StatementInfo* s : statements) {
    const auto needed = cover(restricted(s->presence, walkers), s->target, better);
    everywhere |= !needed.has_value();
    if (needed)
      for (const std::string& key : *needed)
        if (std::find(leaders.begin(), leaders.end(), key) == leaders.end()) leaders.push_back(key);
  }
  if (everywhere) leaders.clear();
  else if (leaders.empty()) return; // nothing to do anywhere
  // Iterations that run at the same time cannot pass a position on.
  const bool apart = loop.parallel || loop.vector_width != 0;
  if (apart && leaders.size() > 1) leaders.clear();
  const auto leave_out = [&] {
    for (const StatementInfo* s : statements)
      if (!s->statement->reducer) left_out_.insert(s->statement->access().tensor);
  };
  if (!leaders.empty()) leave_out();
  std::vector<std::string> followers;
  for (const std::string& key : walkers) {
    if (std::find(leaders.begin(), leaders.end(), key) != leaders.end()) continue;
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
    want_fiber(accesses_.at(key), resolved_.at(key));
    if (!apart) followers.push_back(key);
  }

  const std::map<std::string, Resolved> saved = resolved_;
  const bool was_parallel = parallel_;
  const std::string& v = c_names_.at(loop.variable);
  std::vector<Walk> leading, following;
  for (const std::string& key : leaders) leading.push_back(walk_of(key, loop));
  for (const std::string& key : followers) following.push_back(walk_of(key, loop));
  const auto coordinate = [&](const Walk& w, const std::string& position) {
    return fmt::format("{}[{}]{}", w.crd, position, w.offset.empty() ? "" : fmt::format(" - ({})", w.offset));
  };
  const bool up = loop.rising;
  // Several leaders, and all followers, keep a position that moves on. Where coordinates repeat that is a run.
  const auto start_moving = [&](Walk& w) {
    line(fmt::format("int64_t {} = {};", w.position, up ? w.begin : w.end));
    std::string& limit = up ? w.end : w.begin;
    if (limit.find('[') != std::string::npos) {
      const std::string name = names_.fresh(w.position + (up ? "_end" : "_begin"));
      line(fmt::format("const int64_t {} = {};", name, limit));
      limit = name;
    }
  };
  if (leading.size() > 1)
    for (Walk& w : leading) start_moving(w);
  for (Walk& w : following) start_moving(w);
  const auto more = [&](const Walk& w) {
    return fmt::format("{} {} {}", w.position, up ? "<" : ">", up ? w.end : w.begin);
  };
  const auto current = [&](const Walk& w) { return up ? w.position : w.position + " - 1"; };

  load_ahead(loop, statements, keys);
  const bool plain = followers.empty() && leading.size() <= 1 && up && !(leading.size() == 1 && leading[0].repeats);
  if (const std::string pragma = pragma_of(loop, plain, leading.empty()); !pragma.empty() && !is_single(loop) && !loop.parallel)
    line(pragma);
  if (loop.parallel) {
    uses_openmp_ = true;
    parallel_ = true;
    // Every thread notes overflows on its own; which equations have any is known only later.
    std::string equations;
    for (const StatementInfo* i : statements) equations += fmt::format("@{}", i->statement->equation);
    line("#pragma omp parallel for schedule(guided)" + equations);
  }
  if (leading.empty()) {
    if (is_single(loop)) {
      open("");
      line(fmt::format("const int64_t {} = {};", v, lower_text(loop)));
    } else if (up) {
      open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0}++)", v, lower_text(loop), end_text(loop)));
    } else {
      open(fmt::format("for (int64_t {0} = {2}; {0} >= {1}; {0}--)", v, lower_text(loop), upper_text(loop)));
    }
  } else if (leading.size() == 1) {
    Walk& w = leading[0];
    AccessInfo& info = accesses_.at(w.key);
    Resolved& at = resolved_.at(w.key);
    if (!w.repeats) {
      // Bounds in variables: stores in the loop do not change them.
      if (w.end.find('[') != std::string::npos && is_flat(loop)) {
        const std::string name = names_.fresh(w.position + "_end");
        line(fmt::format("const int64_t {} = {};", name, w.end));
        w.end = name;
      }
      if (up) open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0}++)", w.position, w.begin, w.end));
      else open(fmt::format("for (int64_t {0} = {2} - 1; {0} >= {1}; {0}--)", w.position, w.begin, w.end));
      line(fmt::format("const int64_t {} = {};", v, coordinate(w, w.position)));
      enter_entry(info, at, w.position, "");
    } else if (up) {
      const std::string next = names_.fresh(w.position + "_next");
      open(fmt::format("for (int64_t {0} = {1}, {2}; {0} < {3}; {0} = {2})", w.position, w.begin, next, w.end));
      line(fmt::format("{} = {}({}, {}, {});", next, use("cyc_run_end"), w.crd, w.position, w.end));
      line(fmt::format("const int64_t {} = {};", v, coordinate(w, w.position)));
      enter_entry(info, at, w.position, next);
    } else {
      const std::string next = names_.fresh(w.position + "_next");
      open(fmt::format("for (int64_t {0} = {2}, {1}; {0} > {3}; {0} = {1})", next, w.position, w.end, w.begin));
      line(fmt::format("const int64_t {} = {};", v, coordinate(w, next + " - 1")));
      line(fmt::format("{} = {}({}, {}, {}, {}[{} - 1]);", w.position, use("cyc_lower"), w.crd, w.begin, next, w.crd,
                       next));
      enter_entry(info, at, w.position, next);
    }
  } else {
    std::string any;
    for (const Walk& w : leading) any += (any.empty() ? "" : " || ") + more(w);
    open(fmt::format("while ({})", any));
    line(fmt::format("int64_t {} = {};", v, up ? "INT64_MAX" : "INT64_MIN"));
    for (const Walk& w : leading)
      line(fmt::format("if ({0} && {1} {2} {3}) {3} = {1};", more(w), coordinate(w, current(w)), up ? "<" : ">", v));
  }
  scope_.push_back(&loop);
  const auto shared_names = temporaries_;
  if (loop.parallel) own_workspaces(loop);
  clear_steps(loop);
  // Moving positions come to the loop's coordinate. A leader then moves past it, so what is at it is noted first; a
  // follower is moved past it by the next iteration.
  const auto arrive = [&](Walk& w, bool is_leader) {
    const AccessInfo& info = accesses_.at(w.key);
    Resolved& at = resolved_.at(w.key);
    const std::string here = names_.fresh(identifier(w.key) + "_here");
    if (!is_leader)
      line(fmt::format("while ({} && {} {} {}) {}{};", more(w), coordinate(w, current(w)), up ? "<" : ">", v, w.position,
                       up ? "++" : "--"));
    line(fmt::format("const int {} = {} && {} == {};", here, more(w), coordinate(w, current(w)), v));
    if (w.repeats) {
      const std::string found = names_.fresh(w.position + "_at"), stop = names_.fresh(w.position + "_run");
      if (up) {
        line(fmt::format("const int64_t {} = {};", found, w.position));
        line(fmt::format("const int64_t {} = {} ? {}({}, {}, {}) : {};", stop, here, use("cyc_run_end"), w.crd, found,
                         w.end, found));
        line(fmt::format("{} = {};", w.position, stop));
      } else {
        line(fmt::format("const int64_t {} = {};", stop, w.position));
        line(fmt::format("const int64_t {} = {} ? {}({}, {}, {}, {}[{} - 1]) : {};", found, here, use("cyc_lower"),
                         w.crd, w.begin, stop, w.crd, stop, stop));
        line(fmt::format("{} = {};", w.position, found));
      }
      enter_entry(info, at, found, stop);
    } else if (is_leader) {
      const std::string found = names_.fresh(w.position + "_at");
      line(fmt::format("const int64_t {} = {};", found, current(w)));
      line(fmt::format("{} {} {};", w.position, up ? "+=" : "-=", here));
      enter_entry(info, at, found, "");
    } else {
      enter_entry(info, at, current(w), "");
    }
    at.present = here;
    // Where no statement can do without it, the rest of the iteration has nothing to do.
    const bool required = std::all_of(statements.begin(), statements.end(), [&](const StatementInfo* s) {
      return needs(s->presence, w.key);
    });
    if (required) {
      line(fmt::format("if (!{}) continue;", here));
      at.present.clear();
      leave_out();
    }
  };
  if (leading.size() > 1)
    for (Walk& w : leading) arrive(w, true);
  for (Walk& w : following) arrive(w, false);
  for (const std::string& key : spread) {
    const AccessInfo& info = accesses_.at(key);
    Resolved& at = resolved_.at(key);
    at.base = *fiber_workspace(info, at);
    at.position = text(info.coordinates[at.levels++]);
    at.present.clear();
  }
  advance(keys, wanted);
  load_fibers(&loop, keys);
  emit_body(loop.body, &loop);
  clear_fibers(&loop);
  close();
  scope_.pop_back();
  parallel_ = was_parallel;
  temporaries_ = shared_names;
  resolved_ = saved;
}

bool Emitter::clears_steps(const Loop& loop) const {
  return std::any_of(plan_.steps.begin(), plan_.steps.end(),
                     [&](const auto& item) { return item.second.clear && item.second.loop == &loop; });
}

// A slot may hold elements that the step which takes it next does not define: those are zero.
void Emitter::clear_steps(const Loop& loop) {
  for (const auto& [name, plan] : plan_.steps) {
    if (!plan.clear || plan.loop != &loop) continue;
    const TensorNames& t = tensors_.at(name);
    const std::string step = text(Affine{{{loop.variable, 1}}, *plan.written.rbegin()});
    const std::string from = plan.initial ? fmt::format("{} > {}", step, *plan.initial) : "";
    line(fmt::format("if ({0}{1}{2} >= {3} && {2} <= {4})", from, from.empty() ? "" : " && ", step, t.first, t.last));
    line(fmt::format("  memset({0} + ({1} - {2}) % {3} * {4}, 0, (size_t){4} * sizeof *{0});", t.steps, step, t.first,
                     plan.kept, t.count));
  }
}

// Workspaces that live within one iteration of a parallel loop are one per thread.
void Emitter::own_workspaces(const Loop& loop) {
  for (const loops::Temporary& t : nest_.temporaries) {
    const TemporaryPlan& plan = plan_.temporaries.at({t.name, t.equation});
    if (plan.kind != TemporaryPlan::Kind::array) continue;
    for (const Placed& p : plan_.statements) {
      if (!p.statement->reducer || p.statement->equation != t.equation || p.statement->access().tensor != t.name)
        continue;
      const auto end = p.loops.begin() + static_cast<std::ptrdiff_t>(plan.shared_depth);
      if (std::find(p.loops.begin(), end, &loop) == end) continue;
      std::string& name = temporaries_.at({t.name, t.equation});
      const std::string own = names_.fresh(name + "_own");
      line(fmt::format("{} *const {} = {} + {} * omp_get_thread_num();", c_type(t.type), own, name,
                       array_sizes_.at({t.name, t.equation})));
      name = own;
      private_.insert({t.name, t.equation});
    }
  }
}

// Scalars stand in front of the first node that accumulates them, inside the innermost loop around their use.
void Emitter::declare_temporaries(const Node& node, const Loop* around) {
  std::vector<const Statement*> within;
  if (const Loop* loop = std::get_if<Loop>(&node.kind))
    loops::each_statement(loop->body, [&](const Statement& s, const auto&) { within.push_back(&s); });
  else within.push_back(&std::get<Statement>(node.kind));
  for (const Statement* s : within) {
    if (!s->reducer) continue;
    const loops::Temporary& t = *nest_.temporary(s->access().tensor, s->equation);
    const TemporaryPlan& plan = plan_.temporaries.at({t.name, t.equation});
    if (plan.kind != TemporaryPlan::Kind::scalar || plan.shared != around) continue;
    const std::string& name = temporaries_.at({t.name, t.equation});
    line(fmt::format("{} {} = {};", c_type(t.type), name, identity_text(t.reducer, t.type)));
    if (plan.counted) line(fmt::format("int64_t {}_count = 0;", name));
  }
}

void Emitter::emit_body(const std::vector<Node>& body, const Loop* around) {
  for (const Node& node : body) {
    if (const Loop* loop = std::get_if<Loop>(&node.kind)) {
      if (inside(loop->body).empty()) continue;
      declare_temporaries(node, around);
      if (scope_.empty()) {
        // The equations that this nest computes, as the user wrote them.
        std::vector<int> equations;
        for (const StatementInfo* s : inside(loop->body))
          if (std::find(equations.begin(), equations.end(), s->statement->equation) == equations.end())
            equations.push_back(s->statement->equation);
        std::sort(equations.begin(), equations.end());
        body_ += "\n";
        for (int e : equations)
          line("// " + print(program_.equations[static_cast<std::size_t>(e)]));
      }
      emit_loop(*loop);
      // Points that a reduction left out stand for zeros.
      if (loop->reduces)
        for (const Node& inner : loop->body)
          if (const Statement* s = std::get_if<Statement>(&inner.kind); s && s->reducer) {
            const TemporaryPlan& plan = plan_.temporaries.at({s->access().tensor, s->equation});
            if (!plan.counted || plan.shared != around) continue;
            const loops::Temporary& t = *nest_.temporary(s->access().tensor, s->equation);
            const std::string& name = temporaries_.at({t.name, t.equation});
            line(fmt::format("if ({}_count <= {} - ({})) {} = {};", name, upper_text(*loop), lower_text(*loop), name,
                             combine(t.reducer, t.type, name, "0")));
          }
      continue;
    }
    const StatementInfo& info = statements_.at(&std::get<Statement>(node.kind));
    if (is_copy_in_place(info)) continue;
    declare_temporaries(node, around);
    if (scope_.empty()) {
      body_ += "\n";
      line("// " + print(program_.equations[static_cast<std::size_t>(info.statement->equation)]));
    }
    emit_statement(info);
  }
}

} // namespace cyclotron::backend::c
