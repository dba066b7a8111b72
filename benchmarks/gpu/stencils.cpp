// SPDX-License-Identifier: MIT
// What is limited by memory: convolutions, and linear recurrences over many channels.
#include "gpu.hpp"

#include <fmt/format.h>

namespace cyclotron::bench::gpu {

namespace {

std::int64_t address(const cuda::DeviceArray& a) { return static_cast<std::int64_t>(a.address); }
std::int64_t blocks_for(std::int64_t work, std::int64_t threads) { return (work + threads - 1) / threads; }

constexpr lanes::Layout striped = lanes::Layout::striped, neighbours = lanes::Layout::neighbours;

struct Design {
  const char *name, *commands;
  lanes::Layout layout = striped;
};

// Sums stay in their lanes; inputs are loaded, or come from the neighbour.
constexpr Design designs_1d[] = {
    {"loads", "space c\ntime q\nunroll q"},
    {"loads, 8 elements", "space c\ntime q\nunroll q\nunroll c by 8"},
    {"loads, 4 neighbours", "space c\ntime q\nunroll q\nunroll c by 4", neighbours},
    {"FBS", "spacetime (c, q) -> (s, t) = [1 0; 0 1]\nstream x along s\nunroll t"},
    {"FBS, 4 neighbours", "spacetime (c, q) -> (s, t) = [1 0; 0 1]\nstream x along s\nunroll t\nunroll s by 4",
     neighbours},
    {"FBS, 8 neighbours", "spacetime (c, q) -> (s, t) = [1 0; 0 1]\nstream x along s\nunroll t\nunroll s by 8",
     neighbours},
    {"FBS, 4 neighbours, steps in a loop", "spacetime (c, q) -> (s, t) = [1 0; 0 1]\nstream x along s\nunroll s by 4",
     neighbours},
    {"SBM in tiles of 4096", "tile c by 4096 -> o, i\nspacetime (i, q) -> (s, t) = [1 1; 0 1]\ntime o, t\nthreads "
                             "o\nstream x along t\nunroll t"},
};

void convolution_1d(Bench& bench, std::int64_t filter, double goal) {
  Gpu& gpu = bench.gpu();
  const std::int64_t n = gpu.options().quick ? 1'000'003 : 640'000'000, m = n - filter + 1;
  Row row{fmt::format("1-D convolution, filter {}", filter),
          "",
          static_cast<double>(m),
          "outputs",
          8.0 * static_cast<double>(n),
          goal,
          true};
  row.tolerance = 1e-5;
  if (!bench.wants(row.name)) return;
  const auto x = gpu.random(n, 1), w = gpu.random(filter, 2), z = gpu.array(4 * m), expected = gpu.array(4 * m);
  for (const Design& d : designs_1d) {
    row.schedule = d.name;
    bench.attempt(row, [&] {
      Program program(gpu, fmt::format("conv1d_{}", filter), d.commands, {{{"n", n}}, {}}, {}, d.layout);
      gpu.forget(z);
      bench.measure(
          row, program.on({{"x", x}, {"w", w}, {"z", z}}),
          gpu.plain("conv1d", blocks_for(m, 256), 256, {address(x), address(w), address(expected), m, filter}),
          gpu.copy(z, x, 4 * m), [&] { return gpu.difference(z, expected, m, m, m); });
    });
  }
  gpu.release_all();
}

// i: row, j: column of a result.
constexpr Design designs_2d[] = {
    {"loads", "space j\ntime i, p, q\nthreads i\nunroll p\nunroll q"},
    {"sums of rows move", "tile i by 32 -> io, ii\nspacetime (ii, j, p) -> (s, t, u) = [0 1 0; 1 0 1; 0 0 1]\n"
                          "time io, t, u, q\nthreads io\nunroll u\nunroll q"},
    {"sums of rows move, 2 elements",
     "tile i by 32 -> io, ii\nspacetime (ii, j, p) -> (s, t, u) = [0 1 0; 1 0 1; 0 0 1]\n"
     "time io, t, u, q\nthreads io\nunroll u\nunroll q\nunroll s by 2"},
    {"sums of rows move, 64 rows", "tile i by 64 -> io, ii\nspacetime (ii, j, p) -> (s, t, u) = [0 1 0; 1 0 1; 0 0 1]\n"
                                   "time io, t, u, q\nthreads io\nunroll u\nunroll q"},
    {"sums of rows move, w in registers",
     "tile i by 32 -> io, ii\nspacetime (ii, j, p) -> (s, t, u) = [0 1 0; 1 0 1; 0 0 1]\n"
     "time io, t, u, q\nthreads io\nunroll u\nunroll q\nunroll s by 1\nplace w in registers"},
    {"sums of rows move, 1 element",
     "tile i by 32 -> io, ii\nspacetime (ii, j, p) -> (s, t, u) = [0 1 0; 1 0 1; 0 0 1]\n"
     "time io, t, u, q\nthreads io\nunroll u\nunroll q\nunroll s by 1"},
    {"sums of rows move, 4 neighbours",
     "tile i by 32 -> io, ii\nspacetime (ii, j, p) -> (s, t, u) = [0 1 0; 1 0 1; 0 0 1]\n"
     "time io, t, u, q\nthreads io\nunroll u\nunroll q\nunroll s by 4",
     neighbours},
    {"sums of rows move, x forward",
     "tile i by 32 -> io, ii\nspacetime (ii, j, p, q) -> (s, t, u, v) = [0 1 0 0; 1 0 1 0; 0 0 1 0; 0 0 0 1]\n"
     "time io, t, u, v\nthreads io\nunroll u\nunroll v\nunroll s by 4\nstream x along s",
     neighbours},
};

void convolution_2d(Bench& bench, std::int64_t filter, double goal) {
  Gpu& gpu = bench.gpu();
  const std::int64_t n = gpu.options().quick ? 517 : 16384, m = n - filter + 1;
  Row row{fmt::format("2-D convolution, filter {0} x {0}", filter),
          "",
          static_cast<double>(m * m),
          "outputs",
          8.0 * static_cast<double>(n * n),
          goal,
          true};
  row.tolerance = 1e-4;
  if (!bench.wants(row.name)) return;
  const auto x = gpu.random(n * n, 1), w = gpu.random(filter * filter, 2), z = gpu.array(4 * m * m),
             expected = gpu.array(4 * m * m);
  for (const Design& d : designs_2d) {
    row.schedule = d.name;
    bench.attempt(row, [&] {
      Program program(gpu, fmt::format("conv2d_{}", filter), d.commands, {{{"n", n}}, {}}, {}, d.layout);
      gpu.forget(z);
      bench.measure(
          row, program.on({{"x", x}, {"w", w}, {"z", z}}),
          gpu.plain("conv2d", m * blocks_for(m, 256), 256, {address(x), address(w), address(expected), m, n, filter}),
          gpu.copy(z, x, 4 * m * m), [&] { return gpu.difference(z, expected, m * m, m, m); });
    });
  }
  gpu.release_all();
}

} // namespace

void convolutions(Bench& bench) {
  convolution_1d(bench, 5, 0.95);
  convolution_1d(bench, 2, 0);
  convolution_2d(bench, 5, 0.7);
  convolution_2d(bench, 2, 0.9);
}

void linear_recurrences(Bench& bench) {
  Gpu& gpu = bench.gpu();
  const std::int64_t n = gpu.options().quick ? 100 : 1024, m = gpu.options().quick ? 1003 : 1 << 18;
  Row row{"linear recurrence over channels",
          "",
          static_cast<double>(n * m),
          "elements",
          12.0 * static_cast<double>(n * m),
          0.9,
          true};
  row.tolerance = 1e-4;
  if (!bench.wants(row.name)) return;
  const auto a = gpu.random(n * m, 1), b = gpu.random(n * m, 2), y = gpu.array(4 * n * m),
             expected = gpu.array(4 * n * m);
  const auto from = gpu.array(6 * n * m), to = gpu.array(6 * n * m); // as many bytes, half of them read
  for (const Design& d : {Design{"a channel a lane", "space c\ntime t"},
                          Design{"a channel a lane, 1 element", "space c\ntime t\nunroll c by 1"},
                          Design{"a channel a lane, 2 elements", "space c\ntime t\nunroll c by 2"},
                          Design{"a channel a lane, 4 neighbours", "space c\ntime t\nunroll c by 4", neighbours}}) {
    row.schedule = d.name;
    bench.attempt(row, [&] {
      Program program(gpu, "linear_recurrence", d.commands, {{{"n", n}, {"m", m}}, {}}, {}, d.layout);
      gpu.forget(y);
      bench.measure(
          row, program.on({{"a", a}, {"b", b}, {"y", y}}),
          gpu.plain("linear_recurrence", blocks_for(m, 256), 256, {address(a), address(b), address(expected), n, m}),
          gpu.copy(to, from, 6 * n * m), [&] { return gpu.difference(y, expected, n * m, m, m); });
    });
  }
}

} // namespace cyclotron::bench::gpu
