// SPDX-License-Identifier: MIT
// Random uniform recurrences on a line of PEs, folded or not, beside their plain evaluation.
#include "lower/pe/dataflow_to_pe.hpp"
#include "unit/lower/slow_array.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

namespace cyclotron::lower {
namespace {

// `2 * (i-di, t-dt)_v`.
struct Term {
  std::size_t value = 0;
  std::int64_t di = 0, dt = 0, factor = 1;
};

// Each value is the sum of its terms where all of them exist, else an element of A.
struct Draft {
  std::int64_t n = 1, m = 1;
  std::vector<std::vector<Term>> values;
  std::vector<Fold> folds;
};

Draft draft(unsigned seed) {
  std::mt19937 source(seed);
  const auto pick = [&](std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(source() % static_cast<unsigned>(last - first + 1));
  };
  Draft result;
  result.n = pick(1, 6);
  result.m = pick(1, 5);
  result.values.resize(static_cast<std::size_t>(pick(1, 3)));
  for (std::size_t v = 0; v < result.values.size(); ++v)
    for (std::int64_t terms = pick(1, 3); terms > 0; --terms) {
      Term term{static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(result.values.size()) - 1)), pick(-2, 2),
                pick(0, 2), pick(0, 1) ? 1 : -1};
      if (term.dt == 0 && term.di <= 0) term.di = term.value < v ? 0 : 1; // values of one time flow to the right
      result.values[v].push_back(term);
    }
  if (pick(0, 2) > 0) result.folds.push_back({"i", pick(0, 1) == 1, pick(1, 3), pick(1, 2), {}});
  return result;
}

// Where a term exists, as conditions.
std::vector<std::string> conditions(const Term& t) {
  std::vector<std::string> list;
  if (t.di > 0) list.push_back(fmt::format("i >= {}", t.di));
  if (t.di < 0) list.push_back(fmt::format("i < n - {}", -t.di));
  if (t.dt > 0) list.push_back(fmt::format("t >= {}", t.dt));
  return list;
}

std::string text_of(const Draft& d) {
  std::string text = "tensor A(n,m)\naxes i\nspace s(i, t) : 0 <= i < n, 0 <= t < m\n";
  for (std::size_t v = 0; v < d.values.size(); ++v) text = fmt::format("tensor Y{}(n,m)\n", v) + text;
  for (std::size_t v = 0; v < d.values.size(); ++v) {
    std::string sum;
    std::vector<std::string> inside, outside;
    for (const Term& t : d.values[v]) {
      sum += fmt::format("{}{} * (i-({}), t-{})_v{}", sum.empty() ? "" : " + ", t.factor, t.di, t.dt, t.value);
      for (const std::string& c : conditions(t)) inside.push_back(c);
    }
    for (std::string c : inside) {
      const std::size_t less = c.find('<'), more = c.find(">=");
      if (more != std::string::npos) outside.push_back(c.replace(more, 2, "<"));
      else outside.push_back(c.replace(less, 1, ">="));
    }
    text += fmt::format("(i, t)_v{} <- {}{}{}\n", v, sum, inside.empty() ? "" : " : ", fmt::join(inside, ", "));
    if (!outside.empty()) text += fmt::format("(i, t)_v{} <- A(i,t) : {}\n", v, fmt::join(outside, " or "));
    text += fmt::format("Y{}(i,t) <- (i, t)_v{}\n", v, v);
  }
  return text;
}

// Point by point in the order of time, then from left to right.
Memories evaluate(const Draft& d, const std::vector<double>& a) {
  std::vector<std::vector<double>> y(d.values.size(), std::vector<double>(a.size()));
  for (std::int64_t t = 0; t < d.m; ++t)
    for (std::int64_t i = 0; i < d.n; ++i)
      for (std::size_t v = 0; v < d.values.size(); ++v) {
        double sum = 0;
        bool all = true;
        for (const Term& term : d.values[v]) {
          const std::int64_t from = i - term.di, when = t - term.dt;
          all &= from >= 0 && from < d.n && when >= 0;
          if (all) sum += static_cast<double>(term.factor) * y[term.value][static_cast<std::size_t>(from * d.m + when)];
        }
        const auto at = static_cast<std::size_t>(i * d.m + t);
        y[v][at] = all ? sum : a[at];
      }
  Memories result;
  for (std::size_t v = 0; v < y.size(); ++v) result[fmt::format("Y{}", v)] = y[v];
  return result;
}

TEST(DataflowToPe, RandomRecurrences) {
  const unsigned count = std::getenv("CYCLOTRON_NIGHTLY") ? 2000 : 40;
  for (unsigned seed = 0; seed < count; ++seed) {
    const Draft d = draft(seed);
    const std::string text = text_of(d);
    SCOPED_TRACE(fmt::format("seed {}, n = {}, m = {}, {} folds\n{}", seed, d.n, d.m, d.folds.size(), text));
    Sources sources;
    Diagnostics diagnostics(sources);
    const auto program = dataflow::parse(sources.add("x.flow", text), diagnostics);
    ASSERT_TRUE(program) << diagnostics.render(false);
    const auto lowered = dataflow_to_pe(*program, {{{"n", d.n}, {"m", d.m}}, d.folds, {}, {}}, diagnostics);
    ASSERT_TRUE(lowered) << diagnostics.render(false);
    std::vector<double> a;
    for (std::int64_t i = 0; i < d.n * d.m; ++i) a.push_back(static_cast<double>((i * 7 + seed) % 11) - 5);
    const SlowRun run = run_slowly(*lowered, {{"A", a}});
    ASSERT_EQ(run.problem, "");
    for (const auto& [name, values] : evaluate(d, a)) ASSERT_EQ(run.memory.at(name), values) << name;
  }
}

} // namespace
} // namespace cyclotron::lower
