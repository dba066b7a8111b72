// SPDX-License-Identifier: MIT
#include "explore/resume.hpp"
#include "made_sweep.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace cyclotron::explore {
namespace {

class Journals : public testing::Test {
protected:
  void SetUp() override {
    path = (std::filesystem::temp_directory_path() / ("cyclotron_journal_" + std::to_string(::getpid()) + "_" +
                                                      testing::UnitTest::GetInstance()->current_test_info()->name()))
               .string();
    std::filesystem::remove(path);
  }
  void TearDown() override { std::filesystem::remove(path); }

  std::optional<Journal> open(const std::string& sweep = "matmul n=64") {
    Diagnostics fresh(sources);
    auto journal = Journal::open(path, sweep, fresh);
    problem = fresh.render(false);
    for (std::size_t at = problem.find(path); at != std::string::npos; at = problem.find(path))
      problem.replace(at, path.size(), "JOURNAL");
    return journal;
  }
  std::string text() const {
    std::ifstream file(path);
    return (std::ostringstream() << file.rdbuf()).str();
  }
  void write(const std::string& text) const { std::ofstream(path) << text; }

  Sources sources;
  std::string path, problem;
  Point first = made_point("output-stationary", 4, 1, 2), second = made_point("weight-stationary", 8, 4, 2);
};

TEST_F(Journals, KeepWhatIsFinished) {
  {
    auto journal = open();
    ASSERT_TRUE(journal) << problem;
    EXPECT_TRUE(journal->finished().empty());
    EXPECT_TRUE(journal->add("one", first));
    EXPECT_NE(text().find("\n{\"key\":\"one\",\"point\":{"), std::string::npos) << "the line is there at once";
    EXPECT_EQ(text().back(), '\n');
    EXPECT_TRUE(journal->add("two", second));
  }
  const auto journal = open();
  ASSERT_TRUE(journal) << problem;
  EXPECT_EQ(journal->finished(), (std::map<std::string, Point>{{"one", first}, {"two", second}}));
}

// However little of the last line was written, the rest is kept and the next line is whole again.
TEST_F(Journals, ALastLineThatWasCutIsDropped) {
  {
    auto journal = open();
    ASSERT_TRUE(journal->add("one", first));
    ASSERT_TRUE(journal->add("two", second));
  }
  const std::string whole = text();
  const std::size_t last = whole.rfind('\n', whole.size() - 2) + 1;
  for (std::size_t size = last; size < whole.size(); ++size) {
    write(whole.substr(0, size));
    auto journal = open();
    ASSERT_TRUE(journal) << problem;
    ASSERT_EQ(journal->finished(), (std::map<std::string, Point>{{"one", first}}));
    ASSERT_TRUE(journal->add("two", second));
    ASSERT_EQ(text(), whole);
  }
  write(whole.substr(0, 5)); // even the first line
  EXPECT_TRUE(open()) << problem;
}

TEST_F(Journals, OfAnotherSweepIsRefused) {
  ASSERT_TRUE(open());
  EXPECT_FALSE(open("matmul n=128"));
  EXPECT_EQ(problem, "error: this journal is of another sweep: `matmul n=64`, expected `matmul n=128`\n  --> "
                     "JOURNAL:1\nhint: name another journal, or remove this one to start anew\n");
}

TEST_F(Journals, ThatAreNoneAreRefused) {
  write("family,verdict\n");
  EXPECT_FALSE(open());
  EXPECT_EQ(
      problem,
      "error: this file is not the journal of a sweep\n  --> JOURNAL:1\nhint: name another file, or remove this one\n");
  write("{\"journal\":2,\"sweep\":\"matmul n=64\"}\n");
  EXPECT_FALSE(open());
  EXPECT_EQ(problem, "error: this journal has version 2, expected version 1\n  --> JOURNAL:1\nhint: remove it to start "
                     "the sweep anew\n");
}

TEST_F(Journals, FilesOfOtherKindsAreLeftAsTheyAre) {
  for (const char* other : {"a line", "two\nlines", "{\"journal\":1,\"sweep\":\"another\"}\ncut"}) {
    write(other);
    EXPECT_FALSE(open());
    EXPECT_EQ(text(), other);
  }
}

TEST_F(Journals, DamageInTheMiddleIsReported) {
  write("{\"journal\":1,\"sweep\":\"matmul n=64\"}\n{\"key\":\"o\n{\"key\":\"one\",\"point\":{}}\n");
  EXPECT_FALSE(open());
  EXPECT_EQ(problem, "error: expected a finished point, found something else: the journal is damaged\n  --> "
                     "JOURNAL:2\nhint: remove this line, or the whole journal to start anew\n");
}

TEST_F(Journals, AreForOneProcessAtATime) {
  const auto journal = open();
  ASSERT_TRUE(journal);
  EXPECT_FALSE(open());
  EXPECT_EQ(
      problem,
      "error: the journal is in use by another process\n  --> JOURNAL\nhint: wait for it, or name another journal\n");
}

TEST_F(Journals, InAFolderThatIsNotThere) {
  path += "/none/journal";
  EXPECT_FALSE(open());
  EXPECT_EQ(problem, "error: cannot open the journal: No such file or directory\n  --> JOURNAL\n");
}

} // namespace
} // namespace cyclotron::explore
