// SPDX-License-Identifier: MIT
// Runs the jobs of a sweep on several threads, leaving out those that the journal has, until all are done or someone
// interrupts.
#pragma once

#include "explore/points.hpp"
#include "explore/resume.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace cyclotron::explore {

// The key names the job among all jobs, and is the same in the next run of the sweep.
struct Job {
  std::string key;
  std::function<Point()> make;
};

struct RunOptions {
  unsigned threads = 0;           // 0: as many as the machine has
  const char* what = "exploring"; // and of what so many are done, to show how far it is
  const char* unit = "points";
  const std::atomic<bool>* interrupt = nullptr; // once true, no further job begins; those that run are finished
};

struct RunResult {
  std::vector<Point> points; // in the order of the jobs; all of them unless interrupted
  std::size_t from_journal = 0, made = 0;
  bool interrupted = false;
  bool journal_failed = false; // a point could not be written to it
};

// A job that throws gives a point with the verdict `failed: …` that is not put in the journal, so that it is tried
// again.
RunResult run(const std::vector<Job>& jobs, Journal* journal, const RunOptions& options = {});

} // namespace cyclotron::explore
