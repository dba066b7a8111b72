// SPDX-License-Identifier: MIT
// The six designs of a convolution that Rong et al. compare: 32 results are one array, which a warp does at once.
#include "gpu.hpp"

#include <fmt/format.h>

namespace cyclotron::bench::gpu {

namespace {

struct Design {
  const char *name, *matrix, *inputs;
};
constexpr Design designs[] = {
    {"SBM", "1 1; 0 1", "stream x along t"},
    {"BSM", "0 1; 1 1", "broadcast x along s\nstream w along t"},
    {"FSM", "0 1; 1 -1", "stream x along s\nstream w along t"},
    {"BFS", "1 0; 1 1", "broadcast x along s\nstream w along s"},
    {"FFS", "1 0; 2 1", "stream x along s\nstream w along s"},
    {"FBS", "1 0; 0 1", "stream x along s"},
};

// Steps are written out where there are not too many.
std::string schedule_of(const Design& d) {
  const bool few = std::string(d.name) != "FFS";
  return fmt::format(
      "tile c by 32 -> o, i\nspacetime (i, q) -> (s, t) = [{}]\ntime o, t\nthreads o\nunroll s by 1\n{}{}", d.matrix,
      d.inputs, few ? "\nunroll t" : "");
}

} // namespace

void six_designs(Bench& bench) {
  Gpu& gpu = bench.gpu();
  for (const std::int64_t filter : {2, 5}) {
    const std::int64_t n = gpu.options().quick ? 100'003 : 64'000'000, m = n - filter + 1;
    Row row{fmt::format("six designs, filter {}", filter),
            "",
            static_cast<double>(m),
            "outputs",
            8.0 * static_cast<double>(n),
            0,
            true};
    row.tolerance = 1e-5;
    if (!bench.wants(row.name)) continue;
    const auto x = gpu.random(n, 1), w = gpu.random(filter, 2), z = gpu.array(4 * m), expected = gpu.array(4 * m);
    for (const Design& d : designs) {
      row.schedule = d.name;
      bench.attempt(row, [&] {
        Program program(gpu, fmt::format("conv1d_{}", filter), schedule_of(d), {{{"n", n}}, {}});
        gpu.forget(z);
        bench.measure(row, program.on({{"x", x}, {"w", w}, {"z", z}}),
                      gpu.plain("conv1d", (m + 255) / 256, 256,
                                {static_cast<std::int64_t>(x.address), static_cast<std::int64_t>(w.address),
                                 static_cast<std::int64_t>(expected.address), m, filter}),
                      gpu.copy(z, x, 4 * m), [&] { return gpu.difference(z, expected, m, m, m); });
      });
    }
    gpu.release_all();
  }
}

} // namespace cyclotron::bench::gpu
