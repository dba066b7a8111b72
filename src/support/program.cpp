// SPDX-License-Identifier: MIT
#include "support/program.hpp"

#include "support/unfinished.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cyclotron {

namespace {

using Clock = std::chrono::steady_clock;
using End = ProgramRun::End;

constexpr std::size_t kept_output = 65536;
constexpr auto time_to_end = std::chrono::seconds(5); // for a program that was asked to

// Our environment with some variables set anew, as "NAME=value".
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> all;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text = *entry;
    const bool changed = std::any_of(changes.begin(), changes.end(), [&](const auto& change) {
      return text.starts_with(change.first) && text.substr(change.first.size()).starts_with('=');
    });
    if (!changed) all.emplace_back(text);
  }
  for (const auto& [name, value] : changes) all.push_back(name + "=" + value);
  return all;
}

bool is_program(const std::string& path) {
  struct stat info;
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

// Starts it with `output` as stdout and stderr; 0 or an errno. A process group of its own, so that a compiler can be
// killed together with the assembler it started; signals as a fresh shell would leave them, whatever ours are.
int start(const std::vector<std::string>& arguments, std::vector<std::string> environment, int output, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_adddup2(&files, output, 2);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  posix_spawn_file_actions_addclosefrom_np(&files, 3);
#endif
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> words = arguments;
  const int failure =
      posix_spawn(&child, words[0].c_str(), &files, &attributes, pointers(words).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failure;
}

// Reads what is there now; false at the end of the stream.
bool read_some(int descriptor, std::string& output) {
  char block[4096];
  const ssize_t count = ::read(descriptor, block, sizeof block);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  const std::size_t room = kept_output - std::min(output.size(), kept_output);
  output.append(block, std::min(static_cast<std::size_t>(count), room));
  return count > 0;
}

// Where somebody else has collected our child (a host program that ignores SIGCHLD), how it ended is unknown: it
// counts as success, and the caller looks at what it has made.
void set_end(ProgramRun& run, bool known, int wait_status) {
  run.end = known && WIFSIGNALED(wait_status) ? End::by_signal : End::exited;
  run.status = !known ? 0 : WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

// Reads until the program ends. Waits for its end and not for that of the output: something it left behind may hold
// the pipe open for ever.
void wait_for(pid_t child, int descriptor, Clock::time_point deadline, const std::function<bool()>& is_unwanted,
              ProgramRun& run) {
  bool open = true, asked = false;
  while (true) {
    if (!is_unwanted && is_interrupted()) deadline = Clock::now(); // nothing of it is of use
    if (is_unwanted && !asked && is_unwanted()) {
      asked = true;
      ::kill(child, SIGTERM); // not the group: it knows best how to end what it started
      deadline = std::min(deadline, Clock::now() + time_to_end);
    }
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) {
      set_end(run, ended == child, status);
      pollfd rest = {descriptor, POLLIN, 0};
      while (open && ::poll(&rest, 1, 0) > 0) open = read_some(descriptor, run.output);
      return;
    }
    if (Clock::now() >= deadline) {
      ::kill(-child, SIGKILL); // the child is not collected yet, so the group is surely still its own
      while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
      run.end = End::out_of_time;
      return;
    }
    // The end of the output is mostly the end of the program: from there on look every millisecond.
    pollfd more = {open ? descriptor : -1, POLLIN, 0};
    if (::poll(&more, 1, open ? 20 : 1) > 0) open = read_some(descriptor, run.output);
  }
}

} // namespace

ProgramRun run_program(const std::vector<std::string>& arguments,
                       const std::vector<std::pair<std::string, std::string>>& environment, double time_limit,
                       const std::function<bool()>& is_unwanted) {
  ProgramRun run;
  const auto limit = std::chrono::duration<double>(std::clamp(time_limit, 0.0, 1e8));
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    run.status = errno;
    return run;
  }
  pid_t child = 0;
  run.status = start(arguments, environment_with(environment), ends[1], child);
  ::close(ends[1]);
  if (run.status == 0) wait_for(child, ends[0], deadline, is_unwanted, run);
  ::close(ends[0]);
  return run;
}

std::string find_program(const std::string& name) {
  std::error_code ignored;
  if (name.find('/') != std::string::npos)
    return is_program(name) ? std::filesystem::absolute(name, ignored).string() : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/local/bin:/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (folder.starts_with('/') && is_program(folder + "/" + name)) return folder + "/" + name;
  return "";
}

std::string describe_end(const ProgramRun& run) {
  switch (run.end) {
  case End::exited: return fmt::format("ended with status {}", run.status);
  case End::by_signal: return fmt::format("was killed by signal {} ({})", run.status, ::strsignal(run.status));
  case End::out_of_time: return "did not end in time and was stopped";
  case End::not_started: return fmt::format("could not be started: {}", std::strerror(run.status));
  }
  return "";
}

} // namespace cyclotron
