// SPDX-License-Identifier: MIT
// Where the time of a rank goes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

namespace cyclotron::mpi {

struct Spent {
  std::uint64_t calls = 0;
  double seconds = 0;
  double work = 0; // multiplications and additions
};

struct Profile {
  std::map<std::string, Spent> kernels; // by name; elementwise operations on tiles as `elementwise`
  double waiting = 0;                   // with nothing to do
  double total = 0;
  std::uint64_t steps = 0;
  std::uint64_t pe_messages = 0, pe_bytes = 0;     // from PE to PE
  std::uint64_t rank_messages = 0, rank_bytes = 0; // to other ranks
};

inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace cyclotron::mpi
