// SPDX-License-Identifier: MIT
// Positions that are kept between the iterations of a loop: marching pointers, and the places of a diagonal.
#include "backend/c/emitter.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

// The marching pointers that know where `wanted` is: it is their variable, the outermost loop, which only rises.
const Marching* Emitter::marching_of(const AccessInfo& info, const Resolved& at, const Affine& wanted) const {
  if (!info.tensor->entries.empty() || info.tensor->stepped || !at.begin.empty() || scope_.empty()) return nullptr;
  const tensor::Format& format = info.tensor->decl->format;
  if (!properties_of(format.levels[at.levels]).listed() || !at.present.empty()) return nullptr;
  // Where coordinates repeat, as in lists of coordinates, one position is not all there is.
  if (repeats(format, at.levels)) return nullptr;
  for (const Marching& m : options_.marching)
    if (m.tensor == info.tensor->decl->name.name && wanted == Affine{{{m.variable, 1}}, 0} &&
        scope_[0]->variable == m.variable && scope_[0]->rising && !parallel_ && scope_[0]->vector_width == 0)
      return &m;
  return nullptr;
}

// The first position whose coordinate is at least the variable; or, with `find`, the position of that coordinate or -1.
std::string Emitter::march(const Marching& m, const AccessInfo& info, const Resolved& at, const std::string& end,
                           bool find) {
  const auto nest = std::find_if(nest_.body.begin(), nest_.body.end(),
                                 [&](const Node& n) { return std::get_if<Loop>(&n.kind) == scope_[0]; });
  const Marched place{m.tensor, at.levels, static_cast<std::size_t>(nest - nest_.body.begin())};
  std::string& name = pointers_[place];
  if (name.empty()) name = names_.fresh(info.tensor->name + "_march");
  std::vector<std::string> names;
  std::vector<Condition> conditions;
  const auto add = [&](const Affine& value) {
    names.push_back(fmt::format("at{}'", names.size())); // a prime: no name of the program is like this
    conditions.push_back({Affine{{{names.back(), 1}}, 0} - value, Condition::Kind::zero});
  };
  add(Affine{{{m.variable, 1}}, 0});
  for (std::size_t l = 0; l < at.levels; ++l) add(info.coordinates[l]);
  isl_map* fibers =
      isl_map_from_range(loops::domain_of({}, scope_, *domains_.context, program_, conditions, names).release());
  fibers = isl_map_move_dims(fibers, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(scope_.size()));
  marches_[place].push_back({isl::manage(fibers), find});
  const char* function = !find ? "cyc_march" : passing_.count(place) ? "cyc_march_past" : "cyc_march_find";
  return fmt::format("{}(&{}[{}], {}, {}, {})", use(function), name, at.position, info.tensor->coordinates[at.levels],
                     end, c_names_.at(m.variable));
}

// A pointer may move past what it found where nothing looks into the same fiber again before the outermost loop goes
// on: then the next one to look finds it in place.
void Emitter::decide_passing() {
  for (const auto& [place, all] : marches_) {
    bool once = true;
    for (std::size_t a = 0; a < all.size() && once; ++a) {
      once = isl_map_is_injective(all[a].fibers.get()) == isl_bool_true;
      for (std::size_t b = 0; b < a && once; ++b)
        once = all[a].fibers.range().intersect(all[b].fibers.range()).is_empty();
    }
    if (once) passing_.insert(place);
  }
  marches_.clear();
}

// `L(k,k)`, looked up again and again inside a loop that it does not depend on: where the diagonal stands is found
// once, before all loops or as the outermost one comes upon it. Empty where this is not such an access.
std::string Emitter::diagonal(const AccessInfo& info, const Resolved& at) {
  const TensorNames& t = *info.tensor;
  const auto& levels = t.decl->format.levels;
  if (at.levels != 1 || !is_full(levels[0]) || !properties_of(levels[1]).listed() || levels.size() != 2 ||
      !at.present.empty() || info.coordinates[0] != info.coordinates[1])
    return "";
  const Affine& c = info.coordinates[0];
  if (c.constant != 0 || c.terms.size() != 1 || c.terms.begin()->second != 1) return "";
  const std::string& variable = c.terms.begin()->first;
  if (scope_.empty() || program_.is_size(variable) || scope_[0]->variable == variable) return "";
  // By earlier iterations of the outermost loop, where all that is asked for here lies behind it.
  const Condition not_yet{Affine{{{variable, 1}}, 0} - Affine{{{scope_[0]->variable, 1}}, 0}};
  const bool behind = loops::domain_of({}, scope_, *domains_.context, program_, {not_yet}).is_empty();
  diagonal_uses_[t.name].insert(behind ? scope_[0] : nullptr);
  return fmt::format("{}[{}]", diagonal_name(t), text(c));
}

const std::string& Emitter::diagonal_name(const TensorNames& t) {
  std::string& name = diagonals_[t.name];
  if (name.empty()) {
    name = names_.fresh(t.name + "_diagonal");
    positions_.push_back({name, t.sizes[0], t.positions[1], t.coordinates[1], noted_diagonals_.count(t.name) > 0});
  }
  return name;
}

// The outermost loop has come upon `L(i,i)`: inner loops of later iterations may ask for it.
void Emitter::note_diagonal(const AccessInfo& info, const std::string& position) {
  if (scope_.size() != 1 || scope_[0] != counting_ || info.coordinates.size() != 2) return;
  const Affine own{{{scope_[0]->variable, 1}}, 0};
  if (info.coordinates[0] != own || info.coordinates[1] != own) return;
  diagonals_found_.insert({info.tensor->name, scope_[0]});
  if (const auto noted = noted_diagonals_.find(info.tensor->name); noted != noted_diagonals_.end())
    line(fmt::format("{}[{}] = (index_t){};", diagonal_name(*info.tensor), text(own), position));
}

// Diagonals of which no part need be found ahead: each is asked for inside one outermost loop only, which finds it.
void Emitter::decide_diagonals() {
  for (const auto& [name, loops] : diagonal_uses_)
    if (loops.size() == 1 && *loops.begin() && diagonals_found_.count({name, *loops.begin()}))
      noted_diagonals_[name] = *loops.begin();
}

} // namespace cyclotron::backend::c
