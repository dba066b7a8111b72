// SPDX-License-Identifier: MIT
// Triangular solves with Cholesky factors: by columns, by rows, two at once.
#include "factors.hpp"
#include "program.hpp"
#include "rival_cxsparse.hpp"
#include "suites.hpp"

#include <fmt/format.h>

#include <cmath>

namespace cyclotron::bench {

namespace {

constexpr double tolerance = 1e-10;

std::vector<double> right_hand_side(std::int32_t n, double phase) {
  std::vector<double> b(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 1 + std::sin(phase + static_cast<double>(i));
  return b;
}

struct Solve {
  std::vector<double> b, d, x, y, expected;
  explicit Solve(std::int32_t n) : b(right_hand_side(n, 0)), d(right_hand_side(n, 1)), x(b), y(b), expected(b) {}
  Views views(Sparse& l) {
    return {{"L", l.view()}, {"b", view_of(b)}, {"d", view_of(d)}, {"x", view_of(x)}, {"y", view_of(y)}};
  }
  Difference difference() const { return compare_values(x.data(), expected.data(), x.size(), tolerance); }
};

void by_columns(Bench& bench, const std::string& name, Sparse& l) {
  const Row row{"triangular solve, csc", name, "CXSparse cs_lsolve", 1.0};
  bench.attempt(row, [&] {
    const Program program(bench, "triangular_solve_csc", "columns");
    Solve s(l.rows());
    const cs_di a = as_cxsparse(l);
    const Views views = s.views(l);
    const Sizes sizes{{"n", l.rows()}};
    bench.compare(row, {program.bound(sizes, views)},
                  {[&] { cs_di_lsolve(&a, s.expected.data()); }, [&] { s.expected = s.b; }},
                  [&] { return s.difference(); });
  });
}

void by_rows(Bench& bench, const std::string& name, const Sparse& columns) {
  const Row row{"triangular solve, csr", name, "CXSparse cs_transpose + cs_lsolve", 1.0};
  bench.attempt(row, [&] {
    const Program program(bench, "triangular_solve_csr", "rows");
    Sparse l = convert(columns, "csr");
    Solve s(l.rows());
    const cs_di a = as_cxsparse(l); // read as csc, it is the transpose
    const Views views = s.views(l);
    const Sizes sizes{{"n", l.rows()}};
    const auto rival = [&] {
      const OwnedMatrix by_columns(cs_di_transpose(&a, 1));
      cs_di_lsolve(by_columns.get(), s.expected.data());
    };
    bench.compare(row, {program.bound(sizes, views)}, {rival, [&] { s.expected = s.b; }},
                  [&] { return s.difference(); });
    // What a user gains who knows that rows of L are columns of its transpose.
    bench.compare(
        {"triangular solve, csr", name, "CXSparse cs_utsolve on the same rows", 0}, {program.bound(sizes, views)},
        {[&] { cs_di_utsolve(&a, s.expected.data()); }, [&] { s.expected = s.b; }}, [&] { return s.difference(); });
  });
}

void two_at_once(Bench& bench, const std::string& name, const Sparse& columns, const std::string& format, double goal) {
  const Row row{"two fused solves, " + format, name, "our kernel twice", goal,
                fmt::format("L has {} MB", columns.bytes() >> 20)};
  bench.attempt(row, [&] {
    const std::string schedule = format == "csr" ? "rows" : "columns";
    const Program fused(bench, "triangular_solve_two_" + format, schedule);
    const Program single(bench, "triangular_solve_" + format, schedule);
    Sparse l = convert(columns, format);
    Solve s(l.rows());
    std::vector<double> x(s.x), y(s.y);
    const Views views = s.views(l);
    const Views first{{"L", l.view()}, {"b", view_of(s.b)}, {"x", view_of(x)}};
    const Views second{{"L", l.view()}, {"b", view_of(s.d)}, {"x", view_of(y)}};
    const Sizes sizes{{"n", l.rows()}};
    const auto solve_first = single.bound(sizes, first), solve_second = single.bound(sizes, second);
    const auto twice = [&] {
      solve_first();
      solve_second();
    };
    bench.compare(row, {fused.bound(sizes, views)}, {twice}, [&] {
      const Difference d = compare_values(s.x.data(), x.data(), x.size(), tolerance);
      return d ? d : compare_values(s.y.data(), y.data(), y.size(), tolerance);
    });
  });
}

} // namespace

void solves(Bench& bench) {
  for (const SpdMatrix& m : spd_matrices(bench)) {
    if (bench.quick() && m.slow) continue;
    if (!bench.wants("triangular solve, csc", m.name) && !bench.wants("triangular solve, csr", m.name)) continue;
    Sparse l = cholesky_factor(m.make());
    by_columns(bench, m.name, l);
    by_rows(bench, m.name, l);
  }
  for (const SpdMatrix& m : large_spd_matrices()) {
    if (bench.quick() && m.slow) continue;
    if (!bench.wants("two fused solves, csr", m.name) && !bench.wants("two fused solves, csc", m.name)) continue;
    const Sparse l = cholesky_factor(m.make());
    for (const char* format : {"csr", "csc"}) two_at_once(bench, m.name, l, format, 1.8);
  }
}

} // namespace cyclotron::bench
