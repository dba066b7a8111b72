// SPDX-License-Identifier: MIT
#include "backend/array_report/chrome_trace.hpp"

#include "backend/array_report/figures.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>

namespace cyclotron::array_report {

namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The text grows an event per line; a trace may have millions.
class Trace {
public:
  void name_process(const std::string& name) {
    event(R"({{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{{"name":{}}}}})", quoted(name));
  }
  void name_track(std::size_t track, const std::string& name) {
    event(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":{}}}}})", track, quoted(name));
    event(R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})", track);
  }
  void span(std::size_t track, const std::string& quoted_name, const char* kind, Time begin, Time end) {
    event(R"({{"ph":"X","pid":1,"tid":{},"name":{},"cat":"{}","ts":{},"dur":{}}})", track, quoted_name, kind, begin,
          end - begin);
  }
  void counter(Time at, double active) {
    event(R"({{"ph":"C","pid":1,"tid":0,"name":"PEs that compute","ts":{},"args":{{"PEs":{:.6g}}}}})", at, active);
  }
  std::string finish() && {
    text_ += "\n]}\n";
    return std::move(text_);
  }

private:
  template <class... Parts> void event(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }
  std::string text_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  bool first_ = true;
};

void add_track(Trace& trace, const std::vector<std::string>& spaces, const PeStatistics& pe, std::size_t track) {
  for (const engine::Interval& i : pe.intervals) {
    if (i.activity == engine::Activity::waits_to_receive)
      trace.span(track, "\"waits to receive\"", "wait", i.begin, i.end);
    else if (i.activity == engine::Activity::waits_to_send)
      trace.span(track, "\"waits to send\"", "wait", i.begin, i.end);
    else if (pe.step_records.empty()) trace.span(track, "\"computes\"", "step", i.begin, i.end);
  }
  for (const array::StepRecord& r : pe.step_records)
    trace.span(track, spaces[static_cast<std::size_t>(r.space)], "step", r.begin, r.end);
  if (pe.intervals.empty() && pe.step_records.empty() && pe.end > pe.begin)
    trace.span(track, "\"first to last step\"", "step", pe.begin, pe.end);
}

void add_counter(Trace& trace, const Statistics& s) {
  const std::vector<double> active = activity_of(s);
  for (std::size_t b = 0; b < active.size(); ++b)
    if (b == 0 || active[b] != active[b - 1]) trace.counter(static_cast<Time>(b) * s.cycles_per_bin, active[b]);
  if (!active.empty()) trace.counter(s.cycles, 0);
}

} // namespace

std::string chrome_trace(const array::Statistics& statistics) {
  Trace trace;
  trace.name_process(heading(statistics));
  std::vector<std::string> spaces;
  for (const std::string& name : statistics.spaces) spaces.push_back(quoted(name));
  add_counter(trace, statistics);
  for (std::size_t p = 0; p < statistics.pes.size(); ++p) {
    const PeStatistics& pe = statistics.pes[p];
    trace.name_track(p + 1, fmt::format("PE {} role {}", place_text(pe), role_text(statistics, pe)));
    add_track(trace, spaces, pe, p + 1);
  }
  return std::move(trace).finish();
}

} // namespace cyclotron::array_report
