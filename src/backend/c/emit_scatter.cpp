// SPDX-License-Identifier: MIT
// Scattered sums, several at a time.
//
// In `t[crd[p]] += a * v[p]` a C compiler cannot know that the iterations change different elements, so each load
// waits for the store before it. In a `forall` they are different. So several elements are all loaded first, and
// then all stored.
#include "backend/c/emitter.hpp"
#include "backend/c/vector_text.hpp"
#include "recurrence/failures.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

// Whether a loop that walks `leader` does nothing but add to elements, other ones in each iteration, and all that it
// reads is there.
bool Emitter::only_scatters(const Loop& loop, const std::string& leader, const std::set<std::string>& spread) {
  if (!loop.forall || loop.reduces || has_tiles(loop)) return false;
  std::set<std::pair<std::string, int>> own;
  return std::all_of(loop.body.begin(), loop.body.end(), [&](const Node& n) {
    const Statement* s = std::get_if<Statement>(&n.kind);
    if (!s || s->reducer != Reducer::sum || !s->guard.empty()) return false;
    const std::pair key{s->access().tensor, s->equation};
    const loops::Temporary& t = *nest_.temporary(key.first, key.second);
    bool fits = own.insert(key).second && plan_.temporaries.at(key).kind != TemporaryPlan::Kind::scalar &&
                tensor::is_float(t.type);
    for (const std::string& k : statements_.at(s).accesses)
      fits &= !accesses_.at(k).tensor->sparse() || spread.count(k) > 0 || is_there(k, leader);
    ir::walk<ExprNode>(s->value, [&](const Expr& e) {
      if (const Access* a = as<Access>(e)) fits &= program_.tensor(a->tensor) != nullptr;
    });
    return fits && !may_be_undefined(s->value);
  });
}

void Emitter::emit_scatter(const Loop& loop, const Walk& w, const std::vector<std::string>& keys,
                           const std::vector<std::string>& wanted, const std::set<std::string>& spread) {
  const std::string v = c_names_.at(loop.variable);
  const std::map<std::string, Resolved> before = resolved_;
  const auto enter = [&](const std::string& position, const std::string& value) {
    resolved_ = before;
    line(fmt::format("const int64_t {} = {};", c_names_.at(loop.variable), value));
    enter_entry(accesses_.at(w.key), resolved_.at(w.key), position, "");
    enter_spread(spread);
    advance(keys, wanted);
  };
  line(fmt::format("int64_t {} = {};", w.position, w.begin));
  const bool in_vectors = vectors_.loops.count(&loop) > 0;
  // Vectors leave the processor waiting for memory, where a single sum keeps it busy. What is added to is also more,
  // and less of it stays in the caches if they keep what is read once.
  const bool streams = in_vectors && walks_once(w) && is_innermost_level(w);
  const auto ahead = [&] { ask_ahead("cyc_ahead_once", w, 384, 128); };
  if (streams) ahead(); // short columns come to no loop
  scope_.push_back(&loop);
  const auto emit_several = [&](std::int64_t count) {
    std::vector<std::string> stores;
    for (std::int64_t u = 0; u < count; ++u) {
      c_names_.at(loop.variable) = names_.fresh(fmt::format("{}_{}", v, u));
      enter(u == 0 ? w.position : fmt::format("{} + {}", w.position, u), variable_of_several(w, u, count, true));
      if (scatter_vector(loop, u, stores)) continue;
      for (const Node& n : loop.body) scatter_one(std::get<Statement>(n.kind), u, stores);
    }
    for (const std::string& store : stores) line(store);
    c_names_.at(loop.variable) = v;
  };
  const std::int64_t count = loop.unroll > 1 ? loop.unroll : in_vectors ? 8 : 4;
  if (loop.unroll > 1) heeded_.insert(loop.variable);
  const auto emit_most = [&](bool is_long) {
    open(fmt::format("for (; {0} + {1} < {2}; {0} += {3})", w.position, count - 1, w.end, count));
    if (streams) ahead();
    if (is_long) ask_ahead("cyc_ahead_far", w, 2048, 2048);
    emit_several(count);
    close();
  };
  const std::string length = fmt::format("{} - {}", w.end, w.begin);
  if (streams) { // in a loop of their own, so that others need not decide over and over
    open(fmt::format("if ({} >= 1024)", length));
    emit_most(true);
    otherwise();
    emit_most(false);
    close();
  } else if (in_vectors || loop.unroll > 1) {
    emit_most(false);
  } else { // where a short column ends is guessed once, not twice
    open(fmt::format("if ({} >= {})", length, 2 * count));
    emit_most(false);
    close();
  }
  if (in_vectors && count == 8) { // most of the rest of a short column
    open(fmt::format("if ({0} + 3 < {1})", w.position, w.end));
    emit_several(4);
    line(fmt::format("{} += 4;", w.position));
    close();
  }
  open(fmt::format("for (; {0} < {1}; {0}++)", w.position, w.end));
  enter(w.position, w.variable_at(w.position));
  emit_body(loop.body, &loop);
  scope_.pop_back();
  close();
}

void Emitter::scatter_one(const Statement& s, std::int64_t number, std::vector<std::string>& stores) {
  equation_ = s.equation;
  const loops::Temporary& t = *nest_.temporary(s.access().tensor, s.equation);
  const std::string sum = names_.fresh(fmt::format("{}_{}", temporaries_.at({t.name, t.equation}), number));
  const std::string place = temporary_place(s.access(), s.equation);
  const Start* start = start_of(t.name, t.equation);
  line(fmt::format("const {} {} = {} {} {};", c_type(t.type), sum, place, start && start->minus ? '-' : '+',
                   expression(s.value, t.type)));
  stores.push_back(fmt::format("{} = {};", place, sum));
}

// The same for all statements at once, where they are the members of vectors.
bool Emitter::scatter_vector(const Loop& loop, std::int64_t number, std::vector<std::string>& stores) {
  if (!vectors_.loops.count(&loop)) return false;
  std::vector<std::string> places, values;
  std::optional<loops::Temporary> first;
  std::set<char> signs;
  for (const Node& n : loop.body) {
    const Statement& s = std::get<Statement>(n.kind);
    equation_ = s.equation;
    const loops::Temporary& t = *nest_.temporary(s.access().tensor, s.equation);
    if (!first) first = t;
    const Start* start = start_of(t.name, t.equation);
    signs.insert(start && start->minus ? '-' : '+');
    places.push_back(temporary_place(s.access(), s.equation));
    values.push_back(expression(s.value, t.type));
  }
  const auto place = on_whole_vectors(places), value = on_whole_vectors(values);
  if (!place || !value || signs.size() > 1) return false;
  const std::string& stem =
      tensors_.at(program_.equations[static_cast<std::size_t>(first->equation)].access().tensor).together;
  const std::string sum = names_.fresh(fmt::format("{}_{}", stem, number));
  line(fmt::format("const {} {} = {} {} {};", vector_type(first->type, places.size()), sum, *place, *signs.begin(),
                   *value));
  stores.push_back(fmt::format("{} = {};", *place, sum));
  return true;
}

} // namespace cyclotron::backend::c
