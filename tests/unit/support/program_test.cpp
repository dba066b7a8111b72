// SPDX-License-Identifier: MIT
#include "support/program.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>

#include <fcntl.h>
#include <unistd.h>

namespace cyclotron {
namespace {

using End = ProgramRun::End;

ProgramRun shell(const std::string& script, double time_limit = 60) {
  return run_program({"/bin/sh", "-c", script}, {}, time_limit);
}

TEST(Program, OutputOfBothStreamsAndStatus) {
  const ProgramRun run = shell("echo one; echo two >&2; exit 3");
  EXPECT_EQ(run.output, "one\ntwo\n");
  EXPECT_EQ(run.end, End::exited);
  EXPECT_EQ(run.status, 3);
  EXPECT_FALSE(run.succeeded());
  EXPECT_EQ(describe_end(run), "ended with status 3");
  EXPECT_TRUE(shell("true").succeeded());
}

TEST(Program, ArgumentsArriveAsTheyAre) {
  const std::string wild = "a b\"c'$(echo x)`echo y`;\n*\\";
  EXPECT_EQ(run_program({"/bin/echo", "-n", wild, ""}, {}, 60).output, wild + " ");
}

TEST(Program, EnvironmentIsOursWithChanges) {
  ::setenv("CYCLOTRON_TEST_KEPT", "kept", 1);
  ::setenv("CYCLOTRON_TEST_SET", "before", 1);
  const ProgramRun run = run_program({"/bin/sh", "-c", "echo $CYCLOTRON_TEST_KEPT $CYCLOTRON_TEST_SET"},
                                     {{"CYCLOTRON_TEST_SET", "after"}}, 60);
  EXPECT_EQ(run.output, "kept after\n");
}

TEST(Program, NothingToReadAndNoDescriptorOfOurs) {
  const int leaky = ::fcntl(1, F_DUPFD, 10); // without O_CLOEXEC
  EXPECT_EQ(shell("cat; ls /proc/self/fd | wc -l").output,
            "4\n"); // stdin, stdout, stderr, and the folder that ls reads
  ::close(leaky);
}

TEST(Program, Signals) {
  const ProgramRun run = shell("kill -KILL $$");
  EXPECT_EQ(run.end, End::by_signal);
  EXPECT_EQ(describe_end(run), "was killed by signal 9 (Killed)");
}

TEST(Program, NotThere) {
  const ProgramRun run = run_program({"/nowhere/cc"}, {}, 60);
  EXPECT_EQ(run.end, End::not_started);
  EXPECT_EQ(describe_end(run), "could not be started: No such file or directory");
}

// True where a process runs; one that has ended but that nobody has collected does not.
bool runs(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string number, name, state;
  return file >> number >> name >> state && state != "Z" && state != "X";
}

// What it started is killed too: the first sleep would hold the pipe, and outlive the test.
TEST(Program, TimeLimitEndsTheWholeGroup) {
  const auto start = std::chrono::steady_clock::now();
  const ProgramRun run = shell("sleep 59 & echo $!; sleep 59; true", 0.1);
  EXPECT_EQ(run.end, End::out_of_time);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  ASSERT_NE(run.output, "");
  const std::string process = run.output.substr(0, run.output.find('\n'));
  for (int tries = 0; tries < 100 && runs(process); ++tries) ::usleep(10000);
  EXPECT_FALSE(runs(process));
}

TEST(Program, SomethingLeftBehindDoesNotHoldUsUp) {
  const ProgramRun run = shell("sleep 3 & echo done");
  EXPECT_TRUE(run.succeeded());
  EXPECT_EQ(run.output, "done\n");
}

TEST(Program, LongOutputIsCutAndDoesNotBlock) {
  const ProgramRun run = shell("yes | head -c 1000000");
  EXPECT_TRUE(run.succeeded());
  EXPECT_EQ(run.output.size(), 64u * 1024);
}

// A host program may have asked the system to forget children as they end.
TEST(Program, IgnoredChildSignal) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const ProgramRun run = shell("echo fine");
  std::signal(SIGCHLD, before);
  EXPECT_EQ(run.end, End::exited);
  EXPECT_EQ(run.output, "fine\n");
}

} // namespace
} // namespace cyclotron
