// SPDX-License-Identifier: MIT
#include "explore/chart.hpp"

#include "report/colours.hpp"
#include "report/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cyclotron::explore {
namespace {

using report::number;

constexpr double plot_height = 260, least_left = 70, right = 20, top = 64, gap = 30, key_line = 18;
constexpr double letter = 6.6, title_letter = 9.2;       // how wide letters are, about
constexpr double slant_across = 0.77, slant_down = 0.64; // of a text that is turned by 40 degrees

std::string fill_of(const Series& series, std::size_t place) {
  if (series.faint) return R"(class="idle")";
  const std::size_t beyond = place - std::min(place, report::kind_colours);
  return fmt::format(R"(fill="{}")", place < report::kind_colours
                                         ? report::kind_colour(place)
                                         : report::hex(report::ramp(1 - 0.2 * static_cast<double>(beyond))));
}

// 1200 as 1200, 25000 as 25k, 3000000 as 3M, 0.05 as 0.05.
std::string mark_text(double value) {
  if (std::abs(value) >= 1e6) return fmt::format("{:.4g}M", value / 1e6);
  if (std::abs(value) >= 1e4) return fmt::format("{:.4g}k", value / 1e3);
  return fmt::format("{:.4g}", value);
}

struct Axis {
  std::vector<double> marks;
  double low = 0, high = 1;
  double begin = 0, end = 1; // on the page
  bool log = false;

  double at(double value) const {
    const auto scale = [&](double v) { return log ? std::log10(std::max(v, low)) : v; };
    return begin + (end - begin) * (scale(value) - scale(low)) / (scale(high) - scale(low));
  }
};

// `whole`: the marks cover all values, as for bars; else the axis ends where the values do.
Axis axis_for(std::vector<double> values, bool log, bool whole, double begin, double end) {
  std::erase_if(values, [&](double v) { return !std::isfinite(v) || (log && v <= 0); });
  if (values.empty()) values = {1, 10};
  Axis axis;
  axis.begin = begin;
  axis.end = end;
  axis.log = log;
  axis.low = *std::ranges::min_element(values);
  axis.high = *std::ranges::max_element(values);
  if (axis.low == axis.high) axis.high = log ? axis.low * 10 : axis.low + 1;
  axis.marks = marks_of(axis.low, axis.high, log);
  if (whole) axis.low = std::min(axis.low, axis.marks.front()), axis.high = std::max(axis.high, axis.marks.back());
  else std::erase_if(axis.marks, [&](double m) { return m < axis.low || m > axis.high; });
  return axis;
}

// Where a panel's parts stand.
struct Layout {
  double left = least_left, inner = 340, foot = 48; // beside the axis, along it, below it
  bool slanted = false;                             // the names of the categories
  double width() const { return left + inner + right; }
};

Layout layout_of(const Panel& panel, double stretch) {
  Layout made;
  const auto groups = static_cast<double>(std::max<std::size_t>(panel.categories.size(), 1));
  const double bars = panel.kind == ChartKind::bars ? groups * static_cast<double>(panel.series.size()) : groups;
  made.inner = stretch * std::clamp(bars * 34, 340.0, 720.0);
  const double step = made.inner / groups;
  for (const std::string& c : panel.categories)
    made.slanted = made.slanted || letter * static_cast<double>(c.size()) > step;
  for (std::size_t c = 0; made.slanted && c < panel.categories.size(); ++c) {
    const double length = letter * static_cast<double>(panel.categories[c].size());
    made.left = std::max(made.left, slant_across * length - step * (static_cast<double>(c) + 0.5) + 8);
    made.foot = std::max(made.foot, slant_down * length + 30);
  }
  return made;
}

// Draws one panel into the place that starts at `left_edge`.
class PanelDrawer {
public:
  PanelDrawer(const Panel& panel, const Layout& layout, double left_edge, report::Drawing& drawing)
      : panel_(panel), layout_(layout), x0_(left_edge + layout.left), x1_(x0_ + layout.inner), drawing_(drawing) {}

  void draw() {
    drawing_.text((x0_ + x1_) / 2, top - 12, panel_.title, R"(class="ink middle")");
    make_axes();
    if (panel_.kind == ChartKind::lines) draw_lines();
    else draw_bars();
    drawing_.line(x0_, top + plot_height, x1_, top + plot_height, R"(class="rule")");
    draw_x_axis();
  }

private:
  std::vector<double> heights() const {
    std::vector<double> all;
    if (panel_.kind != ChartKind::stacked) {
      for (const Series& s : panel_.series) all.insert(all.end(), s.y.begin(), s.y.end());
    } else {
      for (std::size_t c = 0; c < panel_.categories.size(); ++c) {
        double sum = 0;
        for (const Series& s : panel_.series) sum += s.y[c];
        all.push_back(sum);
      }
    }
    if (!panel_.log_y) all.push_back(0);
    return all;
  }

  void make_axes() {
    y_ = axis_for(heights(), panel_.log_y, true, top + plot_height, top);
    for (double mark : y_.marks) {
      drawing_.line(x0_, y_.at(mark), x1_, y_.at(mark), R"(class="rule" stroke-width="0.5")");
      drawing_.text(x0_ - 6, y_.at(mark) + 4, mark_text(mark), R"(class="faint end")");
    }
    drawing_.text(x0_ - 46, top - 12, panel_.y, R"(class="faint")");
    std::vector<double> places;
    for (const Series& s : panel_.series) places.insert(places.end(), s.x.begin(), s.x.end());
    x_ = axis_for(places, panel_.log_x, false, x0_ + 8, x1_ - 8);
  }

  void draw_bars() {
    const auto groups = static_cast<double>(panel_.categories.size());
    const double step = (x1_ - x0_) / groups;
    const bool stacked = panel_.kind == ChartKind::stacked;
    const double width = std::min(60.0, step * 0.8) / (stacked ? 1 : static_cast<double>(panel_.series.size()));
    for (std::size_t c = 0; c < panel_.categories.size(); ++c) {
      double below = 0;
      const double all = stacked ? width : width * static_cast<double>(panel_.series.size());
      double x = x0_ + step * (static_cast<double>(c) + 0.5) - all / 2;
      for (std::size_t s = 0; s < panel_.series.size(); ++s) {
        const double value = panel_.series[s].y[c];
        if (std::isfinite(value) && value != 0) bar(x, width, stacked ? below : y_.low, below + value, c, s);
        if (stacked) below += value;
        else x += width;
      }
    }
  }

  void bar(double x, double width, double from, double to, std::size_t category, std::size_t series) {
    const Series& s = panel_.series[series];
    const double high = y_.at(to), low = y_.at(from);
    const bool coloured = panel_.kind == ChartKind::stacked || panel_.series.size() > 1;
    drawing_.rectangle(
        x, high, width * (coloured ? 1 : 0.9), std::max(low - high, 0.0),
        coloured ? fill_of(s, series) : fmt::format(R"(fill="{}")", report::computing_colour),
        fmt::format("{}{}: {:.6g}", panel_.categories[category], s.name.empty() ? "" : ", " + s.name, s.y[category]));
    if (panel_.kind == ChartKind::bars && width > 26)
      drawing_.text(x + width / 2, high - 4, mark_text(s.y[category]), R"(class="faint middle small")");
  }

  void draw_lines() {
    for (std::size_t s = 0; s < panel_.series.size(); ++s) {
      const Series& series = panel_.series[s];
      std::string path;
      for (std::size_t p = 0; p < series.x.size(); ++p) {
        if (!std::isfinite(series.y[p])) continue;
        path +=
            fmt::format("{}{} {}", path.empty() ? "M" : "L", number(x_.at(series.x[p])), number(y_.at(series.y[p])));
      }
      if (path.empty()) continue;
      drawing_.path(path, fmt::format(R"(fill="none" stroke="{}" stroke-width="1.8")", report::kind_colour(s)),
                    series.name);
      for (std::size_t p = 0; p < series.x.size(); ++p)
        if (std::isfinite(series.y[p]))
          drawing_.rectangle(x_.at(series.x[p]) - 2.5, y_.at(series.y[p]) - 2.5, 5, 5, fill_of(series, s),
                             fmt::format("{}, {:.6g}: {:.6g}", series.name, series.x[p], series.y[p]));
    }
  }

  void draw_x_axis() {
    const double y = top + plot_height;
    if (panel_.kind == ChartKind::lines) {
      for (double mark : x_.marks) {
        drawing_.line(x_.at(mark), y, x_.at(mark), y + 4, R"(class="rule")");
        drawing_.text(x_.at(mark), y + 18, mark_text(mark), R"(class="faint middle")");
      }
      drawing_.text((x0_ + x1_) / 2, y + 36, panel_.x, R"(class="ink middle")");
      return;
    }
    const double step = (x1_ - x0_) / static_cast<double>(panel_.categories.size());
    for (std::size_t c = 0; c < panel_.categories.size(); ++c) {
      const double x = x0_ + step * (static_cast<double>(c) + 0.5);
      if (layout_.slanted)
        drawing_.text(x, y + 14, panel_.categories[c],
                      fmt::format(R"_(class="ink end" transform="rotate(-40 {} {})")_", number(x), number(y + 14)));
      else drawing_.text(x, y + 18, panel_.categories[c], R"(class="ink middle")");
    }
    if (!panel_.x.empty()) drawing_.text((x0_ + x1_) / 2, y + 36, panel_.x, R"(class="ink middle")");
  }

  const Panel& panel_;
  const Layout& layout_;
  double x0_, x1_;
  report::Drawing& drawing_;
  Axis x_, y_;
};

// Names of the series, once for all panels; nothing where there is but one without a name.
double draw_key(const Chart& chart, double left, double y, double width, report::Drawing& drawing) {
  if (chart.panels.empty() || (chart.panels[0].series.size() == 1 && chart.panels[0].series[0].name.empty())) return y;
  double x = left;
  for (std::size_t s = 0; s < chart.panels[0].series.size(); ++s) {
    const std::string& name = chart.panels[0].series[s].name;
    const double needed = 34 + letter * static_cast<double>(name.size());
    if (x > left && x + needed > width) x = left, y += key_line;
    drawing.rectangle(x, y - 9, 10, 10, fill_of(chart.panels[0].series[s], s));
    drawing.text(x + 15, y, name, R"(class="ink")");
    x += needed;
  }
  return y + key_line;
}

} // namespace

std::vector<double> marks_of(double low, double high, bool log) {
  std::vector<double> marks;
  if (log) {
    const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
    const int last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
    for (int e = first; e <= last; ++e)
      for (double factor : {1.0, 2.0, 5.0})
        if (factor == 1 || (last - first < 2 && e < last)) marks.push_back(factor * std::pow(10.0, e));
    return marks;
  }
  const double rough = (high - low) / 5, power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * (1 - 1e-6)) {
      step = factor * power;
      break;
    }
  for (double k = std::floor(low / step + 1e-6); k <= std::ceil(high / step - 1e-6); ++k) marks.push_back(k * step);
  return marks;
}

std::string chart_svg(const Chart& chart) {
  const auto lay_out = [&](double stretch) {
    std::vector<Layout> made;
    for (const Panel& panel : chart.panels) made.push_back(layout_of(panel, stretch));
    return made;
  };
  const auto width_of = [](const std::vector<Layout>& layouts) {
    double width = -gap;
    for (const Layout& layout : layouts) width += layout.width() + gap;
    return width;
  };
  std::vector<Layout> layouts = lay_out(1);
  // The panels grow until the title stands above them.
  const double title = 2 * least_left + title_letter * static_cast<double>(chart.title.size());
  for (double stretch = 1; width_of(layouts) < title && !layouts.empty(); layouts = lay_out(stretch)) stretch += 0.1;
  report::Drawing drawing;
  double left_edge = 0, foot = 0;
  for (std::size_t p = 0; p < chart.panels.size(); ++p) {
    PanelDrawer(chart.panels[p], layouts[p], left_edge, drawing).draw();
    left_edge += layouts[p].width() + gap;
    foot = std::max(foot, layouts[p].foot);
  }
  const double width = width_of(layouts), left = layouts.empty() ? least_left : layouts[0].left;
  drawing.text(left, 26, chart.title, R"(class="ink title")");
  const double end = draw_key(chart, left, top + plot_height + foot + 14, width, drawing);
  return drawing.finish(width, end + 4, chart.title);
}

} // namespace cyclotron::explore
