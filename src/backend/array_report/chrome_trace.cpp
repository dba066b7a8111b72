// SPDX-License-Identifier: MIT
#include "backend/array_report/chrome_trace.hpp"

#include "backend/array_report/figures.hpp"
#include "report/trace_events.hpp"

#include <fmt/format.h>

namespace cyclotron::array_report {

using report::json_text;
using report::TraceEvents;
using report::waits_to_receive;
using report::waits_to_send;

namespace {

void add_track(TraceEvents& trace, const std::vector<std::string>& spaces, const PeStatistics& pe, std::size_t track) {
  for (const engine::Interval& i : pe.intervals) {
    if (i.activity == engine::Activity::waits_to_receive) trace.span(track, waits_to_receive, "wait", i.begin, i.end);
    else if (i.activity == engine::Activity::waits_to_send) trace.span(track, waits_to_send, "wait", i.begin, i.end);
    else if (pe.step_records.empty()) trace.span(track, "\"computes\"", "step", i.begin, i.end);
  }
  for (const array::StepRecord& r : pe.step_records)
    trace.span(track, spaces[static_cast<std::size_t>(r.space)], "step", r.begin, r.end);
  if (pe.intervals.empty() && pe.step_records.empty() && pe.end > pe.begin)
    trace.span(track, "\"first to last step\"", "step", pe.begin, pe.end);
}

void add_counter(TraceEvents& trace, const Statistics& s) {
  const std::vector<double> active = activity_of(s);
  for (std::size_t b = 0; b < active.size(); ++b)
    if (b == 0 || active[b] != active[b - 1])
      trace.counter("PEs that compute", "PEs", static_cast<Time>(b) * s.cycles_per_bin, active[b]);
  if (!active.empty()) trace.counter("PEs that compute", "PEs", s.cycles, 0);
}

} // namespace

std::string chrome_trace(const array::Statistics& statistics) {
  TraceEvents trace;
  trace.name_process(heading(statistics));
  std::vector<std::string> spaces;
  for (const std::string& name : statistics.spaces) spaces.push_back(json_text(name));
  add_counter(trace, statistics);
  for (std::size_t p = 0; p < statistics.pes.size(); ++p) {
    const PeStatistics& pe = statistics.pes[p];
    trace.name_track(p + 1, fmt::format("PE {} role {}", place_text(pe), role_text(statistics, pe)));
    add_track(trace, spaces, pe, p + 1);
  }
  return std::move(trace).finish();
}

} // namespace cyclotron::array_report
