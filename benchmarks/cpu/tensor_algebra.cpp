// SPDX-License-Identifier: MIT
// Tensors of three dimensions, compressed in all of them, beside the loops one would write for that format.
#include "inputs.hpp"
#include "plain.hpp"
#include "program.hpp"
#include "suites.hpp"

#include <cmath>

namespace cyclotron::bench {

namespace {

constexpr int width = 32;

plain_csf as_plain(Sparse& t) {
  return {t.positions[0].data(), t.coordinates[0].data(), t.positions[1].data(), t.coordinates[1].data(),
          t.positions[2].data(), t.coordinates[2].data(), t.values.data()};
}

Sizes sizes_of(const Sparse& t) { return {{"m", t.dims[0]}, {"n", t.dims[1]}, {"p", t.dims[2]}, {"r", width}}; }

void mttkrp(Bench& bench, const std::string& name, Sparse& t, const std::string& taco) {
  const Row row{"MTTKRP, 32 columns", name, "plain C", 1, "TACO in another run, on like input: " + taco + " ms"};
  if (!bench.wants(row.group, name)) return;
  bench.attempt(row, [&] {
    const Program program(bench, "mttkrp", "fibers");
    std::vector<double> c = dense(static_cast<std::size_t>(t.dims[1]) * width, 1),
                        d = dense(static_cast<std::size_t>(t.dims[2]) * width, 2),
                        x(static_cast<std::size_t>(t.dims[0]) * width), expected(x.size());
    const Views views{{"B", t.view()}, {"C", view_of(c)}, {"D", view_of(d)}, {"X", view_of(x)}};
    const plain_csf b = as_plain(t);
    bench.compare(row, {[&] { program.call(sizes_of(t), views); }},
                  {[&] { plain_mttkrp(t.dims[0], width, &b, c.data(), d.data(), expected.data()); }},
                  [&] { return compare_values(x.data(), expected.data(), x.size(), 1e-12); });
  });
}

void ttv(Bench& bench, const std::string& name, Sparse& t, const std::string& taco) {
  const Row row{"TTV", name, "plain C", 1, "TACO in another run, on like input: " + taco + " ms"};
  if (!bench.wants(row.group, name)) return;
  bench.attempt(row, [&] {
    const Program program(bench, "ttv_sparse", "fibers");
    std::vector<double> c = dense(static_cast<std::size_t>(t.dims[2]), 1), expected(t.coordinates[1].size());
    // The result has the upper two levels of B.
    Sparse x{{t.dims[0], t.dims[1]},
             *tensor::format_named("dcsr", 2),
             {t.positions[0], t.positions[1]},
             {t.coordinates[0], t.coordinates[1]},
             expected};
    const Views views{{"B", t.view()}, {"c", view_of(c)}, {"X", x.view()}};
    const plain_csf b = as_plain(t);
    bench.compare(row, {[&] { program.call(sizes_of(t), views); }}, {[&] { plain_ttv(&b, c.data(), expected.data()); }},
                  [&] { return compare_values(x.values.data(), expected.data(), expected.size(), 1e-12); });
  });
}

} // namespace

void tensor_algebra(Bench& bench) {
  struct Input {
    std::string name;
    std::function<Sparse()> make;
    std::string mttkrp, ttv;
  };
  const std::int64_t count = bench.quick() ? 200'000 : 1'000'000;
  const Input inputs[] = {
      {"uniform 2000^3",
       [=] {
         return uniform({2000, 2000, 2000}, count, 11, "csf");
       },
       "11.2", "2.9"},
      {"power law",
       [=] {
         return power_law({12000, 9000, 28000}, count, 0.9, 13, "csf");
       },
       "17.6", "2.8"},
      {"long fibers",
       [=] {
         return uniform({200, 200, 2000}, count, 15, "csf");
       },
       "11.0", "0.7"},
  };
  for (const Input& in : inputs) {
    if (!bench.wants("MTTKRP, 32 columns", in.name) && !bench.wants("TTV", in.name)) continue;
    Sparse t = in.make();
    mttkrp(bench, in.name, t, in.mttkrp);
    ttv(bench, in.name, t, in.ttv);
  }
}

} // namespace cyclotron::bench
