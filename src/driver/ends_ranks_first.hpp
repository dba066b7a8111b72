// SPDX-License-Identifier: MIT
// While ranks run, a signal that would end us ends them first, and then us: they are in a process group of their own,
// which a key at the terminal does not reach, and the temporary files are ours to remove.
#pragma once

#include <array>
#include <csignal>

namespace cyclotron::driver {

// Where a signal has come, it is raised again at the end of this. One at a time.
class EndsRanksFirst {
public:
  EndsRanksFirst();
  ~EndsRanksFirst();
  EndsRanksFirst(const EndsRanksFirst&) = delete;
  EndsRanksFirst& operator=(const EndsRanksFirst&) = delete;

  static bool is_wanted(); // whether a signal has come

private:
  static constexpr std::array<int, 3> signals = {SIGHUP, SIGINT, SIGTERM};
  std::array<struct sigaction, signals.size()> before_ = {};
};

} // namespace cyclotron::driver
