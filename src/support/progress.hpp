// SPDX-License-Identifier: MIT
// A line of progress on a terminal for work that takes more than a second; nothing in a pipe.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace cyclotron {

class Progress {
public:
  // `total` of 0 means unknown. Nothing is shown unless `visible`.
  Progress(std::string what, std::int64_t total, bool visible);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance_to(std::int64_t done);

private:
  void show(std::int64_t done);

  std::string what_;
  std::int64_t total_;
  bool visible_;
  bool shown_ = false;
  std::int64_t next_look_ = 0;
  std::int64_t stride_ = 1;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

// Progress goes to stderr: true where that is a terminal.
bool stderr_is_terminal();
bool stdout_is_terminal();

// True where colour is welcome on that stream: a terminal, and NO_COLOR not set.
bool color_on_stderr();
bool color_on_stdout();

} // namespace cyclotron
