// SPDX-License-Identifier: MIT
// Viterbi's recurrence: dense beside a plain loop, two threads beside one, sparse beside dense.
#include "inputs.hpp"
#include "plain.hpp"
#include "program.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace cyclotron::bench {

namespace {

struct Model {
  std::int64_t n, steps;
  std::vector<double> a, b, p, v, expected;

  Model(std::int64_t states, std::int64_t length)
      : n(states), steps(length), a(dense(static_cast<std::size_t>(n * n), 1)),
        b(dense(static_cast<std::size_t>(n * steps), 2)), p(dense(static_cast<std::size_t>(n), 3)), v(b), expected(b) {
    for (double& x : b) x = 0.9 + 0.2 * x; // probabilities that stay away from the smallest numbers
    for (double& x : a) x = 0.5 + 0.6 * x;
  }
  Sizes sizes() const { return {{"n", n}, {"T", steps}}; }
  Views views() { return {{"A", view_of(a)}, {"B", view_of(b)}, {"p", view_of(p)}, {"V", view_of(v)}}; }
  Difference difference() const { return compare_values(v.data(), expected.data(), v.size(), 1e-12); }
};

void dense_model(Bench& bench, Model& m, const std::string& input) {
  const Row row{"Viterbi, dense", input, "plain C", 1};
  bench.attempt(row, [&] {
    const Program program(bench, "viterbi", "columns");
    const Views views = m.views();
    bench.compare(row, {[&] { program.call(m.sizes(), views); }},
                  {[&] { plain_viterbi(m.n, m.steps, m.a.data(), m.b.data(), m.p.data(), m.expected.data()); }},
                  [&] { return m.difference(); });
  });
}

// The same kernel, told to use one thread; time on the wall.
void two_threads(Bench& bench, Model& m, const std::string& input) {
  const Row row{"Viterbi, dense, 2 threads", input, "the same with 1 thread", 1.7,
                "time on the wall: needs 2 idle cores"};
  bench.attempt(row, [&] {
    const Program program(bench, "viterbi", "tiled");
    Views views = m.views(), other = views;
    other["V"] = view_of(m.expected);
    const auto with = [&](int threads, const Views& v) {
      return Side{[&program, &m, &v] { program.call(m.sizes(), v); }, [threads] { set_threads(threads); }, true};
    };
    bench.compare(row, with(2, views), with(1, other), [&] { return m.difference(); });
    set_threads(1);
  });
}

void sparse_model(Bench& bench, Model& m, const std::string& input, int percent) {
  const Row row{"Viterbi, sparse", fmt::format("{}, {} % zeros", input, percent), "our dense kernel",
                percent >= 90 ? 1.0 : 0.0};
  if (!bench.wants(row.group, row.input)) return;
  bench.attempt(row, [&] {
    const Program sparse(bench, "viterbi_sparse", "gather"), full(bench, "viterbi", "columns");
    Model same = m;
    const std::int64_t nonzeros = m.n * m.n * (100 - percent) / 100;
    Sparse a = uniform({m.n, m.n}, nonzeros, 5, "csc");
    for (double& x : a.values) x = 0.5 + 0.6 * x;
    std::fill(same.a.begin(), same.a.end(), 0.0);
    const tensor::Entries e = tensor::unpack(a.tensor());
    for (std::size_t k = 0; k < a.values.size(); ++k)
      same.a[static_cast<std::size_t>(e.coordinates[0][k] * m.n + e.coordinates[1][k])] = a.values[k];
    Views views = same.views(), other = views;
    views["A"] = a.view();
    other["V"] = view_of(same.expected);
    bench.compare(row, {[&] { sparse.call(m.sizes(), views); }}, {[&] { full.call(m.sizes(), other); }},
                  [&] { return same.difference(); });
  });
}

} // namespace

void viterbi(Bench& bench) {
  const std::int64_t n = bench.quick() ? 400 : 1600, steps = bench.quick() ? 100 : 200;
  const std::string input = fmt::format("{} states, {} steps", n, steps);
  if (!bench.wants("Viterbi, dense", input) && !bench.wants("Viterbi, sparse", input) &&
      !bench.wants("Viterbi, dense, 2 threads", input))
    return;
  Model model(n, steps);
  if (bench.wants("Viterbi, dense", input)) dense_model(bench, model, input);
  if (bench.wants("Viterbi, dense, 2 threads", input)) two_threads(bench, model, input);
  for (const int percent : {50, 80, 90, 95, 99}) sparse_model(bench, model, fmt::format("{} states", n), percent);
}

} // namespace cyclotron::bench
