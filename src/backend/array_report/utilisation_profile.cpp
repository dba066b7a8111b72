// SPDX-License-Identifier: MIT
#include "backend/array_report/utilisation_profile.hpp"

#include "backend/array_report/page.hpp"
#include "report/colours.hpp"
#include "report/drawing.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::array_report {

using report::computing_colour;
using report::Drawing;
using report::percent;
using report::receiving_colour;
using report::sending_colour;

namespace {

constexpr std::size_t most_bars = 64;
constexpr double left = 62, top = 74, height = 180, width = 760;

struct Bar {
  std::string label; // below it
  std::string name;  // where the pointer rests
  std::vector<const PeStatistics*> pes;
};

struct Panel {
  std::string title;
  std::vector<Bar> bars;
};

Panel along_axis(const Statistics& s, std::size_t axis) {
  const bool only = s.extents.size() < 2;
  Panel panel{only ? "" : fmt::format("along {}, mean over the rest", s.axes[axis]), {}};
  const std::int64_t first = s.pes.front().at.empty() ? 0 : s.pes.front().at[axis];
  for (const PeStatistics& pe : s.pes) {
    const auto place = static_cast<std::size_t>(pe.at.empty() ? 0 : pe.at[axis] - first);
    if (place >= panel.bars.size()) panel.bars.resize(place + 1);
    panel.bars[place].pes.push_back(&pe);
    panel.bars[place].label = pe.at.empty() ? "" : std::to_string(pe.at[axis]);
    panel.bars[place].name = only ? "PE " + place_text(pe) : fmt::format("{} = {}", s.axes[axis], pe.at[axis]);
  }
  return panel;
}

Panel along_diagonal(const Statistics& s) {
  Panel panel{"along the diagonal", {}};
  std::int64_t stride = 0; // from one PE of the diagonal to the next
  for (const std::int64_t extent : s.extents) stride = stride * extent + 1;
  for (std::size_t p = 0; p < s.pes.size(); p += static_cast<std::size_t>(stride))
    panel.bars.push_back({std::to_string(s.pes[p].at.back()), "PE " + place_text(s.pes[p]), {&s.pes[p]}});
  return panel;
}

bool is_square(const Statistics& s) {
  return s.extents.size() > 1 && s.extents[0] > 1 &&
         std::all_of(s.extents.begin(), s.extents.end(), [&](std::int64_t e) { return e == s.extents[0]; });
}

std::vector<Panel> panels_of(const Statistics& s) {
  std::vector<Panel> panels;
  if (s.pes.empty()) return panels;
  for (std::size_t axis = 0; axis < std::max<std::size_t>(1, s.extents.size()); ++axis)
    panels.push_back(along_axis(s, axis));
  if (is_square(s)) panels.push_back(along_diagonal(s));
  return panels;
}

std::vector<Bar> joined(const std::vector<Bar>& bars) {
  const std::size_t group = (bars.size() + most_bars - 1) / most_bars;
  std::vector<Bar> out;
  for (std::size_t b = 0; b < bars.size(); ++b) {
    if (b % group == 0) out.push_back({bars[b].label, bars[b].name, {}});
    out.back().pes.insert(out.back().pes.end(), bars[b].pes.begin(), bars[b].pes.end());
    if (b % group > 0 && (b % group == group - 1 || b + 1 == bars.size())) out.back().name += " to " + bars[b].name;
  }
  return out;
}

void draw_bar(Drawing& drawing, const Bar& bar, Time cycles, double x, double bar_width, double base) {
  const Shares part = mean_shares(bar.pes, cycles);
  const std::string hover =
      fmt::format("{}\ncomputing {}\nwaiting to receive {}\nwaiting to send {}\nidle {}", bar.name,
                  percent(part.computing), percent(part.receiving), percent(part.sending), percent(part.idle));
  double y = base;
  const auto piece = [&](double share, const std::string& look) {
    if (share <= 0) return;
    y -= share * height;
    drawing.rectangle(x, y, bar_width, share * height, look, hover);
  };
  piece(part.computing, fmt::format("fill=\"{}\"", computing_colour));
  piece(part.receiving, fmt::format("fill=\"{}\"", receiving_colour));
  piece(part.sending, fmt::format("fill=\"{}\"", sending_colour));
  piece(part.idle, "class=\"idle\"");
}

void draw_panel(Drawing& drawing, const Panel& panel, Time cycles, double y) {
  const std::vector<Bar> bars = joined(panel.bars);
  const double base = y + height, pitch = std::min(60.0, width / static_cast<double>(bars.size()));
  const double end = left + pitch * static_cast<double>(bars.size());
  if (!panel.title.empty()) drawing.text(left, y - 10, panel.title, "class=\"ink\"");
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const double line = base - quarter * height / 4;
    drawing.line(left - 4, line, end, line, "class=\"rule\" stroke-opacity=\"0.6\"");
    drawing.text(left - 10, line + 3.5, fmt::format("{} %", 25 * quarter), "class=\"faint small end\"");
  }
  std::size_t longest = 1;
  for (const Bar& bar : bars) longest = std::max(longest, bar.label.size());
  const auto every = static_cast<std::size_t>(1 + (7.0 * static_cast<double>(longest) + 4) / pitch);
  for (std::size_t b = 0; b < bars.size(); ++b) {
    const double x = left + pitch * static_cast<double>(b);
    draw_bar(drawing, bars[b], cycles, x + pitch * 0.08, pitch * 0.84, base);
    if (b % every == 0) drawing.text(x + pitch / 2, base + 14, bars[b].label, "class=\"faint small middle\"");
  }
}

void draw_key(Drawing& drawing, double y) {
  double x = left;
  const auto entry = [&](const std::string& look, const char* name, double length) {
    drawing.rectangle(x, y - 10, 14, 12, look);
    drawing.text(x + 20, y, name, "class=\"ink\"");
    x += length;
  };
  entry(fmt::format("fill=\"{}\"", computing_colour), "computing", 104);
  entry(fmt::format("fill=\"{}\"", receiving_colour), "waiting to receive", 150);
  entry(fmt::format("fill=\"{}\"", sending_colour), "waiting to send", 136);
  entry("class=\"idle\"", "idle", 60);
}

std::string picture(const Statistics& s, bool with_heading) {
  Drawing drawing;
  if (with_heading) draw_heading(drawing, s);
  double y = with_heading ? top : top - heading_height;
  for (const Panel& panel : panels_of(s)) {
    if (!panel.title.empty()) y += 18;
    draw_panel(drawing, panel, s.cycles, y);
    y += height + 34;
  }
  draw_key(drawing, y + 12);
  return drawing.finish(left + width + 24, y + 28, "how the PEs spent their time");
}

} // namespace

std::string utilisation_svg(const array::Statistics& statistics) { return picture(statistics, true); }

std::string utilisation_html(const array::Statistics& statistics) {
  return html_page(statistics, "utilisation", picture(statistics, false), {role_table(statistics)});
}

} // namespace cyclotron::array_report
