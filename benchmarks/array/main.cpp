// SPDX-License-Identifier: MIT
// How fast the array simulator is: output-stationary products on one core. Values are compared with plain loops before
// a figure is printed. Seconds are those of the processor, with all that goes before and after the run.
#include "backend/array/simulate.hpp"
#include "products.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace cyclotron {
namespace {

using pe::write::GridSize;
using pe::write::ProductSize;

std::vector<double> random_numbers(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> list;
  for (std::int64_t i = 0; i < count; ++i) list.push_back(static_cast<double>(random() % 19) - 9);
  return list;
}

tensor::Tensor matrix(std::int64_t rows, std::int64_t columns, const std::vector<double>& values, Diagnostics& d) {
  tensor::Tensor t = *tensor::zeros({rows, columns}, tensor::ValueType::f64, "a matrix", d);
  std::get<std::vector<double>>(t.values) = values;
  return t;
}

std::vector<double> product(const ProductSize& s, const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> c(static_cast<std::size_t>(s.m * s.n));
  for (std::int64_t i = 0; i < s.m; ++i)
    for (std::int64_t k = 0; k < s.k; ++k)
      for (std::int64_t j = 0; j < s.n; ++j)
        c[static_cast<std::size_t>(i * s.n + j)] +=
            a[static_cast<std::size_t>(i * s.k + k)] * b[static_cast<std::size_t>(k * s.n + j)];
  return c;
}

struct Measured {
  double seconds = 0, operations_per_second = 0;
  array::Time cycles = 0;
};

Measured measure(const ProductSize& s, const GridSize& g, std::size_t depth) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::vector<double> a = random_numbers(s.m * s.k, 1), b = random_numbers(s.k * s.n, 2);
  const pe::Program program = pe::write::output_stationary(s, g);
  const std::map<std::string, tensor::Tensor> inputs{{"A", matrix(s.m, s.k, a, diagnostics)},
                                                     {"B", matrix(s.k, s.n, b, diagnostics)}};
  const std::clock_t start = std::clock();
  const auto result = array::simulate(program, inputs, {.fifo_depth = depth}, {}, diagnostics);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (!result || std::get<std::vector<double>>(result->outputs.at("C").values) != product(s, a, b)) {
    fmt::print(stderr, "wrong values\n{}", diagnostics.render(false));
    std::exit(1);
  }
  const array::Statistics& t = result->statistics;
  return {seconds, static_cast<double>(t.channel_operations) / seconds, t.cycles};
}

void row(const std::string& what, const ProductSize& s, const GridSize& g, std::size_t depth) {
  Measured best;
  for (int i = 0; i < 3; ++i)
    if (const Measured m = measure(s, g, depth); m.operations_per_second > best.operations_per_second) best = m;
  fmt::print("{:<34} {:>6} {:>10} {:>9.3f} {:>22.1f}\n", what, depth == 0 ? "none" : std::to_string(depth), best.cycles,
             best.seconds, best.operations_per_second / 1e6);
}

} // namespace
} // namespace cyclotron

int main() {
  using cyclotron::row;
  fmt::print("{:<34} {:>6} {:>10} {:>9} {:>22}\n", "output-stationary product", "depth", "cycles", "seconds",
             "million operations/s");
  for (const std::size_t depth : {4, 0}) {
    row("32 x 32 PEs, 32 x 4096 x 32", {32, 4096, 32}, {32, 32}, depth);
    row("128 x 128 PEs, 128 x 1024 x 128", {128, 1024, 128}, {128, 128}, depth);
    row("64 x 64 PEs, 512 x 512 x 512", {512, 512, 512}, {64, 64}, depth);
  }
}
