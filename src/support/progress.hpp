// SPDX-License-Identifier: MIT
// How far long work is. Who does the work keeps a `Progress` while it lasts, and stores now and then how much is done.
// A program that keeps a `ProgressDisplay` shows that on stderr, from a thread of its own, so that the work itself only
// stores a number. Without a display, as in a program that uses the library, nothing is shown and nothing is kept.
//
// On a terminal a line moves after a second and is erased in the end. In a pipe or a file a line comes every half
// minute, or as often as CYCLOTRON_PROGRESS_SECONDS says.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace cyclotron {

// What there is to do. A total of 0 is unknown. With a unit it is shown as `3 of 20 points`, without one as per cent.
struct Amount {
  std::int64_t total = 0;
  const char* unit = "";
};

class Progress {
public:
  explicit Progress(std::string what, Amount amount = {});
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Cheap, from any thread.
  void advance_to(std::int64_t done) { done_.store(done, std::memory_order_relaxed); }

  const std::string& what() const { return what_; }
  Amount amount() const { return amount_; }
  std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
  std::chrono::steady_clock::time_point begin() const { return begin_; }
  std::thread::id thread() const { return thread_; }

private:
  std::string what_;
  Amount amount_;
  std::atomic<std::int64_t> done_ = 0;
  std::chrono::steady_clock::time_point begin_;
  std::thread::id thread_; // that does the work
  bool listed_ = false;
};

// For programs, early in `main`: one at a time. Its thread starts with the first long work.
class ProgressDisplay {
public:
  ProgressDisplay();
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;
};

// Erases the line, and shows none from now on: for the last words of a program that ends in the middle of its work.
void stop_showing_progress();

} // namespace cyclotron
