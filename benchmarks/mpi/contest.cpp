// SPDX-License-Identifier: MIT
#include "contest.hpp"

#include "residual.hpp"

#include <algorithm>

#include <mpi.h>

namespace cyclotron::bench {

namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

} // namespace

bool Measurement::right() const { return residual <= tolerance; }

double time_once(const Contestant& contestant) {
  contestant.prepare();
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  contestant.run();
  double seconds = MPI_Wtime() - start;
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

std::vector<Measurement> measure(const Problem& problem, const std::vector<Contestant>& contestants, int repeat) {
  std::vector<Measurement> measurements;
  for (const Contestant& contestant : contestants) {
    time_once(contestant);
    const double residual = contestant.result ? relative_residual(problem, contestant.result()) : -1;
    measurements.push_back({contestant.name, contestant.settings, {}, 0, 0, residual});
  }
  for (int round = 0; round < repeat; ++round)
    for (std::size_t i = 0; i < contestants.size(); ++i) measurements[i].seconds.push_back(time_once(contestants[i]));
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    measurements[i].median = median_of(measurements[i].seconds);
    measurements[i].gflops = contestants[i].flops / measurements[i].median / 1e9;
  }
  return measurements;
}

std::size_t fastest(const std::vector<std::function<Contestant()>>& candidates) {
  struct Trial {
    std::size_t candidate;
    double seconds;
  };
  const auto quicker = [](const Trial& x, const Trial& y) { return x.seconds < y.seconds; };
  std::vector<Trial> trials;
  for (std::size_t i = 0; i < candidates.size(); ++i) trials.push_back({i, time_once(candidates[i]())});
  std::sort(trials.begin(), trials.end(), quicker);
  trials.resize(std::min<std::size_t>(trials.size(), 4));
  for (Trial& trial : trials) {
    const Contestant contestant = candidates[trial.candidate]();
    for (int again = 0; again < 2; ++again) trial.seconds = std::min(trial.seconds, time_once(contestant));
  }
  return std::min_element(trials.begin(), trials.end(), quicker)->candidate;
}

} // namespace cyclotron::bench
