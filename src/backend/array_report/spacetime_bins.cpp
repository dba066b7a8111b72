// SPDX-License-Identifier: MIT
#include "backend/array_report/spacetime_bins.hpp"

#include <algorithm>

namespace cyclotron::array_report {

namespace {

std::int64_t over(std::int64_t count, std::int64_t group) { return (count + group - 1) / group; }

// Rows of the picture hold whole rows of the grid, or equal parts of one.
std::int64_t pes_per_row(std::int64_t pes, std::int64_t columns, std::int64_t most_rows) {
  std::int64_t count = std::max<std::int64_t>(1, over(pes, most_rows));
  if (pes == columns) return count;
  while (count % columns != 0 && columns % count != 0) ++count;
  return count;
}

// Cycles per kind for each bin of one row; kinds count from `idles`.
using Amounts = std::vector<std::vector<Time>>;

void add(Amounts& amounts, const Stretch& stretch, Time per_column) {
  for (Time at = stretch.begin; at < stretch.end;) {
    const auto column = static_cast<std::size_t>(at / per_column);
    if (column >= amounts.size()) return;
    const Time until = std::min(stretch.end, static_cast<Time>(column + 1) * per_column);
    amounts[column][static_cast<std::size_t>(stretch.kind - idles)] += until - at;
    at = until;
  }
}

Bin largest(const std::vector<Time>& amounts, Time all) {
  const auto most = std::max_element(amounts.begin(), amounts.end());
  if (*most == 0 || all == 0) return {};
  return {static_cast<int>(most - amounts.begin()) + idles, static_cast<double>(*most) / static_cast<double>(all)};
}

} // namespace

std::vector<Stretch> stretches_of(const PeStatistics& pe) {
  std::vector<Stretch> list;
  for (const array::StepRecord& step : pe.step_records)
    if (step.end > step.begin) list.push_back({step.begin, step.end, step.space});
  for (const engine::Interval& interval : pe.intervals) {
    if (interval.activity == engine::Activity::waits_to_receive)
      list.push_back({interval.begin, interval.end, waits_to_receive});
    else if (interval.activity == engine::Activity::waits_to_send)
      list.push_back({interval.begin, interval.end, waits_to_send});
    else if (pe.step_records.empty()) list.push_back({interval.begin, interval.end, computes});
  }
  if (pe.step_records.empty() && pe.intervals.empty() && pe.end > pe.begin)
    list.push_back({pe.begin, pe.end, between_steps});
  return list;
}

Bins bins_of(const Statistics& s, std::int64_t most_rows, std::int64_t most_columns) {
  const auto pes = static_cast<std::int64_t>(s.pes.size());
  Bins out;
  out.pes_per_row = pes_per_row(pes, shape_of(s).columns, most_rows);
  out.cycles_per_column = std::max<Time>(1, over(s.cycles, most_columns));
  out.rows = over(pes, out.pes_per_row);
  out.columns = over(s.cycles, out.cycles_per_column);
  const std::size_t kinds = s.spaces.size() + static_cast<std::size_t>(-idles);
  for (std::int64_t row = 0; row < out.rows; ++row) {
    Amounts amounts(static_cast<std::size_t>(out.columns), std::vector<Time>(kinds, 0));
    const std::int64_t first = row * out.pes_per_row, end = std::min(pes, first + out.pes_per_row);
    for (std::int64_t p = first; p < end; ++p)
      for (const Stretch& stretch : stretches_of(s.pes[static_cast<std::size_t>(p)]))
        add(amounts, stretch, out.cycles_per_column);
    for (std::int64_t c = 0; c < out.columns; ++c) {
      const Time cycles = std::min(out.cycles_per_column, s.cycles - c * out.cycles_per_column);
      out.bins.push_back(largest(amounts[static_cast<std::size_t>(c)], cycles * (end - first)));
    }
  }
  return out;
}

} // namespace cyclotron::array_report
