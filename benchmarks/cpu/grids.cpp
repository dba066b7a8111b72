// SPDX-License-Identifier: MIT
// Gauss-Seidel sweeps over a grid, beside the loop that everyone writes.
#include "inputs.hpp"
#include "plain.hpp"
#include "program.hpp"
#include "suites.hpp"

namespace cyclotron::bench {

void gauss_seidel(Bench& bench) {
  const std::int64_t n = 400, steps = bench.quick() ? 5 : 20;
  const Row row{"Gauss-Seidel, 5-point", "400^2", "plain C, in place", 1};
  if (!bench.wants(row.group, row.input)) return;
  bench.attempt(row, [&] {
    const Program program(bench, "gauss_seidel", "rows");
    std::vector<double> g = dense(static_cast<std::size_t>(n * n), 1), u(g.size()), expected(g.size());
    const Views views{{"G", view_of(g)}, {"U", view_of(u)}};
    const Sizes sizes{{"m", n}, {"n", n}, {"T", steps}, {"U^first", 0}, {"U^last", steps}};
    bench.compare(row, {[&] { program.call(sizes, views); }}, {[&] {
                    expected = g;
                    plain_gauss_seidel(n, n, steps, expected.data());
                  }},
                  [&] { return compare_values(u.data(), expected.data(), u.size(), 1e-12); });
  });
}

} // namespace cyclotron::bench
