// SPDX-License-Identifier: MIT
#include "lanes/rule_order.hpp"

#include <algorithm>

namespace cyclotron::lanes {

using namespace recurrence;

std::vector<std::size_t> writers_of(const dataflow::Program& program, const dataflow::Reference& what) {
  std::vector<std::size_t> writers;
  for (std::size_t r = 0; r < program.rules.size(); ++r)
    if (program.rules[r].space == what.space && program.rules[r].value == what.value) writers.push_back(r);
  return writers;
}

bool may_share_time(const dataflow::Program& program, const Flow& flow) {
  if (flow.same_time()) return true;
  std::vector<Condition> same;
  for (std::size_t c = 0; c < flow.later.size(); ++c) {
    if (flow.steps[c] && *flow.steps[c] != 0) return false;
    same.push_back(condition_of(flow.later[c], Relation::equal, {}));
  }
  return !part_where(program, flow, same).is_empty();
}

RulePairs needs_at_one_time(const dataflow::Program& program, const std::vector<Flow>& flows) {
  RulePairs pairs;
  for (const Flow& f : flows)
    if (may_share_time(program, f))
      for (const std::size_t writer : writers_of(program, f.what)) pairs.emplace_back(writer, f.rule);
  return pairs;
}

std::optional<std::vector<std::size_t>> rules_in_order(std::size_t rules, const RulePairs& pairs) {
  std::vector<std::size_t> order;
  std::vector<bool> done(rules, false);
  while (order.size() < rules) {
    std::size_t next = rules;
    for (std::size_t r = rules; r-- > 0;) {
      const bool waits = std::any_of(pairs.begin(), pairs.end(),
                                     [&](const auto& p) { return p.second == r && !done[p.first] && p.first != r; });
      if (!done[r] && !waits) next = r;
    }
    if (next == rules) return std::nullopt;
    done[next] = true;
    order.push_back(next);
  }
  return order;
}

} // namespace cyclotron::lanes
