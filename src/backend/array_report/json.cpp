// SPDX-License-Identifier: MIT
#include "backend/array_report/json.hpp"

#include "backend/array_report/figures.hpp"
#include "report/json_lines.hpp"

#include <nlohmann/json.hpp>

namespace cyclotron::array_report {

using report::json_lines;

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Statistics& s, const PeStatistics& pe) {
  Json intervals = Json::array(), records = Json::array();
  for (const engine::Interval& i : pe.intervals) intervals.push_back({report::name_of(i.activity), i.begin, i.end});
  for (const array::StepRecord& r : pe.step_records)
    records.push_back({s.spaces[static_cast<std::size_t>(r.space)], r.begin, r.end});
  return {{"at", pe.at},
          {"role", pe.role < 0 ? Json() : Json(role_text(s, pe))},
          {"computing", pe.computing},
          {"operating", pe.operating},
          {"receiving", pe.receiving},
          {"sending", pe.sending},
          {"idle", idle_of(pe, s.cycles)},
          {"utilisation", shares_of(pe, s.cycles).computing},
          {"begin", pe.begin},
          {"end", pe.end},
          {"steps", pe.steps},
          {"loads", pe.loads},
          {"stores", pe.stores},
          {"received", pe.received},
          {"sent", pe.sent},
          {"memory_bytes", pe.memory_bytes},
          {"intervals", std::move(intervals)},
          {"step_records", std::move(records)}};
}

Json json_of(const Statistics& s, const LinkStatistics& link) {
  return {{"channel", link.channel},
          {"value", link.value},
          {"from", s.pes[static_cast<std::size_t>(link.from)].at},
          {"to", s.pes[static_cast<std::size_t>(link.to)].at},
          {"messages", link.messages},
          {"bytes", link.bytes},
          {"most_waiting", link.most_waiting}};
}

Json totals(const Statistics& s) {
  Time computing = 0, operating = 0, receiving = 0, sending = 0, idle = 0;
  std::uint64_t steps = 0, loads = 0, stores = 0, memory = 0;
  for (const PeStatistics& pe : s.pes) {
    computing += pe.computing;
    operating += pe.operating;
    receiving += pe.receiving;
    sending += pe.sending;
    idle += idle_of(pe, s.cycles);
    steps += pe.steps;
    loads += pe.loads;
    stores += pe.stores;
    memory = std::max(memory, pe.memory_bytes);
  }
  const Traffic traffic = total_traffic(s);
  return {{"computing", computing}, {"operating", operating}, {"receiving", receiving},
          {"sending", sending},     {"idle", idle},           {"steps", steps},
          {"loads", loads},         {"stores", stores},       {"messages", traffic.messages},
          {"bytes", traffic.bytes}, {"memory_bytes", memory}};
}

Json closed_form(const Statistics& s) {
  if (!s.predicted) return nullptr;
  return {{"text", s.closed_form}, {"cycles", *s.predicted}, {"equal", *s.predicted == s.cycles}};
}

} // namespace

Json to_json(const array::Statistics& s) {
  Json values = Json::array(), pes = Json::array(), links = Json::array();
  for (const Traffic& t : traffic_of(s))
    values.push_back({{"value", t.value},
                      {"links", t.links},
                      {"messages", t.messages},
                      {"bytes", t.bytes},
                      {"most_waiting", t.most_waiting}});
  for (const PeStatistics& pe : s.pes) pes.push_back(json_of(s, pe));
  for (const LinkStatistics& link : s.links) links.push_back(json_of(s, link));
  return {{"program", s.program},
          {"schedule", s.schedule},
          {"grid", {{"axes", s.axes}, {"extents", s.extents}}},
          {"cycles", s.cycles},
          {"closed_form", closed_form(s)},
          {"utilisation", s.utilisation()},
          {"operating", s.operating()},
          {"totals", totals(s)},
          {"spaces", s.spaces},
          {"roles", s.roles},
          {"values", std::move(values)},
          {"activity", {{"cycles_per_bin", s.cycles_per_bin}, {"active", s.active}}},
          {"pes", std::move(pes)},
          {"links", std::move(links)},
          {"simulation", {{"seconds", s.seconds}, {"channel_operations", s.channel_operations}}}};
}

std::string json(const array::Statistics& statistics) { return json_lines(to_json(statistics), {"pes", "links"}); }

} // namespace cyclotron::array_report
