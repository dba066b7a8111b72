// SPDX-License-Identifier: MIT
// Sparse matrices times dense vectors and matrices.
#include "inputs.hpp"
#include "plain.hpp"
#include "program.hpp"
#include "rivals.hpp"
#include "suites.hpp"

namespace cyclotron::bench {

namespace {

constexpr int width = 32; // of dense matrices
constexpr double tolerance = 1e-12;

struct Input {
  std::string name;
  std::function<Sparse()> make;
  std::string taco[3]; // SpMV, SpMM, SDDMM: milliseconds of another run
  Sparse matrix = {};
};

std::vector<Input> inputs(const Bench& bench) {
  const std::int64_t n = bench.quick() ? 20'000 : 100'000;
  std::vector<Input> list{
      {"uniform, 10 a row",
       [=] {
         return uniform({n, n}, 10 * n, 1, "csr");
       },
       {"2.1", "29", "38"}},
      {"uniform, 50 a row",
       [=] {
         return uniform({n, n}, 50 * n, 4, "csr");
       },
       {"6.3", "", ""}},
      {"band, 25 a row", [=] { return band(n, 40, 28, 6); }, {"", "28", "15"}},
      {"power law, 20 a row",
       [=] {
         return power_law({n, n}, 20 * n, 0.7, 5, "csr");
       },
       {"", "56", ""}},
  };
  if (bench.quick()) list.erase(list.begin() + 1);
  return list;
}

std::string taco(const std::string& milliseconds) {
  return milliseconds.empty() ? "" : "TACO in another run, on like input: " + milliseconds + " ms";
}

// Ours beside each library that has the kernel.
void beside_all(Bench& bench, const Row& row, const Side& ours, const std::vector<double>& got,
                const std::function<Rival(const MatrixLibrary&)>& make) {
  for (const MatrixLibrary& library : {eigen(), graphblas()}) {
    Row mine = row;
    mine.rival = library.name;
    bench.attempt(mine, [&] {
      const Rival rival = make(library);
      bench.compare(mine, ours, {rival.run}, [&]() -> Difference {
        const std::vector<double> expected = rival.values();
        if (expected.size() != got.size())
          return "there are " + std::to_string(expected.size()) + " values, not " + std::to_string(got.size());
        return compare_values(got.data(), expected.data(), got.size(), tolerance);
      });
    });
  }
}

void spmv(Bench& bench, Input& in) {
  const Row row{"SpMV", in.name, "", 1, taco(in.taco[0])};
  if (!bench.wants(row.group, row.input)) return;
  bench.attempt(row, [&] {
    const Program program(bench, "spmv", "rows");
    Sparse& b = in.matrix;
    std::vector<double> c = dense(static_cast<std::size_t>(b.columns()), 1), x(static_cast<std::size_t>(b.rows()));
    const Views views{{"B", b.view()}, {"c", view_of(c)}, {"x", view_of(x)}};
    const Side ours{[&] { program.call({{"m", b.rows()}, {"n", b.columns()}}, views); }};
    beside_all(bench, row, ours, x, [&](const MatrixLibrary& l) { return l.times_vector(b, c); });
    std::vector<double> expected(x.size());
    bench.compare({row.group, row.input, "plain C"}, ours, {[&] {
                    plain_spmv(b.rows(), b.pos().data(), b.crd().data(), b.values.data(), c.data(), expected.data());
                  }},
                  [&] { return compare_values(x.data(), expected.data(), x.size(), tolerance); });
  });
}

void spmm(Bench& bench, Input& in) {
  const Row row{"SpMM, 32 columns", in.name, "", 1, taco(in.taco[1])};
  if (!bench.wants(row.group, row.input)) return;
  bench.attempt(row, [&] {
    const Program program(bench, "spmm", "rows");
    Sparse& b = in.matrix;
    std::vector<double> c = dense(static_cast<std::size_t>(b.columns()) * width, 1),
                        x(static_cast<std::size_t>(b.rows()) * width);
    const Views views{{"B", b.view()}, {"C", view_of(c)}, {"X", view_of(x)}};
    beside_all(bench, row, {[&] {
                 program.call({{"m", b.rows()}, {"n", b.columns()}, {"p", width}}, views);
               }},
               x, [&](const MatrixLibrary& l) { return l.times_dense(b, c, width); });
  });
}

void sddmm(Bench& bench, Input& in) {
  const Row row{"SDDMM, 32 columns", in.name, "", 1, taco(in.taco[2])};
  if (!bench.wants(row.group, row.input)) return;
  bench.attempt(row, [&] {
    const Program program(bench, "sddmm", "rows");
    Sparse &b = in.matrix, x = in.matrix; // the structure of the result is that of B
    std::vector<double> c = dense(static_cast<std::size_t>(b.rows()) * width, 1),
                        d = dense(static_cast<std::size_t>(b.columns()) * width, 2);
    const Views views{{"B", b.view()}, {"C", view_of(c)}, {"D", view_of(d)}, {"X", x.view()}};
    beside_all(bench, row, {[&] {
                 program.call({{"m", b.rows()}, {"n", b.columns()}, {"p", width}}, views);
               }},
               x.values, [&](const MatrixLibrary& l) { return l.sampled_product(b, c, d, width); });
  });
}

} // namespace

void matrix_algebra(Bench& bench) {
  for (Input& in : inputs(bench)) {
    bool wanted = false;
    for (const char* group : {"SpMV", "SpMM, 32 columns", "SDDMM, 32 columns"}) wanted |= bench.wants(group, in.name);
    if (!wanted) continue;
    in.matrix = in.make();
    spmv(bench, in);
    spmm(bench, in);
    sddmm(bench, in);
  }
}

} // namespace cyclotron::bench
