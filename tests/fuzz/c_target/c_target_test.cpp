// SPDX-License-Identifier: MIT
// The C target against the interpreter: random programs and families of programs, in random formats, orders and
// schedules. CYCLOTRON_SHOW_COUNTS=1 prints what became of all trials.
#include "families.hpp"
#include "fuzz/choices.hpp"
#include "fuzz/property.hpp"
#include "judge.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace cyclotron::fuzz {
namespace {

void show(const char* what, const Tally& tally) {
  if (nightly() || std::getenv("CYCLOTRON_SHOW_COUNTS")) std::printf("%s: %s", what, tally.report().c_str());
}

// Several threads where a schedule asks for them, however few cores there are.
void set_threads() { setenv("OMP_NUM_THREADS", "3", 1); }

std::optional<Trial> trial_of(const RandomRun& run) {
  const auto text = text_of(run);
  if (!text) return std::nullopt;
  Trial trial;
  trial.text = *text;
  trial.seed = run.program.seed;
  trial.all_steps = run.program.seed % 5 == 0;
  trial.last_only = run.program.seed % 2 == 0;
  return trial;
}

void check_random_programs(int by_day, const std::vector<std::string>& flags, Tally& tally) {
  set_threads();
  check_property(by_day, [&](const RandomRun& run) {
    std::optional<Trial> trial = trial_of(run);
    if (!trial) return;
    trial->flags = flags;
    const std::string problem = tally.add(judge_isolated(*trial));
    if (problem.empty()) return;
    // Looking for a smaller one takes long, and says nothing meanwhile.
    if (tally.of(Verdict::Kind::differs) == 1) std::fprintf(stderr, "the first that differs:\n%s\n", problem.c_str());
    RC_FAIL(problem);
  });
}

RandomRun member(const Family& family, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  RandomRun run;
  run.program.text = family.text;
  run.program.seed = draw() % 100000;
  run.how.resize(80);
  for (int& number : run.how) number = static_cast<int>(draw() % Choices::range);
  return run;
}

// `each` members of every family.
void check_families(int each, const std::vector<std::string>& flags, Tally& tally) {
  set_threads();
  const std::uint64_t base = nightly() ? std::random_device{}() : 20240117;
  int failures = 0;
  for (int round = 0; round < each && failures < 5; ++round)
    for (std::size_t f = 0; f < families().size() && failures < 5; ++f) {
      const Family& family = families()[f];
      std::optional<Trial> trial = trial_of(member(family, base + static_cast<std::uint64_t>(round) * 1000 + f));
      ASSERT_TRUE(trial) << family.name << " is rejected";
      trial->contents = family.contents;
      trial->flags = flags;
      const std::string problem = tally.add(judge_isolated(*trial));
      EXPECT_EQ(problem, "") << family.name << (++failures, "");
    }
}

TEST(CTarget, FamiliesOfAFolder) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / fmt::format("families_{}", getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "solve.cyc") << "# L: lower\ntensor L(n,n)\n";
  std::ofstream(folder / "sum.cyc") << "tensor x(n)\n";
  std::ofstream(folder / "notes.txt") << "# x: upper\n";
  const std::vector<Family> found = families_in(folder.c_str());
  std::filesystem::remove_all(folder);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "solve");
  EXPECT_EQ(found[0].contents, (std::map<std::string, Content>{{"L", Content::lower}}));
  EXPECT_EQ(found[1].text, "tensor x(n)\n");
  EXPECT_TRUE(found[1].contents.empty());
}

TEST(CTarget, AgreesOnRandomPrograms) {
  Tally tally;
  check_random_programs(90, {"-O1"}, tally);
  show("random programs", tally);
  EXPECT_LE(tally.of(Verdict::Kind::refused) * 2, tally.all()) << tally.report();
  EXPECT_LE(tally.of(Verdict::Kind::unsupported) * 5, tally.all()) << tally.report();
}

TEST(CTarget, AgreesOnFamilies) {
  Tally tally;
  check_families(cases(1), {"-O1"}, tally);
  show("families", tally);
  EXPECT_LE(tally.of(Verdict::Kind::refused) * 2, tally.all()) << tally.report();
  EXPECT_LE(tally.of(Verdict::Kind::unsupported) * 5, tally.all()) << tally.report();
}

// Memory that a kernel must not touch, and what C leaves undefined.
TEST(CTarget, RunsUnderSanitizers) {
  if (!sanitized) GTEST_SKIP() << "this build has no sanitizers";
  Tally tally;
  check_random_programs(20, sanitizers(), tally);
  if (nightly()) check_families(10, sanitizers(), tally);
  show("sanitizers", tally);
}

// Reads of memory that was never written, which the sanitizers do not see. The sample that valgrind runs:
TEST(CTarget, DISABLED_Sample) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Family& family = families()[seed * 7 % families().size()];
    std::optional<Trial> trial = trial_of(member(family, seed));
    ASSERT_TRUE(trial) << family.name << " is rejected";
    trial->contents = family.contents;
    trial->flags = {"-O1", "-g", "-march=x86-64"};
    const Verdict verdict = judge(*trial);
    EXPECT_NE(verdict.kind, Verdict::Kind::differs) << family.name << "\n" << verdict.what;
  }
}

TEST(CTarget, RunsUnderValgrind) {
  if (sanitized) GTEST_SKIP() << "valgrind does not run what has sanitizers";
  if (!nightly()) GTEST_SKIP() << "only with CYCLOTRON_NIGHTLY=1";
  if (std::system("valgrind --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "valgrind is not installed";
  const std::string command =
      fmt::format("OMP_NUM_THREADS=1 valgrind -q --error-exitcode=9 --child-silent-after-fork=yes /proc/{}/exe "
                  "--gtest_also_run_disabled_tests --gtest_filter=CTarget.DISABLED_Sample",
                  getpid());
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0) << command;
}

} // namespace
} // namespace cyclotron::fuzz
