// SPDX-License-Identifier: MIT
// Figure 12: the sparse matrix product in its six loop orders. Storage follows the loops, so that every order walks
// through its operands as they lie in memory.
#include "study/runner.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::study {
namespace {

struct Order {
  std::string loops;
  std::string algorithm;
};

const std::vector<Order> orders = {
    {"ijk", "inner product"},          {"jik", "inner product"}, {"ikj", "combination of rows"},
    {"jki", "combination of columns"}, {"kij", "outer product"}, {"kji", "outer product"},
};

std::string tensor_line(const std::string& name, char row, char column, const std::string& loops) {
  return fmt::format("tensor {}(n_{}, n_{}): {{compressed, compressed}} order ({})\n", name, row, column,
                     loops.find(row) < loops.find(column) ? "0,1" : "1,0");
}

std::string program_of(const std::string& loops) {
  return tensor_line("B", 'i', 'k', loops) + tensor_line("C", 'k', 'j', loops) + tensor_line("X", 'i', 'j', loops) +
         fmt::format("X(i,j) = B(i,k) * C(k,j)\nschedule given {{\n  order {}, {}, {}\n}}\n", loops[0], loops[1],
                     loops[2]);
}

} // namespace

std::optional<StudyReport> study_orders(StudyRunner& runner) {
  const std::int64_t n = runner.options().quick ? 40 : 250, k = runner.options().quick ? 16 : 100;
  const auto b = runner.random({n, k}, 0.05, 1), c = runner.random({k, n}, 0.05, 2);
  if (!b || !c) return std::nullopt;
  const StudyInputs inputs{{{"n_i", n}, {"n_j", n}, {"n_k", k}}, {{"B", *b}, {"C", *c}}};
  StudyReport report;
  report.title = fmt::format("X(i,j) = B(i,k) * C(k,j), I = J = {}, K = {}, 95% of B and C zero", n, k);
  report.columns = {"order", "algorithm", "cycles", "tokens", "of the best"};
  explore::Panel panel{"", "", "cycles", explore::ChartKind::bars, false, true, {}, {{"", {}, {}, false}}};
  runner.begin("loop orders", static_cast<std::int64_t>(orders.size()));
  for (const Order& order : orders) {
    const auto run = runner.run(program_of(order.loops), inputs);
    if (!run) return std::nullopt;
    report.rows.push_back({order.loops, order.algorithm, run->result.cycles, run->result.tokens});
    panel.categories.push_back(order.loops);
    panel.series[0].y.push_back(static_cast<double>(run->result.cycles));
    runner.advance();
  }
  const double best = *std::ranges::min_element(panel.series[0].y);
  for (std::size_t r = 0; r < report.rows.size(); ++r) report.rows[r].push_back(panel.series[0].y[r] / best);
  report.notes = {"The further out k stands, the earlier coordinates that only one matrix has are dropped."};
  report.chart = {report.title, {panel}};
  return report;
}

} // namespace cyclotron::study
