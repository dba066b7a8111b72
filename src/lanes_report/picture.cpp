// SPDX-License-Identifier: MIT
#include "lanes_report/picture.hpp"

#include "lanes/copies.hpp"
#include "lanes/reads.hpp"
#include "report/colours.hpp"
#include "report/drawing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace cyclotron::lanes_report {

using namespace recurrence;
using lanes::Fetch;
using lanes::Read;
using lanes::Whole;
using report::Drawing;
using report::number;

namespace {

constexpr std::int64_t most_elements = 40, most_steps = 60, most_points = 20'000;
constexpr double width = 44, height = 34, left = 96, top = 64, legend_line = 20;

// What an element does at a step.
struct Cell {
  bool computes = false, loads = false, stores = false;
  std::set<std::string> points; // of all spaces
};

// A value that comes from another cell.
struct Link {
  std::size_t value = 0;
  Whole from_row, to_row;
  std::int64_t from = 0, to = 0; // elements
  bool operator<(const Link& o) const {
    return std::tie(value, from_row, to_row, from, to) < std::tie(o.value, o.from_row, o.to_row, o.from, o.to);
  }
};

class Picture {
public:
  Picture(const lanes::Program& program, const lanes::Sizes& sizes)
      : program_(program), flow_(program.flow), sizes_(sizes), reads_(lanes::reads_of(program)) {}

  std::string run() {
    for (std::size_t r = 0; r < flow_.rules.size(); ++r) look_at_rule(r);
    for (const dataflow::Export& e : flow_.exports)
      lanes::each_point(e.domain, sizes_, most_points, [&](const Whole& point) { cell(e.space, point).stores = true; });
    number_rows();
    draw_frame();
    for (const auto& [at, cell] : cells_) draw_cell(at.first, at.second, cell);
    for (const Link& link : links_) draw_link(link);
    draw_legend();
    const double legend = legend_line * static_cast<double>(flow_.values.size() + 1);
    return drawing_.finish(std::max(560.0, x(columns_) + 24), y(shown_rows()) + 24 + legend,
                           "what lanes do step by step");
  }

private:
  // --- what happens ---

  const dataflow::Space& space(int s) const { return flow_.spaces[static_cast<std::size_t>(s)]; }

  // The time without its phases, which are parts of a step.
  Whole row_of(int s, const Whole& point) const {
    Whole row;
    const std::size_t last = reads_.innermost ? *reads_.innermost + 1 : program_.time.size();
    for (std::size_t c = 0; c < last; ++c) row.push_back(lanes::value_at(space(s).time[c], space(s), point, sizes_));
    return row;
  }

  std::int64_t element_of(int s, const Whole& point) const {
    const Affine place = space(s).place.empty() ? Affine{} : space(s).place[0];
    return lanes::value_at(place - program_.from, space(s), point, sizes_);
  }

  Cell& cell(int s, const Whole& point) { return cells_[{row_of(s, point), element_of(s, point)}]; }

  void look_at_rule(std::size_t r) {
    const dataflow::Rule& rule = flow_.rules[r];
    bool loads = false;
    ir::walk<ExprNode>(rule.expr, [&](const Expr& e) {
      const Access* a = as<Access>(e);
      loads |= a && !dataflow::reference_of(*a, flow_);
    });
    const bool computes = !program_.copies[lanes::number_of_value(flow_, rule.space, rule.value)];
    lanes::each_point(rule.domain, sizes_, most_points, [&](const Whole& point) {
      Cell& own = cell(rule.space, point);
      own.loads |= loads;
      own.computes |= computes;
      own.points.insert(fmt::format("{}({})", space(rule.space).name, fmt::join(point, ", ")));
      for (const Read& read : reads_.reads)
        if (read.flow.rule == r && read.fetch != Fetch::here) add_link(read, rule.space, point);
    });
  }

  void add_link(const Read& read, int reader, const Whole& point) {
    const dataflow::Reference& what = read.flow.what;
    Whole from;
    for (const Affine& a : what.point) from.push_back(lanes::value_at(a, space(reader), point, sizes_));
    links_.insert({lanes::number_of_value(flow_, what.space, what.value), row_of(what.space, from),
                   row_of(reader, point), element_of(what.space, from), element_of(reader, point)});
  }

  // --- where it is drawn ---

  void number_rows() {
    for (const auto& [at, cell] : cells_) {
      rows_.emplace(at.first, 0);
      columns_ = std::max(columns_, at.second + 1);
    }
    columns_ = std::min(columns_, most_elements);
    std::int64_t next = 0;
    for (auto& [row, index] : rows_) index = next++;
  }

  std::int64_t shown_rows() const { return std::min(static_cast<std::int64_t>(rows_.size()), most_steps); }
  bool is_shown(const Whole& row, std::int64_t element) const {
    return rows_.count(row) && rows_.at(row) < most_steps && element >= 0 && element < most_elements;
  }
  static double x(std::int64_t element) { return left + width * static_cast<double>(element); }
  static double y(std::int64_t row) { return top + height * static_cast<double>(row); }

  // --- drawing ---

  void draw_frame() {
    const lanes::Shape& shape = program_.shape;
    const std::string small = R"(class="faint" font-size="11" text-anchor="middle")";
    drawing_.text(left, 20, "elements", R"(class="ink" font-size="12")");
    for (std::int64_t e = 0; e < columns_; ++e) {
      const std::int64_t own = e % shape.elements();
      const bool striped = shape.layout == lanes::Layout::striped;
      drawing_.text(x(e) + width / 2, 38, std::to_string(e), small);
      drawing_.text(x(e) + width / 2, 54, fmt::format("lane {}", striped ? own % shape.lanes : own / shape.per_lane),
                    R"(class="faint" font-size="9" text-anchor="middle")");
      if (e > 0 && own == 0)
        drawing_.line(x(e), top - 8, x(e), y(shown_rows()), R"(class="rule" stroke-width="2" stroke-dasharray="6 3")");
    }
    for (const auto& [row, index] : rows_)
      if (index < most_steps)
        drawing_.text(left - 10, y(index) + height / 2 + 4, fmt::format("step {}", fmt::join(row, ", ")),
                      R"(class="faint" font-size="11" text-anchor="end")");
    if (static_cast<std::int64_t>(rows_.size()) > most_steps)
      drawing_.text(left, y(shown_rows()) + 16,
                    fmt::format("and {} steps more", static_cast<std::int64_t>(rows_.size()) - most_steps),
                    R"(class="faint" font-size="11")");
  }

  void draw_cell(const Whole& row, std::int64_t element, const Cell& what) {
    if (!is_shown(row, element)) return;
    const double at_x = x(element) + 3, at_y = y(rows_.at(row)) + 3;
    const std::string fill =
        what.computes ? fmt::format("fill=\"{}\" fill-opacity=\"0.3\"", report::computing_colour) : R"(class="idle")";
    std::string hover;
    for (const std::string& point : what.points) hover += (hover.empty() ? "" : "\n") + point;
    drawing_.rectangle(at_x, at_y, width - 6, height - 6, fill + " rx=\"3\"", hover);
    if (what.loads) // from above
      drawing_.path(fmt::format("M{} {}l8 0l-4 7z", number(at_x + 3), number(at_y + 2)),
                    fmt::format("fill=\"{}\"", report::receiving_colour), "reads memory");
    if (what.stores) // downwards
      drawing_.path(fmt::format("M{} {}l8 0l-4 7z", number(at_x + width - 17), number(at_y + height - 15)),
                    fmt::format("fill=\"{}\" stroke=\"#fff\"", report::sending_colour), "writes memory");
  }

  // From the middle of a cell to that of another; past the side where cells lie between.
  void draw_link(const Link& link) {
    if (!is_shown(link.from_row, link.from) || !is_shown(link.to_row, link.to)) return;
    const double shift = 5.0 * static_cast<double>(link.value % 4) - 7.5;
    const double x1 = x(link.from) + width / 2 + shift, y1 = y(rows_.at(link.from_row)) + height / 2 + 4;
    const double x2 = x(link.to) + width / 2 + shift, y2 = y(rows_.at(link.to_row)) + height / 2 - 6;
    const std::string colour = report::kind_colour(link.value);
    drawing_.line(x1, y1, x2, y2, fmt::format("stroke=\"{}\" stroke-width=\"1.6\"", colour));
    drawing_.path(fmt::format("M{} {}l3 0l-3 4l-3 -4z", number(x2), number(y2)), fmt::format("fill=\"{}\"", colour));
  }

  void draw_legend() {
    double at = y(shown_rows()) + 30;
    for (std::size_t v = 0; v < flow_.values.size(); ++v, at += legend_line) {
      drawing_.rectangle(left, at - 9, 14, 10, fmt::format("fill=\"{}\"", report::kind_colour(v)));
      drawing_.text(left + 22, at, fmt::format("{}: {}", flow_.values[v].name, way_of(v)),
                    R"(class="ink" font-size="12")");
    }
    drawing_.text(left, at, "filled: computes; triangle at the top: reads memory; at the bottom: writes it",
                  R"(class="faint" font-size="11")");
  }

  std::string way_of(std::size_t v) const {
    std::set<std::string> ways;
    for (const Read& r : reads_.reads) {
      if (lanes::number_of_value(flow_, r.flow.what.space, r.flow.what.value) != v || r.fetch == Fetch::here) continue;
      if (r.fetch == Fetch::table) ways.insert("waits in memory");
      else if (r.fetch == Fetch::held) ways.insert("is held");
      else {
        const std::string steps = r.back == 1 ? "in a step" : fmt::format("in {} steps", r.back);
        const std::string lanes =
            std::abs(r.distance) == 1 ? "an element" : fmt::format("{} elements", std::abs(r.distance));
        ways.insert(r.distance == 0
                        ? r.back == 1 ? "stays" : fmt::format("stays for {} steps", r.back)
                        : fmt::format("moves {} to the {} {}", lanes, r.distance > 0 ? "right" : "left", steps));
      }
    }
    if (ways.empty()) return program_.copies[v] ? "loaded where it is used" : "used where it is computed";
    return fmt::format("{}", fmt::join(ways, ", "));
  }

  const lanes::Program& program_;
  const dataflow::Program& flow_;
  const lanes::Sizes& sizes_;
  lanes::Reads reads_;
  std::map<std::pair<Whole, std::int64_t>, Cell> cells_; // by step and element
  std::set<Link> links_;
  std::map<Whole, std::int64_t> rows_;
  std::int64_t columns_ = 0;
  Drawing drawing_;
};

} // namespace

std::string picture(const lanes::Program& program, const lanes::Sizes& sizes) { return Picture(program, sizes).run(); }

} // namespace cyclotron::lanes_report
