// SPDX-License-Identifier: MIT
// What is said about files that are wrong, shown whole.
#include "numpy_bytes.hpp"
#include "scratch.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace cyclotron::tensor {
namespace {

std::string read_error(const std::string& name, const std::string& bytes, const std::vector<std::int64_t>& dims = {}) {
  const ScratchFolder folder;
  Report report;
  EXPECT_FALSE(read(folder.put(name, bytes), ReadOptions{dims, false}, report.diagnostics)) << bytes;
  return report.text(folder.prefix());
}

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";

struct Case {
  std::string bytes;
  std::string message;
};

class MatrixMarketErrors : public testing::TestWithParam<Case> {};

TEST_P(MatrixMarketErrors, Whole) { EXPECT_EQ(read_error("a.mtx", GetParam().bytes), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(Header, MatrixMarketErrors, testing::Values(
@@HEADER@@
));

INSTANTIATE_TEST_SUITE_P(Entries, MatrixMarketErrors, testing::Values(
@@ENTRIES@@
));

class FrosttErrors : public testing::TestWithParam<Case> {};

TEST_P(FrosttErrors, Whole) { EXPECT_EQ(read_error("a.tns", GetParam().bytes), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(All, FrosttErrors, testing::Values(
@@FROSTT@@
));

class NumpyErrors : public testing::TestWithParam<Case> {};

TEST_P(NumpyErrors, Whole) { EXPECT_EQ(read_error("a.npy", GetParam().bytes), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(All, NumpyErrors, testing::Values(
@@NUMPY@@
));

TEST(ReadErrors, OtherSizesThanKnown) {
@@SIZES@@
}

TEST(ReadErrors, DamagedGzip) {
@@GZIP@@
}

TEST(ReadErrors, Files) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& name) {
    Report report;
    EXPECT_FALSE(read(folder.path(name), {}, report.diagnostics));
    return report.text(folder.prefix());
  };
  folder.put("west0067.mtx", "");
  std::filesystem::create_directory(folder.path("folder.mtx"));
  EXPECT_EQ(message("west067.mtx"), "error: no such file `west067.mtx`\nhint: did you mean `west0067.mtx`?\n");
  EXPECT_EQ(message("other.npy"), "error: no such file `other.npy`\n");
  EXPECT_EQ(message("data/a.npy"), "error: no such file `data/a.npy`\nhint: there is no folder `data` either\n");
  EXPECT_EQ(message("folder.mtx"), "error: expected a file, found the folder `folder.mtx`\nhint: name a file in that folder\n");
  EXPECT_EQ(message("a.csv"), "error: expected a file ending that says the kind of `a.csv`, found `.csv`\n"
                              "hint: `.mtx` (Matrix Market), `.tns` (FROSTT) and `.npy` (NumPy) are known, each also with `.gz`\n");
  EXPECT_EQ(message("matrix"), "error: expected a file ending that says the kind of `matrix`, found none\n"
                               "hint: `.mtx` (Matrix Market), `.tns` (FROSTT) and `.npy` (NumPy) are known, each also with `.gz`\n");
}

TEST(ReadErrors, UnreadableFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read anything";
  const ScratchFolder folder;
  folder.put("a.mtx", "");
  ::chmod(folder.path("a.mtx").c_str(), 0);
  Report report;
  EXPECT_FALSE(read(folder.path("a.mtx"), {}, report.diagnostics));
  EXPECT_EQ(report.text(folder.prefix()), "error: cannot read `a.mtx`: Permission denied\n");
}

TEST(ReadErrors, EndlessLine) {
  const std::string line(17 << 20, 'x');
  EXPECT_EQ(read_error("a.tns", line), "error: a line is longer than 16 MiB\n  --> a.tns:1\n"
                                       "hint: expected a text file with one entry per line\n");
}

} // namespace
} // namespace cyclotron::tensor
