// SPDX-License-Identifier: MIT
#include "driver/ends_ranks_first.hpp"

namespace cyclotron::driver {

namespace {

volatile std::sig_atomic_t received = 0;

} // namespace

EndsRanksFirst::EndsRanksFirst() {
  received = 0;
  struct sigaction ours = {};
  ours.sa_handler = [](int signal) { received = signal; };
  for (std::size_t s = 0; s < signals.size(); ++s) {
    sigaction(signals[s], nullptr, &before_[s]);
    if (before_[s].sa_handler != SIG_IGN) sigaction(signals[s], &ours, nullptr);
  }
}

EndsRanksFirst::~EndsRanksFirst() {
  for (std::size_t s = 0; s < signals.size(); ++s) sigaction(signals[s], &before_[s], nullptr);
  if (received != 0) raise(received);
}

bool EndsRanksFirst::is_wanted() { return received != 0; }

} // namespace cyclotron::driver
