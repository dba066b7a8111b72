// SPDX-License-Identifier: MIT
#include "support/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace cyclotron {

namespace {

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

bool color_welcome() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return !(no_color && *no_color) && !(term && std::string(term) == "dumb");
}

} // namespace

Progress::Progress(std::string what, std::int64_t total, bool visible)
    : what_(std::move(what)), total_(total), visible_(visible), start_(Clock::now()), last_(start_) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

// The clock is read rarely: the stride between looks adapts so that a look comes every few milliseconds.
void Progress::advance_to(std::int64_t done) {
  if (!visible_ || done < next_look_) return;
  const auto now = Clock::now();
  const double since = seconds(now - last_);
  if (since < 0.01) stride_ = std::min<std::int64_t>(stride_ * 2, std::int64_t{1} << 40);
  if (since > 0.1) stride_ = std::max<std::int64_t>(stride_ / 2, 1);
  next_look_ = done + stride_;
  if (seconds(now - start_) < 1.0 || since < 0.1) return;
  last_ = now;
  show(done);
}

void Progress::show(std::int64_t done) {
  shown_ = true;
  const double elapsed = seconds(Clock::now() - start_);
  if (total_ <= 0) {
    fmt::print(stderr, "\r\033[K{}: {:.0f} s", what_, elapsed);
  } else {
    const double part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total_));
    const double left = part > 0 ? elapsed * (1 - part) / part : 0;
    fmt::print(stderr, "\r\033[K{}: {:3.0f} % ({:.0f} s, about {:.0f} s left)", what_, 100 * part, elapsed, left);
  }
  std::fflush(stderr);
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }
bool stdout_is_terminal() { return isatty(STDOUT_FILENO) != 0; }
bool color_on_stderr() { return stderr_is_terminal() && color_welcome(); }
bool color_on_stdout() { return stdout_is_terminal() && color_welcome(); }

} // namespace cyclotron
