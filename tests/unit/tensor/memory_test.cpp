// SPDX-License-Identifier: MIT
// What does not fit is refused before it is allocated, with the sizes in the message.
#include "scratch.hpp"
#include "tensor/generate.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace cyclotron::tensor {
namespace {

// Every message in this file is the same on every machine under this limit.
class MemoryLimit : public testing::Test {
protected:
  void SetUp() override { ::setenv("CYCLOTRON_MEMORY_LIMIT", "1M", 1); }
  void TearDown() override { ::unsetenv("CYCLOTRON_MEMORY_LIMIT"); }
  Report report;
};

TEST_F(MemoryLimit, Zeros) {
  EXPECT_FALSE(zeros({1000, 1000}, ValueType::f64, "C", report.diagnostics));
  EXPECT_EQ(report.text(), "error: `C`, a 1000 x 1000 tensor of f64 needs 7.6 MiB, but 1.0 MiB are available\n"
                           "hint: use a sparse format such as `csr` or `coo`, or smaller sizes\n");
}

TEST_F(MemoryLimit, ZerosBeyondCounting) {
  EXPECT_FALSE(zeros({4000000000, 4000000000}, ValueType::f64, "C", report.diagnostics));
  EXPECT_EQ(report.text(),
            "error: `C`, a 4000000000 x 4000000000 tensor of f64 has more elements than 63 bits can count\n"
            "hint: use a sparse format such as `csr` or `coo`, or smaller sizes\n");
}

TEST_F(MemoryLimit, PackDense) {
  Entries entries{{1000, 1000}, {{0}, {0}}, std::vector<double>{1}, false};
  EXPECT_FALSE(pack(entries, dense_format(2), report.diagnostics));
  EXPECT_EQ(report.text(),
            "error: a 1000 x 1000 tensor of f64 in format `dense` needs 7.6 MiB, but 1.0 MiB are available\n"
            "hint: use a sparse format such as `csr` or `coo`, or smaller sizes\n");
}

TEST_F(MemoryLimit, PackPositions) {
  Entries entries{{1000000, 5}, {{0}, {0}}, std::vector<double>{1}, false};
  EXPECT_FALSE(pack(entries, *format_named("csr", 2), report.diagnostics));
  EXPECT_EQ(report.text(),
            "error: a 1000000 x 5 tensor of f64 in format `csr` needs 7.6 MiB, but 1.0 MiB are available\n"
            "hint: use a format without dense levels, such as `dcsr` or `coo`, or smaller sizes\n");
  EXPECT_TRUE(pack(entries, *format_named("dcsr", 2), report.diagnostics));
}

TEST_F(MemoryLimit, ReadArray) {
  const ScratchFolder folder;
  folder.put("a.mtx", "%%MatrixMarket matrix array real general\n1000 1000\n1\n");
  EXPECT_FALSE(read(folder.path("a.mtx"), {}, report.diagnostics));
  EXPECT_EQ(report.text(folder.prefix()), "error: reading `a.mtx` needs 7.6 MiB, but 1.0 MiB are available\n"
                                          "hint: write the matrix as a `coordinate` file\n");
}

TEST_F(MemoryLimit, WriteNumpyLeavesTheOldFile) {
  const ScratchFolder folder;
  folder.put("a.npy", "old");
  Entries entries{{1000, 1000}, {{0}, {0}}, std::vector<double>{1}, false};
  const auto tensor = pack(entries, *format_named("coo", 2), report.diagnostics);
  ASSERT_TRUE(tensor);
  EXPECT_FALSE(write(folder.path("a.npy"), *tensor, report.diagnostics));
  EXPECT_EQ(report.text(), "error: a 1000 x 1000 tensor of f64 in format `dense` needs 7.6 MiB, but 1.0 MiB are "
                           "available\nhint: use a sparse format such as `csr` or `coo`, or smaller sizes\n");
  EXPECT_EQ(slurp(folder.path("a.npy")), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a.npy"});
}

TEST_F(MemoryLimit, Generate) {
  EXPECT_FALSE(generate({"spd", {{"n", 1000.0, {}}}, {}}, {{-1, -1}, ValueType::f64, "A"}, report.diagnostics));
  EXPECT_EQ(report.text(),
            "error: `spd` for `A`, a 1000 x 1000 tensor of f64, needs 22.9 MiB, but 1.0 MiB are available\n"
            "hint: use smaller sizes, or a lower `density` where there is one\n");
}

// A header may promise anything: what is not there costs nothing.
TEST(Memory, HeadersAreNotTrusted) {
  Report report;
  const ScratchFolder folder;
  folder.put("a.mtx", "%%MatrixMarket matrix coordinate real general\n5 5 1000000000000000\n1 1 2.5\n");
  EXPECT_FALSE(read(folder.path("a.mtx"), {}, report.diagnostics));
  EXPECT_EQ(report.text(folder.prefix()), "error: expected 1000000000000000 entries, found 1\n  --> a.mtx:3\n"
                                          "hint: the file is cut short, or its size line is wrong\n");
}

} // namespace
} // namespace cyclotron::tensor
