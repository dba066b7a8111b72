// SPDX-License-Identifier: MIT
#include "backend/array_report/grid_layout.hpp"

#include "report/colours.hpp"
#include "report/words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace cyclotron::array_report {

using report::bytes_text;
using report::count_text;
using report::Drawing;
using report::kind_colour;
using report::kind_colours;
using report::number;

GridLayout grid_layout(const Statistics& s, const std::vector<Arrow>& arrows) {
  const Shape shape = shape_of(s);
  GridLayout layout;
  const std::int64_t larger = std::max(shape.rows, shape.columns);
  layout.block = std::max<std::int64_t>(1, (larger + most_cells - 1) / most_cells);
  layout.cells = {(shape.rows + layout.block - 1) / layout.block, (shape.columns + layout.block - 1) / layout.block};
  layout.arrows = larger <= most_with_arrows;
  if (layout.arrows) {
    layout.side = larger <= 8 ? 58 : 42;
    layout.gap = larger <= 8 ? 38 : 26;
    if (std::any_of(arrows.begin(), arrows.end(), [](const Arrow& arrow) { return arrow.wraps; }))
      layout.margin = layout.gap;
    layout.left += layout.margin;
    layout.top += layout.margin;
  } else if (larger <= 32) {
    layout.side = 22;
  }
  layout.height = layout.cells.rows == 1 && !layout.arrows ? 48 : layout.side;
  return layout;
}

namespace {

constexpr double head_length = 6; // beyond the end of its line

// Side by side where several values flow along the same line, to either side.
class SharedLines {
public:
  explicit SharedLines(const std::vector<Arrow>& arrows) {
    for (const Arrow& arrow : arrows) {
      auto& list = lines_[line_of(arrow)];
      if (std::find(list.begin(), list.end(), way_of(arrow)) == list.end()) list.push_back(way_of(arrow));
    }
  }
  double shift(const Arrow& arrow, double room) const {
    const auto& list = lines_.at(line_of(arrow));
    const auto place = static_cast<double>(std::find(list.begin(), list.end(), way_of(arrow)) - list.begin());
    const auto count = static_cast<double>(list.size());
    const double shift = (place - (count - 1) / 2) * std::min(13.0, room / count);
    return is_backward(arrow) ? -shift : shift; // the perpendicular of an opposite arrow points the other way
  }

private:
  using Way = std::tuple<std::size_t, std::int64_t, std::int64_t>;
  static Way way_of(const Arrow& a) { return {a.value, a.down, a.right}; }
  static bool is_backward(const Arrow& a) {
    return std::pair(a.down, a.right) < std::pair<std::int64_t, std::int64_t>(0, 0);
  }
  static std::pair<std::int64_t, std::int64_t> line_of(const Arrow& a) {
    return is_backward(a) ? std::pair(-a.down, -a.right) : std::pair(a.down, a.right);
  }
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Way>> lines_;
};

std::string move_to(Point p) { return fmt::format("M{} {}", number(p.x), number(p.y)); }
std::string line_to(Point p) { return fmt::format("L{} {}", number(p.x), number(p.y)); }

// The way of an arrow between its cells: straight to a neighbour, bent past the cells between others, a loop to itself.
std::string path_of(const Arrow& arrow, const GridLayout& at, const SharedLines& lines) {
  const Point from = at.centre(arrow.from / at.cells.columns, arrow.from % at.cells.columns);
  const Point to = at.centre(arrow.to / at.cells.columns, arrow.to % at.cells.columns);
  const double half = at.side / 2;
  if (arrow.down == 0 && arrow.right == 0)
    return move_to({from.x + half - 9, from.y - half}) +
           fmt::format("c0 {0} {1} 9 {2} 9", number(-at.gap * 0.55), number(at.gap * 0.9), number(9 + head_length));
  const double length = std::hypot(arrow.right, arrow.down);
  const Point way{static_cast<double>(arrow.right) / length, static_cast<double>(arrow.down) / length};
  const Point side{-way.y, way.x};
  const double reach = half / std::max(std::abs(way.x), std::abs(way.y)) + 2; // from the centre to the edge
  const double shift = lines.shift(arrow, at.side - 8);
  const auto along = [&](Point p, double distance) {
    return Point{p.x + way.x * distance + side.x * shift, p.y + way.y * distance + side.y * shift};
  };
  const Point out = along(from, reach), in = along(to, -reach - head_length);
  const double stub = at.gap * 0.72;
  if (arrow.wraps)
    return move_to(out) + line_to(along(from, reach + stub)) + move_to(along(to, -reach - stub)) + line_to(in);
  const bool neighbours = std::abs(arrow.down) <= 1 && std::abs(arrow.right) <= 1;
  if (neighbours) return move_to(out) + line_to(in);
  const auto beside = [&](Point p) { return Point{p.x + side.x * reach, p.y + side.y * reach}; };
  const Point leave = beside(from),
              over = beside({(from.x + to.x) / 2 + side.x * at.gap, (from.y + to.y) / 2 + side.y * at.gap});
  const Point come{beside(to).x - way.x * head_length + side.x * head_length,
                   beside(to).y - way.y * head_length + side.y * head_length};
  return move_to(leave) + fmt::format("Q{} {} {} {}", number(over.x), number(over.y), number(come.x), number(come.y));
}

std::string hover_of(const Statistics& s, const Arrow& arrow, const std::string& value) {
  return fmt::format("{} from {} {} to {}{}\nchannel {}\n{}, {}; {} waiting at most", value,
                     place_text(s.pes[static_cast<std::size_t>(arrow.from)]), direction_text(arrow.down, arrow.right),
                     place_text(s.pes[static_cast<std::size_t>(arrow.to)]), arrow.wraps ? ", around the grid" : "",
                     fmt::join(arrow.channels, ", "), count_text(arrow.messages, "message"), bytes_text(arrow.bytes),
                     arrow.most_waiting);
}

} // namespace

void draw_arrow_heads(Drawing& drawing, std::size_t values) {
  for (std::size_t v = 0; v < std::min(values, kind_colours); ++v)
    drawing.arrow_head(fmt::format("grid-head-{}", v), kind_colour(v));
}

std::string grid_arrow_look(std::size_t value, double width) {
  return fmt::format(R"~(fill="none" stroke="{}" stroke-width="{}" marker-end="url(#grid-head-{})")~",
                     kind_colour(value), number(width), value % kind_colours);
}

void draw_arrows(Drawing& drawing, const Statistics& statistics, const GridLayout& layout,
                 const std::vector<Arrow>& arrows) {
  const SharedLines lines(arrows);
  const std::vector<Traffic> traffic = traffic_of(statistics);
  std::uint64_t most = 1;
  for (const Arrow& arrow : arrows) most = std::max(most, arrow.messages);
  for (const Arrow& arrow : arrows) {
    const double share = static_cast<double>(arrow.messages) / static_cast<double>(most);
    const std::string unused = arrow.messages == 0 ? " stroke-dasharray=\"2 3\"" : "";
    drawing.path(path_of(arrow, layout, lines), grid_arrow_look(arrow.value, 1 + 2.2 * std::sqrt(share)) + unused,
                 hover_of(statistics, arrow, traffic[arrow.value].value));
  }
}

} // namespace cyclotron::array_report
