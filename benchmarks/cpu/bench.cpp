// SPDX-License-Identifier: MIT
#include "bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cyclotron::bench {

bool Bench::wants(const std::string& group, const std::string& input) const {
  return !options_.only || std::regex_search(group + "/" + input, *options_.only);
}

void Bench::add(Row row) {
  fmt::print("{}\n", text_of(row));
  std::fflush(stdout);
  rows_.push_back(std::move(row));
}

void Bench::attempt(const Row& row, const std::function<void()>& body) {
  try {
    body();
  } catch (const Unavailable& reason) {
    Row failed = row;
    failed.state = Row::State::unavailable;
    failed.remark = reason.what();
    add(std::move(failed));
  }
}

void Bench::compare(Row row, const Side& ours, const Side& rival, const std::function<Difference()>& difference) {
  if (!wants(row.group, row.input)) return;
  attempt(row, [&] {
    for (const Side* side : {&ours, &rival}) {
      if (side->prepare) side->prepare();
      side->run();
    }
    if (const Difference d = difference()) {
      row.state = Row::State::wrong;
      row.remark = *d;
    } else {
      row.times = measure(ours, rival, options_.seconds);
    }
    add(row);
  });
}

Difference compare_values(const double* got, const double* expected, std::size_t count, double tolerance) {
  double largest = 0, apart = 0;
  std::size_t where = 0;
  for (std::size_t k = 0; k < count; ++k) {
    largest = std::max(largest, std::fabs(expected[k]));
    const double d = std::fabs(got[k] - expected[k]);
    if (!(d <= apart)) { // NaN counts
      apart = d;
      where = k;
    }
    if (std::isnan(d)) break;
  }
  if (apart <= tolerance * largest) return std::nullopt;
  return fmt::format("value {}: {} instead of {}, and {} is the tolerance relative to {}", where, got[where],
                     expected[where], tolerance, largest);
}

} // namespace cyclotron::bench
