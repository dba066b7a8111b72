// SPDX-License-Identifier: MIT
#include "lanes/time_and_place.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <cstdlib>
#include <numeric>

#include <fmt/format.h>

namespace cyclotron::lanes {

using namespace recurrence;

namespace {

Point time_then_place(const Program& program, int space) {
  const dataflow::Space& s = program.flow.spaces[static_cast<std::size_t>(space)];
  Point point = s.time;
  point.push_back(s.place.empty() ? Affine{} : s.place[0]);
  return point;
}

// A row of the equations that a coordinate solves: sum of factors * coordinate = right.
struct Row {
  std::vector<std::int64_t> factors;
  Affine right;
};

void reduce(Row& row) {
  std::int64_t common = 0;
  for (const std::int64_t f : row.factors) common = std::gcd(common, f);
  for (const auto& [name, c] : row.right.terms) common = std::gcd(common, c);
  common = std::gcd(common, row.right.constant);
  if (common <= 1) return;
  for (std::int64_t& f : row.factors) f /= common;
  for (auto& [name, c] : row.right.terms) c /= common;
  row.right.constant /= common;
}

// Takes a coordinate out of `row` with the help of `by`, which has it.
void eliminate(Row& row, const Row& by, std::size_t coordinate) {
  const std::int64_t a = by.factors[coordinate], b = row.factors[coordinate];
  if (b == 0) return;
  for (std::size_t f = 0; f < row.factors.size(); ++f) row.factors[f] = a * row.factors[f] - b * by.factors[f];
  row.right = a * row.right - b * by.right;
  reduce(row);
}

} // namespace

std::vector<std::string> time_names(const Program& program) {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < program.time.size(); ++c) names.push_back(fmt::format("t{}'", c));
  return names;
}

isl::map time_and_place(const Program& program, int space) {
  const dataflow::Space& s = program.flow.spaces[static_cast<std::size_t>(space)];
  return map_to(*program.flow.context, *program.flow.source, s.coordinates, time_then_place(program, space))
      .intersect_domain(s.domain);
}

isl::map later_than(const Program& program, bool later) {
  const std::size_t rank = program.time.size();
  std::vector<std::string> names;
  for (const char* side : {"x", "y"})
    for (std::size_t c = 0; c <= rank; ++c) names.push_back(fmt::format("{}{}'", side, c));
  const auto x = [&](std::size_t c) { return Affine{{{names[c], 1}}, 0}; };
  const auto y = [&](std::size_t c) { return Affine{{{names[rank + 1 + c], 1}}, 0}; };
  const auto& context = *program.flow.context;
  const auto& source = *program.flow.source;
  std::vector<Condition> same = {condition_of(x(rank), Relation::equal, y(rank))};
  const isl::set everything = set_where(context, source, names, {}, false);
  isl::set result = everything.subtract(everything);
  for (std::size_t c = 0; c < rank; ++c) {
    std::vector<Condition> conditions = same;
    conditions.push_back(condition_of(y(c), later ? Relation::greater : Relation::less, x(c)));
    result = result.unite(set_where(context, source, names, conditions, false));
    same.push_back(condition_of(x(c), Relation::equal, y(c)));
  }
  if (!later) result = result.unite(set_where(context, source, names, same, false));
  isl_map* map = isl_map_from_range(result.copy());
  return isl::manage(isl_map_move_dims(map, isl_dim_in, 0, isl_dim_out, 0, static_cast<unsigned>(rank + 1)));
}

Coordinate formula_at(const Affine& formula, const std::vector<std::string>& names,
                      const std::vector<Coordinate>& coordinates) {
  std::int64_t divisor = 1;
  for (std::size_t k = 0; k < names.size(); ++k)
    if (formula.coefficient(names[k]) != 0) divisor = std::lcm(divisor, coordinates[k].divisor);
  Affine rest = formula;
  Affine sum;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::int64_t c = formula.coefficient(names[k]);
    rest.terms.erase(names[k]);
    if (c != 0) sum = sum + (c * (divisor / coordinates[k].divisor)) * coordinates[k].numerator;
  }
  const Affine numerator = sum + divisor * rest;
  std::int64_t common = std::gcd(divisor, numerator.constant);
  for (const auto& [name, c] : numerator.terms) common = std::gcd(common, c);
  Affine reduced{{}, numerator.constant / common};
  for (const auto& [name, c] : numerator.terms)
    if (c != 0) reduced.terms[name] = c / common;
  return {std::move(reduced), divisor / common};
}

std::optional<std::vector<Coordinate>> coordinates_at(const Program& program, int space) {
  const dataflow::Space& s = program.flow.spaces[static_cast<std::size_t>(space)];
  std::vector<std::string> names = time_names(program);
  names.push_back(place_name);
  const Point point = time_then_place(program, space);
  std::vector<Row> rows;
  for (std::size_t c = 0; c < point.size(); ++c) {
    Row row{{}, Affine{{{names[c], 1}}, 0}};
    Affine rest = point[c];
    for (const std::string& coordinate : s.coordinates) {
      row.factors.push_back(rest.coefficient(coordinate));
      rest.terms.erase(coordinate);
    }
    row.right = row.right - rest;
    rows.push_back(std::move(row));
  }
  std::vector<Coordinate> result(s.coordinates.size());
  std::vector<std::optional<std::size_t>> row_of(s.coordinates.size());
  std::vector<bool> used(rows.size(), false);
  for (std::size_t k = 0; k < s.coordinates.size(); ++k) {
    std::optional<std::size_t> best;
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (used[r] || rows[r].factors[k] == 0) continue;
      if (!best || std::abs(rows[r].factors[k]) < std::abs(rows[*best].factors[k])) best = r;
    }
    if (!best) return std::nullopt;
    used[*best] = true;
    row_of[k] = best;
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (r != *best) eliminate(rows[r], rows[*best], k);
  }
  for (std::size_t k = 0; k < s.coordinates.size(); ++k) {
    const Row& row = rows[*row_of[k]];
    const std::int64_t factor = row.factors[k];
    result[k] = factor < 0 ? Coordinate{-1 * row.right, -factor} : Coordinate{row.right, factor};
  }
  return result;
}

} // namespace cyclotron::lanes
