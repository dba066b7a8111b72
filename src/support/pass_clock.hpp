// SPDX-License-Identifier: MIT
// Where the time of a command goes, pass by pass, for `--time-passes`.
//
// A thread that has a clock is in the pass that it began last and has not ended. The time until the next beginning or
// end belongs to that pass alone, so a pass that calls others has only what it does itself, and the times of all passes
// add up. What no pass covers is in no row: only the total has it.
//
//   PassClock clock;                      // from here on this thread has a clock
//   { const TimedPass parsing("parse"); …; }
//   fmt::print(stderr, "{}", clock.table());
//
// Passes that run again and again are added up under their name, with the number of times that they ran.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron {

class PassClock {
public:
  // One clock for a thread. Its first row is what happened before: the process was loaded, the command line read.
  PassClock();
  ~PassClock();
  PassClock(const PassClock&) = delete;
  PassClock& operator=(const PassClock&) = delete;

  struct Row {
    std::string name;
    int runs = 0;
    double seconds = 0;
    double isl_seconds = 0; // of these, inside isl
  };
  const std::vector<Row>& rows() const { return rows_; }

  // Since the process began.
  double total_seconds() const;

  // A line for every pass, in the order in which they first ran, and the total.
  std::string table() const;

private:
  friend class TimedPass;
  using Time = std::chrono::steady_clock;

  void begin(std::string_view name);
  void end();
  void account(); // the time until now to the pass that runs
  Row& row_of(std::string_view name);

  std::vector<Row> rows_;
  std::vector<std::size_t> running_; // rows, the innermost pass last
  Time::time_point last_;
  double last_isl_ = 0;
};

// While it lives, this thread is in the pass of that name. Costs next to nothing where the thread has no clock.
class TimedPass {
public:
  explicit TimedPass(std::string_view name);
  ~TimedPass();
  TimedPass(const TimedPass&) = delete;
  TimedPass& operator=(const TimedPass&) = delete;

private:
  PassClock* clock_;
};

// isl's share is counted at the calls into isl: every entry that is noted here is followed by its return. An entry
// inside another one, as when isl calls a function of ours that asks isl again, changes nothing, so such a function
// counts as isl's work. Nothing is counted in a thread without a clock.
//
// Who tells: `tools/cyclotron/isl_calls.cpp` for all of isl's C++ interface, and InsideIsl where we use its C functions
// for work worth mentioning.
void entered_isl();
void returned_from_isl();

struct InsideIsl {
  InsideIsl() { entered_isl(); }
  ~InsideIsl() { returned_from_isl(); }
  InsideIsl(const InsideIsl&) = delete;
  InsideIsl& operator=(const InsideIsl&) = delete;
};

} // namespace cyclotron
