// SPDX-License-Identifier: MIT
// An interrupt that asks long work to end after what is being done; a second one ends the process.
#pragma once

#include <atomic>
#include <csignal>

namespace cyclotron::driver {

// One at a time.
class InterruptWatch {
public:
  InterruptWatch() {
    flag() = false;
    before_ = std::signal(SIGINT, [](int) {
      flag() = true;
      std::signal(SIGINT, SIG_DFL);
    });
  }
  ~InterruptWatch() { std::signal(SIGINT, before_); }
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  static const std::atomic<bool>& asked() { return flag(); }

private:
  static std::atomic<bool>& flag() {
    static std::atomic<bool> asked = false;
    static_assert(std::atomic<bool>::is_always_lock_free);
    return asked;
  }
  void (*before_)(int) = nullptr;
};

} // namespace cyclotron::driver
