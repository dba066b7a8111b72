// SPDX-License-Identifier: MIT
// All shortest paths: Floyd-Warshall beside Boost and beside the loops one would write.
#include "plain.hpp"
#include "program.hpp"
#include "sparse.hpp"
#include "suites.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/adjacency_matrix.hpp>
#include <boost/graph/floyd_warshall_shortest.hpp>

#include <fmt/format.h>

#include <limits>
#include <random>

namespace cyclotron::bench {

namespace {

using Distances = std::vector<float>;

// A tenth of all edges; whole numbers, so that every order of additions gives the same sums.
Distances random_graph(std::size_t n) {
  std::mt19937 random(1);
  Distances g(n * n, std::numeric_limits<float>::infinity());
  for (float& weight : g)
    if (random() % 10 == 0) weight = static_cast<float>(1 + random() % 100);
  for (std::size_t i = 0; i < n; ++i) g[i * n + i] = 0;
  return g;
}

// Rows of a plain array, as Boost's matrix of distances: d[i][j].
struct Rows {
  float* data;
  std::size_t n;
  float* operator[](std::size_t i) const { return data + i * n; }
};

template <class Graph> Graph graph_of(const Distances& g, std::size_t n) {
  Graph graph(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (i != j && g[i * n + j] < std::numeric_limits<float>::infinity())
        boost::add_edge(i, j, boost::property<boost::edge_weight_t, float>(g[i * n + j]), graph);
  return graph;
}

template <class Graph> void boost_paths(const Graph& graph, Distances& d, std::size_t n) {
  const Rows rows{d.data(), n};
  boost::floyd_warshall_all_pairs_shortest_paths(graph, rows,
                                                 boost::distance_inf(std::numeric_limits<float>::infinity()));
}

} // namespace

void floyd_warshall(Bench& bench) {
  const std::size_t n = bench.quick() ? 400 : 800;
  const std::string input = fmt::format("n={}, f32", n);
  if (!bench.wants("Floyd-Warshall", input)) return;
  Distances g = random_graph(n), d(n * n), expected(n * n);
  const auto same = [&]() -> Difference {
    if (d == expected) return std::nullopt;
    return "the distances differ; they are whole numbers, and must be equal";
  };
  using Weight = boost::property<boost::edge_weight_t, float>;
  using List = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Weight>;
  using Matrix = boost::adjacency_matrix<boost::directedS, boost::no_property, Weight>;
  const auto list = graph_of<List>(g, n);
  const auto matrix = graph_of<Matrix>(g, n);
  const Row row{"Floyd-Warshall", input, "Boost, adjacency_list", 8};
  bench.attempt(row, [&] {
    const Program program(bench, "floyd_warshall", "");
    const Sizes sizes{
        {"n", static_cast<std::int64_t>(n)}, {"D^first", -1}, {"D^last", static_cast<std::int64_t>(n) - 1}};
    const Views views{{"G", view_of(g)}, {"D", view_of(d)}};
    const Side ours{[&] { program.call(sizes, views); }};
    bench.compare(row, ours, {[&] { boost_paths(list, expected, n); }}, same);
    bench.compare({row.group, input, "Boost, adjacency_matrix", 8}, ours, {[&] { boost_paths(matrix, expected, n); }},
                  same);
    const auto plain = [&] {
      expected = g;
      plain_floyd_warshall(static_cast<std::int64_t>(n), expected.data());
    };
    bench.compare({row.group, input, "plain C, in place, D[i][k] in a register", 0}, ours, {plain}, same);
  });
}

} // namespace cyclotron::bench
