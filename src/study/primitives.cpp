// SPDX-License-Identifier: MIT
// Table 1: how many blocks of each kind twelve expressions need, beside the published counts. Every graph is also run
// on small random tensors.
#include "stream/counts.hpp"
#include "study/algorithm.hpp"

#include <fmt/format.h>

namespace cyclotron::study {
namespace {

using stream::Counts;

struct Kernel {
  std::string name;
  Algorithm algorithm;
  Counts published;
};

Counts published(int scan, int repeat, int intersect, int unite, int alu, int reduce, int drop, int write, int array) {
  return {scan, repeat, intersect, unite, alu, reduce, drop, write, array, 0};
}

const std::vector<Kernel> kernels = {
    {"SpMV", {"x(i) = B(i,j) * c(j)", "x s, B ss, c s"}, published(3, 1, 1, 0, 1, 1, 1, 2, 2)},
    {"SpM*SpM ijk", {"X(i,j) = B(i,k) * C(k,j)", "X ss, B ss, C ss10", "ijk"}, published(4, 2, 1, 0, 1, 1, 2, 3, 2)},
    {"SpM*SpM ikj", {"X(i,j) = B(i,k) * C(k,j)", "X ss, B ss, C ss", "ikj"}, published(4, 2, 1, 0, 1, 1, 1, 3, 2)},
    {"SpM*SpM kij", {"X(i,j) = B(i,k) * C(k,j)", "X ss, B ss10, C ss", "kij"}, published(4, 2, 1, 0, 1, 1, 0, 3, 2)},
    {"SDDMM", {"X(i,j) = B(i,j) * C(i,k) * D(j,k)", "X ss, B ss, C ss, D ss"}, published(6, 3, 3, 0, 2, 1, 2, 3, 3)},
    {"InnerProd", {"x = B(i,j,k) * C(i,j,k)", "B sss, C sss"}, published(6, 0, 3, 0, 1, 3, 0, 1, 2)},
    {"TTV", {"X(i,j) = B(i,j,k) * c(k)", "X ss, B sss, c s"}, published(4, 2, 1, 0, 1, 1, 2, 3, 2)},
    {"TTM", {"X(i,j,k) = B(i,j,l) * C(k,l)", "X sss, B sss, C ss"}, published(5, 3, 1, 0, 1, 1, 3, 4, 2)},
    {"MTTKRP",
     {"X(i,j) = B(i,k,l) * C(j,k) * D(j,l)", "X ss, B sss, C ss, D ss", "ijkl"},
     published(7, 5, 3, 0, 2, 2, 3, 3, 3)},
    {"Residual", {"x(i) = b(i) - C(i,j) * d(j)", "x s, b s, C ss, d s"}, published(4, 1, 1, 1, 2, 1, 1, 2, 3)},
    {"MatTransMul",
     {"x(i) = b * C(j,i) * d(j) + e * f(i)", "x s, C ss10, d s, f s"},
     published(4, 4, 1, 1, 4, 1, 1, 2, 5)},
    {"MMAdd", {"X(i,j) = B(i,j) + C(i,j)", "X ss, B ss, C ss"}, published(4, 0, 0, 2, 1, 0, 0, 3, 2)},
    {"Plus3", {"X(i,j) = B(i,j) + C(i,j) + D(i,j)", "X ss, B ss, C ss, D ss"}, published(6, 0, 0, 2, 2, 0, 0, 3, 3)},
    {"Plus2", {"X(i,j,k) = B(i,j,k) + C(i,j,k)", "X sss, B sss, C sss"}, published(6, 0, 0, 3, 1, 0, 0, 4, 2)},
};

struct Column {
  const char* name;
  int Counts::*count;
};
const std::vector<Column> columns = {
    {"scan", &Counts::scan},   {"repeat", &Counts::repeat}, {"intersect", &Counts::intersect},
    {"union", &Counts::unite}, {"alu", &Counts::alu},       {"reduce", &Counts::reduce},
    {"drop", &Counts::drop},   {"write", &Counts::write},   {"array", &Counts::array},
};

std::string differences(const Counts& ours, const Counts& published) {
  std::string text;
  for (const Column& c : columns)
    if (ours.*c.count != published.*c.count)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", c.name, published.*c.count);
  return text.empty() ? "equal" : text;
}

} // namespace

std::optional<StudyReport> study_primitives(StudyRunner& runner) {
  StudyReport report;
  report.title = "Blocks of twelve expressions, all tensors compressed";
  report.columns = {"kernel", "equation"};
  explore::Panel panel{"", "", "blocks", explore::ChartKind::stacked, false, false, {}, {}};
  for (const Column& c : columns) {
    report.columns.emplace_back(c.name);
    panel.series.push_back({c.name, {}, {}, false});
  }
  report.columns.emplace_back("published");
  runner.begin("kernels", static_cast<std::int64_t>(kernels.size()));
  for (const Kernel& kernel : kernels) {
    const auto inputs = small_inputs(kernel.algorithm, runner);
    const auto run = inputs ? runner.run(program_of(kernel.algorithm), *inputs) : std::nullopt;
    if (!run) return std::nullopt;
    const Counts counts = stream::counts_of(run->program.phases);
    auto& row = report.rows.emplace_back(std::vector<Cell>{kernel.name, kernel.algorithm.equation});
    panel.categories.push_back(kernel.name);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      row.push_back(counts.*columns[c].count);
      panel.series[c].y.push_back(counts.*columns[c].count);
    }
    row.push_back(differences(counts, kernel.published));
    runner.advance();
  }
  report.notes = {
      "published: what the published table counts otherwise.",
      "Residual and MatTransMul: the published coordinate dropper would lose the coordinates of x that only the added "
      "vector has; the sum keeps them, so there is nothing to drop.",
      "SpM*SpM ikj: the reducer of rows leaves out rows without points by itself; a dropper in front of it has no "
      "effect. "
      "The published table states a range of 0 to 2 for all orders.",
      "Every graph was run on random tensors and computed what its equation means.",
  };
  report.chart = {report.title, {panel}};
  return report;
}

} // namespace cyclotron::study
