// SPDX-License-Identifier: MIT
#include "backend/sam_report/timeline_picture.hpp"

#include "report/colours.hpp"
#include "report/drawing.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace cyclotron::sam {
namespace {

using engine::Activity;
using report::Drawing;

constexpr double row_height = 18, bar_height = 12, heading_height = 62, share_width = 60, margin = 20;
constexpr double character = 6.6; // wide, in labels
constexpr Time most_columns = 900;
constexpr int shades = 8;

// Cycles of working, of waiting to receive and to send in each column of a row.
using Column = std::array<double, 3>;

struct Scale {
  Time cycles_per_column = 1;
  Time columns = 0;
  double column_width = 1;

  explicit Scale(Time cycles) {
    cycles_per_column = std::max<Time>(1, (cycles + most_columns - 1) / most_columns);
    columns = (cycles + cycles_per_column - 1) / cycles_per_column;
    column_width = columns == 0 ? 1 : std::clamp(720.0 / static_cast<double>(columns), 1.0, 16.0);
  }
  double at(Time time) const {
    return static_cast<double>(time) * column_width / static_cast<double>(cycles_per_column);
  }
};

std::vector<Column> columns_of(const BlockStatistics& block, const Scale& scale) {
  std::vector<Column> columns(static_cast<std::size_t>(scale.columns), Column{});
  for (const engine::Interval& i : block.intervals)
    for (Time column = i.begin / scale.cycles_per_column; column < scale.columns; ++column) {
      const Time from = std::max(i.begin, column * scale.cycles_per_column);
      const Time to = std::min(i.end, (column + 1) * scale.cycles_per_column);
      if (to <= from) break;
      columns[static_cast<std::size_t>(column)][static_cast<std::size_t>(i.activity)] += static_cast<double>(to - from);
    }
  return columns;
}

// What a column looks like: work as dark as its share; else what the block waited for; nothing where it was not there.
struct Look {
  Activity activity = Activity::computes;
  int shade = 0;
  bool operator==(const Look&) const = default;
};

Look look_of(const Column& column, const Scale& scale) {
  const double share = column[0] / static_cast<double>(scale.cycles_per_column);
  if (share > 0) return {Activity::computes, std::clamp(static_cast<int>(std::lround(share * shades)), 1, shades)};
  if (column[1] == 0 && column[2] == 0) return {};
  return {column[2] > column[1] ? Activity::waits_to_send : Activity::waits_to_receive, 3};
}

std::string fill_of(const Look& look) {
  const char* colour = look.activity == Activity::computes           ? report::computing_colour
                       : look.activity == Activity::waits_to_receive ? report::receiving_colour
                                                                     : report::sending_colour;
  return fmt::format(R"(fill="{}" fill-opacity="{}")", colour,
                     report::number(static_cast<double>(look.shade) / shades));
}

// 1, 2, 5, 10 …: at most ten marks.
Time mark_distance(Time cycles) {
  for (Time unit = 1;; unit *= 10)
    for (const Time factor : {1, 2, 5})
      if (cycles / (unit * factor) <= 10) return unit * factor;
}

class Timeline {
public:
  explicit Timeline(const Phases& phases) : phases_(phases) {}

  std::string draw() {
    find_widths();
    for (std::size_t p = 0; p < phases_.size(); ++p) draw_phase(p);
    draw_legend();
    return drawing_.finish(width_, y_ + 30,
                           phases_.empty() ? "no run" : "blocks over time: " + title_of(phases_.back()));
  }

private:
  void find_widths() {
    std::size_t longest = 10;
    double bars = 300;
    for (const Phase& phase : phases_) {
      const Scale scale(phase.run.cycles);
      bars = std::max(bars, static_cast<double>(scale.columns) * scale.column_width);
      for (const BlockStatistics& block : phase.run.blocks)
        longest = std::max(longest, report::characters_in(block.label));
    }
    left_ = margin + static_cast<double>(longest) * character + 10;
    width_ = left_ + bars + share_width + margin;
  }

  void draw_phase(std::size_t p) {
    const Run& run = phases_[p].run;
    const Scale scale(run.cycles);
    drawing_.text(margin, y_ + 28, report::shortened(heading_of(phases_, p), 90), "class=\"ink title\"");
    drawing_.text(margin, y_ + 48, main_figures(phases_[p]) + (run.deadlock ? ", stuck" : ""), "class=\"faint\"");
    y_ += heading_height;
    const double top = y_;
    for (const BlockStatistics& block : run.blocks) draw_row(block, run, scale);
    draw_path(run, scale, top);
    draw_axis(run, scale, top);
  }

  void draw_row(const BlockStatistics& block, const Run& run, const Scale& scale) {
    const std::string share = report::percent(utilisation_of(block, run));
    drawing_.text(left_ - 8, y_ + 10, block.label, "class=\"ink end\"");
    drawing_.rectangle(left_, y_, scale.at(run.cycles), bar_height, "class=\"idle\"",
                       fmt::format("{}\nbusy {} of {} cycles ({})\nwaiting to receive {}, to send {}", block.label,
                                   block.busy, run.cycles, share, block.waiting_to_receive, block.waiting_to_send));
    if (block.intervals.empty() && block.end > 0)
      drawing_.rectangle(left_, y_, scale.at(std::min(block.end, run.cycles)), bar_height,
                         fill_of({Activity::computes,
                                  std::max(1, static_cast<int>(std::lround(utilisation_of(block, run) * shades)))}));
    else draw_columns(columns_of(block, scale), scale);
    drawing_.text(left_ + scale.at(run.cycles) + share_width, y_ + 10, share, "class=\"faint small end\"");
    y_ += row_height;
  }

  // Columns that look the same are one rectangle.
  void draw_columns(const std::vector<Column>& columns, const Scale& scale) {
    for (std::size_t begin = 0, end = 0; begin < columns.size(); begin = end) {
      const Look look = look_of(columns[begin], scale);
      for (end = begin + 1; end < columns.size() && look_of(columns[end], scale) == look;) ++end;
      if (look.shade > 0)
        drawing_.rectangle(left_ + static_cast<double>(begin) * scale.column_width, y_,
                           static_cast<double>(end - begin) * scale.column_width, bar_height,
                           fill_of(look) + " pointer-events=\"none\"");
    }
  }

  // A line under what the run waited for.
  void draw_path(const Run& run, const Scale& scale, double top) {
    for (const PathStep& step : run.critical_path)
      drawing_.rectangle(left_ + scale.at(step.begin), top + step.node * row_height + bar_height + 1,
                         std::max(1.0, scale.at(step.end) - scale.at(step.begin)), 2, "class=\"ink\"");
  }

  void draw_axis(const Run& run, const Scale& scale, double top) {
    const Time step = mark_distance(run.cycles);
    for (Time at = 0; at <= run.cycles; at += step) {
      drawing_.line(left_ + scale.at(at), top - 4, left_ + scale.at(at), y_ - 4,
                    "class=\"rule\" stroke-opacity=\"0.5\"");
      drawing_.text(left_ + scale.at(at), y_ + 8, std::to_string(at), "class=\"faint small middle\"");
    }
    y_ += 20;
  }

  void draw_legend() {
    double x = margin;
    const auto entry = [&](const std::string& attributes, double height, const char* text) {
      drawing_.rectangle(x, y_ + 8 + bar_height - height, 14, height, attributes);
      drawing_.text(x + 20, y_ + 18, text, "class=\"faint\"");
      x += 40 + character * static_cast<double>(std::string_view(text).size());
    };
    entry(fill_of({Activity::computes, shades}), bar_height, "works");
    entry(fill_of({Activity::waits_to_receive, 3}), bar_height, "waits to receive");
    entry(fill_of({Activity::waits_to_send, 3}), bar_height, "waits to send");
    for (const Phase& phase : phases_)
      if (!phase.run.critical_path.empty()) return entry("class=\"ink\"", 2, "critical path");
  }

  const Phases& phases_;
  Drawing drawing_;
  double left_ = 0, width_ = 0, y_ = 0;
};

} // namespace

std::string timeline_svg(const Phases& phases) { return Timeline(phases).draw(); }

} // namespace cyclotron::sam
