// SPDX-License-Identifier: MIT
// Equations side by side in vectors: names, memory and values.
#include "backend/c/emit_frame.hpp"
#include "backend/c/vector_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace cyclotron::backend::c {

using namespace recurrence;

namespace {

// `xy` for x and y, `first_second` for first and second.
std::string joined(const std::vector<std::string>& names) {
  const bool letters = std::all_of(names.begin(), names.end(), [](const std::string& n) { return n.size() == 1; });
  return identifier(fmt::format("{}", fmt::join(names, letters ? "" : "_")));
}

} // namespace

std::string Emitter::vector_type(ValueType type, std::size_t width) {
  return fmt::format("cyc_{}x{}", suffix_of(type), std::bit_ceil(width));
}

void Emitter::name_vectors() {
  for (const VectorTensors& group : vectors_.tensors) {
    if (!group.together) continue;
    const std::string name = names_.fresh(joined(group.members));
    for (std::size_t member = 0; member < group.members.size(); ++member) {
      TensorNames& t = tensors_.at(group.members[member]);
      t.together = name;
      t.mark = member_mark(member, group.members.size());
      t.copied_out = std::any_of(statements_.begin(), statements_.end(), [&](const auto& s) {
        return s.first->access().tensor == group.members[member] && is_copy_in_place(s.second);
      });
    }
  }
  for (const auto& group : vectors_.temporaries) {
    std::vector<std::string> targets;
    for (const auto& [name, equation] : group)
      targets.push_back(program_.equations[static_cast<std::size_t>(equation)].access().tensor);
    const std::string behind = temporaries_.at(group[0]).substr(identifier(group[0].first).size());
    const std::string name = names_.fresh("t" + joined(targets) + behind);
    for (std::size_t member = 0; member < group.size(); ++member)
      temporaries_.at(group[member]) = name + member_mark(member, group.size());
  }
}

// How many members the vector has that a temporary is one of; 0 where it is none, or where only the first counts.
std::size_t Emitter::width_of(const std::pair<std::string, int>& temporary, bool first) const {
  for (const auto& group : vectors_.temporaries)
    if (const auto at = std::find(group.begin(), group.end(), temporary); at != group.end())
      return first && at != group.begin() ? 0 : group.size();
  return 0;
}

// Values that were loaded before a loop for each member, as vectors.
void Emitter::load_vectors(const Loop& loop, const std::vector<std::string>& keys) {
  if (!vectors_.loops.count(&loop)) return;
  for (const std::string& key : keys) {
    const AccessInfo& first = accesses_.at(key);
    const VectorTensors* group = vectors_.of(first.tensor->decl->name.name);
    if (!group || group->members[0] != first.tensor->decl->name.name) continue;
    std::vector<Resolved*> loaded;
    std::vector<std::string> values;
    for (const std::string& member : group->members)
      for (const std::string& other : keys) {
        const AccessInfo& info = accesses_.at(other);
        if (info.tensor->decl->name.name != member || info.coordinates != first.coordinates) continue;
        if (resolved_.at(other).value.empty()) continue;
        loaded.push_back(&resolved_.at(other));
        values.push_back(resolved_.at(other).value);
      }
    if (loaded.size() != group->members.size() || on_whole_vectors(values)) continue;
    std::string indices = identifier(key).substr(identifier(group->members[0]).size());
    const std::string name = names_.fresh(joined(group->members) + indices);
    line(fmt::format("const {} {} = {{{}}};", vector_type(first.tensor->decl->type, loaded.size()), name,
                     fmt::join(values, ", ")));
    for (std::size_t member = 0; member < loaded.size(); ++member)
      loaded[member]->value = name + member_mark(member, loaded.size());
  }
}

// Where an element is written that is in a vector, too.
std::string Emitter::through_vector(const AccessInfo& target, const std::string& place) const {
  const TensorNames& t = *target.tensor;
  if (t.together.empty() || t.copied_out) return place;
  return fmt::format("{}[{}] = {}", t.values, resolved_.at(target.key).position, place);
}

// The vectors of a result. Returns whether its own memory must be cleared.
bool Emitter::frame_vector(const TensorNames& t, const std::string& count, Frame& frame) {
  const VectorTensors& group = *vectors_.of(t.decl->name.name);
  const auto member = std::find(group.members.begin(), group.members.end(), t.decl->name.name) - group.members.begin();
  if (member == 0) {
    std::vector<std::string> starts;
    bool started = false;
    for (const std::string& m : group.members) {
      const TensorNames* start = start_of(*program_.tensor(m));
      started |= start != nullptr;
      starts.push_back(start ? start->values + "[cyc_i]" : "0");
    }
    const std::string type = vector_type(t.decl->type, group.members.size());
    if (started)
      Frame::add(frame.filled, fmt::format("for (int64_t cyc_i = 0; cyc_i < {}; cyc_i++) {}[cyc_i] = ({}){{{}}};",
                                           count, t.together, type, fmt::join(starts, ", ")));
    const bool zero = !started && (!std::has_single_bit(group.members.size()) ||
                                   std::any_of(group.members.begin(), group.members.end(), [&](const std::string& m) {
                                     return is_added_to(*program_.tensor(m)) || leaves_zeros(*program_.tensor(m));
                                   }));
    const std::string memory =
        zero ? fmt::format("calloc((size_t)({}) + 1, sizeof *{})", count, t.together)
             : fmt::format("{}(((size_t)({}) + 1) * sizeof *{})", use("cyc_room"), count, t.together);
    frame.take(type + " *restrict ", t.together, memory,
               fmt::format(" // {}, side by side", fmt::join(group.members, ", ")), zero ? "free" : "cyc_leave");
  }
  if (t.copied_out)
    Frame::add(frame.copies, fmt::format("for (int64_t cyc_i = 0; cyc_i < {}; cyc_i++) {}[cyc_i] = {}[cyc_i][{}];",
                                         count, t.values, t.together, member));
  return !t.copied_out && leaves_zeros(*t.decl);
}

// Vectors stand at any element: memory for numbers is good for them.
std::string Emitter::vector_types() const {
  std::set<std::pair<std::string, std::string>> types;
  for (const VectorTensors& group : vectors_.tensors) {
    const ValueType type = program_.tensor(group.members[0])->type;
    const std::size_t size = std::bit_ceil(group.members.size()) * static_cast<std::size_t>(tensor::size_of(type));
    types.insert({vector_type(type, group.members.size()),
                  fmt::format("typedef {0} {1} __attribute__((vector_size({2}), aligned(sizeof({0}))));\n",
                              c_type(type), vector_type(type, group.members.size()), size)});
  }
  std::string out;
  for (const auto& [name, text] : types) out += text;
  return out.empty() ? "" : "// Numbers side by side, which are calculated with at once.\n" + out + "\n";
}

} // namespace cyclotron::backend::c
