// SPDX-License-Identifier: MIT
#include "explore/run.hpp"
#include "made_sweep.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

namespace cyclotron::explore {
namespace {

class Runs : public testing::Test {
protected:
  void SetUp() override {
    path = (std::filesystem::temp_directory_path() / ("cyclotron_run_" + std::to_string(::getpid()))).string();
    std::filesystem::remove(path);
    for (int j = 0; j < 40; ++j)
      jobs.push_back({"job " + std::to_string(j), [this, j] {
                        ++made;
                        return point_of(j);
                      }});
  }
  void TearDown() override { std::filesystem::remove(path); }

  static Point point_of(int j) {
    Point p;
    p.parameters["job"] = std::to_string(j);
    p.cycles = j * j;
    p.verdict = "ok";
    return p;
  }
  std::optional<Journal> journal() {
    Diagnostics diagnostics(sources);
    auto opened = Journal::open(path, "test", diagnostics);
    EXPECT_TRUE(opened) << diagnostics.render(false);
    return opened;
  }

  Sources sources;
  std::string path;
  std::vector<Job> jobs;
  std::atomic<int> made = 0;
};

TEST_F(Runs, PointsComeInTheOrderOfTheJobsOnAnyNumberOfThreads) {
  for (const unsigned threads : {0U, 1U, 2U, 7U, 100U}) {
    const RunResult result = run(jobs, nullptr, {.threads = threads});
    ASSERT_EQ(result.points.size(), 40U);
    for (int j = 0; j < 40; ++j) EXPECT_EQ(result.points[static_cast<std::size_t>(j)], point_of(j));
    EXPECT_EQ(result.made, 40U);
    EXPECT_EQ(result.from_journal, 0U);
    EXPECT_FALSE(result.interrupted);
  }
  EXPECT_TRUE(run({}, nullptr).points.empty());
}

TEST_F(Runs, AnInterruptLosesNothingAndTheNextRunGoesOn) {
  std::atomic<bool> interrupt = false;
  jobs[9].make = [&] {
    interrupt = true;
    return point_of(9);
  };
  for (std::size_t later : {10U, 11U}) // those wait, so that no thread runs ahead
    jobs[later].make = [&, later] {
      while (!interrupt) std::this_thread::yield();
      return point_of(static_cast<int>(later));
    };
  std::size_t before = 0;
  {
    auto kept = journal();
    const RunResult result = run(jobs, &*kept, {.threads = 2, .interrupt = &interrupt});
    EXPECT_TRUE(result.interrupted);
    EXPECT_GE(result.made, 10U) << "jobs that had begun are finished";
    EXPECT_LE(result.made, 11U);
    EXPECT_EQ(result.points.size(), result.made);
    before = result.made;
  }
  made = 0;
  auto kept = journal();
  const RunResult result = run(jobs, &*kept, {.threads = 2});
  EXPECT_EQ(result.from_journal, before);
  EXPECT_EQ(result.made, 40U - before);
  EXPECT_FALSE(result.interrupted);
  ASSERT_EQ(result.points.size(), 40U);
  for (int j = 0; j < 40; ++j) EXPECT_EQ(result.points[static_cast<std::size_t>(j)], point_of(j));
  EXPECT_EQ(run(jobs, &*kept).made, 0U);
}

TEST_F(Runs, AJobThatThrowsIsTriedAgain) {
  jobs[3].make = []() -> Point { throw std::runtime_error("no memory"); };
  auto kept = journal();
  const RunResult result = run(jobs, &*kept, {.threads = 2});
  EXPECT_EQ(result.points[3].verdict, "failed: no memory");
  EXPECT_EQ(result.points[3].parameters.at("job"), "job 3");
  EXPECT_EQ(kept->finished().size(), 39U);
  EXPECT_FALSE(kept->finished().count("job 3"));
  EXPECT_FALSE(result.interrupted);
}

// Two jobs wait for each other: only threads that run at the same time get past this.
TEST_F(Runs, JobsRunAtTheSameTime) {
  std::atomic<int> arrived = 0;
  const auto meet = [&] {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
    return point_of(0);
  };
  EXPECT_EQ(run({{"a", meet}, {"b", meet}}, nullptr, {.threads = 2}).points.size(), 2U);
}

} // namespace
} // namespace cyclotron::explore
