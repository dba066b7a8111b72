// SPDX-License-Identifier: MIT
// Compilers that are missing, fail, die or hang, and what is said about it.
#include "kernels.hpp"

#include "backend/c/compiler.hpp"

#include <fmt/format.h>

#include <chrono>

#include <unistd.h>

namespace cyclotron::backend::c {
namespace {

class CompilerTrouble : public Build {
protected:
  // The whole message, with this test's folder as FOLDER and the key as KEY.
  std::string error(const std::string& source = answer_source(1)) {
    Report report;
    EXPECT_FALSE(build(source, options, report.diagnostics));
    EXPECT_EQ(temporaries(), 0);
    std::string text = report.text();
    const std::string folder = path("");
    for (std::size_t at; (at = text.find(folder)) != text.npos;) text.replace(at, folder.size(), "FOLDER/");
    if (const std::size_t at = text.find("cache/c/"); at != text.npos) text.replace(at + 8, 64, "KEY");
    return text;
  }
};

const char* const advice = "hint: leave out flags of your own, or try another compiler by setting CYCLOTRON_CC; then "
                           "please report it with the source\n";

TEST_F(CompilerTrouble, NoneAtAll) {
  options.compiler = "";
  const Variable a("CYCLOTRON_CC", nullptr), b("CC", nullptr), c("PATH", path("").c_str());
  EXPECT_EQ(error(), "error: there is no C compiler: none of `cc`, `gcc` and `clang` is in PATH\n"
                     "hint: install one (`apt-get install gcc libc6-dev` on Debian and Ubuntu, `dnf install gcc` on "
                     "Fedora), or set CYCLOTRON_CC to the path of one\n");
  EXPECT_EQ(describe_compiler(options), "no C compiler");
}

TEST_F(CompilerTrouble, NamedButNotThere) {
  const std::string hint = "hint: set CYCLOTRON_CC to the path of a C compiler; where neither it nor CC is set, `cc`, "
                           "`gcc` or `clang` is used\n";
  options.compiler = path("no-cc");
  EXPECT_EQ(error(),
            "error: the C compiler `FOLDER/no-cc` was not found\n"
            "hint: give the path of a C compiler, or none: then CYCLOTRON_CC or CC names one, or `cc`, `gcc` or "
            "`clang` is used\n");
  options.compiler = "";
  const Variable cc("CC", "no-such-cc -m64"), ours("CYCLOTRON_CC", nullptr);
  EXPECT_EQ(error(), "error: the C compiler `no-such-cc -m64`, named by CC, was not found\n" + hint);
  const Variable named("CYCLOTRON_CC", put("not-a-program", "").c_str());
  EXPECT_EQ(error(), "error: the C compiler `FOLDER/not-a-program`, named by CYCLOTRON_CC, was not found\n" + hint);
}

TEST_F(CompilerTrouble, TheFirstVariableWins) {
  const Variable cc("CC", "no-such-cc"), ours("CYCLOTRON_CC", options.compiler.c_str());
  EXPECT_EQ(describe_compiler({}), fmt::format("gcc 1.2.3 ({})", options.compiler));
}

TEST_F(CompilerTrouble, ItFails) {
  options.compiler = script("failing-cc", "echo first; echo 'second\t\033[31m' >&2; exit 4\n");
  EXPECT_EQ(error(), std::string("error: the C compiler does not accept a generated kernel: flags it does not know, a "
                                 "broken compiler, or a bug in cyclotron\n"
                                 "note: `FOLDER/failing-cc` ended with status 4; it said:\n"
                                 "note: first\n"
                                 "note: second  [31m\n"
                                 "note: the source is kept in `FOLDER/cache/c/KEY.c`\n") +
                         advice);
  ASSERT_EQ(cached(".c").size(), 1u);
  EXPECT_EQ(slurp(cached(".c")[0]), answer_source(1));
  EXPECT_TRUE(cached(".so").empty());
}

TEST_F(CompilerTrouble, ARealErrorInTheSource) {
  const std::string text = error("int answer(void) { return undeclared; }\n");
  EXPECT_NE(text.find("undeclared"), text.npos) << text;
  EXPECT_NE(text.find("KEY.c"), text.npos) << text;
}

TEST_F(CompilerTrouble, FlagsOfTheUser) {
  const Variable flags("CYCLOTRON_CFLAGS", "-fno-such-flag");
  const std::string text = error();
  EXPECT_NE(text.find("hint: try without CYCLOTRON_CFLAGS, which is set to `-fno-such-flag`\n"), text.npos) << text;
}

TEST_F(CompilerTrouble, LongOutputIsCut) {
  options.compiler = script("chatty-cc", "i=0; while [ $i -lt 100 ]; do echo line $i; i=$((i+1)); done; exit 1\n");
  const std::string text = error();
  EXPECT_NE(text.find("note: line 11\nnote: …\nnote: the source"), text.npos) << text;
}

TEST_F(CompilerTrouble, ItMakesNothing) {
  options.compiler = script("lazy-cc", "exit 0\n");
  EXPECT_NE(error().find("ended with status 0; it said:\nnote: the source"), std::string::npos);
}

TEST_F(CompilerTrouble, ItMakesRubbish) {
  options.compiler =
      script("rubbish-cc", "while [ $# -gt 0 ]; do [ \"$1\" = -o ] && echo rubbish >\"$2\"; shift; done\n");
  const std::string text = error();
  EXPECT_EQ(text.find("error: a compiled kernel cannot be loaded: a bug in cyclotron, or a broken compiler\nnote: "),
            0u);
  EXPECT_TRUE(cached(".so").empty());
}

TEST_F(CompilerTrouble, MissingFunctionsAreFoundWhenLoading) {
  const std::string text = error("int nowhere(void);\nint answer(void) { return nowhere(); }\n");
  EXPECT_NE(text.find("undefined symbol: nowhere"), text.npos) << text;
  EXPECT_TRUE(cached(".so").empty());
}

TEST_F(CompilerTrouble, ItIsKilled) {
  options.compiler = script("dying-cc", "[ \"$1\" = --version ] && exit; kill -KILL $$\n");
  EXPECT_EQ(error(), std::string("error: the C compiler `FOLDER/dying-cc` was killed by signal 9 (Killed)\n"
                                 "note: the source is kept in `FOLDER/cache/c/KEY.c`\n") +
                         advice);
}

TEST_F(CompilerTrouble, ItHangs) {
  options.compiler = script("hanging-cc", "[ \"$1\" = --version ] && exit; touch \"$TMPDIR/cc1.s\"; sleep 60\n");
  options.time_limit = 0.2;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(error(), std::string("error: the C compiler `FOLDER/hanging-cc` did not end within 0.2 s and was stopped\n"
                                 "note: the source is kept in `FOLDER/cache/c/KEY.c`\n") +
                         advice);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_F(CompilerTrouble, EvenItsVersionHangs) {
  options.compiler = script("mute-cc", "sleep 60\n");
  options.time_limit = 0.1;
  EXPECT_EQ(error(), "error: the C compiler `FOLDER/mute-cc` did not end in time and was stopped\n"
                     "note: it was asked for its `--version`\n"
                     "hint: set CYCLOTRON_CC to the path of another C compiler\n");
}

// Without a folder that lasts, the source of a failure must not vanish with the process.
TEST_F(CompilerTrouble, SourceIsKeptWithoutCache) {
  options.compiler = script("failing-cc", "exit 4\n");
  options.use_cache = false;
  const std::string text = error();
  const std::size_t at = text.find("FOLDER/temporary/cyclotron-kernel-");
  ASSERT_NE(at, text.npos) << text;
  EXPECT_EQ(slurp(path(text.substr(at + 7, text.find('`', at) - at - 7))), answer_source(1));
}

TEST(CompilerName, ShortVersions) {
  EXPECT_EQ(short_version("cc (Debian 12.2.0-14+deb12u1) 12.2.0"), "gcc 12.2.0");
  EXPECT_EQ(short_version("gcc (GCC) 11.4.1 20230605 (Red Hat 11.4.1-2)"), "gcc 11.4.1");
  EXPECT_EQ(short_version("Debian clang version 14.0.6"), "clang 14.0.6");
  EXPECT_EQ(short_version("Ubuntu clang version 14.0.0-1ubuntu1.1"), "clang 14.0.0");
  EXPECT_EQ(short_version("clang version 17.0.6 (https://github.com/llvm/llvm-project)"), "clang 17.0.6");
  EXPECT_EQ(short_version("tcc version 0.9.27 (x86_64 Linux)"), "tcc version 0.9.27 (x86_64 Linux)");
  EXPECT_EQ(short_version("Intel(R) oneAPI DPC++/C++ Compiler 2023.1.0 (2023.1.0.20230320)"),
            "Intel(R) oneAPI DPC++/C++ Compiler 2023.1.0 (2023.1.0.20230320)");
  EXPECT_EQ(short_version(""), "");
}

} // namespace
} // namespace cyclotron::backend::c
