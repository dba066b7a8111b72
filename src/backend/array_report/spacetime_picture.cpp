// SPDX-License-Identifier: MIT
#include "backend/array_report/spacetime_picture.hpp"

#include "backend/array_report/page.hpp"
#include "backend/array_report/spacetime_bins.hpp"
#include "report/colours.hpp"
#include "report/drawing.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace cyclotron::array_report {

using report::characters_in;
using report::computing_colour;
using report::Drawing;
using report::kind_colour;
using report::number;
using report::receiving_colour;
using report::sending_colour;
using report::shortened;

namespace {

constexpr std::int64_t most_rows = 64, most_columns = 400;
constexpr std::size_t most_boxes = 20000; // that are drawn one by one
constexpr double left = 78, least_width = 560;
constexpr int levels = 8; // of paleness

struct Look {
  std::string colour, name;
  double opacity = 1;
};

Look look_of(const Statistics& s, int kind) {
  switch (kind) {
  case computes: return {computing_colour, "computes"};
  case waits_to_receive: return {receiving_colour, "waits to receive", 0.75};
  case waits_to_send: return {sending_colour, "waits to send", 0.75};
  case between_steps: return {computing_colour, "from first to last step (steps are not recorded)", 0.6};
  default: return {kind_colour(static_cast<std::size_t>(kind)), "step of " + s.spaces[static_cast<std::size_t>(kind)]};
  }
}

struct Layout {
  Bins bins;
  double top = 66;             // of the first row
  double box = 1, height = 10; // of a bin
  bool single = false;         // every step is drawn

  double x(double cycle) const { return left + cycle / static_cast<double>(bins.cycles_per_column) * box; }
  double y(std::int64_t row) const { return top + static_cast<double>(row) * height; }
  double right_end() const { return left + static_cast<double>(bins.columns) * box; }
  double lower_end() const { return y(bins.rows); }
};

Layout layout_of(const Statistics& s) {
  Layout at;
  at.bins = bins_of(s, most_rows, most_columns);
  at.box = std::clamp(900.0 / static_cast<double>(std::max<std::int64_t>(1, at.bins.columns)), 2.0, 26.0);
  at.height = std::clamp(560.0 / static_cast<double>(std::max<std::int64_t>(1, at.bins.rows)), 9.0, 24.0);
  std::size_t boxes = 0;
  for (const PeStatistics& pe : s.pes) boxes += pe.step_records.size() + pe.intervals.size();
  at.single = at.bins.pes_per_row == 1 && at.bins.cycles_per_column == 1 && boxes <= most_boxes;
  return at;
}

void draw_single(Drawing& drawing, const Statistics& s, const Layout& at) {
  const double seam = at.box > 4 ? 1 : 0; // so that steps can be counted
  for (std::size_t p = 0; p < s.pes.size(); ++p)
    for (const Stretch& stretch : stretches_of(s.pes[p])) {
      const Look look = look_of(s, stretch.kind);
      const double x = at.x(static_cast<double>(stretch.begin)), end = at.x(static_cast<double>(stretch.end));
      drawing.rectangle(
          x, at.y(static_cast<std::int64_t>(p)), end - x - seam, at.height - 1,
          fmt::format("fill=\"{}\" fill-opacity=\"{}\"", look.colour, number(look.opacity)),
          fmt::format("PE {}\n{}\ncycles {} to {}", place_text(s.pes[p]), look.name, stretch.begin, stretch.end - 1));
    }
}

// One path for all bins that look the same; neighbours in a row are joined.
void draw_bins(Drawing& drawing, const Statistics& s, const Layout& at) {
  std::map<std::pair<int, int>, std::string> paths; // kind, level
  const Bins& bins = at.bins;
  const auto key_at = [&](std::int64_t row, std::int64_t column) {
    const Bin& bin = bins.bins[static_cast<std::size_t>(row * bins.columns + column)];
    return std::pair(bin.kind, std::clamp(static_cast<int>(bin.share * levels + 0.5), 1, levels));
  };
  for (std::int64_t row = 0; row < bins.rows; ++row)
    for (std::int64_t from = 0, to = 0; from < bins.columns; from = to) {
      const auto key = key_at(row, from);
      for (to = from + 1; to < bins.columns && key_at(row, to) == key;) ++to;
      if (key.first == idles) continue;
      const std::string width = number(static_cast<double>(to - from) * at.box);
      paths[key] += fmt::format("M{} {}h{}v{}h-{}z", number(left + static_cast<double>(from) * at.box),
                                number(at.y(row)), width, number(at.height - 1), width);
    }
  for (const auto& [key, data] : paths) {
    const Look look = look_of(s, key.first);
    const double opacity = look.opacity * (0.25 + 0.75 * key.second / levels);
    drawing.path(data, fmt::format("fill=\"{}\" fill-opacity=\"{}\"", look.colour, number(opacity)), look.name);
  }
}

// The distance between marks on an axis: 1, 2 or 5 times a power of ten.
Time mark_step(Time length, Time most_marks) {
  for (Time power = 1;; power *= 10)
    for (const Time factor : {1, 2, 5})
      if (factor * power * most_marks >= length) return factor * power;
}

std::string cycle_label(const Bins& bins) {
  std::string text = "cycle";
  if (bins.cycles_per_column > 1) text += fmt::format("; a box is {} cycles", bins.cycles_per_column);
  if (bins.pes_per_row > 1) text += fmt::format("; a row is {} PEs", bins.pes_per_row);
  return text;
}

void draw_axes(Drawing& drawing, const Statistics& s, const Layout& at, double bottom) {
  const auto fitting = static_cast<Time>(std::max(1.0, (at.right_end() - left) / 60));
  const Time step = mark_step(s.cycles, fitting);
  for (Time cycle = 0; cycle < s.cycles; cycle += step) {
    const double x = at.x(static_cast<double>(cycle)) + (at.single ? at.box / 2 : 0);
    drawing.line(x, bottom, x, bottom + 4, "class=\"rule\"");
    drawing.text(x, bottom + 16, std::to_string(cycle), "class=\"faint small middle\"");
  }
  drawing.text(left, bottom + 32, cycle_label(at.bins), "class=\"faint small\"");
  const auto every = static_cast<std::int64_t>(std::ceil(12 / at.height));
  for (std::int64_t row = 0; row < at.bins.rows; row += every)
    drawing.text(left - 8, at.y(row) + at.height / 2 + 3,
                 place_text(s.pes[static_cast<std::size_t>(row * at.bins.pes_per_row)]), "class=\"faint small end\"");
  drawing.line(left - 3, at.top, left - 3, at.lower_end(), "class=\"rule\"");
}

constexpr double activity_height = 64;

void draw_activity(Drawing& drawing, const Statistics& s, const Layout& at, double y) {
  const std::vector<double> active = activity_of(s);
  const double base = y + activity_height, scale = activity_height / static_cast<double>(s.pes.size());
  std::string data = fmt::format("M{} {}", number(left), number(base));
  for (std::size_t b = 0; b < active.size(); ++b) {
    const double begin = static_cast<double>(b) * static_cast<double>(s.cycles_per_bin);
    const double end = std::min(begin + static_cast<double>(s.cycles_per_bin), static_cast<double>(s.cycles));
    data += fmt::format("L{0} {1}L{2} {1}", number(at.x(begin)), number(base - active[b] * scale), number(at.x(end)));
  }
  drawing.path(data + fmt::format("L{} {}z", number(at.x(static_cast<double>(s.cycles))), number(base)),
               fmt::format("fill=\"{}\" fill-opacity=\"0.8\"", computing_colour), "PEs that compute");
  drawing.line(left, base, at.right_end(), base, "class=\"rule\"");
  drawing.line(left, y, at.right_end(), y, "class=\"rule\" stroke-dasharray=\"2 3\"");
  drawing.text(left - 8, y + 4, std::to_string(s.pes.size()), "class=\"faint small end\"");
  drawing.text(left - 8, base + 3, "0", "class=\"faint small end\"");
  drawing.text(left - 8, y + activity_height / 2 + 4, "computing", "class=\"faint small end\"");
}

double draw_key(Drawing& drawing, const Statistics& s, double width, double y) {
  std::set<int> kinds;
  for (const PeStatistics& pe : s.pes)
    for (const Stretch& stretch : stretches_of(pe)) kinds.insert(stretch.kind);
  double x = left;
  for (const int kind : kinds) {
    const Look look = look_of(s, kind);
    const std::string name = shortened(look.name, 40);
    const double needed = 34 + 7.2 * static_cast<double>(characters_in(name));
    if (x + needed > width && x > left) x = left, y += 20;
    drawing.rectangle(x, y - 10, 14, 12,
                      fmt::format("fill=\"{}\" fill-opacity=\"{}\"", look.colour, number(look.opacity)));
    drawing.text(x + 20, y, name, "class=\"ink\"");
    x += needed;
  }
  return y + 20;
}

std::string picture(const Statistics& s, bool with_heading) {
  Layout at = layout_of(s);
  if (!with_heading) at.top -= heading_height;
  const double width = std::max(least_width, at.right_end() + 30);
  Drawing drawing;
  if (with_heading) draw_heading(drawing, s);
  if (s.pes.empty() || s.cycles <= 0) return drawing.finish(width, at.top, "space-time diagram of an empty run");
  if (at.single) draw_single(drawing, s, at);
  else draw_bins(drawing, s, at);
  double y = at.lower_end() + 6;
  draw_axes(drawing, s, at, y);
  y += 44;
  if (!s.active.empty()) {
    draw_activity(drawing, s, at, y);
    y += activity_height + 26;
  }
  y = draw_key(drawing, s, width - 20, y + 4);
  return drawing.finish(width, y, "space-time diagram");
}

} // namespace

std::string spacetime_svg(const array::Statistics& statistics) { return picture(statistics, true); }

std::string spacetime_html(const array::Statistics& statistics) {
  return html_page(statistics, "space and time", picture(statistics, false), {role_table(statistics)});
}

} // namespace cyclotron::array_report
