// SPDX-License-Identifier: MIT
#include "explore/run.hpp"

#include "support/progress.hpp"

#include <algorithm>
#include <mutex>
#include <thread>

namespace cyclotron::explore {

namespace {

class Sweep {
public:
  Sweep(const std::vector<Job>& jobs, Journal* journal, const RunOptions& options)
      : jobs_(jobs), journal_(journal), options_(options), points_(jobs.size()) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      if (journal)
        if (const auto found = journal->finished().find(jobs[j].key); found != journal->finished().end())
          points_[j] = found->second;
      if (!points_[j]) open_.push_back(j);
    }
    result_.from_journal = jobs.size() - open_.size();
  }

  RunResult run() {
    Progress progress(options_.what, {static_cast<std::int64_t>(jobs_.size()), options_.unit});
    progress.advance_to(static_cast<std::int64_t>(result_.from_journal));
    const std::size_t wanted = options_.threads ? options_.threads : std::max(1U, std::thread::hardware_concurrency());
    {
      std::vector<std::jthread> threads;
      for (std::size_t t = 1; t < std::min(wanted, open_.size()); ++t) threads.emplace_back([&] { work(progress); });
      work(progress);
    }
    for (std::optional<Point>& point : points_)
      if (point) result_.points.push_back(std::move(*point));
    result_.interrupted = result_.points.size() < jobs_.size();
    return std::move(result_);
  }

private:
  bool stops() const { return options_.interrupt && options_.interrupt->load(std::memory_order_relaxed); }

  void work(Progress& progress) {
    while (!stops()) {
      const std::size_t next = next_.fetch_add(1, std::memory_order_relaxed);
      if (next >= open_.size()) return;
      finish(open_[next], progress);
    }
  }

  void finish(std::size_t job, Progress& progress) {
    Point point;
    bool failed = false;
    try {
      point = jobs_[job].make();
    } catch (const std::exception& problem) {
      failed = true;
      point = {};
      point.parameters["job"] = jobs_[job].key;
      point.verdict = std::string("failed: ") + problem.what();
    }
    const std::lock_guard lock(mutex_);
    if (journal_ && !failed && !journal_->add(jobs_[job].key, point)) result_.journal_failed = true;
    points_[job] = std::move(point);
    progress.advance_to(static_cast<std::int64_t>(result_.from_journal + ++result_.made));
  }

  const std::vector<Job>& jobs_;
  Journal* journal_;
  const RunOptions& options_;
  std::vector<std::optional<Point>> points_;
  std::vector<std::size_t> open_; // jobs that are not in the journal
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  RunResult result_;
};

} // namespace

RunResult run(const std::vector<Job>& jobs, Journal* journal, const RunOptions& options) {
  return Sweep(jobs, journal, options).run();
}

} // namespace cyclotron::explore
