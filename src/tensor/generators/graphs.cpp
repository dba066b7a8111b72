// SPDX-License-Identifier: MIT
// Random graphs with few vertices of many edges and many of few (R-MAT; Chakrabarti, Zhan, Faloutsos 2004).
#include "tensor/generators/generators.hpp"
#include "tensor/generators/random_bits.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace cyclotron::tensor {

namespace {

struct Quadrants {
  double a, b, c;
};

// Halves the matrix again and again. Where n is no power of two, a half without rows or columns is not entered.
std::pair<std::int64_t, std::int64_t> draw_edge(std::int64_t n, int depth, const Quadrants& q, const RandomBits& random,
                                                std::uint64_t counter) {
  std::int64_t row = 0, column = 0;
  for (int level = depth; level-- > 0;) {
    const double u = random.unit(counter++);
    const std::int64_t half = std::int64_t{1} << level;
    if (u >= q.a + q.b && row + half < n) row += half;
    if (((u >= q.a && u < q.a + q.b) || u >= q.a + q.b + q.c) && column + half < n) column += half;
  }
  return {row, column};
}

std::optional<Entries> make_rmat(Order& order) {
  Arguments& arguments = order.arguments;
  const std::int64_t n = order.dims[0];
  const std::int64_t edges = arguments.integer("edges", n > (std::int64_t{1} << 56) ? n : 8 * n, 0);
  const Quadrants q = {arguments.number("a", 0.57, 0, 1), arguments.number("b", 0.19, 0, 1),
                       arguments.number("c", 0.19, 0, 1)};
  const double d = arguments.number("d", 1 - (q.a + q.b + q.c), 0, 1);
  const std::uint64_t seed = arguments.seed();
  const double sum = q.a + q.b + q.c + std::max(d, 0.0);
  if (arguments.fine() && std::abs(sum - 1) > 1e-6)
    arguments.fail("a", fmt::format("expected a, b, c and d of `rmat` to sum to 1, found `{}`", sum),
                   "they are the chances of the four quadrants, such as `a=0.57, b=0.19, c=0.19, d=0.05`");
  if (arguments.fine() && n == 0 && arguments.given("edges") && edges > 0)
    arguments.fail("edges", fmt::format("expected no edges in a graph without vertices, found {}", edges),
                   "remove `edges`, or give a larger `n`");
  if (!arguments.fine()) return std::nullopt;
  std::optional<Entries> entries = sparse_entries(order, ValueType::i64, edges);
  if (!entries) return std::nullopt;
  const RandomBits random(seed, stream_of_values);
  const int depth = n <= 1 ? 0 : std::bit_width(static_cast<std::uint64_t>(n - 1));
  const Box box = order.box();
  for (std::int64_t e = 0; e < edges && n > 0; ++e) {
    const auto [row, column] = draw_edge(n, depth, q, random, static_cast<std::uint64_t>(e) * 64);
    const std::int64_t at[] = {row, column};
    place_entry(*entries, box, at);
  }
  entries->values = std::vector<std::int64_t>(entries->coordinates[0].size(), 1);
  return entries;
}

} // namespace

std::vector<Generator> graph_generators() {
  return {
      {"rmat",
       {{"n", ""}, {"edges", "8*n"}, {"a", "0.57"}, {"b", "0.19"}, {"c", "0.19"}, {"d", "0.05"}, {"seed", "0"}},
       "adjacency of a random graph with skewed degrees; an edge drawn k times counts k",
       {2},
       Sizes::square,
       true,
       make_rmat,
       false},
  };
}

} // namespace cyclotron::tensor
