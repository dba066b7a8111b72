// SPDX-License-Identifier: MIT
#include "lower/lanes/idle_parts.hpp"

#include <algorithm>

namespace cyclotron::lower {

using recurrence::Affine;

namespace {

void drop_empty_spaces(dataflow::Program& program) {
  std::vector<int> number; // of each space that is kept; -1 for the others
  std::vector<dataflow::Space> kept;
  for (std::size_t s = 0; s < program.spaces.size(); ++s) {
    const bool computes = std::any_of(program.rules.begin(), program.rules.end(),
                                      [&](const dataflow::Rule& r) { return r.space == static_cast<int>(s); });
    number.push_back(computes ? static_cast<int>(kept.size()) : -1);
    if (computes) kept.push_back(program.spaces[s]);
  }
  program.spaces = std::move(kept);
  const auto renumbered = [&](int space) { return number[static_cast<std::size_t>(space)]; };
  std::erase_if(program.values, [&](const dataflow::Value& v) { return renumbered(v.space) < 0; });
  for (dataflow::Value& v : program.values) v.space = renumbered(v.space);
  for (dataflow::Rule& r : program.rules) r.space = renumbered(r.space);
  for (dataflow::Export& e : program.exports) e.space = renumbered(e.space);
}

} // namespace

std::vector<std::size_t> drop_idle_parts(dataflow::Program& program) {
  drop_empty_spaces(program);
  std::vector<std::size_t> kept;
  const std::size_t rank = program.spaces.empty() ? 0 : program.spaces.front().time.size();
  for (std::size_t c = 0; c < rank; ++c) {
    const Affine& first = program.spaces.front().time[c];
    const bool idle = first.is_constant() && std::all_of(program.spaces.begin(), program.spaces.end(),
                                                         [&](const dataflow::Space& s) { return s.time[c] == first; });
    if (!idle) kept.push_back(c);
  }
  for (dataflow::Space& s : program.spaces) {
    dataflow::Point time;
    for (const std::size_t c : kept) time.push_back(s.time[c]);
    s.time = std::move(time);
  }
  return kept;
}

} // namespace cyclotron::lower
