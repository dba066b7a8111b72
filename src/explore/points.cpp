// SPDX-License-Identifier: MIT
#include "explore/points.hpp"

#include <nlohmann/json.hpp>

namespace cyclotron::explore {

using Json = nlohmann::ordered_json;

Json to_json(const Point& point) {
  Json parameters = Json::object();
  for (const auto& [name, value] : point.parameters) parameters[name] = value;
  return {{"family", point.family},
          {"verdict", point.verdict},
          {"cycles", point.cycles ? Json(*point.cycles) : Json()},
          {"utilisation", point.utilisation},
          {"pes", point.pes},
          {"memory_bytes_per_pe", point.memory_bytes_per_pe},
          {"messages", point.messages},
          {"bytes", point.bytes},
          {"parameters", std::move(parameters)}};
}

std::optional<Point> point_from_json(const Json& json) {
  try {
    Point point;
    json.at("family").get_to(point.family);
    json.at("verdict").get_to(point.verdict);
    if (!json.at("cycles").is_null()) point.cycles = json.at("cycles").get<std::int64_t>();
    json.at("utilisation").get_to(point.utilisation);
    json.at("pes").get_to(point.pes);
    json.at("memory_bytes_per_pe").get_to(point.memory_bytes_per_pe);
    json.at("messages").get_to(point.messages);
    json.at("bytes").get_to(point.bytes);
    for (const auto& [name, value] : json.at("parameters").items()) value.get_to(point.parameters[name]);
    return point;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

} // namespace cyclotron::explore
