// SPDX-License-Identifier: MIT
#include "lower/code/waiting.hpp"

#include "code/build.hpp"
#include "lanes/copies.hpp"

#include <isl/map.h>

#include <algorithm>
#include <cstdlib>
#include <set>

namespace cyclotron::lower {

namespace build = code::build;
using code::Expr;
using recurrence::Affine;
using recurrence::floor_div;

namespace {

// An edge of no more vectors is kept as whole vectors: to take single lanes from them costs more than the memory does.
constexpr std::int64_t few_vectors = 128;

std::vector<Happening> rules_of(std::size_t value, const Surroundings& of) {
  std::vector<Happening> own;
  const dataflow::Program& flow = of.program.flow;
  for (std::size_t r = 0; r < flow.rules.size(); ++r)
    if (lanes::number_of_value(flow, flow.rules[r].space, flow.rules[r].value) == value) own.push_back(of.rules[r]);
  return own;
}

// By how many lanes the read of a vector is shifted.
std::int64_t lanes_moved(const lanes::Shape& shape, std::int64_t vector, std::int64_t distance) {
  if (shape.layout == lanes::Layout::striped) return distance;
  return -floor_div(vector - distance, shape.per_lane);
}

// Where a lane has neighbours: the vector in which the element is that a vector reads.
std::int64_t vector_read(const lanes::Shape& shape, std::int64_t vector, std::int64_t distance) {
  const std::int64_t from = vector - distance;
  return from - floor_div(from, shape.per_lane) * shape.per_lane;
}

} // namespace

// --- edges ---

Edges::Edges(const Surroundings& of, FreshNames& names) : program_(of.program) {
  for (std::size_t v = 0; v < of.reads.keeps.size(); ++v)
    if (of.reads.keeps[v].reach > 0) add(v, of, names);
}

void Edges::add(std::size_t value, const Surroundings& of, FreshNames& names) {
  const lanes::Shape& shape = program_.shape;
  Edge edge;
  edge.memory = names("edge_" + program_.flow.values[value].name);
  std::set<std::int64_t> read_from; // vectors from which the next strip reads
  std::vector<std::int64_t> most_before(program_.time.size(), 0), most_behind(program_.time.size(), 0);
  for (const lanes::Read& r : of.reads.reads) {
    if (r.edge != lanes::Edge::memory) continue;
    if (lanes::number_of_value(program_.flow, r.flow.what.space, r.flow.what.value) != value) continue;
    for (std::int64_t u = 0; u < shape.per_lane; ++u) {
      const std::int64_t moved = std::abs(lanes_moved(shape, u, r.distance));
      edge.reach = std::max(edge.reach, moved);
      if (moved > 0) read_from.insert(vector_read(shape, u, r.distance));
    }
    for (std::size_t c = 0; c < r.flow.steps.size(); ++c) {
      most_before[c] = std::max(most_before[c], *r.flow.steps[c]);
      most_behind[c] = std::max(most_behind[c], -*r.flow.steps[c]);
    }
  }
  if (shape.layout == lanes::Layout::striped) edge.vectors = {rising() ? shape.per_lane - 1 : 0};
  else edge.vectors.assign(read_from.begin(), read_from.end());
  Expr count = build::number(2 * static_cast<std::int64_t>(edge.vectors.size())); // of vectors
  for (std::size_t c = 0; c < program_.time.size(); ++c) {
    edge.first.emplace_back();
    edge.extent.emplace_back();
    if (program_.time[c].constant || program_.time[c].worker) continue;
    const Range range = range_around(of.visits.times(rules_of(value, of), c), of.known, of.sizes);
    edge.first[c] = build::sub(range.first, build::number(most_before[c]));
    edge.extent[c] = build::add(range.count(), build::number(most_before[c] + most_behind[c]));
    count = build::mul(edge.extent[c], count);
  }
  const auto vectors = build::known(count);
  const bool whole = of.code_for == CodeFor::core && vectors && *vectors <= few_vectors;
  edge.kept = whole ? shape.lanes : edge.reach;
  memories_.push_back(
      {edge.memory, of.scalar_of(value), code::Role::scratch, build::mul(build::number(edge.kept), count)});
  edges_.emplace(value, std::move(edge));
}

// Where the lanes of a vector begin, that were computed so many times earlier.
Expr Edges::slot(const Edge& edge, const Moment& now, const std::vector<std::int64_t>& earlier, bool strip_before,
                 std::int64_t vector) const {
  const std::int64_t strip = strip_before ? 1 : 0; // of two that are one behind the other, either will do
  Expr at = build::mod(build::add(now.at(strip_name), build::number(strip)), build::number(2));
  const auto names = lanes::time_names(program_);
  for (std::size_t c = 0; c < edge.first.size(); ++c) {
    if (!edge.first[c]) continue;
    const Expr time = build::sub(now.at(names[c]), build::number(earlier[c]));
    at = build::add(build::mul(at, edge.extent[c]), build::sub(time, edge.first[c]));
  }
  const auto which = std::find(edge.vectors.begin(), edge.vectors.end(), vector) - edge.vectors.begin();
  at = build::mul(at, build::number(static_cast<std::int64_t>(edge.vectors.size()) * edge.kept));
  return build::add(at, build::number(which * edge.kept));
}

void Edges::store(std::size_t value, const std::vector<std::string>& registers, const Moment& now,
                  code::Body& to) const {
  const auto found = edges_.find(value);
  if (found == edges_.end()) return;
  const Edge& edge = found->second;
  const std::int64_t lanes = program_.shape.lanes;
  const std::vector<std::int64_t> this_time(program_.time.size(), 0);
  for (const std::int64_t u : edge.vectors) {
    const Expr what = build::variable(registers[static_cast<std::size_t>(u)]);
    const Expr at = slot(edge, now, this_time, false, u);
    if (edge.kept == lanes) {
      to.push_back(build::store_lanes(edge.memory, at, what, {}));
      continue;
    }
    if (edge.reach == 1) {
      to.push_back(build::store(edge.memory, at, build::extract(what, build::number(rising() ? lanes - 1 : 0))));
      continue;
    }
    const Expr lane = build::lane();
    const auto in_lanes = [](std::int64_t n) { return build::spread(build::number(n, code::Scalar::i32)); };
    if (rising()) {
      const Expr last = build::less_equal(in_lanes(lanes - edge.reach), lane);
      to.push_back(build::store_lanes(edge.memory, build::add(at, build::number(edge.reach - lanes)), what, last));
    } else to.push_back(build::store_lanes(edge.memory, at, what, build::less(lane, in_lanes(edge.reach))));
  }
}

Expr Edges::load(const lanes::Read& read, std::size_t value, std::int64_t vector, const Moment& now) const {
  const Edge& edge = edges_.at(value);
  const lanes::Shape& shape = program_.shape;
  std::vector<std::int64_t> earlier;
  for (const auto& s : read.flow.steps) earlier.push_back(*s);
  std::int64_t from = rising() ? shape.per_lane - 1 : 0;
  if (shape.layout == lanes::Layout::neighbours) from = vector_read(shape, vector, read.distance);
  const Expr at = slot(edge, now, earlier, true, from);
  if (edge.kept == shape.lanes) return build::load_lanes(edge.memory, at, 1, {});
  if (edge.reach == 1) return build::spread(build::load(edge.memory, at));
  const auto in_lanes = [](std::int64_t n) { return build::spread(build::number(n, code::Scalar::i32)); };
  if (rising()) {
    const Expr last = build::less_equal(in_lanes(shape.lanes - edge.reach), build::lane());
    return build::load_lanes(edge.memory, build::add(at, build::number(edge.reach - shape.lanes)), 1, last);
  }
  return build::load_lanes(edge.memory, at, 1, build::less(build::lane(), in_lanes(edge.reach)));
}

// --- tables ---

Tables::Tables(const Surroundings& of, FreshNames& names) {
  for (std::size_t v = 0; v < of.reads.keeps.size(); ++v)
    if (of.reads.keeps[v].table) add(v, of, names);
}

void Tables::add(std::size_t value, const Surroundings& of, FreshNames& names) {
  const lanes::Program& program = of.program;
  const int space = program.flow.values[value].space;
  const auto inverse = lanes::coordinates_at(program, space);
  if (!inverse) bug("two points of a space have one time and place");
  // A coordinate that follows from the worker alone is one number there.
  const auto times = lanes::time_names(program);
  const auto of_worker = [&](const lanes::Coordinate& c) {
    if (c.numerator.coefficient(lanes::place_name) != 0) return false;
    for (std::size_t t = 0; t < times.size(); ++t)
      if (c.numerator.coefficient(times[t]) != 0 && !program.time[t].worker) return false;
    return true;
  };
  Table table;
  table.memory = names("table_" + program.flow.values[value].name);
  table.names = program.flow.spaces[static_cast<std::size_t>(space)].coordinates;
  Expr count = build::number(1);
  for (std::size_t c = 0; c < table.names.size(); ++c) {
    if (of_worker((*inverse)[c])) continue;
    std::optional<isl::set> values;
    for (const Happening& h : rules_of(value, of)) {
      std::vector<std::size_t> others;
      for (std::size_t d = 0; d < table.names.size(); ++d)
        if (d != c) others.push_back(d);
      const isl::set own = recurrence::without(h.domain, others);
      values = values ? values->unite(own) : own;
    }
    const Range range = range_around(*values, of.known, of.sizes);
    table.coordinates.push_back(c);
    table.first.push_back(range.first);
    table.extent.push_back(range.count());
    count = build::mul(count, range.count());
  }
  memories_.push_back({table.memory, of.scalar_of(value), code::Role::scratch, count});
  tables_.emplace(value, std::move(table));
}

Place Tables::place(const Table& table, const recurrence::Point& point, const Coordinates& at, const Here& here) const {
  std::vector<Along> indices;
  for (std::size_t i = 0; i < table.coordinates.size(); ++i) {
    Along index = at.at(point[table.coordinates[i]], here);
    index.base = build::sub(index.base, build::mul(table.first[i], build::number(index.divisor)));
    indices.push_back(std::move(index));
  }
  return place_in(indices, table.extent);
}

code::Statement Tables::store(std::size_t value, const Coordinates& at, const Here& here, const Expr& what,
                              const Expr& mask) const {
  const Table& table = tables_.at(value);
  recurrence::Point own;
  for (const std::string& n : table.names) own.push_back(Affine{{{n, 1}}, 0});
  return store_at(table.memory, place(table, own, at, here), what, mask);
}

Expr Tables::load(std::size_t value, const recurrence::Point& point, const Coordinates& reader, const Here& here,
                  const Expr& mask) const {
  const Table& table = tables_.at(value);
  return load_at(table.memory, place(table, point, reader, here), mask);
}

} // namespace cyclotron::lower
