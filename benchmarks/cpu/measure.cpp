// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace cyclotron::bench {

namespace {

constexpr int fewest_rounds = 7;
constexpr double shortest_sample = 1e-3; // quicker calls are repeated until a sample takes this long

double median(std::vector<double> list) {
  const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
  std::nth_element(list.begin(), middle, list.end());
  return *middle;
}

// Whether the median is known to half a percent. Of samples that have nothing to do with each other, 19 times in 20 it
// lies between those that are a square root of their number apart from the middle.
bool is_settled(std::vector<double> list) {
  const auto size = static_cast<double>(list.size());
  const double low = size / 2 - std::sqrt(size), high = size / 2 + std::sqrt(size);
  if (low < 0 || high > size - 1) return false;
  std::sort(list.begin(), list.end());
  const auto at = [&](double place) { return list[static_cast<std::size_t>(place)]; };
  return at(std::ceil(high)) - at(std::floor(low)) < 0.01 * at(size / 2);
}

double now(bool threads) {
  timespec t{};
  clock_gettime(threads ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Looking at the clock takes a while, too.
double cost_of_looking() {
  static const double cost = [] {
    double least = 1;
    for (int k = 0; k < 1000; ++k) {
      const double start = now(false);
      least = std::min(least, now(false) - start);
    }
    return least;
  }();
  return cost;
}

double sample(const Side& side, int calls) {
  double total = 0;
  for (int c = 0; c < calls; ++c) total += seconds_of(side);
  return total / calls;
}

int calls_for(const Side& side) {
  const double once = std::min(seconds_of(side), seconds_of(side));
  return std::clamp(static_cast<int>(shortest_sample / std::max(once, 1e-9)), 1, 1000);
}

} // namespace

double seconds_of(const Side& side) {
  if (side.prepare) side.prepare();
  const double start = now(side.threads);
  side.run();
  return std::max(now(side.threads) - start - (side.threads ? 0 : cost_of_looking()), 1e-9);
}

Medians measure(const Side& ours, const Side& rival, double seconds) {
  const int our_calls = calls_for(ours), rival_calls = calls_for(rival);
  std::vector<double> our_times, rival_times, ratios;
  const double start = now(true);
  const auto goes_on = [&](int rounds) {
    const double taken = now(true) - start;
    if (rounds < fewest_rounds || taken < seconds / 4) return true;
    return taken < seconds && (rounds % 8 != 0 || !is_settled(ratios));
  };
  for (int round = 0; goes_on(round); ++round) {
    our_times.push_back(sample(ours, our_calls));
    rival_times.push_back(sample(rival, rival_calls));
    ratios.push_back(rival_times.back() / our_times.back());
  }
  return {median(our_times), median(rival_times), median(ratios), static_cast<int>(ratios.size())};
}

} // namespace cyclotron::bench
