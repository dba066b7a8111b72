// SPDX-License-Identifier: MIT
// Each case is a process of its own: it is to be ended by a signal.
#include "support/program.hpp"
#include "support/unfinished.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <functional>

#include <sys/wait.h>
#include <unistd.h>

namespace cyclotron {
namespace {

int status_of(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    for (int s : {SIGHUP, SIGINT, SIGTERM}) std::signal(s, SIG_DFL); // a background job ignores some of them
    work();
    _exit(7);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(Unfinished, TheSignalWaitsForTheLastOfThem) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int status = status_of([&] {
    finish_work_when_interrupted();
    const auto say = [&](char c) { EXPECT_EQ(write(ends[1], &c, 1), 1); };
    {
      const Unfinished outer;
      {
        const Unfinished inner;
        say(is_interrupted() ? '!' : 'a');
        raise(SIGTERM);
        say(is_interrupted() ? 'b' : '!');
      }
      say('c');
    }
    say('!'); // not reached
  });
  close(ends[1]);
  char text[8] = {};
  EXPECT_EQ(read(ends[0], text, sizeof text - 1), 3);
  close(ends[0]);
  EXPECT_STREQ(text, "abc");
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(Unfinished, InALibrarySignalsAreTheHosts) {
  const int status = status_of([] {
    const Unfinished work;
    raise(SIGINT);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

TEST(Unfinished, AProgramThatRunsIsKilled) {
  const int status = status_of([] {
    finish_work_when_interrupted();
    const Unfinished work;
    alarm(30); // not for ever, whatever happens
    raise(SIGHUP);
    const ProgramRun run = run_program({"/bin/sleep", "60"}, {}, 100);
    if (run.end != ProgramRun::End::out_of_time) _exit(8);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGHUP);
}

} // namespace
} // namespace cyclotron
