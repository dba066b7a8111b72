// SPDX-License-Identifier: MIT
// What innermost loops need to be fast: vectors, several sums at a time, values loaded ahead.
#include "backend/c/emitter.hpp"
#include "backend/c/index_text.hpp"
#include "backend/c/vector_text.hpp"

#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

bool parallel_inside(const Loop& loop) {
  return std::any_of(loop.body.begin(), loop.body.end(), [](const Node& n) {
    const Loop* inner = std::get_if<Loop>(&n.kind);
    return inner && (inner->parallel || parallel_inside(*inner));
  });
}

// Whether a value cannot be computed without reading this element: no `select`, `and` or `or` can leave it out.
bool reads_for_certain(const Expr& e, const std::string& key) {
  if (as<Access>(e)) return print(e) == key;
  if (const Select* s = as<Select>(e)) return reads_for_certain(s->condition, key);
  if (const Binary* b = as<Binary>(e); b && (b->op == BinaryOp::logical_and || b->op == BinaryOp::logical_or))
    return reads_for_certain(b->lhs, key);
  bool found = false;
  ir::each_child<ExprNode>(e, [&](const Expr& child) { found = found || reads_for_certain(child, key); });
  return found;
}

} // namespace

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

// Whether a flat loop does nothing but add floating-point numbers to variables.
bool Emitter::only_sums(const Loop& loop) {
  bool all = is_flat(loop);
  loops::each_statement(loop.body, [&](const Statement& s, const auto& around) {
    all &= s.reducer == Reducer::sum && around.empty() && s.guard.empty();
    if (!all) return;
    const TemporaryPlan& plan = plan_.temporaries.at({s.access().tensor, s.equation});
    const loops::Temporary& t = *nest_.temporary(s.access().tensor, s.equation);
    all &= plan.kind == TemporaryPlan::Kind::scalar && !plan.counted && tensor::is_float(t.type) &&
           width_of({t.name, t.equation}, false) == 0;
  });
  return all;
}

// Whether a flat loop does nothing but add, or take the least or greatest of, numbers in variables: several of these
// can be made side by side and put together in the end.
bool Emitter::only_reductions(const Loop& loop, const std::string& leader) {
  bool all = is_flat(loop);
  loops::each_statement(loop.body, [&](const Statement& s, const auto& around) {
    all &= s.reducer && around.empty() && s.guard.empty();
    if (!all) return;
    const TemporaryPlan& plan = plan_.temporaries.at({s.access().tensor, s.equation});
    const loops::Temporary& t = *nest_.temporary(s.access().tensor, s.equation);
    const bool extreme = *s.reducer == Reducer::min || *s.reducer == Reducer::max;
    all &= plan.kind == TemporaryPlan::Kind::scalar && t.shape.empty() && t.type != ValueType::boolean &&
           (extreme || (*s.reducer == Reducer::sum && tensor::is_float(t.type))) &&
           (!plan.counted || runs_for_all(s, leader));
  });
  return all;
}

// Whether a statement does something for every entry of the access that leads its loop.
bool Emitter::runs_for_all(const Statement& s, const std::string& leader) {
  const StatementInfo& info = statements_.at(&s);
  return std::all_of(info.accesses.begin(), info.accesses.end(),
                     [&](const std::string& key) { return !needs(info.presence, key) || is_there(key, leader); });
}

// Whether each iteration of a loop that walks `leader` finds a stored element for that access.
bool Emitter::is_there(const std::string& key, const std::string& leader) const {
  const Resolved& at = resolved_.at(key);
  const auto& levels = accesses_.at(key).tensor->decl->format.levels;
  if (key != leader) return at.levels == levels.size() && at.present.empty();
  return std::all_of(levels.begin() + static_cast<std::ptrdiff_t>(at.levels) + 1, levels.end(), tensor::is_full);
}

// Whether the loops around a walk go through the whole tensor once, in its order.
bool Emitter::walks_once(const Walk& w) const {
  const AccessInfo& info = accesses_.at(w.key);
  bool once = resolved_.at(w.key).levels == scope_.size();
  for (std::size_t l = 0; l < scope_.size() && once; ++l)
    once = info.coordinates[l].coefficient(scope_[l]->variable) == 1;
  return once;
}

// Whether a walk goes along values, one after the other.
bool Emitter::is_innermost_level(const Walk& w) const {
  const AccessInfo& info = accesses_.at(w.key);
  const Resolved& at = resolved_.at(w.key);
  return at.levels + 1 == info.coordinates.size() && info.tensor->entries.empty() && !at.base.empty();
}

// Whether the coordinates that a walk comes by are of use, or its values alone.
bool Emitter::needs_coordinates(const Loop& loop, const Walk& w) {
  const std::function<bool(const Expr&)> needs = [&](const Expr& e) {
    if (const Name* n = as<Name>(e)) return n->id == loop.variable;
    const Access* a = as<Access>(e);
    if (a && program_.tensor(a->tensor) && access_info(*a).key == w.key) return false;
    bool found = false;
    ir::each_child<ExprNode>(e, [&](const Expr& child) { found |= needs(child); });
    return found;
  };
  bool found = false;
  loops::each_statement(loop.body,
                        [&](const Statement& s, const auto&) { found |= !s.guard.empty() || needs(s.value); });
  return found;
}

// Asks memory for what a walk comes to later, by that function; no coordinates: for values only.
void Emitter::ask_ahead(const char* function, const Walk& w, int values, int coordinates) {
  const std::string& base = resolved_.at(w.key).base;
  line(fmt::format("{}({}, {} + {}, sizeof *{});", use(function), base, w.position, values, base));
  if (coordinates == 0) return;
  line(fmt::format("{}({}, {} + {}, sizeof *{});", use(function), w.crd, w.position, coordinates, w.crd));
}

// The loop's variable at one of the `count` entries that an iteration takes. `in_pairs`: two coordinates are loaded at
// once, for loops that wait for how many loads a core can start.
std::string Emitter::variable_of_several(const Walk& w, std::int64_t number, std::int64_t count, bool in_pairs) {
  const std::string position = number == 0 ? w.position : fmt::format("{} + {}", w.position, number);
  const bool paired = number % 2 == 1 || number + 1 < count;
  if (!paired || !in_pairs || options_.wide) return w.variable_at(position);
  const std::string two = fmt::format("cyc_two_{}", number / 2);
  if (number % 2 == 0) line(fmt::format("const uint64_t {} = {}(&{}[{}]);", two, use("cyc_two"), w.crd, position));
  return w.shifted(fmt::format("{}({})", use(number % 2 == 0 ? "cyc_first" : "cyc_second"), two));
}

// A row whose end is looked for, as that of a triangle, is looked at there before all else.
void Emitter::ask_for_next_end(const Walk& w) {
  const TensorNames& t = *accesses_.at(w.key).tensor;
  const std::string row = text(accesses_.at(w.key).coordinates[0] + Affine{{}, 2});
  line(fmt::format("{}({}, {}[{} < {} ? {} : {}], sizeof *{}); // where the next row ends", use("cyc_ahead"), w.crd,
                   t.positions[1], row, t.sizes[0], row, t.sizes[0], w.crd));
}

// Four sums, or four extremes, at a time, which do not wait for each other, where there are enough entries; then the
// rest one by one.
void Emitter::emit_four_sums(const Loop& loop, const Walk& w, const std::vector<std::string>& keys,
                             const std::vector<std::string>& wanted, const std::set<std::string>& spread) {
  constexpr int sums = 4;
  // Where the loop around does not wait for this sum, the processor works on several of them at a time anyway: there it
  // is long rows only that are worth another branch to guess, and what is waited for is memory.
  const bool apart = !scope_.empty() && scope_.back()->forall;
  const bool has_coordinates = needs_coordinates(loop, w);
  const bool in_pairs = has_coordinates && (!apart || vectors_.loops.count(&loop) > 0);
  const int entries = !apart || in_pairs ? 2 * sums : sums; // of an iteration
  const int enough = apart ? 16 : 8;
  const AccessInfo& walked = accesses_.at(w.key);
  const std::size_t level = resolved_.at(w.key).levels;
  // So is it where the loops go through the whole tensor once, in its order: further ahead, because iterations wait for
  // each other, and less is under way by itself.
  const bool streams = (apart || walks_once(w)) && is_innermost_level(w);
  const auto ahead = [&] { ask_ahead("cyc_ahead", w, apart ? 64 : 256, has_coordinates ? 128 : 0); };
  const std::string& v = c_names_.at(loop.variable);
  const std::map<std::string, Resolved> before = resolved_;
  const auto entry = [&](const std::string& position, const std::string& value) {
    resolved_ = before;
    line(fmt::format("const int64_t {} = {};", v, value));
    enter_entry(accesses_.at(w.key), resolved_.at(w.key), position, "");
    scope_.push_back(&loop);
    enter_spread(spread);
    advance(keys, wanted);
    emit_body(loop.body, &loop);
    scope_.pop_back();
  };
  std::vector<std::pair<std::string, int>> own;
  loops::each_statement(loop.body, [&](const Statement& s, const auto&) {
    if (const std::pair key{s.access().tensor, s.equation}; std::find(own.begin(), own.end(), key) == own.end())
      own.push_back(key);
  });
  const auto shared_names = temporaries_;
  const auto part = [&](const std::pair<std::string, int>& key, int u) {
    return with_suffix(shared_names.at(key), fmt::format("_{}", u));
  };
  line(fmt::format("int64_t {} = {};", w.position, w.begin));
  loops::each_statement(loop.body, [&](const Statement& s, const auto&) {
    const std::pair key{s.access().tensor, s.equation};
    if (!plan_.temporaries.at(key).counted) return;
    line(fmt::format("{}_count += {} - {};", shared_names.at(key), w.end, w.position));
    counted_at_once_.insert(key);
  });
  const auto& levels = walked.tensor->decl->format.levels;
  if (streams && std::all_of(levels.begin(), levels.begin() + static_cast<std::ptrdiff_t>(level), tensor::is_full)) {
    ahead(); // of rows to come
    if (!apart && level == 1 && scope_.back()->rising && end_text(loop) != walked.tensor->sizes[level])
      ask_for_next_end(w);
  }
  open(fmt::format("if ({} - {} >= {})", w.end, w.position, enough));
  for (const auto& key : own) {
    const loops::Temporary& t = *nest_.temporary(key.first, key.second);
    const std::size_t width = width_of(key, false);
    if (width > 0 && width_of(key, true) == 0) continue;
    const std::string zero = width > 0 ? "{0}" : identity_text(t.reducer, t.type);
    std::string list;
    for (int u = 0; u < sums; ++u)
      list += fmt::format("{}{}_{} = {}", u == 0 ? "" : ", ", without_mark(shared_names.at(key)), u, zero);
    line(fmt::format("{} {};", width > 0 ? vector_type(t.type, width) : c_type(t.type), list));
  }
  open(fmt::format("for (; {0} + {1} < {2}; {0} += {3})", w.position, entries - 1, w.end, entries));
  if (streams) ahead();
  if (streams && !apart) {
    // The nearest cache can wait for so much memory at a time only, and the elements that a long row gathers come
    // through it, too: most of the wait is left to the next cache.
    open(fmt::format("if ({} - {} >= 512)", w.end, w.begin));
    ask_ahead("cyc_ahead_far", w, 2048, has_coordinates ? 2048 : 0);
    close();
  }
  for (int u = 0; u < entries; ++u) {
    const std::string value = variable_of_several(w, u, entries, in_pairs);
    open("");
    for (const auto& key : own) temporaries_.at(key) = part(key, u % sums);
    entry(u == 0 ? w.position : fmt::format("{} + {}", w.position, u), value);
    close();
  }
  close();
  for (const auto& key : own) {
    const loops::Temporary& t = *nest_.temporary(key.first, key.second);
    const std::string& name = shared_names.at(key);
    if (t.reducer == Reducer::sum) {
      line(fmt::format("{} += ({} + {}) + ({} + {});", name, part(key, 0), part(key, 1), part(key, 2), part(key, 3)));
      continue;
    }
    const auto both = [&](const std::string& a, const std::string& b) { return combine(t, a, b); };
    line(fmt::format("{} = {};", name,
                     both(name, both(both(part(key, 0), part(key, 1)), both(part(key, 2), part(key, 3))))));
  }
  close();
  temporaries_ = shared_names;
  open(fmt::format("for (; {0} < {1}; {0}++)", w.position, w.end));
  entry(w.position, w.variable_at(w.position));
  close();
  for (const auto& key : own) counted_at_once_.erase(key);
}

// Vectors must not add to one value twice at once, nor start threads.
std::string Emitter::pragma_of(const Loop& loop, bool plain, bool dense) {
  const std::string unrolled =
      loop.unroll > 0 && rest_.loop != &loop ? fmt::format("#pragma GCC unroll {}", loop.unroll) : "";
  if (!plain || has_tiles(loop)) return unrolled; // tiles are worked on one after the other
  const bool innermost = is_flat(loop);
  std::string clauses;
  if (innermost && loop.forall && loop.reduces) {
    if (!only_sums(loop)) return unrolled;
    loops::each_statement(loop.body, [&](const Statement& s, const auto&) {
      clauses += fmt::format(" reduction(+ : {})", temporaries_.at({s.access().tensor, s.equation}));
    });
  }
  const bool in_vectors = loop.vector_width != 0 && !(loop.reduces && clauses.empty()) && !parallel_inside(loop);
  if (in_vectors || (innermost && dense && !clauses.empty()))
    return "#pragma omp simd" + (loop.vector_width > 0 ? fmt::format(" simdlen({})", loop.vector_width) : "") + clauses;
  if (!unrolled.empty()) return unrolled;
  if (innermost && dense && loop.forall && !loop.reduces && stores_in_a_row(loop)) return "CYC_INDEPENDENT";
  return "";
}

// Whether the loop runs as the schedule has it, or why it does not.
void Emitter::note_way(const Loop& loop, const std::string& pragma, bool passes_on) {
  if (loop.vector_width == 0 && loop.unroll < 2) return;
  const std::string wanted = loop.unroll > 1 ? "#pragma GCC unroll" : "#pragma omp simd";
  if (pragma.starts_with(wanted) && !is_single(loop)) {
    heeded_.insert(loop.variable);
    return;
  }
  unheeded_.emplace(loop.variable, is_single(loop)         ? "has one iteration"
                                   : loop.unroll > 1       ? "adds up in vectors already"
                                   : passes_on             ? "goes through sparse tensors side by side, entry by entry"
                                   : has_tiles(loop)       ? "works on tiles, one after the other"
                                   : parallel_inside(loop) ? "has threads inside"
                                   : loop.reduces          ? "does more than add up"
                                                           : "runs downwards");
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
    // The loop may not run at all, or a condition keep it from reading: then the element need not be there. What is
    // stored is looked for; what is spread out is read like a dense row.
    const bool spread = is_spread(at);
    bool inside = true;
    for (std::size_t l = 0; l < info.coordinates.size(); ++l)
      if (!info.tensor->sparse() || (spread && l + 1 == info.coordinates.size()))
        inside &= range_check(info, l).empty();
    // Nor the step, where a guard keeps the first iterations from reading before it.
    const auto free = [](const auto& x) { return x.guard.empty(); };
    if (info.step)
      inside &=
          free(loop) &&
          std::all_of(scope_.begin(), scope_.end(), [&](const Loop* l) { return free(*l) && l->ranges.size() == 1; }) &&
          std::all_of(statements.begin(), statements.end(),
                      [&](const StatementInfo* s) { return free(*s->statement); });
    if (!inside || info.last_step) continue;
    const std::string name = names_.fresh(identifier(key));
    const std::string value = element(key);
    line(fmt::format("const {} {} = {};", c_type(info.tensor->decl->type), name,
                     at.present.empty() ? value : fmt::format("{} ? {} : 0", at.present, value)));
    at.value = name;
  }
  load_vectors(loop, keys);
}

// The value of a follower that may be there or not, in a variable: without a branch, for which of two operands of a sum
// is there cannot be guessed. The position has moved past it when the next iteration looks.
void Emitter::pick(const Walk& w, const std::string& here, const std::vector<const StatementInfo*>& statements) {
  const AccessInfo& info = accesses_.at(w.key);
  Resolved& at = resolved_.at(w.key);
  const TensorDecl& decl = *info.tensor->decl;
  if (at.levels != info.coordinates.size() || at.base.empty() || !at.value.empty() || !tensor::is_float(decl.type))
    return;
  // An element that is written here is not read before.
  if (!std::all_of(statements.begin(), statements.end(), [&](const StatementInfo* s) {
        const bool needed = needs(s->presence, w.key);
        return !needed && s->target != w.key &&
               program_.equations[static_cast<std::size_t>(s->statement->equation)].access().tensor != decl.name.name;
      }))
    return;
  const std::string name = names_.fresh(identifier(w.key));
  line(fmt::format("const {} {} = {}({}, {} < {} ? {} : 0);", c_type(decl.type), name,
                   use(decl.type == ValueType::f32 ? "cyc_where_f32" : "cyc_where_f64"), here, w.position, w.end,
                   element(w.key)));
  line(fmt::format("{} += {};", w.position, here));
  at.value = name;
  at.present.clear();
}

// Where a loop reads the element that it wrote one iteration before, that value stays in a variable: through memory it
// would take several cycles longer. The element before the first iteration may be outside its tensor where a condition
// keeps that iteration from reading it.
void Emitter::carry(const Loop& loop) {
  if (!is_flat(loop) || !loop.rising || loop.forall || loop.ranges.size() != 1) return;
  const loops::Range& range = loop.ranges[0];
  if (range.lower.size() != 1 || range.lower[0].divisor != 1) return;
  for (std::size_t at = 0; at < loop.body.size(); ++at) {
    const Statement* writer = std::get_if<Statement>(&loop.body[at].kind);
    if (!writer || writer->reducer || !writer->guard.empty()) continue;
    const StatementInfo& info = statements_.at(writer);
    const AccessInfo& target = accesses_.at(info.target);
    if (target.tensor->sparse() || target.coordinates.empty() || !target.tensor->together.empty()) continue;
    if (target.step && target.step->coefficient(loop.variable) != 0) continue; // another step in each iteration
    std::vector<Affine> before, first; // the element one iteration earlier; the one before the loop
    for (const Affine& c : target.coordinates) {
      const std::int64_t k = c.coefficient(loop.variable);
      before.push_back(c - Affine{{}, k});
      first.push_back(c - Affine{{{loop.variable, k}}, 0} + k * (range.lower[0].value - Affine{{}, 1}));
    }
    if (before == target.coordinates) continue;
    std::string key;
    bool usable = true, certain = false;
    for (std::size_t other = 0; other < loop.body.size(); ++other) {
      const Statement* s = std::get_if<Statement>(&loop.body[other].kind);
      usable &= s != nullptr;
      if (!s) continue;
      const StatementInfo& reader = statements_.at(s);
      usable &= s == writer || reader.target.empty() || accesses_.at(reader.target).tensor != target.tensor;
      for (const std::string& k : reader.reads) {
        const AccessInfo& read = accesses_.at(k);
        if (read.tensor != target.tensor || read.coordinates != before || read.step != target.step) continue;
        key = k;
        usable &= other <= at; // behind the writer the variable holds the new value
        certain |= s->guard.empty() && reads_for_certain(s->value, k);
      }
    }
    if (!usable || key.empty() || resolved_.at(key).base.empty()) continue;
    const TensorNames& t = *target.tensor;
    std::string position, there = fmt::format("{} < {}", lower_text(loop), end_text(loop));
    bool outside = false;
    for (std::size_t l = 0; l < first.size(); ++l) {
      const std::string at_level = text(first[l]);
      position = in_row(position, t.sizes[l], at_level);
      const std::int64_t direction = target.coordinates[l].coefficient(loop.variable);
      if (certain || direction == 0) continue;
      if (direction < 0) there += fmt::format(" && {} < {}", at_level, t.sizes[l]);
      else if (!first[l].is_constant()) there += fmt::format(" && {} >= 0", at_level);
      else outside |= first[l].constant < 0;
    }
    const std::string name = names_.fresh(t.name + "_before");
    const std::string start = fmt::format("{} ? {}[{}] : 0", there, resolved_.at(key).base, position);
    line(fmt::format("{} {} = {};", c_type(t.decl->type), name, outside ? "0" : start));
    resolved_.at(key).value = name;
    carried_[info.target] = name;
  }
}

} // namespace cyclotron::backend::c
