// SPDX-License-Identifier: MIT
#include "backend/array_report/figures.hpp"

#include "report/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::array_report {

using report::bytes_text;
using report::count_text;
using report::percent;
using report::shortened;

Time idle_of(const PeStatistics& pe, Time cycles) {
  return std::max<Time>(0, cycles - pe.computing - pe.receiving - pe.sending);
}

Shares shares_of(const PeStatistics& pe, Time cycles) {
  if (cycles <= 0) return {};
  const double all = static_cast<double>(cycles);
  return {static_cast<double>(pe.computing) / all, static_cast<double>(pe.receiving) / all,
          static_cast<double>(pe.sending) / all, static_cast<double>(idle_of(pe, cycles)) / all};
}

Shares mean_shares(const std::vector<const PeStatistics*>& pes, Time cycles) {
  if (pes.empty()) return {};
  Shares sum{0, 0, 0, 0};
  for (const PeStatistics* pe : pes) {
    const Shares one = shares_of(*pe, cycles);
    sum.computing += one.computing;
    sum.receiving += one.receiving;
    sum.sending += one.sending;
    sum.idle += one.idle;
  }
  const double n = static_cast<double>(pes.size());
  return {sum.computing / n, sum.receiving / n, sum.sending / n, sum.idle / n};
}

Shape shape_of(const Statistics& statistics) {
  const auto pes = static_cast<std::int64_t>(statistics.pes.size());
  if (pes == 0) return {};
  const std::int64_t columns = statistics.extents.empty() ? pes : std::max<std::int64_t>(1, statistics.extents.back());
  return {(pes + columns - 1) / columns, columns};
}

std::vector<RoleFigures> roles_of(const Statistics& statistics) {
  std::vector<RoleFigures> roles;
  for (const std::string& name : statistics.roles) roles.push_back({name, {}});
  roles.push_back({"none", {}});
  for (const PeStatistics& pe : statistics.pes)
    (pe.role < 0 ? roles.back() : roles[static_cast<std::size_t>(pe.role)]).pes.push_back(&pe);
  std::erase_if(roles, [](const RoleFigures& role) { return role.pes.empty(); });
  return roles;
}

namespace {

void add_to(Traffic& sum, const LinkStatistics& link) {
  sum.links += 1;
  sum.messages += link.messages;
  sum.bytes += link.bytes;
  sum.most_waiting = std::max(sum.most_waiting, link.most_waiting);
}

} // namespace

std::vector<Traffic> traffic_of(const Statistics& statistics) {
  std::vector<Traffic> values;
  for (const LinkStatistics& link : statistics.links) {
    auto found = std::find_if(values.begin(), values.end(), [&](const Traffic& t) { return t.value == link.value; });
    if (found == values.end()) found = values.insert(values.end(), Traffic{link.value});
    add_to(*found, link);
  }
  return values;
}

Traffic total_traffic(const Statistics& statistics) {
  Traffic sum;
  for (const LinkStatistics& link : statistics.links) add_to(sum, link);
  return sum;
}

std::vector<double> activity_of(const Statistics& statistics) {
  const Time bin = std::max<Time>(1, statistics.cycles_per_bin);
  std::vector<double> means;
  Time left = statistics.cycles;
  for (const std::uint64_t computing : statistics.active) {
    const Time cycles = std::max<Time>(1, std::min(bin, left));
    means.push_back(static_cast<double>(computing) / static_cast<double>(cycles));
    left -= cycles;
  }
  return means;
}

std::string place_text(const PeStatistics& pe) { return fmt::format("({})", fmt::join(pe.at, ",")); }

std::string role_text(const Statistics& statistics, const PeStatistics& pe) {
  return pe.role < 0 ? "none" : statistics.roles[static_cast<std::size_t>(pe.role)];
}

std::string grid_text(const Statistics& statistics) {
  if (statistics.extents.size() < 2) return count_text(statistics.pes.size(), "PE");
  return fmt::format("{} PEs", fmt::join(statistics.extents, " x "));
}

std::string heading(const Statistics& statistics) {
  std::string text = shortened(statistics.program, 60);
  if (!statistics.schedule.empty()) text += ", schedule " + shortened(statistics.schedule, 60);
  return text;
}

std::string utilisation_text(const Statistics& statistics) {
  const double all = statistics.utilisation(), operating = statistics.operating();
  if (operating == all) return report::percent(all);
  return fmt::format("{}; {} computing, {} moving values only", report::percent(all), report::percent(operating),
                     report::percent(all - operating));
}

std::string closed_form_text(const Statistics& statistics) {
  if (!statistics.predicted) return "";
  const Time predicted = *statistics.predicted, difference = statistics.cycles - predicted;
  const std::string form = statistics.closed_form.empty() ? "" : statistics.closed_form + " = ";
  if (difference != 0 && statistics.link_latency != 1)
    return fmt::format("closed form {}{} is for links of one cycle, not of {}", form, predicted,
                       statistics.link_latency);
  const std::string verdict = difference == 0  ? "equal"
                              : difference > 0 ? fmt::format("{} more", difference)
                                               : fmt::format("{} fewer", -difference);
  return fmt::format("closed form {}{}: {}", form, predicted, verdict);
}

std::string hover_text(const Statistics& statistics, const PeStatistics& pe) {
  const Shares part = shares_of(pe, statistics.cycles);
  std::string text = fmt::format("PE {}, role {}\n", place_text(pe), role_text(statistics, pe));
  text += fmt::format("computing {} cycles ({})\n", pe.computing, percent(part.computing));
  if (pe.operating != pe.computing)
    text += fmt::format("  of them {} moving values only\n", pe.computing - pe.operating);
  text += fmt::format("waiting to receive {} ({}), to send {} ({})\n", pe.receiving, percent(part.receiving),
                      pe.sending, percent(part.sending));
  text += fmt::format("idle {} ({})\n", idle_of(pe, statistics.cycles), percent(part.idle));
  text += fmt::format("{} in cycles {} to {}, {}, {}\n", count_text(pe.steps, "step"), pe.begin, pe.end,
                      count_text(pe.loads, "load"), count_text(pe.stores, "store"));
  return text + fmt::format("received {}, sent {}; {} of registers", pe.received, pe.sent, bytes_text(pe.memory_bytes));
}

} // namespace cyclotron::array_report
