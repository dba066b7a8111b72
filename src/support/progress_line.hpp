// SPDX-License-Identifier: MIT
// The words that say how far long work is, and when they are written. Nothing here looks at a clock: tests have their
// own.
#pragma once

#include "support/progress.hpp"

#include <string>
#include <vector>

namespace cyclotron {

using ProgressTime = std::chrono::steady_clock::time_point;

// Of all that is under way, from the oldest to the youngest: `choosing axes: 2 of 9 choices (40 s), now rehearsing: 1.2
// million steps (3 s)`. First the oldest whose total is known, else the youngest. What happens within it on the same
// thread follows once it has lasted for a second.
std::string progress_text(const std::vector<const Progress*>& under_way, ProgressTime now);

// A moment of a Progress: `reading A.mtx: 40 % (12 s, about 20 s left)`.
std::string progress_text(const std::string& what, Amount amount, std::int64_t done, double seconds);

// The line on stderr, which moves on a terminal. What the functions return is to be written there.
class ProgressLine {
public:
  // `seconds_between` two lines that stay.
  ProgressLine(bool moves, double seconds_between, ProgressTime begin)
      : moves_(moves), seconds_between_(seconds_between), begin_(begin), last_(begin) {}

  std::string show(const std::string& text, ProgressTime now);
  std::string erase();

private:
  bool moves_;
  double seconds_between_;
  ProgressTime begin_, last_;
  std::string shown_; // where it moves
};

} // namespace cyclotron
