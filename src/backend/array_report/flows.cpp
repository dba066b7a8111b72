// SPDX-License-Identifier: MIT
#include "backend/array_report/flows.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

namespace cyclotron::array_report {

namespace {

using Offset = std::pair<std::int64_t, std::int64_t>; // down, right

Offset offset_of(const LinkStatistics& link, std::int64_t columns) {
  return {link.to / columns - link.from / columns, link.to % columns - link.from % columns};
}

std::map<std::string, Offset> directions_of(const Statistics& s, std::int64_t columns) {
  std::map<std::string, std::map<Offset, std::int64_t>> counts;
  for (const LinkStatistics& link : s.links) ++counts[link.channel][offset_of(link, columns)];
  std::map<std::string, Offset> directions;
  for (const auto& [channel, offsets] : counts) {
    const auto rank = [](const auto& entry) {
      const auto& [offset, links] = entry;
      return std::tuple(-links, std::abs(offset.first) + std::abs(offset.second), -offset.first, -offset.second);
    };
    directions[channel] = std::min_element(offsets.begin(), offsets.end(), [&](const auto& a, const auto& b) {
                            return rank(a) < rank(b);
                          })->first;
  }
  return directions;
}

std::string along(std::int64_t distance, const char* forward, const char* backward) {
  if (distance == 0) return "";
  const std::string way = distance > 0 ? forward : backward;
  return std::abs(distance) == 1 ? way : way + " " + std::to_string(std::abs(distance));
}

} // namespace

std::vector<Arrow> arrows_of(const Statistics& statistics) {
  const std::int64_t columns = std::max<std::int64_t>(1, shape_of(statistics).columns);
  const std::map<std::string, Offset> directions = directions_of(statistics, columns);
  std::map<std::string, std::size_t> values;
  for (const Traffic& traffic : traffic_of(statistics)) values.emplace(traffic.value, values.size());
  std::map<std::tuple<std::size_t, int, int, Offset>, Arrow> arrows;
  for (const LinkStatistics& link : statistics.links) {
    const Offset direction = directions.at(link.channel);
    Arrow& arrow = arrows[{values.at(link.value), link.from, link.to, direction}];
    arrow.value = values.at(link.value);
    arrow.from = link.from;
    arrow.to = link.to;
    std::tie(arrow.down, arrow.right) = direction;
    arrow.wraps = direction != offset_of(link, columns);
    arrow.channels.push_back(link.channel);
    arrow.messages += link.messages;
    arrow.bytes += link.bytes;
    arrow.most_waiting = std::max(arrow.most_waiting, link.most_waiting);
  }
  std::vector<Arrow> list;
  for (auto& [key, arrow] : arrows) list.push_back(std::move(arrow));
  return list;
}

std::string direction_text(std::int64_t down, std::int64_t right) {
  const std::string vertical = along(down, "down", "up"), horizontal = along(right, "right", "left");
  if (vertical.empty() && horizontal.empty()) return "to itself";
  return vertical + (vertical.empty() || horizontal.empty() ? "" : " and ") + horizontal;
}

} // namespace cyclotron::array_report
