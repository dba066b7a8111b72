// SPDX-License-Identifier: MIT
// Accesses to sparse levels: walked along a loop, followed, searched, or marched through.
#include "backend/c/emitter.hpp"
#include "backend/c/index_text.hpp"

#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

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
  if (at.present.empty()) return {fmt::format("{}[{}]", pos, at.position), fmt::format("{}[{}]", pos, next)};
  return {fmt::format("({} ? {}[{}] : 0)", at.present, pos, at.position),
          fmt::format("({} ? {}[{}] : 0)", at.present, pos, next)};
}

// Whether the loop over `variable` can walk the next level: its coordinate is the variable plus something known.
bool Emitter::walkable(const AccessInfo& info, const Resolved& at, const std::string& variable) const {
  if (at.levels >= info.coordinates.size()) return false;
  if (!properties_of(info.tensor->decl->format.levels[at.levels]).coordinates) return false;
  const Affine& c = info.coordinates[at.levels];
  if (c.coefficient(variable) != 1) return false;
  return in_scope(c - Affine{{{variable, 1}}, 0});
}

// One entry of the next level is chosen: it stands at `position`; where coordinates repeat, up to `end`.
void Emitter::enter_entry(const AccessInfo& info, Resolved& at, const std::string& position, const std::string& end) {
  const bool is_run = repeats(info.tensor->decl->format, at.levels);
  at.begin = is_run ? position : "";
  at.end = is_run ? end : "";
  at.position = position;
  ++at.levels;
}

// A level whose coordinate is known but which no loop walks.
void Emitter::search(const AccessInfo& info, Resolved& at) {
  const TensorNames& t = *info.tensor;
  const std::string wanted = text(info.coordinates[at.levels]);
  const std::string name = names_.fresh("p_" + identifier(info.key));
  if (properties_of(t.decl->format.levels[at.levels]).locate == tensor::Locate::by_rank) {
    const std::string found = fmt::format("{}({}, {}, {}, {}, {})", use("cyc_bit"), t.bits[at.levels],
                                          t.positions[at.levels], at.position, t.sizes[at.levels], wanted);
    line(fmt::format("const int64_t {} = {};", name,
                     at.present.empty() ? found : fmt::format("{} ? {} : -1", at.present, found)));
    enter_entry(info, at, name, "");
    at.present = name + " >= 0";
    return;
  }
  // Of what is looked up, the diagonal of a triangle is found at once; the rest is worth telling.
  std::string around;
  for (const Loop* l : scope_) around += (around.empty() ? "" : ", ") + l->variable;
  const bool on_diagonal = at.levels > 0 && info.coordinates[at.levels] == info.coordinates[at.levels - 1];
  if (!around.empty() && !on_diagonal && !marching_of(info, at, info.coordinates[at.levels]))
    searches_[info.key] = fmt::format("`{}` is searched for in each iteration of {}: {} is not stored in that order",
                                      info.key, around, t.decl->name.name);
  const auto [begin, end] = segment(info, at);
  const std::string& crd = t.coordinates[at.levels];
  const auto found = [&] {
    Resolved& near = resolved_["found " + fiber_of(info, at.levels) + ";" + wanted];
    near.position = name;
    near.present = name + " >= 0";
  };
  if (const Marching* m = marching_of(info, at, info.coordinates[at.levels])) {
    line(fmt::format("const int64_t {} = {};", name, march(*m, info, at, end, true)));
    note_diagonal(info, name);
    found();
    enter_entry(info, at, name, "");
    at.present = name + " >= 0";
    return;
  }
  if (!repeats(t.decl->format, at.levels)) {
    std::string position = diagonal(info, at);
    if (position.empty()) position = fmt::format("{}({}, {}, {}, {})", use("cyc_find"), crd, begin, end, wanted);
    line(fmt::format("const int64_t {} = {};", name, position));
    note_diagonal(info, name);
    found();
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
  return conditions(
      bounds_.guard_of({condition_of({}, Relation::less_equal, c), condition_of(c, Relation::less, size)}, scope));
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
      const auto own = own_values_.find(t.decl->name.name);
      const std::string& values = own != own_values_.end() ? own->second
                                  : !t.together.empty()    ? t.together
                                  : t.narrow.empty()       ? t.values
                                                           : t.narrow;
      if (t.stepped ? one_step(t) : !info.step) at.base = values;
      else {
        std::string place;
        if (t.fold) place = slot_of(t, *info.step);
        else {
          const StepPlan& plan = plan_.steps.at(t.decl->name.name);
          place = info.last_step ? fmt::format("({0} < {1} ? 0 : {0} - {1})", t.last, t.first)
                                 : fmt::format("({} - {})", text(*info.step), t.first);
          if (!plan.all) place += fmt::format(" % {}", plan.kept);
          place += " * " + t.count;
        }
        // One pointer per step in use.
        const std::string stem = t.name + "_" + (info.last_step ? "last" : identifier(text(*info.step)));
        const std::string pointer_key = "pointer " + stem;
        if (const auto known = resolved_.find(pointer_key); known != resolved_.end()) at.base = known->second.base;
        else {
          const std::string name = names_.fresh(stem);
          line(fmt::format("{} *const {} = {}{};", c_type(t.decl->type), name, t.fold ? values : t.steps,
                           place.empty() ? "" : " + " + place));
          at.base = name;
          resolved_[pointer_key].base = name;
        }
      }
    }
    while (at.levels < info.coordinates.size() && in_scope(info.coordinates[at.levels])) {
      if (!is_full(t.decl->format.levels[at.levels])) {
        if (!touched) break;
        search(info, at);
        continue;
      }
      if (t.sparse())
        if (const std::string check = range_check(info, at.levels); !check.empty())
          at.present = at.present.empty() ? check : at.present + " && " + check;
      const std::string own = text(info.coordinates[at.levels]);
      const std::string& size = t.sizes[at.levels];
      at.position = in_row(at.position, size, own);
      ++at.levels;
    }
    if (touched) note_entry(info, at);
  }
}

// Where the elements of an internal tensor are that this iteration of its loop wrote.
std::string Emitter::slot_of(const TensorNames& t, const Affine& step) {
  const Fold& fold = *t.fold;
  const Loop& loop = *fold.loop;
  const Affine variable{{{loop.variable, 1}}, 0};
  lower::Scope scope;
  for (const Loop* l : fold.outside) scope.push_back({l->variable, l->ranges});
  scope.push_back({loop.variable, loop.ranges});
  const bool counts_up = bounds_.guard_of({condition_of({}, Relation::less_equal, variable)}, scope).empty();
  const std::string first = counts_up ? "" : fmt::format(" - {}", in_brackets(lower_text(loop)));
  Affine at = step;
  if (const Affine back = variable - step; back.is_constant()) // in C the rest of a negative number is negative
    at.constant += ((back.constant + fold.slots - 1) / fold.slots) * fold.slots;
  std::string place =
      fold.slots == 1 ? "" : fmt::format("{} % {} * {}", in_brackets(text(at) + first), fold.slots, t.count);
  if (fold.drift == 0 || step == fold.last) return place;
  return fmt::format("{}{} - {}", place.empty() ? "" : place + " + ", drift_text(fold, fold.last),
                     drift_text(fold, step));
}

// How far places have moved along from the first iteration to this one.
std::string Emitter::drift_text(const Fold& fold, const Affine& step) {
  const Affine many = fold.drift * (step - fold.first);
  if (many.is_constant()) return std::to_string(std::max<std::int64_t>(many.constant, 0) / fold.slots);
  std::string value = text(many);
  if (value.find(' ') != std::string::npos) value = "(" + value + ")";
  return fold.slots == 1 ? value : fmt::format("{} / {}", value, fold.slots);
}

// A mask says where each of its entries stands in the tensor itself, so that nobody need look for it there.
void Emitter::note_entry(const AccessInfo& info, Resolved& at) {
  const TensorNames& mask = *info.tensor;
  if (mask.entries.empty() || !at.entry.empty() || !at.present.empty() || at.levels != info.coordinates.size()) return;
  at.entry = names_.fresh("p_" + identifier(info.key) + "_entry");
  line(fmt::format("const int64_t {} = {}[{}];", at.entry, mask.entries, at.position));
  AccessInfo own = info;
  own.tensor = &tensors_.at(mask.decl->name.name);
  const auto &from = mask.decl->format.order, &to = own.tensor->decl->format.order;
  for (std::size_t l = 0; l < to.size(); ++l)
    own.coordinates[l] =
        info.coordinates[static_cast<std::size_t>(std::find(from.begin(), from.end(), to[l]) - from.begin())];
  if (!properties_of(own.tensor->decl->format.levels.back()).listed()) return;
  resolved_["found " + fiber_of(own, to.size() - 1) + ";" + text(own.coordinates.back())].position = at.entry;
}

// Where a coordinate stands that was come upon in this fiber before; null where none was.
const Resolved* Emitter::found_near(const AccessInfo& info, const Resolved& at, const Affine& coordinate) const {
  const auto found = resolved_.find("found " + fiber_of(info, at.levels) + ";" + text(coordinate));
  return found == resolved_.end() ? nullptr : &found->second;
}

Walk Emitter::walk_of(const std::string& key, const Loop& loop) {
  const AccessInfo& info = accesses_.at(key);
  const Resolved& at = resolved_.at(key);
  const TensorNames& t = *info.tensor;
  Walk w;
  w.key = key;
  w.repeats = repeats(t.decl->format, at.levels);
  w.crd = t.coordinates[at.levels];
  const Affine offset = info.coordinates[at.levels] - Affine{{{loop.variable, 1}}, 0};
  w.offset = offset == Affine{} ? "" : text(offset);
  w.position = names_.fresh("p_" + identifier(key));
  std::tie(w.begin, w.end) = segment(info, at);
  const std::string plus = w.offset.empty() ? "" : fmt::format(" + {}", w.offset);
  const auto dim = static_cast<std::size_t>(t.decl->format.order[at.levels]);
  const std::string low = lower_text(loop), end = end_text(loop);
  // Where the coordinate at an end was come upon before, there is nothing to look for.
  const auto limit = [&](const char* which, const Resolved* near, const char* next,
                         const std::function<std::string()>& otherwise) {
    std::string position = near ? near->position + next : otherwise();
    if (near && !near->present.empty()) position = fmt::format("{} ? {} : {}", near->present, position, otherwise());
    if (position.find(' ') == std::string::npos) return position;
    const std::string name = names_.fresh(w.position + which);
    line(fmt::format("const int64_t {} = {};", name, position));
    return name;
  };
  const auto single = [](const std::vector<loops::Bound>& bounds) {
    return bounds.size() == 1 && bounds[0].divisor == 1;
  };
  const bool one = loop.ranges.size() == 1;
  if (low != "0" || !w.offset.empty()) {
    const Resolved* near = nullptr; // right before the first
    if (one && single(loop.ranges[0].lower))
      near = found_near(info, at, loop.ranges[0].lower[0].value + offset - Affine{{}, 1});
    w.begin = limit("_begin", near, " + 1",
                    [&] { return lower_position(info, at, w.begin, w.end, low + plus, std::nullopt); });
  }
  if (end != text(accepted_affine(t.decl->dims[dim], program_)) || !w.offset.empty()) {
    std::optional<Affine> past; // one behind the last coordinate, where that is one expression
    if (one && single(loop.ranges[0].upper)) past = loop.ranges[0].upper[0].value + Affine{{}, 1} + offset;
    w.end = limit("_end", past ? found_near(info, at, *past) : nullptr, "",
                  [&] { return lower_position(info, at, w.begin, w.end, end + plus, past); });
  }
  return w;
}

// The first position whose coordinate is at least `wanted`.
std::string Emitter::lower_position(const AccessInfo& info, const Resolved& at, const std::string& begin,
                                    const std::string& end, const std::string& wanted,
                                    const std::optional<Affine>& affine) {
  if (affine)
    if (const Marching* m = marching_of(info, at, *affine)) return march(*m, info, at, segment(info, at).second, false);
  return fmt::format("{}({}, {}, {}, {})", use("cyc_lower"), info.tensor->coordinates[at.levels], begin, end, wanted);
}

} // namespace cyclotron::backend::c
