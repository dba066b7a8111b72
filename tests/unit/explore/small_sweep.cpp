// SPDX-License-Identifier: MIT
#include "unit/explore/small_sweep.hpp"

#include "driver/bind.hpp"

#include <gtest/gtest.h>

namespace cyclotron::explore {

const std::string small_product = "tensor A(m, p)\ntensor B(p, n)\ntensor C(m, n)\nC(i,j) = A(i,k) * B(k,j)\n"
                                  "default A = random(n=4, m=4, seed=1)\ndefault B = random(n=4, m=4, seed=2)\n";
const std::string small_triangular_solve = "tensor L(n, n)\ntensor b(n)\ntensor x(n)\n"
                                           "x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) : j < i\n"
                                           "default L = triangular(n=12, seed=1)\ndefault b = random(seed=2)\n";

SmallSweep::SmallSweep(const std::string& text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto front_end = driver::run_front_end(sources.add("a.cyc", text), {}, diagnostics);
  const frontend::Checked& checked = *front_end.checked;
  auto inputs = driver::bind_inputs(checked.program(), {}, "", sources, diagnostics);
  EXPECT_TRUE(inputs) << diagnostics.render(false);
  sweep = {"a.cyc", text, inputs->bindings, {}, 1};
  expected = *recurrence::interpret(checked.program(), checked.types, checked.domains, sweep.bindings, {}, diagnostics);
  for (auto& [name, t] : sweep.bindings.tensors) t = *tensor::convert(t, tensor::dense_format(t.rank()), diagnostics);
}

std::vector<driver::Candidate> SmallSweep::candidates(const ProblemOptions& options) const {
  driver::OwnProgram own(sweep);
  Diagnostics diagnostics(own.sources());
  const auto problem = Problem::of(own.checked(), options, diagnostics);
  EXPECT_TRUE(problem) << diagnostics.render(false);
  std::vector<driver::Candidate> list;
  for (const std::uint64_t number : problem->pick(1000, 1)) {
    const Choice choice = problem->choice(number);
    list.push_back({choice, lower::print(choice.mapping), ""});
  }
  return list;
}

std::vector<Point> SmallSweep::points(const std::vector<driver::Candidate>& candidates, std::int64_t latency,
                                      std::int64_t depth) const {
  driver::ExploreSolver solver(sweep);
  driver::ExploreChecker checker(sweep, expected);
  std::vector<Point> list;
  for (const driver::Candidate& c : candidates) {
    list.push_back(solver.simulate(solver.compile(c), c.choice.tile, latency, depth));
    if (list.back().cycles) list.back().verdict = checker.verdict(list.back());
  }
  return list;
}

} // namespace cyclotron::explore
