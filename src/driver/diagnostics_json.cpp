// SPDX-License-Identifier: MIT
#include "driver/diagnostics_json.hpp"

#include "support/location.hpp"

#include <nlohmann/json.hpp>

namespace cyclotron::driver {

namespace {

nlohmann::ordered_json remark_json(const Remark& remark, Locator& locator) {
  nlohmann::ordered_json json;
  json["severity"] = name_of(remark.severity);
  json["message"] = remark.message;
  const auto place = locator.locate(remark);
  const auto known = [](std::int64_t n) { return n > 0 ? nlohmann::ordered_json(n) : nlohmann::ordered_json(); };
  json["file"] = place ? nlohmann::ordered_json(place->file) : nlohmann::ordered_json();
  json["line"] = known(place ? place->line : 0);
  json["column"] = known(place && place->line > 0 ? place->column : 0);
  json["label"] = remark.label;
  return json;
}

} // namespace

nlohmann::ordered_json to_json(const Diagnostics& diagnostics) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  Locator mains(diagnostics.sources()), of_notes(diagnostics.sources());
  for (const Diagnostic* d : in_order(diagnostics)) {
    nlohmann::ordered_json json = remark_json(d->main, mains);
    json["notes"] = nlohmann::ordered_json::array();
    for (const Remark& note : d->notes) json["notes"].push_back(remark_json(note, of_notes));
    json["hints"] = nlohmann::ordered_json::array();
    if (!d->hint.empty()) json["hints"].push_back(d->hint);
    list.push_back(std::move(json));
  }
  return list;
}

} // namespace cyclotron::driver
