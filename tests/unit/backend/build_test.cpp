// SPDX-License-Identifier: MIT
// Kernels that are built, found again, and built by many at once.
#include "kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace cyclotron::backend::c {
namespace {

TEST_F(Build, CallsWhatWasBuilt) {
  Report report;
  const auto library =
      build("#include <math.h>\ndouble f(double x, int n) { return pow(x, n) + 1; }\n", options, report.diagnostics);
  ASSERT_TRUE(library) << report.text();
  const auto f = reinterpret_cast<double (*)(double, int)>(library->symbol("f"));
  ASSERT_TRUE(f);
  EXPECT_EQ(f(3, 4), 82);
  EXPECT_EQ(library->symbol("g"), nullptr);
  EXPECT_FALSE(library->from_cache());
  EXPECT_EQ(temporaries(), 0);
}

TEST_F(Build, SourceIsKeptBesideIt) {
  Report report;
  const auto library = build(answer_source(5), options, report.diagnostics);
  ASSERT_TRUE(library);
  const std::string path = library->path();
  EXPECT_EQ(path.substr(0, path.rfind('/')), options.cache_folder + "/c");
  EXPECT_EQ(slurp(path.substr(0, path.rfind('.')) + ".c"), answer_source(5));
}

// In other processes, so that nothing is remembered but what is on the disk.
TEST_F(Build, SecondTimeTheCompilerIsNotStarted) {
  ASSERT_TRUE(in_child([&] { return build_answer(answer_source(7), options) == Answer{7, false}; }));
  EXPECT_EQ(asked(), 1);
  EXPECT_EQ(compiled(), 1);
  ASSERT_TRUE(in_child([&] { return build_answer(answer_source(7), options) == Answer{7, true}; }));
  EXPECT_EQ(asked(), 1);
  EXPECT_EQ(compiled(), 1);
}

TEST_F(Build, LoadedOnceInAProcess) {
  Report report;
  const auto first = build(answer_source(7), options, report.diagnostics);
  const auto second = build(answer_source(7), options, report.diagnostics);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(first->from_cache());
  EXPECT_TRUE(second->from_cache());
  EXPECT_EQ(first->symbol("answer"), second->symbol("answer"));
}

TEST_F(Build, EverythingThatMattersIsInTheKey) {
  EXPECT_EQ(build_answer(answer_source(1), options), (Answer{1, false}));
  EXPECT_EQ(build_answer(answer_source(2), options), (Answer{2, false}));
  BuildOptions other = options;
  other.flags = {"-O0", "-DX"};
  EXPECT_EQ(build_answer(answer_source(1), other), (Answer{1, false}));
  other.flags = {"-O0", "-D", "X"};
  EXPECT_EQ(build_answer(answer_source(1), other), (Answer{1, false}));
  {
    const Variable flags("CYCLOTRON_CFLAGS", "  -DY=1 \t-DZ ");
    EXPECT_EQ(build_answer("int answer(void) { return Y; }\n#ifndef Z\n#error\n#endif\n", options), (Answer{1, false}));
    EXPECT_EQ(build_answer(answer_source(1), options), (Answer{1, false}));
  }
  EXPECT_EQ(build_answer(answer_source(1), options), (Answer{1, true}));
  EXPECT_EQ(compiled(), 6);
}

TEST_F(Build, AReplacedCompilerBuildsAgain) {
  EXPECT_EQ(build_answer(answer_source(1), options), (Answer{1, false}));
  BuildOptions other = options;
  other.compiler = script("other-cc", slurp(options.compiler).substr(10)); // the same text elsewhere
  EXPECT_EQ(build_answer(answer_source(1), other), (Answer{1, false}));
  script("counting-cc", slurp(options.compiler).substr(10) + "# longer\n");
  EXPECT_EQ(build_answer(answer_source(1), options), (Answer{1, false}));
  EXPECT_EQ(build_answer(answer_source(1), options), (Answer{1, true}));
}

TEST_F(Build, CompilerWithWords) {
  options.compiler += " -DVALUE=9";
  EXPECT_EQ(build_answer("int answer(void) { return VALUE; }", options), (Answer{9, false}));
}

TEST_F(Build, WithoutCacheNothingIsLookedForOrKept) {
  options.use_cache = false;
  EXPECT_EQ(build_answer(answer_source(3), options), (Answer{3, false}));
  EXPECT_EQ(build_answer(answer_source(3), options), (Answer{3, false}));
  EXPECT_EQ(compiled(), 2);
  EXPECT_TRUE(cached("").empty());
}

TEST_F(Build, WhereTheCacheIs) {
  const std::string chosen = path("chosen"), xdg = path("xdg"), home = path("home");
  options.cache_folder = "";
  const Variable a("CYCLOTRON_CACHE", chosen.c_str()), b("XDG_CACHE_HOME", xdg.c_str()), c("HOME", home.c_str());
  const auto where = [&] {
    Report report;
    const auto library = build(answer_source(1), options, report.diagnostics);
    EXPECT_EQ(report.text(), "");
    return library ? library->path().substr(0, library->path().rfind('/')) : "";
  };
  EXPECT_EQ(where(), chosen + "/c");
  struct stat info;
  ASSERT_EQ(::stat(chosen.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  const Variable no_choice("CYCLOTRON_CACHE", nullptr);
  EXPECT_EQ(where(), xdg + "/cyclotron/c");
  const Variable no_xdg("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(where(), home + "/.cache/cyclotron/c");
  const Variable no_home("HOME", nullptr);
  EXPECT_EQ(where().find(path("temporary") + "/cyclotron-"), 0u);
}

// Whatever the text holds, none of it reaches a command line or a file name.
TEST_F(Build, WildSourceIsHarmless) {
  const std::string wild = fmt::format("// $(touch {0}/a) `touch {0}/b` ; touch {0}/c\n"
                                       "/* \" ' \\ ; | & > {0}/d \n%s %n */\n"
                                       "const char* text(void) {{ return \"$(touch e); '\\\"\"; }}\n",
                                       path(""));
  Report report;
  const auto library = build(wild, options, report.diagnostics);
  ASSERT_TRUE(library) << report.text();
  EXPECT_STREQ(reinterpret_cast<const char* (*)()>(library->symbol("text"))(), "$(touch e); '\"");
  for (const char* name : {"a", "b", "c", "d", "e"}) EXPECT_NE(::access(path(name).c_str(), F_OK), 0) << name;
}

TEST_F(Build, FoldersWithBlanksAndQuotes) {
  options.cache_folder = path("a 'folder' with \"$(blanks)\"; and more");
  EXPECT_EQ(build_answer(answer_source(4), options), (Answer{4, false}));
  EXPECT_EQ(build_answer(answer_source(4), options), (Answer{4, true}));
}

TEST_F(Build, ManyProcessesAtOnce) {
  std::vector<int> children;
  for (int i = 0; i < 8; ++i)
    start_child([&] { return build_answer(answer_source(11), options).value == 11; }, children);
  EXPECT_TRUE(all_succeed(children));
  EXPECT_GE(compiled(), 1);
  EXPECT_EQ(cached(".so").size(), 1u);
  EXPECT_EQ(temporaries(), 0);
  const int before = compiled();
  EXPECT_EQ(build_answer(answer_source(11), options), (Answer{11, true}));
  EXPECT_EQ(compiled(), before);
}

TEST_F(Build, ManyThreadsCompileOnce) {
  std::vector<std::thread> threads;
  std::vector<int> right(8, 0);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      Report report;
      const auto library = build(answer_source(i % 2), options, report.diagnostics);
      right[static_cast<std::size_t>(i)] = library && answer_of(*library) == i % 2;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count(right.begin(), right.end(), 1), 8);
  EXPECT_EQ(compiled(), 2);
}

// The threads of an OpenMP library outlive the kernel: unloading it must not pull the code from under them.
TEST_F(Build, OpenMpOutlivesTheKernel) {
  options.flags.push_back("-fopenmp");
  const auto source = "int answer(void) { int n = 0;\n#pragma omp parallel for reduction(+ : n) num_threads(4)\n"
                      "for (int i = 0; i < 1000; ++i) n += i % 2;\nreturn n; }\n";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(build_answer(source, options), (Answer{500, i > 0}));
}

TEST(BuildFlags, NoValueChanges) {
  const std::vector<std::string> flags = default_flags();
  const auto has = [&](const char* flag) { return std::count(flags.begin(), flags.end(), flag) == 1; };
  EXPECT_TRUE(has("-O3") && has("-std=c11") && has("-ffp-contract=fast"));
  EXPECT_FALSE(has("-ffast-math") || has("-Ofast") || has("-funsafe-math-optimizations"));
}

} // namespace
} // namespace cyclotron::backend::c
