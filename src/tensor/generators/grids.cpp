// SPDX-License-Identifier: MIT
// Laplacians of grids in two and three dimensions, zero beyond the edge.
#include "tensor/capacity.hpp"
#include "tensor/generators/generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cyclotron::tensor {

namespace {

// The side of a square or cubic grid with that many points, or -1.
std::int64_t side_of(std::int64_t points, std::size_t grid_rank) {
  const double root = grid_rank == 2 ? std::sqrt(static_cast<double>(points)) : std::cbrt(static_cast<double>(points));
  for (auto side = static_cast<std::int64_t>(root) - 1; side <= static_cast<std::int64_t>(root) + 1; ++side)
    if (side >= 0 && element_count(std::vector<std::int64_t>(grid_rank, side)) == points) return side;
  return -1;
}

// The grid: a known number of rows wins; sides given as arguments are used where they agree with it.
std::optional<std::vector<std::int64_t>> find_grid(Order& order, std::size_t grid_rank) {
  Arguments& arguments = order.arguments;
  const std::int64_t k = arguments.integer("k", -1, 0);
  std::vector<std::int64_t> sides;
  for (const char* name : {"nx", "ny", "nz"})
    if (sides.size() < grid_rank) sides.push_back(arguments.integer(name, k, 0));
  if (!arguments.fine()) return std::nullopt;
  const bool given = std::all_of(sides.begin(), sides.end(), [](std::int64_t side) { return side >= 0; });
  const std::int64_t known = std::max(order.dims[0], order.dims[1]);
  if (known < 0 && !given) {
    arguments.fail("k", fmt::format("{} needs a size", order.subject()),
                   fmt::format("write such as `{}(k=10)` for a grid of 10 points a side", arguments.recipe().name));
    return std::nullopt;
  }
  if (known < 0 || (given && (order.request.arguments_win || element_count(sides) == known))) return sides;
  const std::int64_t side = side_of(known, grid_rank);
  if (side >= 0) return std::vector<std::int64_t>(grid_rank, side);
  arguments.fail("k",
                 fmt::format("{} has {} rows, which are not the points of a {} grid", order.subject(), known,
                             grid_rank == 2 ? "square" : "cubic"),
                 fmt::format("choose sizes so that there are {} rows, or give {} with that product",
                             grid_rank == 2 ? "k*k" : "k*k*k", grid_rank == 2 ? "nx and ny" : "nx, ny and nz"));
  return std::nullopt;
}

std::optional<Entries> make_laplacian(Order& order, std::size_t grid_rank) {
  const auto sides = find_grid(order, grid_rank);
  if (!sides) return std::nullopt;
  const std::int64_t points = element_count(*sides);
  const auto neighbours = static_cast<std::int64_t>(2 * grid_rank);
  order.dims = {points, points};
  std::optional<Entries> entries = sparse_entries(order, ValueType::f64, saturating_product(points, neighbours + 1));
  if (!entries) return std::nullopt;
  auto& values = std::get<std::vector<double>>(entries->values);
  const Box box = order.box();
  const auto push = [&](std::int64_t row, std::int64_t column, double value) {
    const std::int64_t at[] = {row, column};
    if (place_entry(*entries, box, at)) values.push_back(value);
  };
  std::vector<std::int64_t> stride(grid_rank, 1);
  for (std::size_t d = grid_rank - 1; d > 0; --d) stride[d - 1] = saturating_product(stride[d], (*sides)[d]);
  for (std::int64_t p = box.first[0]; p < box.first[0] + box.count[0]; ++p) {
    // Neighbours before the point from the farthest, then the point, then those behind: columns ascend.
    for (std::size_t d = 0; d < grid_rank; ++d)
      if (p / stride[d] % (*sides)[d] > 0) push(p, p - stride[d], -1);
    push(p, p, static_cast<double>(neighbours));
    for (std::size_t d = grid_rank; d-- > 0;)
      if (p / stride[d] % (*sides)[d] < (*sides)[d] - 1) push(p, p + stride[d], -1);
  }
  return entries;
}

std::optional<Entries> make_laplacian2d(Order& order) { return make_laplacian(order, 2); }
std::optional<Entries> make_laplacian3d(Order& order) { return make_laplacian(order, 3); }

} // namespace

std::vector<Generator> grid_generators() {
  return {
      {"laplacian2d",
       {{"k", ""}, {"nx", "k"}, {"ny", "k"}},
       "5-point Laplacian of a grid: 4 on the diagonal, -1 for neighbours",
       {2},
       Sizes::own,
       true,
       make_laplacian2d},
      {"laplacian3d",
       {{"k", ""}, {"nx", "k"}, {"ny", "k"}, {"nz", "k"}},
       "7-point Laplacian of a grid: 6 on the diagonal, -1 for neighbours",
       {2},
       Sizes::own,
       true,
       make_laplacian3d},
  };
}

} // namespace cyclotron::tensor
