// SPDX-License-Identifier: MIT
// The events of a trace as Chrome and Perfetto read them: tracks with spans, counters. A cycle is shown as a
// microsecond.
#pragma once

#include "engine/process.hpp"

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <utility>

namespace cyclotron::report {

std::string json_text(const std::string& text); // in quotes

// Names of spans, as JSON.
inline constexpr const char* waits_to_receive = "\"waits to receive\"";
inline constexpr const char* waits_to_send = "\"waits to send\"";

// The text grows an event per line; a trace may have millions.
class TraceEvents {
public:
  void name_process(const std::string& name);
  void name_track(std::size_t track, const std::string& name);
  void span(std::size_t track, const std::string& name_as_json, const char* kind, engine::Time begin, engine::Time end);
  void counter(const char* name, const char* series, engine::Time at, double value);
  std::string finish() &&;

private:
  template <class... Parts> void event(fmt::format_string<Parts...> format, Parts&&... parts) {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
  }
  std::string text_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[";
  bool first_ = true;
};

} // namespace cyclotron::report
