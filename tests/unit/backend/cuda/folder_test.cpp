// SPDX-License-Identifier: MIT
// Folders that stand alone, built by a plain C++ compiler and run on the CPU.
#include "backend/cuda/folder.hpp"
#include "run.hpp"

#include "support/program.hpp"
#include "support/temporary_folder.hpp"

namespace cyclotron::backend::cuda {

namespace {

// Two kernels: one with scratch and a failure, one with shared memory; sizes that are words of C++.
FolderSource sample_source() {
  FolderSource source;
  source.name = "twisted";
  source.title = "twisted.cyc";
  source.comment = "y(i,j) = x(i, n-1-j) + 0.5\nz(k) = 2 * y(k)";
  source.origin = "the program's defaults";
  source.answers = {"a row begins with 77"};
  source.kernels = {kernel_of(R"(kernel rows lanes 8
sizes m, while
in x: f32
out y: f32
scratch row: f32[while + 1]
workers i = 0 .. m
  fail 1 if x[i * while] == 77.0f
  for j = 0 .. while step 8
    var live: bool lanes = lanes(j) + i64(lane) < lanes(while)
    store row[j : 1] = x[i * while + j : 1 if live] if live
  for j = 0 .. while step 8
    var live: bool lanes = lanes(j) + i64(lane) < lanes(while)
    store y[i * while + j : 1] = row[while - 1 - j : -1 if live] + lanes(0.5f) if live
)"),
                    kernel_of(R"(kernel twice lanes 32
sizes m, while
in y: f32
out z: f64
shared t: f32[64]
blocks o = 0 .. (m * while + 63) // 64
  workers w = 0 .. 2
    var live: bool lanes = lanes(o * 64 + w * 32) + i64(lane) < lanes(m * while)
    store t[w * 32 : 1] = y[o * 64 + w * 32 : 1 if live]
  barrier
  workers w = 0 .. 2
    var live: bool lanes = lanes(o * 64 + w * 32) + i64(lane) < lanes(m * while)
    store z[o * 64 + w * 32 : 1] = f64(t[w * 32 : 1]) * lanes(2.0) if live
)")};
  const std::int64_t m = 7, n = 13;
  source.sizes = {{"m", m}, {"while", n}};
  std::vector<float> x = some_numbers(m * n), y(x.size());
  std::vector<double> z(x.size());
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(i * n + j);
      y[at] = x[static_cast<std::size_t>(i * n + n - 1 - j)] + 0.5f;
      z[at] = 2 * static_cast<double>(y[at]);
    }
  source.sample = {{c::SampleArray::Kind::input, "x", x},
                   {c::SampleArray::Kind::between, "y", y},
                   {c::SampleArray::Kind::result, "z", z}};
  return source;
}

class CudaFolder : public testing::Test {
protected:
  std::string path() const { return folder_.file("written"); }

  void write(const FolderSource& source) {
    Sources sources;
    Diagnostics diagnostics(sources);
    EXPECT_TRUE(write_folder(path(), source, diagnostics)) << diagnostics.render(false);
  }

  ProgramRun make(const std::string& flags) const {
    return run_program({find_program("make"), "-s", "-C", path(), "emulated", "CXXFLAGS=" + flags}, {}, 100);
  }

private:
  TemporaryFolder folder_{"cuda-folder"};
};

constexpr const char* strict = "-O1 -Wall -Wextra -Wpedantic -Werror";

TEST_F(CudaFolder, PassesItsOwnTest) {
  write(sample_source());
  const ProgramRun run = make(strict);
  EXPECT_TRUE(run.succeeded());
  EXPECT_EQ(run.output, "twisted: self-test with m = 7, while = 13\n"
                        "  z: 91 values, off by at most 0\n"
                        "passed\n");
}

TEST_F(CudaFolder, PassesUnderTheAddressSanitizer) {
  write(sample_source());
  const ProgramRun run = make("-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all");
  EXPECT_TRUE(run.succeeded()) << run.output;
  EXPECT_NE(run.output.find("passed\n"), run.output.npos) << run.output;
}

TEST_F(CudaFolder, FindsWhatIsWrong) {
  FolderSource source = sample_source();
  std::get<std::vector<double>>(source.sample[2].values)[5] += 1;
  write(source);
  ProgramRun run = make(strict);
  EXPECT_FALSE(run.succeeded());
  EXPECT_NE(run.output.find("  z: value 5 is "), run.output.npos) << run.output;
  EXPECT_NE(run.output.find("FAILED\n"), run.output.npos) << run.output;
  // Written again over what was built there, with a row that the kernels refuse.
  source = sample_source();
  std::get<std::vector<float>>(source.sample[0].values)[26] = 77;
  write(source);
  run = make(strict);
  EXPECT_FALSE(run.succeeded());
  EXPECT_NE(run.output.find("  the kernels answer 1\nFAILED\n"), run.output.npos) << run.output;
}

TEST_F(CudaFolder, TooMuchForASourceFile) {
  FolderSource source = sample_source();
  source.sample[0].values = std::vector<float>(1'000'001);
  Sources sources;
  Diagnostics diagnostics(sources);
  EXPECT_FALSE(write_folder(path(), source, diagnostics));
  EXPECT_EQ(diagnostics.render(false), "error: the sample data is too large to be written out as CUDA\n"
                                       "hint: give smaller inputs or sizes behind the program, such as `n=10`\n");
}

} // namespace

} // namespace cyclotron::backend::cuda
