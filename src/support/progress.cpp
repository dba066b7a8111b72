// SPDX-License-Identifier: MIT
#include "support/progress.hpp"

#include "support/progress_line.hpp"
#include "support/terminal.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace cyclotron {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto between_looks = std::chrono::milliseconds(100);

double seconds_between_lines() {
  const char* text = std::getenv("CYCLOTRON_PROGRESS_SECONDS");
  char* end = nullptr;
  const double seconds = text ? std::strtod(text, &end) : 0;
  return text && end != text && *end == '\0' && seconds >= 0 ? seconds : 30;
}

// Past every buffer, since stderr has none: a line that could not be written is not missed.
void write_line(std::string_view text) {
  if (!text.empty() && ::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

// All that is under way, and the thread that shows it.
struct Board {
  std::atomic<bool> is_shown = false;
  std::atomic<bool> line_is_there = false; // one that moves, for the handler of signals
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<const Progress*> under_way;
  std::optional<ProgressLine> line;
  std::thread thread;

  void watch() {
    std::unique_lock lock(mutex);
    while (is_shown) {
      const auto now = Clock::now();
      if (!under_way.empty()) show(now);
      changed.wait_for(lock, between_looks);
    }
  }

  void show(Clock::time_point now) {
    const std::string text = line->show(progress_text(under_way, now), now);
    if (text.starts_with('\r')) line_is_there = true;
    write_line(text);
  }

  void erase() {
    if (line) write_line(line->erase());
    line_is_there = false;
  }

  // Signals are for the threads that work.
  void start_thread() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread = std::thread([this] { watch(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void open() {
    const std::lock_guard lock(mutex);
    line.reset(); // another may have been shown before
    is_shown = true;
  }

  void begin(const Progress& work) {
    const std::lock_guard lock(mutex);
    if (!line) line.emplace(line_can_move_on_stderr(), seconds_between_lines(), Clock::now());
    if (is_shown && !thread.joinable()) start_thread();
    under_way.push_back(&work);
  }

  void end(const Progress& work) {
    const std::lock_guard lock(mutex);
    under_way.erase(std::find(under_way.begin(), under_way.end(), &work));
    if (under_way.empty()) erase();
  }

  void stop() {
    const std::lock_guard lock(mutex);
    is_shown = false;
    erase();
    changed.notify_all();
  }
};

// Never destroyed: a thread that still works while the program ends may look at it.
Board& board() {
  static Board& one = *new Board;
  return one;
}

// Who interrupts us at a terminal finds no half line there.
void erase_and_end(int signal) {
  board().is_shown = false;
  if (board().line_is_there) write_line("\r\033[K");
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

} // namespace

Progress::Progress(std::string what, Amount amount) : what_(std::move(what)), amount_(amount) {
  if (!board().is_shown.load(std::memory_order_relaxed)) return;
  begin_ = Clock::now();
  thread_ = std::this_thread::get_id();
  listed_ = true;
  board().begin(*this);
}

Progress::~Progress() {
  if (listed_) board().end(*this);
}

ProgressDisplay::ProgressDisplay() {
  board().open();
  if (!line_can_move_on_stderr()) return;
  for (const int signal : {SIGHUP, SIGINT, SIGTERM})
    if (std::signal(signal, erase_and_end) == SIG_IGN) std::signal(signal, SIG_IGN);
}

ProgressDisplay::~ProgressDisplay() {
  stop_showing_progress();
  if (board().thread.joinable()) board().thread.join();
}

void stop_showing_progress() { board().stop(); }

} // namespace cyclotron
