// SPDX-License-Identifier: MIT
// Loops as C: which sparse accesses a loop walks, which it follows, and which are searched.
#include "backend/c/emitter.hpp"
#include "backend/c/vector_text.hpp"

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

void Emitter::emit_loop(const Loop& loop) {
  if (inside(loop.body).empty()) return;
  if (loop.guard.empty() && (emit_columns(loop) || emit_rows(loop))) return;
  if (!loop.guard.empty()) open(fmt::format("if ({})", conditions(loop.guard)));
  emit_loop_inside(loop);
  if (!loop.guard.empty()) close();
}

void Emitter::emit_loop_inside(const Loop& loop) {
  const std::vector<const StatementInfo*> statements = inside(loop.body);
  const std::vector<std::string> keys = keys_of(statements), wanted = wanted_of(statements);
  std::vector<std::string> all = keys;
  all.insert(all.end(), wanted.begin(), wanted.end());
  // Spread out, what is not stored is a zero; some must know that it is not.
  const auto must_be_there = [&](const std::string& key) {
    return std::any_of(statements.begin(), statements.end(), [&](const StatementInfo* s) { return s->wanted == key; });
  };
  std::set<std::string> walkers, spread;
  for (const std::string& key : all) {
    if (!walkable(accesses_.at(key), resolved_[key], loop.variable)) continue;
    const bool written =
        std::any_of(statements.begin(), statements.end(), [&](const StatementInfo* s) { return s->target == key; });
    if (!written && !must_be_there(key) && fiber_workspace(accesses_.at(key), resolved_.at(key))) spread.insert(key);
    else walkers.insert(key);
  }
  // Of accesses that must all be there, the one whose fiber was found last leads: the others may be spread out. Of
  // those found together it is the result, which has the fewest entries and is walked for its own sake as well.
  const auto better = [&](const std::string& a, const std::string& b) {
    const auto score = [&](const std::string& key) {
      const bool result = std::any_of(statements.begin(), statements.end(),
                                      [&](const StatementInfo* s) { return s->target == key || s->wanted == key; });
      return std::pair(depth_of(accesses_.at(key), resolved_.at(key).levels), result);
    };
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
  else if (leaders.empty()) { // nothing to do anywhere: all zeros
    for (const StatementInfo* s : statements)
      if (!s->statement->reducer) left_out_.insert(s->statement->access().tensor);
    return;
  }
  const auto takes_runs = [&](const std::string& key) { // one iteration takes a run of entries
    return repeats(accesses_.at(key).tensor->decl->format, resolved_.at(key).levels);
  };
  // Iterations that run at the same time cannot pass a position on. For threads it is worth looking for each element;
  // for vectors it is not.
  const bool passes_on = leaders.size() > 1 || std::any_of(leaders.begin(), leaders.end(), takes_runs);
  const bool apart = loop.parallel || (loop.vector_width != 0 && !passes_on);
  if (apart && passes_on) leaders.clear();
  const auto leave_out = [&] {
    for (const StatementInfo* s : statements)
      if (!s->statement->reducer) left_out_.insert(s->statement->access().tensor);
  };
  // A loop that walks what it writes leaves nothing out.
  const bool along_target = std::all_of(statements.begin(), statements.end(), [&](const StatementInfo* s) {
    return s->statement->reducer || (leaders.size() == 1 && s->target == leaders[0]);
  });
  if (!leaders.empty() && !along_target) leave_out();
  if (!leaders.empty()) partial_.insert(&loop);
  std::vector<std::string> followers;
  for (const std::string& key : walkers) {
    if (std::find(leaders.begin(), leaders.end(), key) != leaders.end()) continue;
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) continue;
    if (!must_be_there(key)) want_fiber(accesses_.at(key), resolved_.at(key));
    if (!apart) followers.push_back(key);
  }

  const std::map<std::string, Resolved> saved = resolved_;
  const bool was_parallel = parallel_, was_in_vectors = in_vectors_;
  const std::string& v = c_names_.at(loop.variable);
  std::vector<Walk> leading, following;
  for (const std::string& key : leaders) leading.push_back(walk_of(key, loop));
  for (const std::string& key : followers) following.push_back(walk_of(key, loop));
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
  const auto was_carried = carried_;
  if (leading.empty() && !apart && !clears_steps(loop)) carry(loop); // no iteration is left out
  if (leading.empty() && following.empty() && !apart && spread.empty())
    if (const auto passes = passes_of(loop)) {
      emit_passes(loop, *passes, keys, wanted);
      carried_ = was_carried;
      resolved_ = saved;
      return;
    }
  // Bounds in variables: stores in the loop do not change them. A pragma must stand right before its loop.
  if (leading.size() == 1 && !leading[0].repeats && leading[0].end.find('[') != std::string::npos && is_flat(loop)) {
    const std::string name = names_.fresh(leading[0].position + "_end");
    line(fmt::format("const int64_t {} = {};", name, leading[0].end));
    leading[0].end = name;
  }
  if (leading.size() == 1 && up && followers.empty() && !leading[0].repeats && !apart) {
    const bool sums = loop.unroll == 0 && loop.reduces && only_reductions(loop, leading[0].key);
    if (sums || (loop.unroll != 1 && only_scatters(loop, leading[0].key, spread))) {
      if (sums) emit_four_sums(loop, leading[0], keys, wanted, spread);
      else emit_scatter(loop, leading[0], keys, wanted, spread);
      resolved_ = saved;
      return;
    }
  }
  const bool plain = followers.empty() && leading.size() <= 1 && up && !(leading.size() == 1 && leading[0].repeats);
  const bool column = columns_.loop == &loop;
  const std::string pragma = column && columns_.whole ? "#pragma omp simd" : pragma_of(loop, plain, leading.empty());
  note_way(loop, pragma, passes_on);
  if (!pragma.empty() && !is_single(loop) && !loop.parallel) {
    line(pragma);
    in_vectors_ |= pragma.starts_with("#pragma omp simd"); // which nothing may jump out of
  }
  const bool single = leading.empty() && is_single(loop);
  if (loop.parallel && !single) {
    uses_openmp_ = true;
    parallel_ = true;
    // Every thread notes overflows on its own; which equations have any is known only later.
    std::string equations;
    for (const StatementInfo* i : statements) equations += fmt::format("@{}", i->statement->equation);
    const std::string begin = leading.empty() ? lower_text(loop) : leading[0].begin;
    const std::string end = leading.empty() ? end_text(loop) : leading[0].end;
    line(fmt::format("#pragma omp parallel for schedule(dynamic, {}({}))", use("cyc_share"),
                     begin == "0" ? end : fmt::format("{} - ({})", end, begin)) +
         equations);
  }
  std::pair<std::size_t, std::size_t> declared{0, 0}; // where the one value of the variable stands in the text
  if (leading.empty()) {
    if (is_single(loop)) {
      open("");
      declared.first = body_.size();
      line(fmt::format("const int64_t {} = {};", v, lower_text(loop)));
      declared.second = body_.size();
    } else if (column && columns_.whole) {
      open(fmt::format("for (int64_t {0} = 0; {0} < {1}; {0}++)", columns_.index, Columns::block));
      line(fmt::format("const int64_t {} = {} + {};", v, columns_.first, columns_.index));
    } else if (up) {
      const std::string first = column ? columns_.first : rest_.loop == &loop ? rest_.first : lower_text(loop);
      open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0}++)", v, first, end_text(loop)));
    } else {
      open(fmt::format("for (int64_t {0} = {2}; {0} >= {1}; {0}--)", v, lower_text(loop), upper_text(loop)));
    }
  } else if (leading.size() == 1) {
    Walk& w = leading[0];
    AccessInfo& info = accesses_.at(w.key);
    Resolved& at = resolved_.at(w.key);
    if (!w.repeats) {
      if (up) open(fmt::format("for (int64_t {0} = {1}; {0} < {2}; {0}++)", w.position, w.begin, w.end));
      else open(fmt::format("for (int64_t {0} = {2} - 1; {0} >= {1}; {0}--)", w.position, w.begin, w.end));
      line(fmt::format("const int64_t {} = {};", v, w.variable_at(w.position)));
      enter_entry(info, at, w.position, "");
    } else if (up) {
      const std::string next = names_.fresh(w.position + "_next");
      open(fmt::format("for (int64_t {0} = {1}, {2}; {0} < {3}; {0} = {2})", w.position, w.begin, next, w.end));
      line(fmt::format("{} = {}({}, {}, {});", next, use("cyc_run_end"), w.crd, w.position, w.end));
      line(fmt::format("const int64_t {} = {};", v, w.variable_at(w.position)));
      enter_entry(info, at, w.position, next);
    } else {
      const std::string next = names_.fresh(w.position + "_next");
      open(fmt::format("for (int64_t {0} = {2}, {1}; {0} > {3}; {0} = {1})", next, w.position, w.end, w.begin));
      line(fmt::format("const int64_t {} = {};", v, w.variable_at(next + " - 1")));
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
      line(fmt::format("if ({0} && {1} {2} {3}) {3} = {1};", more(w), w.variable_at(current(w)), up ? "<" : ">", v));
  }
  if (scope_.empty())
    counting_ = leading.empty() && up && !loop.parallel && loop.guard.empty() && loop.ranges.size() == 1 &&
                        lower_text(loop) == "0"
                    ? &loop
                    : nullptr;
  scope_.push_back(&loop);
  const auto shared_names = temporaries_;
  const auto shared_values = own_values_;
  if (loop.parallel && !single) {
    own_workspaces(loop);
    own_folds(loop);
  }
  clear_steps(loop);
  // Moving positions come to the loop's coordinate. A leader then moves past it, so what is at it is noted first; a
  // follower is moved past it by the next iteration.
  std::vector<std::string> missing;
  const bool writes =
      std::any_of(statements.begin(), statements.end(), [](const StatementInfo* s) { return !s->statement->reducer; });
  bool everywhere_else = true; // no other equation writes what these leave out
  loops::each_statement(loop.body, [&](const Statement& s, const std::vector<const Loop*>& around) {
    if (s.reducer || has_one_equation(s.access().tensor)) return;
    everywhere_else &= s.guard.empty() && std::all_of(around.begin(), around.end(), [](const Loop* l) {
                         return l->guard.empty() && l->ranges.size() == 1;
                       });
  });
  const std::string zeros =
      along_target && writes && everywhere_else && leading.size() == 1 ? zeros_under(leaders[0]) : "";
  const auto arrive = [&](Walk& w, bool is_leader) {
    const AccessInfo& info = accesses_.at(w.key);
    Resolved& at = resolved_.at(w.key);
    const std::string here = names_.fresh(identifier(w.key) + "_here");
    const bool beside = !is_leader && up && !w.repeats && leading.size() == 1 && !leading[0].repeats;
    const std::string same = beside ? same_levels(w.key, leading[0].key, statements) : "";
    if (!same.empty()) line(fmt::format("if ({}) {} = {};", same, w.position, leading[0].position));
    if (!is_leader)
      line(fmt::format("{}while ({} && {} {} {}) {}{};", same.empty() ? "" : "else ", more(w),
                       w.variable_at(current(w)), up ? "<" : ">", v, w.position, up ? "++" : "--"));
    const std::string at_it = fmt::format("{} && {} == {}", more(w), w.variable_at(current(w)), v);
    line(fmt::format("const int {} = {};", here, same.empty() ? at_it : fmt::format("{} || ({})", same, at_it)));
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
    const bool required = std::all_of(statements.begin(), statements.end(),
                                      [&](const StatementInfo* s) { return needs(s->presence, w.key); });
    if (!required && !is_leader && !w.repeats && up && is_flat(loop)) pick(w, here, statements);
    if (required && !single) {
      missing.push_back("!" + here);
      at.present.clear();
      if (zeros.empty()) leave_out();
      partial_.insert(&loop);
    }
  };
  if (leading.size() > 1)
    for (Walk& w : leading) arrive(w, true);
  for (Walk& w : following) arrive(w, false);
  // Only now: all positions have moved on.
  if (!missing.empty() && !zeros.empty()) {
    open(fmt::format("if ({})", fmt::join(missing, " || ")));
    line(zeros);
    line("continue;");
    close();
  } else if (!missing.empty()) {
    line(fmt::format("if ({}) continue;", fmt::join(missing, " || ")));
  }
  if (!missing.empty() && counting_ == &loop) counting_ = nullptr;
  enter_spread(spread);
  advance(keys, wanted);
  load_fibers(&loop, keys);
  emit_body(loop.body, &loop);
  clear_fibers(&loop);
  if (single && !mentions(body_.substr(declared.second), v))
    body_.erase(declared.first, declared.second - declared.first);
  close();
  scope_.pop_back();
  parallel_ = was_parallel;
  in_vectors_ = was_in_vectors;
  temporaries_ = shared_names;
  own_values_ = shared_values;
  carried_ = was_carried;
  resolved_ = saved;
}

// Whether all steps of a tensor have the same memory, that of the result.
bool Emitter::one_step(const TensorNames& t) const {
  if (!t.stepped) return false;
  const StepPlan& plan = plan_.steps.at(t.decl->name.name);
  return !plan.all && plan.kept == 1;
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
    if (one_step(t)) line(fmt::format("  memset({0}, 0, (size_t){1} * sizeof *{0});", t.values, t.count));
    else
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
      line(fmt::format("{} *const {} = {} + {} * omp_get_thread_num();", held_type(t), own, name,
                       array_sizes_.at({t.name, t.equation})));
      name = own;
      private_.insert({t.name, t.equation});
    }
  }
}

// The same for internal tensors that are read in the iteration that writes them.
void Emitter::own_folds(const Loop& loop) {
  for (const auto& [name, fold] : plan_.folds) {
    if (std::find(fold.outside.begin(), fold.outside.end(), &loop) == fold.outside.end()) continue;
    const TensorNames& t = tensors_.at(name);
    const std::string own = names_.fresh(t.name + "_own");
    line(fmt::format("{} *const {} = {} + {}{} * omp_get_thread_num();", c_type(t.decl->type), own, t.values,
                     fold.slots == 1 ? "" : fmt::format("{} * ", fold.slots), t.count));
    own_values_[name] = own;
    shared_out_.insert(name);
    for (auto& [key, at] : resolved_)
      if (const auto info = accesses_.find(key); info != accesses_.end() && info->second.tensor == &t && !fold.loop)
        at.base = own;
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
    if (!t.shape.empty()) {
      declare_tile(t);
      continue;
    }
    const std::string& name = temporaries_.at({t.name, t.equation});
    if (const std::size_t width = width_of({t.name, t.equation}, false); width > 0) {
      if (width_of({t.name, t.equation}, true) > 0)
        line(fmt::format("{} {} = {{0}};", vector_type(t.type, width), without_mark(name)));
      continue;
    }
    line(fmt::format("{} {} = {};", held_type(t), name, identity_text(t.reducer, t.type)));
    if (plan.counted) line(fmt::format("int64_t {}_count = 0;", name));
  }
}

void Emitter::emit_body(const std::vector<Node>& body, const Loop* around) {
  const auto read_behind = [&](const Node& node, const std::string& key) {
    bool read = false;
    for (const Node* n = &node + 1; n < body.data() + body.size(); ++n) {
      const Loop* loop = std::get_if<Loop>(&n->kind);
      if (!loop) read |= statements_.at(&std::get<Statement>(n->kind)).reads.count(key) > 0;
      else
        for (const StatementInfo* s : inside(loop->body)) read |= s->reads.count(key) > 0;
    }
    return read;
  };
  const Node* const end = body.data() + body.size();
  for (const Node* at = body.data(); at < end; ++at) {
    const Node& node = *at;
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
        for (int e : equations) line("// " + print(program_.equations[static_cast<std::size_t>(e)]));
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
            const std::string some =
                fmt::format("if ({}_count <= {} - ({}))", name, upper_text(*loop), lower_text(*loop));
            equation_ = t.equation;
            line(fmt::format("{} {} = {};", some, name, combine(t, name, "0")));
          }
      continue;
    }
    const auto read_later = [&](const std::string& key) { return read_behind(node, key); };
    if (const std::size_t width = emit_vector_statements(at, end, read_later); width > 0) {
      at += width - 1;
      continue;
    }
    const StatementInfo& info = statements_.at(&std::get<Statement>(node.kind));
    if (is_copy_in_place(info)) continue;
    declare_temporaries(node, around);
    if (scope_.empty()) {
      body_ += "\n";
      line("// " + print(program_.equations[static_cast<std::size_t>(info.statement->equation)]));
    }
    emit_statement(info, read_behind(node, info.target));
  }
}

} // namespace cyclotron::backend::c
