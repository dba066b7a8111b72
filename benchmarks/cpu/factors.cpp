// SPDX-License-Identifier: MIT
#include "factors.hpp"

#include "rival_cxsparse.hpp"

#include <algorithm>

namespace cyclotron::bench {

namespace {

// -1 for each edge, degree + 1 on the diagonal: positive definite, whatever the graph.
Sparse laplacian_of(const std::vector<std::pair<int, int>>& edges, std::int64_t n) {
  tensor::Entries e{{n, n}, {{}, {}}, std::vector<double>{}, false};
  auto& values = std::get<std::vector<double>>(e.values);
  std::vector<double> degree(static_cast<std::size_t>(n), 1);
  const auto add = [&](std::int64_t i, std::int64_t j, double v) {
    e.coordinates[0].push_back(i);
    e.coordinates[1].push_back(j);
    values.push_back(v);
  };
  for (const auto& [i, j] : edges) {
    add(i, j, -1);
    add(j, i, -1);
    degree[static_cast<std::size_t>(i)] += 1;
    degree[static_cast<std::size_t>(j)] += 1;
  }
  for (std::int64_t i = 0; i < n; ++i) add(i, i, degree[static_cast<std::size_t>(i)]);
  return pack(std::move(e), "csc");
}

Sparse grid(int nx, int ny, int nz) {
  std::vector<std::pair<int, int>> edges;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        const int here = (z * ny + y) * nx + x;
        if (x + 1 < nx) edges.emplace_back(here, here + 1);
        if (y + 1 < ny) edges.emplace_back(here, here + nx);
        if (z + 1 < nz) edges.emplace_back(here, here + nx * ny);
      }
  return laplacian_of(edges, std::int64_t{nx} * ny * nz);
}

Sparse laplacian_of_pattern(const Sparse& s) {
  std::vector<std::pair<int, int>> edges;
  for (int j = 0; j < s.columns(); ++j)
    for (int p = s.pos()[static_cast<std::size_t>(j)]; p < s.pos()[static_cast<std::size_t>(j) + 1]; ++p)
      if (s.crd()[static_cast<std::size_t>(p)] > j) edges.emplace_back(j, s.crd()[static_cast<std::size_t>(p)]);
  return laplacian_of(edges, s.columns());
}

Sparse permuted(const Sparse& s, const std::vector<std::int64_t>& place) {
  tensor::Entries e = tensor::unpack(s.tensor());
  for (auto& list : e.coordinates)
    for (std::int64_t& c : list) c = place[static_cast<std::size_t>(c)];
  return pack(std::move(e), "csc");
}

// By approximate minimum degree.
Sparse reordered(Sparse s) {
  const cs_di a = as_cxsparse(s);
  int* order = cs_di_amd(1, &a);
  std::vector<std::int64_t> place(static_cast<std::size_t>(s.rows()));
  for (int k = 0; k < s.rows(); ++k) place[static_cast<std::size_t>(order[k])] = k;
  cs_di_free(order);
  return permuted(s, place);
}

} // namespace

std::vector<SpdMatrix> spd_matrices(const Bench& bench) {
  const std::string data = bench.options().data;
  const auto pattern = [data](const std::string& name) {
    return [=] { return reordered(laplacian_of_pattern(read(data + "/" + name, "csc"))); };
  };
  return {
      {"2-D 100^2", [] { return reordered(grid(100, 100, 1)); }},
      {"2-D 300^2", [] { return reordered(grid(300, 300, 1)); }, true},
      {"3-D 14^3 natural", [] { return grid(14, 14, 14); }},
      {"3-D 20^3", [] { return reordered(grid(20, 20, 20)); }},
      {"1138_bus", [=] { return reordered(read(data + "/1138_bus.mtx", "csc")); }},
      {"bcsstk13 pattern", pattern("bcsstk13_pattern.mtx.gz")},
      {"bcsstk15 pattern", pattern("bcsstk15_pattern.mtx.gz"), true},
      {"nasa4704 pattern", pattern("nasa4704_pattern.mtx.gz")},
  };
}

std::vector<SpdMatrix> large_spd_matrices() {
  return {
      {"2-D 400^2", [] { return reordered(grid(400, 400, 1)); }},
      {"3-D 30^3", [] { return reordered(grid(30, 30, 30)); }, true},
      {"2-D 600^2", [] { return reordered(grid(600, 600, 1)); }, true},
  };
}

Sparse cholesky_factor(const Sparse& matrix) {
  Sparse upper = upper_triangle(matrix, "csc");
  const cs_di a = as_cxsparse(upper);
  const OwnedSymbolic symbolic(cs_di_schol(0, &a));
  const OwnedNumeric numeric(cs_di_chol(&a, symbolic.get()));
  if (!numeric) throw Unavailable("the matrix is not positive definite");
  const cs_di& l = *numeric->L;
  Sparse factor{matrix.dims, matrix.format, {{}, {l.p, l.p + l.n + 1}}, {{}, {l.i, l.i + l.p[l.n]}}, {}};
  factor.values.assign(l.x, l.x + l.p[l.n]);
  return factor; // up-looking: the rows of a column come in rising order
}

} // namespace cyclotron::bench
