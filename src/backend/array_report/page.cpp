// SPDX-License-Identifier: MIT
#include "backend/array_report/page.hpp"

#include "report/words.hpp"

#include <fmt/format.h>

namespace cyclotron::array_report {

using report::count_text;
using report::Drawing;
using report::percent;
using report::shortened;
using report::xml_text;

namespace {

constexpr const char* style = R"(<style>
:root{color-scheme:light dark}
body{margin:2rem;font:15px/1.5 system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif;background:#fff;color:#1d2330}
h1{font-size:1.3rem;margin:0 0 .3rem}p{margin:.2rem 0 1rem}pre{font-size:.85rem;overflow-x:auto}
.picture{overflow-x:auto}table{border-collapse:collapse;margin:1.5rem 0}
caption{text-align:left;font-weight:600;padding-bottom:.3rem}
th,td{padding:.15rem .9rem .15rem 0;text-align:right;border-bottom:1px solid #d5dae2;font-variant-numeric:tabular-nums}
th:first-child,td:first-child{text-align:left}th{font-weight:500;color:#5c6675}
@media (prefers-color-scheme:dark){body{background:#14171c;color:#e8ebf0}th,td{border-color:#39414d}th{color:#a0a9b6}}
</style>
)";

std::string html_row(const std::vector<std::string>& cells, const char* tag) {
  std::string out = "<tr>";
  for (const std::string& cell : cells) out += fmt::format("<{0}>{1}</{0}>", tag, xml_text(cell));
  return out + "</tr>\n";
}

std::string html_table(const Table& table) {
  if (table.rows.empty()) return "";
  std::string out = fmt::format("<table><caption>{}</caption>\n", xml_text(table.caption));
  out += html_row(table.columns, "th");
  for (const auto& row : table.rows) out += html_row(row, "td");
  return out + "</table>\n";
}

std::string main_figures(const Statistics& statistics) {
  return fmt::format("{}, {}, utilisation {}", grid_text(statistics),
                     count_text(static_cast<std::uint64_t>(statistics.cycles), "cycle"), utilisation_text(statistics));
}

std::string facts(const Statistics& statistics) {
  const std::string form = closed_form_text(statistics);
  return main_figures(statistics) + (form.empty() ? "" : "; " + form);
}

} // namespace

Table role_table(const Statistics& statistics) {
  Table table{"Roles", {"role", "PEs", "computing", "receiving", "sending", "idle", "steps", "sent"}, {}};
  for (const RoleFigures& role : roles_of(statistics)) {
    const Shares mean = mean_shares(role.pes, statistics.cycles);
    std::uint64_t steps = 0, sent = 0;
    for (const PeStatistics* pe : role.pes) steps += pe->steps, sent += pe->sent;
    table.rows.push_back({role.name, std::to_string(role.pes.size()), percent(mean.computing), percent(mean.receiving),
                          percent(mean.sending), percent(mean.idle), std::to_string(steps), std::to_string(sent)});
  }
  return table;
}

Table traffic_table(const Statistics& statistics) {
  Table table{"Values on the links", {"value", "links", "messages", "bytes", "most in one link at once"}, {}};
  for (const Traffic& t : traffic_of(statistics))
    table.rows.push_back({t.value, std::to_string(t.links), std::to_string(t.messages), std::to_string(t.bytes),
                          std::to_string(t.most_waiting)});
  return table;
}

void draw_heading(Drawing& drawing, const Statistics& statistics) {
  drawing.text(20, 28, shortened(heading(statistics), 70), "class=\"ink title\"");
  drawing.text(20, 48, main_figures(statistics), "class=\"faint\"");
}

std::string html_page(const Statistics& statistics, const std::string& what, const std::string& svg,
                      const std::vector<Table>& tables) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  out += fmt::format("<title>{}: {}</title>\n", xml_text(shortened(statistics.program, 60)), what);
  out += style;
  out += fmt::format("</head><body>\n<h1>{}</h1>\n<p>{}</p>\n", xml_text(heading(statistics)),
                     xml_text(facts(statistics)));
  out += fmt::format("<div class=\"picture\">\n{}</div>\n", svg);
  for (const Table& table : tables) out += html_table(table);
  if (statistics.schedule.find('\n') != std::string::npos)
    out += fmt::format("<pre>{}</pre>\n", xml_text(statistics.schedule));
  return out + "</body></html>\n";
}

} // namespace cyclotron::array_report
