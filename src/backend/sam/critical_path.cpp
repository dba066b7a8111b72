// SPDX-License-Identifier: MIT
#include "backend/sam/critical_path.hpp"

#include <algorithm>

namespace cyclotron::sam {
namespace {

using engine::Activity;
using engine::Interval;
using engine::Process;

// Its last wait on a channel that was over by then; null: it never waited before.
const Interval* last_wait(const Process& process, Time until) {
  const std::vector<Interval>& all = process.intervals();
  auto at = std::ranges::upper_bound(all, until, {}, &Interval::end);
  while (at != all.begin()) {
    --at;
    if (at->activity != Activity::computes && at->channel) return &*at;
  }
  return nullptr;
}

} // namespace

// Backwards from the writer that ended last: what a block did up to a moment began when it stopped waiting, and what it
// waited for was done by the other end of the channel.
std::vector<PathStep> critical_path(const Machine& machine) {
  std::map<const Process*, int> nodes;
  const Process* at = nullptr;
  for (const Unit& unit : machine.units()) {
    nodes[&unit.self] = unit.node;
    if (machine.written().contains(unit.node) && (!at || unit.self.now() > at->now())) at = &unit.self;
  }
  std::vector<PathStep> path;
  if (!at) return path;
  Time end = at->now();   // of the step
  Time until = at->now(); // what it did up to here counts
  while (end > 0) {
    const Interval* wait = last_wait(*at, until);
    const Time begin = wait ? std::min(wait->end, end) : 0;
    if (!path.empty() && path.back().node == nodes.at(at)) path.back().begin = begin;
    else if (begin < end) path.push_back({nodes.at(at), begin, end});
    if (!wait) break;
    const engine::ChannelBase& channel = *wait->channel;
    const bool to_send = wait->activity == Activity::waits_to_send;
    const Time took = to_send ? channel.options().response_latency : channel.options().latency;
    at = to_send ? &channel.receiver() : &channel.sender();
    end = begin;
    until = std::max<Time>(begin - took, 0);
  }
  std::ranges::reverse(path);
  return path;
}

} // namespace cyclotron::sam
