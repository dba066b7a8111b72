// SPDX-License-Identifier: MIT
// Folders of C that stand alone, built by a plain C compiler.
#include "backend/simd/folder.hpp"

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace cyclotron::backend::simd {

namespace {

code::Kernel parsed(const char* text) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto kernel = code::parse(sources.add("kernel", text), diagnostics);
  EXPECT_TRUE(kernel) << diagnostics.render(false);
  EXPECT_EQ(code::problem_of(kernel.value()), "");
  return kernel.value();
}

// Two kernels: one with scratch and a failure; sizes that are words of C, and memories that are names of ours.
FolderSource twisted() {
  FolderSource source;
  source.name = "twisted";
  source.title = "twisted.cyc";
  source.comment = "y(i,j) = x(i, n-1-j) + 0.5\nz(k) = 2 * y(k)";
  source.origin = "the program's defaults";
  source.answers = {"a row begins with 77"};
  source.kernels = {parsed(R"(kernel rows lanes 8
sizes m, while
in x: f32
out answer: f32
scratch row: f32[while + 1]
workers i = 0 .. m
  fail 1 if x[i * while] == 77.0f
  for j = 0 .. while step 8
    var live: bool lanes = lanes(j) + i64(lane) < lanes(while)
    store row[j : 1] = x[i * while + j : 1 if live] if live
  for j = 0 .. while step 8
    var live: bool lanes = lanes(j) + i64(lane) < lanes(while)
    store answer[i * while + j : 1] = row[while - 1 - j : -1 if live] + lanes(0.5f) if live
)"),
                    parsed(R"(kernel twice lanes 4
sizes while, m
in answer: f32
out z: bool
workers w = 0 .. (m * while + 3) // 4
  var live: bool lanes = lanes(w * 4) + i64(lane) < lanes(m * while)
  store z[w * 4 : 1] = answer[w * 4 : 1 if live] < lanes(0.5f) if live
)")};
  const std::int64_t m = 5, n = 13;
  source.sizes = {{"m", m}, {"while", n}};
  std::vector<float> x, y(static_cast<std::size_t>(m * n));
  std::vector<std::uint8_t> z(y.size());
  for (std::int64_t i = 0; i < m * n; ++i) x.push_back(static_cast<float>(i * 7 % 11 - 5));
  for (std::int64_t i = 0; i < m * n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    y[at] = x[static_cast<std::size_t>(i / n * n + n - 1 - i % n)] + 0.5f;
    z[at] = y[at] < 0.5f;
  }
  source.sample = {{c::SampleArray::Kind::input, "x", x},
                   {c::SampleArray::Kind::between, "answer", y},
                   {c::SampleArray::Kind::result, "z", z}};
  return source;
}

class SimdFolder : public testing::Test {
protected:
  ProgramRun make(const FolderSource& source, const std::string& flags) const {
    Sources sources;
    Diagnostics diagnostics(sources);
    const auto files = folder_files(source, diagnostics);
    EXPECT_TRUE(files && c::write_folder(folder_.file("written"), *files, diagnostics)) << diagnostics.render(false);
    return run_program({find_program("make"), "-s", "-C", folder_.file("written"), "test", "CFLAGS=" + flags}, {}, 100);
  }

private:
  TemporaryFolder folder_{"simd-folder"};
};

constexpr const char* strict = "-O1 -Wpedantic -Werror";

TEST_F(SimdFolder, PassesItsOwnTest) {
  const std::string wanted = "twisted: self-test with m = 5, while = 13\n"
                             "  z: 65 values, off by at most 0\n"
                             "passed\n";
  FolderSource source = twisted();
  EXPECT_EQ(make(source, strict).output, wanted);
  source.threads = true;
  EXPECT_EQ(make(source, strict).output, wanted);
  source.register_bytes = 64;
  EXPECT_EQ(make(source, "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all").output, wanted);
}

TEST_F(SimdFolder, FindsWhatIsWrong) {
  FolderSource source = twisted();
  std::get<std::vector<std::uint8_t>>(source.sample[2].values)[5] ^= 1;
  ProgramRun run = make(source, strict);
  EXPECT_FALSE(run.succeeded());
  EXPECT_NE(run.output.find("  z: value 5 is "), run.output.npos) << run.output;
  EXPECT_NE(run.output.find("FAILED\n"), run.output.npos) << run.output;
  source = twisted();
  std::get<std::vector<float>>(source.sample[0].values)[26] = 77;
  run = make(source, strict);
  EXPECT_FALSE(run.succeeded());
  EXPECT_NE(run.output.find("  the kernels answer 1\n"), run.output.npos) << run.output;
}

// Workspaces of more bytes than there are, and than a number of 64 bits can say.
TEST_F(SimdFolder, WithoutEnoughMemory) {
  for (const char* elements : {"while * 4000000000000", "while * 4000000000000000000 * while"}) {
    FolderSource source;
    source.name = source.title = "large";
    source.kernels = {parsed(("kernel large lanes 2\nsizes while\nout z: i32\nscratch t: f64[" + std::string(elements) +
                              "]\nworkers w = 0 .. while\n  store t[w] = 1.0\n  store z[w] = i32(t[w])\n")
                                 .c_str())};
    source.sizes = {{"while", 50}};
    source.sample = {{c::SampleArray::Kind::result, "z", std::vector<std::int32_t>(50)}};
    const ProgramRun run = make(source, "-O1");
    EXPECT_FALSE(run.succeeded());
    EXPECT_NE(run.output.find("  the kernels answer -1\n"), run.output.npos) << run.output;
  }
}

TEST_F(SimdFolder, TooMuchForASourceFile) {
  FolderSource source = twisted();
  source.sample[0].values = std::vector<float>(1'000'001);
  Sources sources;
  Diagnostics diagnostics(sources);
  EXPECT_FALSE(folder_files(source, diagnostics));
  EXPECT_EQ(diagnostics.render(false), "error: the sample data is too large to be written out as C\n"
                                       "hint: give smaller inputs or sizes behind the program, such as `n=10`\n");
}

} // namespace

} // namespace cyclotron::backend::simd
