// SPDX-License-Identifier: MIT
#include "driver/simulate_cluster.hpp"

#include "pe/cluster_time.hpp"
#include "report/colours.hpp"
#include "report/drawing.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <thread>

namespace cyclotron::driver {

std::optional<pe::MachineModel> figures_for(const ClusterOptions& options, Diagnostics& diagnostics) {
  if (options.machine.empty()) {
    MpiOptions here;
    here.ranks = std::max(1, std::min<int>(static_cast<int>(std::thread::hardware_concurrency()),
                                           *std::max_element(options.ranks.begin(), options.ranks.end())));
    return machine_for(here, diagnostics);
  }
  std::ifstream file(options.machine, std::ios::binary);
  if (!file) {
    diagnostics.error(fmt::format("--machine: `{}` cannot be read", options.machine));
    return std::nullopt;
  }
  auto model = pe::parse_machine(std::string(std::istreambuf_iterator<char>(file), {}));
  if (!model)
    diagnostics.error(fmt::format("--machine: `{}` has no figures of a machine", options.machine))
        .with_hint("`mpirun -np N cyclotron-mpi --measure FILE` writes such a file");
  return model;
}

std::optional<std::vector<ScalingPoint>> scale(const pe::Program& program, const ClusterOptions& options,
                                               Diagnostics& diagnostics) {
  const auto machine = figures_for(options, diagnostics);
  if (!machine) return std::nullopt;
  const pe::Executable executable(program);
  const pe::Trace trace = pe::trace(executable);
  if (!trace.problem.empty()) {
    diagnostics.error(trace.problem);
    return std::nullopt;
  }
  std::vector<ScalingPoint> points;
  Progress progress("predicting the time", {static_cast<std::int64_t>(options.ranks.size()), "numbers of ranks"});
  for (int ranks : options.ranks) {
    progress.advance_to(static_cast<std::int64_t>(points.size()));
    const pe::Placement placement = pe::place(executable, trace, ranks);
    const pe::ClusterTime time =
        pe::cluster_time(trace, placement, pe::own(executable, trace, placement), machine->cluster());
    double computing = 0;
    for (const pe::RankTime& r : time.ranks) computing += r.computing;
    points.push_back({ranks, time.seconds, time.seconds > 0 ? computing / (time.seconds * ranks) : 0, time.messages,
                      time.bytes, trace.work});
  }
  return points;
}

std::string table_of(const std::vector<ScalingPoint>& points) {
  std::string text =
      fmt::format("{:>7} {:>12} {:>12} {:>7} {:>10} {:>14}\n", "ranks", "seconds", "GF/s", "busy", "messages", "bytes");
  for (const ScalingPoint& p : points)
    text += fmt::format("{:>7} {:>12.6f} {:>12.1f} {:>6.0f}% {:>10} {:>14}\n", p.ranks, p.seconds,
                        p.seconds > 0 ? p.work / p.seconds / 1e9 : 0, 100 * p.busy, p.messages, p.bytes);
  return text;
}

std::string scaling_picture(const std::vector<ScalingPoint>& points, const std::string& title) {
  constexpr double width = 560, height = 360, left = 70, right = 20, top = 40, bottom = 50;
  using report::number;
  report::Drawing drawing;
  const auto limits = [](auto first, auto last, auto value) {
    double least = value(*first), most = least;
    for (auto p = first; p != last; ++p) least = std::min(least, value(*p)), most = std::max(most, value(*p));
    return std::pair(std::log2(least) - 0.2, std::log2(most) + 0.2);
  };
  const auto ranks_of = [](const ScalingPoint& p) { return static_cast<double>(p.ranks); };
  const auto seconds_of = [](const ScalingPoint& p) { return std::max(p.seconds, 1e-9); };
  const auto [x0, x1] = limits(points.begin(), points.end(), ranks_of);
  auto [y0, y1] = limits(points.begin(), points.end(), seconds_of);
  const double ideal_end = std::log2(seconds_of(points.front()) * ranks_of(points.front()) / std::exp2(x1 - 0.2));
  y0 = std::min(y0, ideal_end - 0.2);
  const auto x = [&, x0 = x0, x1 = x1](double ranks) {
    return left + (std::log2(ranks) - x0) / (x1 - x0) * (width - left - right);
  };
  const auto y = [&](double seconds) {
    return height - bottom - (std::log2(seconds) - y0) / (y1 - y0) * (height - top - bottom);
  };
  drawing.text(left, 22, title, "class=\"ink\" font-size=\"14\"");
  drawing.line(left, height - bottom, width - right, height - bottom, "class=\"rule\"");
  drawing.line(left, top, left, height - bottom, "class=\"rule\"");
  drawing.text((left + width - right) / 2, height - 10, "ranks",
               "class=\"ink\" text-anchor=\"middle\" font-size=\"12\"");
  drawing.text(left - 8, top - 8, "seconds", "class=\"ink\" text-anchor=\"end\" font-size=\"12\"");
  std::string path;
  for (const ScalingPoint& p : points) {
    const double px = x(p.ranks), py = y(seconds_of(p));
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", number(px), number(py));
    drawing.text(px, height - bottom + 16, std::to_string(p.ranks),
                 "class=\"ink\" text-anchor=\"middle\" font-size=\"11\"");
    drawing.text(px + 6, py - 6, fmt::format("{:.3g}", p.seconds), "class=\"ink\" font-size=\"10\"");
  }
  const double first = seconds_of(points.front()) * ranks_of(points.front()), last_ranks = ranks_of(points.back());
  drawing.path(fmt::format("M{} {}L{} {}", number(x(points.front().ranks)), number(y(seconds_of(points.front()))),
                           number(x(last_ranks)), number(y(first / last_ranks))),
               "class=\"rule\" fill=\"none\" stroke-dasharray=\"4 4\"", "every rank as busy as the first");
  drawing.path(path, fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"2\"", report::computing_colour));
  for (const ScalingPoint& p : points)
    drawing.rectangle(x(p.ranks) - 3, y(seconds_of(p)) - 3, 6, 6, fmt::format("fill=\"{}\"", report::computing_colour),
                      fmt::format("{} ranks: {:.4g} s, {:.0f} % busy", p.ranks, p.seconds, 100 * p.busy));
  return drawing.finish(width, height, "time over ranks");
}

} // namespace cyclotron::driver
