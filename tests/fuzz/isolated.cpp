// SPDX-License-Identifier: MIT
#include "isolated.hpp"

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace cyclotron::fuzz {

namespace {

// Memory that both processes see: how far the child is, and what the case in hand returned.
struct Shared {
  int current;
  int length;
  char text[1 << 18];
};

Shared* make_shared_memory() {
  void* at = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) std::abort();
  return static_cast<Shared*>(at);
}

constexpr int patience = 15; // on the wall, where a child waits for what never comes

void limit_time(int seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr); // SIGPROF ends the process
  timer.it_value.tv_sec = patience * seconds;
  setitimer(ITIMER_REAL, &timer, nullptr); // so does SIGALRM
}

// The beginning and the end: a sanitizer's report names the place first and sums up last.
std::string shortened(int file) {
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  lseek(file, 0, SEEK_SET);
  const ssize_t got = ::read(file, text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  constexpr std::size_t head = 1200, tail = 300;
  return text.size() <= head + tail ? text : text.substr(0, head) + "\n...\n" + text.substr(text.size() - tail);
}

std::string describe(int status, int seconds) {
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF) return "took more than " + std::to_string(seconds) + " s";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    return "did not end in " + std::to_string(patience * seconds) + " s";
  if (WIFSIGNALED(status)) return std::string("ended by ") + strsignal(WTERMSIG(status));
  return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

// An exception that nobody catches ends the child: it must not unwind into what called the parent.
[[noreturn]] void be_child(int first, int count, const std::function<std::string(int)>& run, int errors, Shared& shared,
                           int seconds) noexcept {
  dup2(errors, STDERR_FILENO);
  signal(SIGPROF, SIG_DFL);
  signal(SIGALRM, SIG_DFL);
  for (shared.current = first; shared.current < count; ++shared.current) {
    limit_time(seconds);
    const std::string result = run(shared.current);
    shared.length = static_cast<int>(std::min(result.size(), sizeof(shared.text)));
    std::memcpy(shared.text, result.data(), static_cast<std::size_t>(shared.length));
    if (!result.empty()) _exit(0); // the parent reads it and goes on with the next case
  }
  _exit(0);
}

} // namespace

void run_all_isolated(int count, const std::function<std::string(int)>& run,
                      const std::function<void(int, const std::string&)>& report, int seconds) {
  Shared* shared = make_shared_memory();
  for (int next = 0; next < count; next = shared->current + 1) {
    const int errors = memfd_create("stderr", 0);
    shared->current = next;
    shared->length = 0;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) be_child(next, count, run, errors, *shared, seconds);
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) report(shared->current, describe(status, seconds) + "\n" + shortened(errors));
    else if (shared->length > 0)
      report(shared->current, std::string(shared->text, static_cast<std::size_t>(shared->length)));
    close(errors);
  }
  munmap(shared, sizeof(Shared));
}

Fate run_isolated(const std::function<std::string()>& function, int seconds) {
  constexpr char returned = 'r'; // marks a result apart from the end of a process
  Fate fate;
  run_all_isolated(
      1, [&](int) { return returned + function(); },
      [&](int, const std::string& text) {
        (text[0] == returned ? fate.result : fate.problem) = text[0] == returned ? text.substr(1) : text;
      },
      seconds);
  return fate;
}

} // namespace cyclotron::fuzz
