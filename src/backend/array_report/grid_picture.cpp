// SPDX-License-Identifier: MIT
#include "backend/array_report/grid_picture.hpp"

#include "backend/array_report/grid_layout.hpp"
#include "backend/array_report/page.hpp"
#include "report/colours.hpp"
#include "report/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace cyclotron::array_report {

using report::bytes_text;
using report::count_text;
using report::Drawing;
using report::hex;
using report::ink_on;
using report::number;
using report::percent;
using report::ramp;
using report::shortened;

namespace {

constexpr double least_width = 560;

// A bare number says little.
std::string role_label(const Statistics& s, const PeStatistics& pe) {
  const std::string name = role_text(s, pe);
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos ? "role " + name : name;
}

void draw_cell(Drawing& drawing, const Statistics& s, const GridLayout& at, std::int64_t row, std::int64_t column) {
  const std::int64_t columns = shape_of(s).columns;
  std::vector<const PeStatistics*> members;
  for (std::int64_t r = row * at.block; r < (row + 1) * at.block; ++r)
    for (std::int64_t c = column * at.block; c < std::min(columns, (column + 1) * at.block); ++c)
      if (const auto p = static_cast<std::size_t>(r * columns + c); p < s.pes.size()) members.push_back(&s.pes[p]);
  if (members.empty()) return;
  const PeStatistics& first = *members.front();
  const bool works = std::any_of(members.begin(), members.end(), [](const PeStatistics* pe) { return pe->role >= 0; });
  const double share = mean_shares(members, s.cycles).computing;
  const Point centre = at.centre(row, column);
  const std::string hover = members.size() == 1
                                ? hover_text(s, first)
                                : fmt::format("{} from {} to {}\ncomputing {}", count_text(members.size(), "PE"),
                                              place_text(first), place_text(*members.back()), percent(share));
  const std::string round = at.side > 20 ? fmt::format(" rx=\"{}\"", number(at.side / 10)) : "";
  const std::string look = works
                               ? fmt::format("fill=\"{}\"{}", hex(ramp(share)), round)
                               : fmt::format("class=\"rule\" stroke-dasharray=\"3 3\" pointer-events=\"all\"{}", round);
  drawing.rectangle(centre.x - at.side / 2, centre.y - at.height / 2, at.side, at.height, look, hover);
  if (!at.arrows) return;
  const std::string ink = works ? fmt::format("fill=\"{}\"", hex(ink_on(ramp(share)))) : "class=\"faint\"";
  const std::string common = fmt::format("{} text-anchor=\"middle\" pointer-events=\"none\"", ink);
  const std::string percent_text = works ? fmt::format("{:.0f}%", 100 * share) : "no role";
  const bool wide = at.side > 50;
  drawing.text(centre.x, centre.y - (wide ? 2 : 1), percent_text,
               fmt::format("{} font-size=\"{}\" font-weight=\"600\"", common, works ? (wide ? 15 : 11) : 9));
  if (works)
    drawing.text(centre.x, centre.y + (wide ? 14 : 11), shortened(role_label(s, first), wide ? 9 : 6),
                 fmt::format("{} font-size=\"{}\"", common, wide ? 10 : 8));
}

// --- around the cells ---

void draw_labels(Drawing& drawing, const Statistics& s, const GridLayout& at) {
  if (s.axes.empty() || s.pes.empty()) return;
  const std::int64_t columns = shape_of(s).columns;
  const double edge = at.margin;
  const std::int64_t every = at.arrows ? 1 : 8;
  for (std::int64_t c = 0; c < at.cells.columns; c += every)
    drawing.text(at.centre(0, c).x, at.top - edge - 8,
                 std::to_string(s.pes[static_cast<std::size_t>(c * at.block)].at.back()),
                 "class=\"faint small middle\"");
  if (at.cells.rows > 1)
    for (std::int64_t r = 0; r < at.cells.rows; r += every) {
      std::vector<std::int64_t> place = s.pes[static_cast<std::size_t>(r * at.block * columns)].at;
      place.pop_back();
      drawing.text(at.left - edge - 8, at.centre(r, 0).y + 3.5, fmt::format("{}", fmt::join(place, ",")),
                   "class=\"faint small end\"");
    }
  drawing.text(at.left - edge - 8, at.top - edge - 8,
               s.axes.size() == 1
                   ? s.axes[0]
                   : fmt::format("{} ↓ {} →", fmt::join(s.axes.begin(), s.axes.end() - 1, ","), s.axes.back()),
               "class=\"ink small end\"");
}

double draw_scale(Drawing& drawing, double x, double y) {
  for (int i = 0; i < 40; ++i)
    drawing.rectangle(x + 4 * i, y, 4.5, 10, fmt::format("fill=\"{}\"", hex(ramp((i + 0.5) / 40))));
  drawing.text(x, y + 22, "0 %", "class=\"faint small\"");
  drawing.text(x + 160, y + 22, "100 %", "class=\"faint small end\"");
  drawing.text(x + 172, y + 9, "of all cycles spent computing", "class=\"ink\"");
  return y + 42;
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

double draw_values(Drawing& drawing, const Statistics& s, const std::vector<Arrow>& arrows, double x, double y) {
  const std::vector<Traffic> traffic = traffic_of(s);
  for (std::size_t v = 0; v < traffic.size(); ++v) {
    std::vector<std::string> ways;
    for (const Arrow& arrow : arrows)
      if (arrow.value == v) add_once(ways, direction_text(arrow.down, arrow.right));
    for (const Arrow& arrow : arrows)
      if (arrow.value == v && arrow.wraps) add_once(ways, "around the grid");
    drawing.path(fmt::format("M{} {}h26", number(x), number(y - 4)), grid_arrow_look(v, 3));
    const std::string text = fmt::format(
        "{}: {}; {}, {}, {}", shortened(traffic[v].value, 16), shortened(fmt::format("{}", fmt::join(ways, ", ")), 34),
        count_text(traffic[v].links, "link"), count_text(traffic[v].messages, "message"), bytes_text(traffic[v].bytes));
    drawing.text(x + 36, y, text, "class=\"ink\"");
    y += 20;
  }
  return y;
}

std::string left_out(const GridLayout& at, bool has_links) {
  std::string text;
  if (at.block > 1)
    text = fmt::format("Each cell is the mean of {}{} PEs. ", at.cells.rows > 1 ? fmt::format("{} x ", at.block) : "",
                       at.block);
  if (!at.arrows && has_links) text += fmt::format("Arrows are drawn up to {0} x {0} PEs.", most_with_arrows);
  return text;
}

std::string picture(const Statistics& s, bool with_heading) {
  const std::vector<Arrow> arrows = arrows_of(s);
  GridLayout at = grid_layout(s, arrows);
  Drawing drawing;
  draw_arrow_heads(drawing, traffic_of(s).size());
  if (with_heading) draw_heading(drawing, s);
  else at.top -= heading_height;
  for (std::int64_t r = 0; r < at.cells.rows; ++r)
    for (std::int64_t c = 0; c < at.cells.columns; ++c) draw_cell(drawing, s, at, r, c);
  if (at.arrows) draw_arrows(drawing, s, at, arrows);
  draw_labels(drawing, s, at);
  double y = draw_scale(drawing, 20, at.lower_end() + 24);
  y = draw_values(drawing, s, arrows, 20, y + 8);
  if (const std::string note = left_out(at, !s.links.empty()); !note.empty()) {
    drawing.text(20, y + 2, note, "class=\"faint\"");
    y += 20;
  }
  return drawing.finish(std::max(least_width, at.right_end() + 20), y + 6, "utilisation and dataflow of the grid");
}

} // namespace

std::string grid_svg(const array::Statistics& statistics) { return picture(statistics, true); }

std::string grid_html(const array::Statistics& statistics) {
  return html_page(statistics, "grid", picture(statistics, false), {role_table(statistics), traffic_table(statistics)});
}

} // namespace cyclotron::array_report
