// SPDX-License-Identifier: MIT
#include "report/trace_events.hpp"

#include <nlohmann/json.hpp>

namespace cyclotron::report {

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void TraceEvents::name_process(const std::string& name) {
  event(R"({{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{{"name":{}}}}})", json_text(name));
}

void TraceEvents::name_track(std::size_t track, const std::string& name) {
  event(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":{}}}}})", track, json_text(name));
  event(R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})", track);
}

void TraceEvents::span(std::size_t track, const std::string& name_as_json, const char* kind, engine::Time begin,
                       engine::Time end) {
  event(R"({{"ph":"X","pid":1,"tid":{},"name":{},"cat":"{}","ts":{},"dur":{}}})", track, name_as_json, kind, begin,
        end - begin);
}

void TraceEvents::counter(const char* name, const char* series, engine::Time at, double value) {
  event(R"({{"ph":"C","pid":1,"tid":0,"name":"{}","ts":{},"args":{{"{}":{:.6g}}}}})", name, at, series, value);
}

std::string TraceEvents::finish() && {
  text_ += "\n]}\n";
  return std::move(text_);
}

} // namespace cyclotron::report
