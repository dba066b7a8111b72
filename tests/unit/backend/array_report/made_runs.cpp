// SPDX-License-Identifier: MIT
#include "made_runs.hpp"

#include <algorithm>

namespace cyclotron::array {

namespace {

constexpr std::uint64_t bytes_per_element = 8;

void does(PeStatistics& pe, Time begin, Time end, engine::Activity activity) {
  if (begin == end) return;
  (activity == engine::Activity::computes           ? pe.computing
   : activity == engine::Activity::waits_to_receive ? pe.receiving
                                                    : pe.sending) += end - begin;
  if (!pe.intervals.empty() && pe.intervals.back().activity == activity) pe.intervals.back().end = end;
  else pe.intervals.push_back({activity, begin, end});
}

// A step of one cycle, after waiting for what it receives; before its first step a PE is idle.
void step(PeStatistics& pe, Time at, int space) {
  if (pe.steps > 0) does(pe, pe.end, at, engine::Activity::waits_to_receive);
  does(pe, at, at + 1, engine::Activity::computes);
  ++pe.operating;
  pe.step_records.push_back({at, at + 1, space});
  if (pe.steps++ == 0) pe.begin = at;
  pe.end = at + 1;
}

void link(Statistics& s, const std::string& channel, const std::string& value, std::int64_t from, std::int64_t to,
          std::int64_t messages) {
  const auto count = static_cast<std::uint64_t>(messages);
  s.links.push_back({channel, value, static_cast<int>(from), static_cast<int>(to), count, bytes_per_element * count,
                     std::min<std::uint64_t>(count, 1)});
  s.pes[static_cast<std::size_t>(from)].sent += count;
  s.pes[static_cast<std::size_t>(to)].received += count;
}

void finish(Statistics& s) {
  s.active.assign(static_cast<std::size_t>(s.cycles), 0);
  for (const PeStatistics& pe : s.pes)
    for (const StepRecord& record : pe.step_records)
      for (Time t = record.begin; t < record.end; ++t) ++s.active[static_cast<std::size_t>(t)];
  for (const LinkStatistics& l : s.links) s.channel_operations += 2 * l.messages;
}

int ninth(std::int64_t at, std::int64_t extent) { return at == 0 ? 0 : at == extent - 1 ? 2 : 1; }

} // namespace

Statistics weight_stationary_run(std::int64_t rows, std::int64_t columns, std::int64_t m) {
  Statistics s;
  s.program = "matmul";
  s.schedule = "weight_stationary";
  s.axes = {"k", "j"};
  s.extents = {rows, columns};
  s.spaces = {"load", "C"};
  for (int role = 1; role <= 9; ++role) s.roles.push_back(std::to_string(role));
  s.cycles = 2 * rows + columns + m - 2;
  s.closed_form = "2R + C + M - 2";
  s.predicted = s.cycles;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      PeStatistics pe;
      pe.at = {r, c};
      pe.role = 3 * ninth(r, rows) + ninth(c, columns);
      for (Time t = r; t < rows; ++t) step(pe, t, 0);
      for (Time t = 0; t < m; ++t) step(pe, rows + r + c + t, 1);
      pe.loads = static_cast<std::uint64_t>((r == 0 ? rows : 0) + (c == 0 ? m : 0));
      pe.stores = static_cast<std::uint64_t>(r == rows - 1 ? m : 0);
      pe.memory_bytes = 3 * bytes_per_element;
      s.pes.push_back(std::move(pe));
    }
  for (std::int64_t p = 0; p < rows * columns; ++p) {
    const std::int64_t r = p / columns, c = p % columns;
    if (r + 1 < rows) link(s, "B_down", "B", p, p + columns, rows - 1 - r);
    if (c + 1 < columns) link(s, "A_right", "A", p, p + 1, m);
    if (r + 1 < rows) link(s, "C_down", "C", p, p + columns, m);
  }
  finish(s);
  return s;
}

Statistics triangular_solve_run(std::int64_t n) {
  Statistics s;
  s.program = "trsv";
  s.schedule = "stream x along i";
  s.axes = {"i"};
  s.extents = {n};
  s.spaces = {"update", "divide"};
  s.roles = {"first", "inner", "last"};
  s.cycles = 2 * n - 1;
  s.closed_form = "2n - 1";
  s.predicted = s.cycles;
  for (std::int64_t i = 0; i < n; ++i) {
    PeStatistics pe;
    pe.at = {i};
    pe.role = ninth(i, n);
    for (Time j = 0; j < i; ++j) step(pe, i + j, 0);
    step(pe, 2 * i, 1);
    pe.loads = static_cast<std::uint64_t>(i + 2);
    pe.stores = 1;
    pe.memory_bytes = 2 * bytes_per_element;
    s.pes.push_back(std::move(pe));
  }
  for (std::int64_t i = 0; i + 1 < n; ++i) link(s, "x_next", "x", i, i + 1, i + 1);
  finish(s);
  return s;
}

Statistics cannon_run(std::int64_t n) {
  Statistics s;
  s.program = "matmul";
  s.schedule = "cannon";
  s.axes = {"i", "j"};
  s.extents = {n, n};
  s.spaces = {"C"};
  s.roles = {"all"};
  s.cycles = n;
  for (std::int64_t p = 0; p < n * n; ++p) {
    PeStatistics pe;
    pe.at = {p / n, p % n};
    pe.role = 0;
    for (Time t = 0; t < n; ++t) step(pe, t, 0);
    s.pes.push_back(std::move(pe));
  }
  for (std::int64_t p = 0; p < n * n; ++p) {
    const std::int64_t i = p / n, j = p % n;
    link(s, "A_left", "A", p, i * n + (j + n - 1) % n, n - 1);
    link(s, "B_up", "B", p, (i + n - 1) % n * n + j, n - 1);
  }
  finish(s);
  return s;
}

Statistics without_records(Statistics statistics) {
  for (PeStatistics& pe : statistics.pes) {
    pe.intervals.clear();
    pe.step_records.clear();
  }
  return statistics;
}

} // namespace cyclotron::array
