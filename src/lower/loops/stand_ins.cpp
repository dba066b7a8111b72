// SPDX-License-Identifier: MIT
#include "lower/loops/stand_ins.hpp"

#include "lower/contains.hpp"

#include <algorithm>
#include <utility>

namespace cyclotron::lower {

namespace {

// The variable of the part that a dependence comes from which is always equal to one of the part that it goes to.
const std::string* same_as(const std::string& wanted, const Dependence& d, const Parts& parts) {
  const auto &from = parts.parts[d.from].variables, &to = parts.parts[d.to].variables;
  const auto at = static_cast<unsigned>(std::find(to.begin(), to.end(), wanted) - to.begin());
  for (unsigned v = 0; v < from.size() && at < to.size(); ++v)
    if (d.relation.is_subset(isl::manage(isl_map_equate(d.relation.copy(), isl_dim_in, v, isl_dim_out, at))))
      return &from[v];
  return nullptr;
}

std::vector<std::vector<bool>> reachable(const Parts& parts) {
  const std::size_t n = parts.parts.size();
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
  for (const Dependence& d : parts.dependences) reach[d.from][d.to] = true;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) reach[i][j] = reach[i][j] || (reach[i][k] && reach[k][j]);
  return reach;
}

} // namespace

std::vector<std::map<std::string, std::string>> stand_ins(const Parts& parts, const std::vector<Split>& splits) {
  const std::vector<std::vector<bool>> reach = reachable(parts);
  std::vector<std::map<std::string, std::string>> named(parts.parts.size());
  for (bool more = true; std::exchange(more, false);)
    for (const Dependence& d : parts.dependences)
      for (const Split& s : splits) {
        if (!reach[d.to][d.from] || named[d.from].count(s.variable) ||
            contains(parts.parts[d.from].variables, s.variable))
          continue;
        const auto other = named[d.to].find(s.variable);
        const std::string& wanted = other == named[d.to].end() ? s.variable : other->second;
        if (const std::string* own = same_as(wanted, d, parts)) {
          named[d.from][s.variable] = *own;
          more = true;
        }
      }
  return named;
}

} // namespace cyclotron::lower
