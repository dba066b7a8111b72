// SPDX-License-Identifier: MIT
#include "backend/sam_report/chrome_trace.hpp"

#include "report/trace_events.hpp"

#include <fmt/format.h>

#include <map>

namespace cyclotron::sam {
namespace {

using engine::Activity;
using report::TraceEvents;

void add_block(TraceEvents& trace, const BlockStatistics& block, std::size_t track, Time start) {
  for (const engine::Interval& i : block.intervals) {
    const Time begin = start + i.begin, end = start + i.end;
    if (i.activity == Activity::computes) trace.span(track, "\"works\"", "step", begin, end);
    else
      trace.span(track, i.activity == Activity::waits_to_send ? report::waits_to_send : report::waits_to_receive,
                 "wait", begin, end);
  }
  if (block.intervals.empty() && block.end > 0)
    trace.span(track, "\"until its last step\"", "step", start, start + block.end);
}

void add_counter(TraceEvents& trace, const Run& run, Time start) {
  std::map<Time, int> changes;
  for (const BlockStatistics& block : run.blocks)
    for (const engine::Interval& i : block.intervals)
      if (i.activity == Activity::computes) ++changes[i.begin], --changes[i.end];
  int working = 0;
  for (const auto& [time, change] : changes) {
    if (change == 0) continue;
    working += change;
    trace.counter("blocks that work", "blocks", start + time, working);
  }
}

} // namespace

std::string chrome_trace(const Phases& phases) {
  TraceEvents trace;
  trace.name_process(phases.empty() ? "" : title_of(phases.back()));
  Time start = 0;
  std::size_t track = 0;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const Run& run = phases[p].run;
    const std::string prefix = phases.size() == 1 ? "" : fmt::format("{}: ", p + 1);
    add_counter(trace, run, start);
    if (!run.critical_path.empty()) trace.name_track(++track, prefix + "critical path");
    for (const PathStep& step : run.critical_path)
      trace.span(track, report::json_text(run.blocks[static_cast<std::size_t>(step.node)].label), "path",
                 start + step.begin, start + step.end);
    for (const BlockStatistics& block : run.blocks) {
      trace.name_track(++track, prefix + block.label);
      add_block(trace, block, track, start);
    }
    start += run.cycles;
  }
  return std::move(trace).finish();
}

} // namespace cyclotron::sam
