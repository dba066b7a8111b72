// SPDX-License-Identifier: MIT
#include "support/unfinished.hpp"

#include <array>
#include <csignal>
#include <mutex>

namespace cyclotron {

namespace {

constexpr std::array<int, 3> signals = {SIGHUP, SIGINT, SIGTERM};
volatile std::sig_atomic_t received = 0;

struct Waiting {
  std::mutex mutex;
  bool enabled = false;
  int works = 0;
  std::array<struct sigaction, signals.size()> before = {};
};

Waiting& waiting() {
  static Waiting one;
  return one;
}

} // namespace

void finish_work_when_interrupted() {
  const std::lock_guard lock(waiting().mutex);
  waiting().enabled = true;
}

Unfinished::Unfinished() {
  const std::lock_guard lock(waiting().mutex);
  if (!waiting().enabled || waiting().works++ > 0) return;
  received = 0;
  struct sigaction ours = {};
  ours.sa_handler = [](int signal) { received = signal; };
  for (std::size_t s = 0; s < signals.size(); ++s) {
    sigaction(signals[s], nullptr, &waiting().before[s]);
    if (waiting().before[s].sa_handler != SIG_IGN) sigaction(signals[s], &ours, nullptr);
  }
}

Unfinished::~Unfinished() {
  const std::lock_guard lock(waiting().mutex);
  if (!waiting().enabled || --waiting().works > 0) return;
  for (std::size_t s = 0; s < signals.size(); ++s) sigaction(signals[s], &waiting().before[s], nullptr);
  if (received != 0) raise(received);
}

bool is_interrupted() { return received != 0; }

} // namespace cyclotron
