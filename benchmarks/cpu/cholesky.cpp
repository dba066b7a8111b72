// SPDX-License-Identifier: MIT
// The numeric phase of sparse Cholesky factorization, the structure of the factor given.
#include "factors.hpp"
#include "program.hpp"
#include "rival_cxsparse.hpp"
#include "suites.hpp"

namespace cyclotron::bench {

namespace {

struct Variant {
  std::string program, schedule, format;
};

const std::vector<Variant> variants{{"cholesky_csc", "up", "csc"},
                                    {"cholesky_csc", "marching", "csc"},
                                    {"cholesky_csc", "left", "csc"},
                                    {"cholesky_csr", "rows", "csr"}};

void factorize(Bench& bench, const std::string& name, const Sparse& matrix, const Variant& variant) {
  const Row row{"Cholesky, " + variant.format + ", " + variant.schedule, name, "CXSparse cs_chol", 1.0};
  if (!bench.wants(row.group, name)) return;
  bench.attempt(row, [&] {
    const Program program(bench, variant.program, variant.schedule);
    Sparse a = lower_triangle(matrix, variant.format), upper = upper_triangle(matrix, "csc");
    const Sparse expected = convert(cholesky_factor(matrix), variant.format);
    Sparse l = expected; // the structure; the values are overwritten
    const cs_di rival = as_cxsparse(upper);
    const OwnedSymbolic symbolic(cs_di_schol(0, &rival));
    OwnedNumeric numeric;
    const Sizes sizes{{"n", a.rows()}};
    const Views views{{"A", program.view_with_masks("A", a)}, {"L", program.view_with_masks("L", l)}};
    bench.compare(row, {[&] {
                    program.call({{"n", a.rows()}}, views);
                  }},
                  {[&] { numeric.reset(cs_di_chol(&rival, symbolic.get())); }, [&] { numeric.reset(); }},
                  [&] { return compare_values(l.values.data(), expected.values.data(), l.values.size(), 1e-10); });
  });
}

} // namespace

void cholesky(Bench& bench) {
  for (const SpdMatrix& m : spd_matrices(bench)) {
    if (bench.quick() && m.slow) continue;
    bool wanted = false;
    for (const Variant& v : variants) wanted |= bench.wants("Cholesky, " + v.format + ", " + v.schedule, m.name);
    if (!wanted) continue;
    const Sparse matrix = m.make();
    for (const Variant& v : variants) factorize(bench, m.name, matrix, v);
  }
}

} // namespace cyclotron::bench
