// SPDX-License-Identifier: MIT
// Figure 11: the product of two dense matrices where a sparse one has entries (SDDMM): in two steps, through a dense
// temporary; in one, with all levels walked through together; in one, with the dense ones looked up.
#include "study/runner.hpp"

#include <fmt/format.h>

namespace cyclotron::study {
namespace {

const std::string tensors = "tensor B(n_i, n_j): dcsr\n"
                            "tensor C(n_i, n_k): dense\n"
                            "tensor D(n_k, n_j): {dense, dense} order (1,0)\n"
                            "tensor X(n_i, n_j): dcsr\n";

struct Form {
  std::string name;
  std::string program;
};

const std::vector<Form> forms = {
    {"unfused", tensors + "tensor T(n_i, n_j): dense\n"
                          "T(i,j) = C(i,k) * D(k,j)\n"
                          "X(i,j) = B(i,j) * T(i,j)\n"},
    {"fused, co-iteration", tensors + "X(i,j) = B(i,j) * C(i,k) * D(k,j)\n"},
    {"fused, locate", tensors + "X(i,j) = B(i,j) * C(i,k) * D(k,j)\n"
                                "schedule located {\n  locate C along i\n  locate D along j\n}\n"},
};

} // namespace

std::optional<StudyReport> study_fusion(StudyRunner& runner) {
  const bool quick = runner.options().quick;
  const std::int64_t n = quick ? 25 : 250;
  const std::vector<std::int64_t> depths =
      quick ? std::vector<std::int64_t>{1, 10} : std::vector<std::int64_t>{1, 10, 100};
  StudyReport report;
  report.title = fmt::format("X(i,j) = B(i,j) * C(i,k) * D(k,j), I = J = {}, 95% of B zero, C and D dense", n);
  report.columns = {"K"};
  explore::Panel panel{"", "K", "cycles", explore::ChartKind::bars, false, true, {}, {}};
  for (const Form& form : forms) {
    report.columns.push_back(form.name);
    panel.series.push_back({form.name, {}, {}, false});
  }
  report.columns.push_back("locate gains");
  runner.begin("forms", static_cast<std::int64_t>(depths.size() * forms.size()));
  const auto b = runner.random({n, n}, 0.05, 1);
  for (std::int64_t k : depths) {
    const auto c = runner.random({n, k}, 1, 2), d = runner.random({k, n}, 1, 3);
    if (!b || !c || !d) return std::nullopt;
    const StudyInputs inputs{{{"n_i", n}, {"n_j", n}, {"n_k", k}}, {{"B", *b}, {"C", *c}, {"D", *d}}};
    auto& row = report.rows.emplace_back(std::vector<Cell>{k});
    panel.categories.push_back(std::to_string(k));
    for (std::size_t f = 0; f < forms.size(); ++f) {
      const auto run = runner.run(forms[f].program, inputs);
      if (!run) return std::nullopt;
      row.push_back(run->result.cycles);
      panel.series[f].y.push_back(static_cast<double>(run->result.cycles));
      runner.advance();
    }
    row.push_back(panel.series[1].y.back() / panel.series[2].y.back());
  }
  report.notes = {"Cycles. The first step of the unfused form computes every element of the dense product.",
                  "Locating gains less as K grows: the walk along k hides the walk along i and j."};
  report.chart = {report.title, {panel}};
  return report;
}

} // namespace cyclotron::study
