// SPDX-License-Identifier: MIT
// The journal of a sweep: a file with one line of JSON per finished point, so that a sweep that was interrupted goes on
// where it stopped.
//
//   {"journal": 1, "sweep": "…"}
//   {"key": "…", "point": { … }}
//
// `sweep` says what is swept: points of another program or other sizes are never mixed in. A last line that was cut off
// while it was written is dropped.
#pragma once

#include "explore/points.hpp"
#include "support/diagnostics.hpp"

#include <map>
#include <string>

namespace cyclotron::explore {

class Journal {
public:
  // Reads what is there, or begins a new file. Reports a file of another sweep, one that is damaged, one that cannot be
  // written, and one that another process has open.
  static std::optional<Journal> open(const std::string& path, const std::string& sweep, Diagnostics& diagnostics);

  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&&) = delete;
  ~Journal();

  // By key, those of earlier runs and those added since.
  const std::map<std::string, Point>& finished() const { return finished_; }

  // The line is in the file when this returns; false where it could not be written.
  bool add(const std::string& key, const Point& point);

private:
  Journal(int file, std::map<std::string, Point> finished) : file_(file), finished_(std::move(finished)) {}
  int file_ = -1;
  std::map<std::string, Point> finished_;
};

} // namespace cyclotron::explore
