// SPDX-License-Identifier: MIT
#include "backend/array_report/text.hpp"

#include "backend/array_report/figures.hpp"
#include "report/columns.hpp"
#include "report/drawing.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cyclotron::array_report {

using report::aligned;
using report::bytes_text;
using report::count_text;
using report::number;
using report::percent;
using report::Row;

namespace {

constexpr std::size_t most_single = 16; // PEs, and roles, with a row of their own
constexpr std::size_t most_links = 5;

Row share_cells(const Shares& s) {
  return {percent(s.computing), percent(s.receiving), percent(s.sending), percent(s.idle)};
}

Row joined(Row row, const Row& more) {
  row.insert(row.end(), more.begin(), more.end());
  return row;
}

const Row share_titles = {"computing", "receiving", "sending", "idle"};

std::string table_of_pes(const Statistics& s) {
  std::vector<Row> rows = {joined(joined({"PE", "role"}, share_titles), {"steps", "sent", "memory"})};
  for (const PeStatistics& pe : s.pes)
    rows.push_back(joined(joined({place_text(pe), role_text(s, pe)}, share_cells(shares_of(pe, s.cycles))),
                          {std::to_string(pe.steps), std::to_string(pe.sent), bytes_text(pe.memory_bytes)}));
  return "  time per PE\n" + aligned(rows, 2);
}

std::string table_of_roles(const Statistics& s) {
  std::vector<Row> rows = {joined({"role", "PEs"}, share_titles)};
  const std::vector<RoleFigures> roles = roles_of(s);
  if (roles.size() <= most_single)
    for (const RoleFigures& role : roles)
      rows.push_back(
          joined({role.name, std::to_string(role.pes.size())}, share_cells(mean_shares(role.pes, s.cycles))));
  std::vector<const PeStatistics*> all;
  for (const PeStatistics& pe : s.pes) all.push_back(&pe);
  rows.push_back(joined({"all", std::to_string(all.size())}, share_cells(mean_shares(all, s.cycles))));
  const auto [least, most] = std::minmax_element(
      all.begin(), all.end(), [](const PeStatistics* a, const PeStatistics* b) { return a->computing < b->computing; });
  std::string out = "  time per PE, on average\n" + aligned(rows, 1);
  return out + fmt::format("    from {} in PE {} to {} in PE {}\n", percent(shares_of(**least, s.cycles).computing),
                           place_text(**least), percent(shares_of(**most, s.cycles).computing), place_text(**most));
}

std::string traffic(const Statistics& s) {
  if (s.links.empty()) return "";
  std::vector<Row> rows = {{"value", "links", "messages", "bytes", "most waiting"}};
  for (const Traffic& t : traffic_of(s))
    rows.push_back({t.value, std::to_string(t.links), std::to_string(t.messages), std::to_string(t.bytes),
                    std::to_string(t.most_waiting)});
  return "\n  values on the links\n" + aligned(rows, 1);
}

std::string busiest_links(const Statistics& s) {
  if (s.links.empty()) return "";
  std::vector<const LinkStatistics*> links;
  for (const LinkStatistics& link : s.links) links.push_back(&link);
  const std::size_t shown = std::min(most_links, links.size());
  std::stable_sort(links.begin(), links.end(), [](const LinkStatistics* a, const LinkStatistics* b) {
    return std::pair(a->messages, a->bytes) > std::pair(b->messages, b->bytes);
  });
  std::vector<Row> rows;
  for (const LinkStatistics* link : std::vector(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(shown)))
    rows.push_back({place_text(s.pes[static_cast<std::size_t>(link->from)]) + " -> " +
                        place_text(s.pes[static_cast<std::size_t>(link->to)]),
                    link->value, count_text(link->messages, "message"), bytes_text(link->bytes),
                    fmt::format("{} waiting at most", link->most_waiting)});
  return fmt::format("\n  busiest links of {}\n", links.size()) + aligned(rows, 2);
}

// One character per bin: eighths of the height that stands for all PEs; what computes at all is visible.
std::string sparkline(const Statistics& s, std::size_t width) {
  const std::vector<double> active = activity_of(s);
  if (active.empty() || s.pes.empty()) return "";
  const char* const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t columns =
      std::min(active.size(), std::max<std::size_t>(8, width - std::min<std::size_t>(width, 4)));
  std::string line;
  double peak = 0;
  std::size_t peak_bin = 0;
  for (std::size_t b = 0; b < active.size(); ++b)
    if (active[b] > peak) peak = active[b], peak_bin = b;
  for (std::size_t c = 0; c < columns; ++c) {
    const std::size_t from = c * active.size() / columns, to = (c + 1) * active.size() / columns;
    double sum = 0;
    for (std::size_t b = from; b < to; ++b) sum += active[b];
    const double share = sum / static_cast<double>(to - from) / static_cast<double>(s.pes.size());
    line += blocks[share > 0 ? std::clamp<int>(static_cast<int>(std::lround(share * 8)), 1, 8) : 0];
  }
  return fmt::format("\n  PEs that compute, over {}; most, {} of {}, from cycle {}\n    {}\n",
                     count_text(static_cast<std::uint64_t>(s.cycles), "cycle"), number(peak), s.pes.size(),
                     static_cast<Time>(peak_bin) * s.cycles_per_bin, line);
}

std::string headline(const Statistics& s) {
  const Traffic all = total_traffic(s);
  std::uint64_t steps = 0, loads = 0, stores = 0, memory = 0;
  for (const PeStatistics& pe : s.pes) {
    steps += pe.steps;
    loads += pe.loads;
    stores += pe.stores;
    memory = std::max(memory, pe.memory_bytes);
  }
  const std::string form = closed_form_text(s);
  std::string out = fmt::format("{} on {}\n", heading(s), grid_text(s));
  out += fmt::format("  cycles       {}{}\n", s.cycles, form.empty() ? "" : "; " + form);
  out += fmt::format("  utilisation  {}\n", utilisation_text(s));
  out += fmt::format("  work         {}, {}, {}\n", count_text(steps, "step"), count_text(loads, "load"),
                     count_text(stores, "store"));
  out += fmt::format("  traffic      {}, {}\n", count_text(all.messages, "message"), bytes_text(all.bytes));
  out += fmt::format("  registers    at most {} per PE\n", bytes_text(memory));
  if (s.seconds > 0)
    out += fmt::format("  simulated    in {:.3g} s, {:.3g} million channel operations per second\n", s.seconds,
                       static_cast<double>(s.channel_operations) / s.seconds / 1e6);
  return out;
}

} // namespace

std::string summary(const array::Statistics& statistics, const TextOptions& options) {
  std::string out = headline(statistics);
  if (statistics.pes.empty()) return out;
  out += "\n" + (statistics.pes.size() <= most_single ? table_of_pes(statistics) : table_of_roles(statistics));
  return out + traffic(statistics) + busiest_links(statistics) + sparkline(statistics, options.width);
}

} // namespace cyclotron::array_report
