// SPDX-License-Identifier: MIT
#include "support/pass_clock.hpp"

#include "support/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <time.h>

namespace cyclotron {

namespace {

using Steady = std::chrono::steady_clock;

double seconds_between(Steady::time_point from, Steady::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

// When the process began. The system tells that to a hundredth of a second only; the processor time that was used
// before any code of ours ran, by the dynamic linker above all, is known better.
Steady::time_point find_start() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return Steady::now() - std::chrono::seconds(used.tv_sec) - std::chrono::nanoseconds(used.tv_nsec);
}
const Steady::time_point process_start = find_start();

struct IslTime {
  bool counts = false; // this thread has a clock
  int depth = 0;       // of calls into isl inside each other
  Steady::time_point since;
  double seconds = 0;
};

thread_local PassClock* clock_of_thread = nullptr;
thread_local IslTime isl_time;

std::string pass_line(const std::string& name, const std::string& runs, double seconds, double isl_seconds) {
  const double share = seconds > 0 ? 100 * isl_seconds / seconds : 0;
  return fmt::format("{:<24}{:>6} {:>10.2f} ms {:>6.0f} %\n", name, runs, seconds * 1e3, share);
}

} // namespace

PassClock::PassClock() : last_(Time::now()) {
  if (clock_of_thread) bug("a thread has two clocks");
  clock_of_thread = this;
  isl_time = {};
  isl_time.counts = true;
  rows_.push_back({"start", 1, seconds_between(process_start, last_), 0});
}

PassClock::~PassClock() {
  clock_of_thread = nullptr;
  isl_time.counts = false;
}

PassClock::Row& PassClock::row_of(std::string_view name) {
  const auto at = std::find_if(rows_.begin(), rows_.end(), [&](const Row& r) { return r.name == name; });
  if (at != rows_.end()) return *at;
  return rows_.emplace_back(Row{std::string(name), 0, 0, 0});
}

void PassClock::account() {
  const Time::time_point now = Time::now();
  if (!running_.empty()) {
    Row& row = rows_[running_.back()];
    row.seconds += seconds_between(last_, now);
    row.isl_seconds += isl_time.seconds - last_isl_;
  }
  last_ = now;
  last_isl_ = isl_time.seconds;
}

void PassClock::begin(std::string_view name) {
  account();
  Row& row = row_of(name);
  ++row.runs;
  running_.push_back(static_cast<std::size_t>(&row - rows_.data()));
}

void PassClock::end() {
  account();
  running_.pop_back();
}

double PassClock::total_seconds() const { return seconds_between(process_start, Time::now()); }

std::string PassClock::table() const {
  const double total = total_seconds();
  std::string out = fmt::format("{:<24}{:>6} {:>13} {:>8}\n", "pass", "runs", "time", "in isl");
  double isl_seconds = 0;
  for (const Row& r : rows_) {
    out += pass_line(r.name, r.runs > 1 ? std::to_string(r.runs) : "", r.seconds, r.isl_seconds);
    isl_seconds += r.isl_seconds;
  }
  return out + pass_line("total", "", total, isl_seconds);
}

TimedPass::TimedPass(std::string_view name) : clock_(clock_of_thread) {
  if (clock_) clock_->begin(name);
}

TimedPass::~TimedPass() {
  if (clock_) clock_->end();
}

void entered_isl() {
  if (isl_time.counts && isl_time.depth++ == 0) isl_time.since = Steady::now();
}

void returned_from_isl() {
  if (isl_time.counts && isl_time.depth > 0 && --isl_time.depth == 0)
    isl_time.seconds += seconds_between(isl_time.since, Steady::now());
}

} // namespace cyclotron
