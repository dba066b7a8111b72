// SPDX-License-Identifier: MIT
// What is written: the bytes of small files, that it reads back the same, and that failures leave nothing behind.
#include "random_tensors.hpp"
#include "scratch.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <limits>

namespace cyclotron::tensor {
namespace {

namespace fs = std::filesystem;

Tensor packed_as(Entries entries, const Format& format) {
  Report report;
  return *pack(std::move(entries), format, report.diagnostics);
}

std::string written(const std::string& name, const Tensor& tensor) {
  const ScratchFolder folder;
  Report report;
  EXPECT_TRUE(write(folder.path(name), tensor, report.diagnostics)) << report.text();
  EXPECT_EQ(folder.names(), std::vector<std::string>{name});
  return slurp(folder.path(name));
}

const Entries small{{2, 2}, {{0, 1}, {1, 0}}, std::vector<double>{0.1, -3}, false};

TEST(Write, MatrixMarket) {
  EXPECT_EQ(written("a.mtx", packed_as(small, *format_named("csr", 2))),
            "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 0.1\n2 1 -3\n");
  EXPECT_EQ(written("a.mtx", packed_as(small, dense_format(2))),
            "%%MatrixMarket matrix array real general\n2 2\n0\n-3\n0.1\n0\n");
  const Entries bools{{2}, {{1}}, std::vector<std::uint8_t>{1}, false};
  EXPECT_EQ(written("a.mtx", packed_as(bools, *format_named("coo", 1))),
            "%%MatrixMarket matrix coordinate pattern general\n2 1 1\n2 1\n");
  EXPECT_EQ(written("a.mtx", packed_as(bools, dense_format(1))),
            "%%MatrixMarket matrix array integer general\n2 1\n0\n1\n");
  const Entries integers{{2, 1}, {{1}, {0}}, std::vector<std::int32_t>{-7}, false};
  EXPECT_EQ(written("a.mtx", packed_as(integers, *format_named("coo", 2))),
            "%%MatrixMarket matrix coordinate integer general\n2 1 1\n2 1 -7\n");
}

TEST(Write, Frostt) {
  EXPECT_EQ(written("a.tns", packed_as(small, dense_format(2))), "# 2 x 2\n1 2 0.1\n2 1 -3\n");
  EXPECT_EQ(written("a.tns", packed_as(Entries{{0}, {{}}, std::vector<float>{}, false}, dense_format(1))), "# 0\n");
}

TEST(Write, Numpy) {
  const std::string bytes =
      written("a.npy", packed_as(Entries{{2}, {{1}}, std::vector<std::int32_t>{5}, false}, dense_format(1)));
  EXPECT_EQ(bytes.size(), 128u + 8u);
  EXPECT_EQ(bytes.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(bytes.substr(10, 59), "{'descr': '<i4', 'fortran_order': False, 'shape': (2,), }  ");
  EXPECT_EQ(bytes.substr(127), std::string("\n\0\0\0\0\x05\0\0\0", 9));
}

RC_GTEST_PROP(Write, ReadsBackTheSame, ()) {
  const std::string ending = *rc::gen::element<std::string>("mtx", "tns", "npy", "mtx.gz", "tns.gz", "npy.gz");
  const bool matrix = ending.starts_with("mtx");
  const int rank = ending.starts_with("npy") ? *rc::gen::inRange(0, 5) : *rc::gen::inRange(1, matrix ? 3 : 5);
  const ValueType type = random_type();
  Entries entries = random_entries(rank, type);
  if (auto* reals = std::get_if<std::vector<double>>(&entries.values))
    for (double& value : *reals) value /= 3; // as many digits as there can be
  Report report;
  const auto tensor = pack(entries, random_format(rank), report.diagnostics);
  RC_ASSERT(tensor.has_value());
  const ScratchFolder folder;
  RC_ASSERT(write(folder.path("a." + ending), *tensor, report.diagnostics));
  RC_ASSERT(folder.names() == std::vector<std::string>{"a." + ending});
  const auto back = read(folder.path("a." + ending), ReadOptions{tensor->dims}, report.diagnostics);
  RC_ASSERT(back.has_value());
  const auto same = pack(*back, tensor->format, report.diagnostics);
  RC_ASSERT(same.has_value());
  const auto typed = convert_type(*same, type, report.diagnostics);
  RC_ASSERT(typed.has_value());
  RC_ASSERT(dense_view(*typed) == dense_view(*tensor));
  RC_ASSERT(convert(*typed, tensor->format, report.diagnostics) ==
            convert(*tensor, tensor->format, report.diagnostics));
}

TEST(Write, ExtremeNumbers) {
  using Limits = std::numeric_limits<double>;
  const std::vector<double> values = {Limits::max(), Limits::min(), Limits::denorm_min(), -Limits::infinity(), 1.0 / 3};
  const Tensor tensor = packed_as(Entries{{5}, {}, values, true}, dense_format(1));
  for (const char* name : {"a.mtx", "a.npy", "a.tns"})
    EXPECT_EQ(dense_view(read_bytes(name, written(name, tensor), {5})), values) << name;
}

std::string write_error(const std::string& name, const Tensor& tensor, const ScratchFolder& folder) {
  Report report;
  EXPECT_FALSE(write(folder.path(name), tensor, report.diagnostics));
  return report.text(folder.prefix());
}

TEST(Write, Refusals) {
  const ScratchFolder folder;
  fs::create_directory(folder.path("folder.npy"));
  const auto zero = [](int rank) {
    return packed_as(
        Entries{std::vector<std::int64_t>(static_cast<std::size_t>(rank), 1), {}, std::vector<double>{1}, true},
        dense_format(rank));
  };
  EXPECT_EQ(write_error("a.tns", zero(0), folder),
            "error: `a.tns` cannot hold a scalar: a FROSTT file needs at least one "
            "dimension\nhint: write it as `.npy`\n");
  EXPECT_EQ(write_error("a.mtx", zero(0), folder),
            "error: `a.mtx` cannot hold a scalar: a Matrix Market file needs one or "
            "two dimensions\nhint: write it as `.npy`\n");
  EXPECT_EQ(write_error("a.mtx", zero(3), folder),
            "error: `a.mtx` cannot hold a tensor of 3 dimensions: a Matrix Market file needs one or two dimensions\n"
            "hint: write it as `.tns` or `.npy`\n");
  EXPECT_EQ(write_error("a.txt", zero(1), folder),
            "error: expected a file ending that says the kind of `a.txt`, found `.txt`\n"
            "hint: `.mtx` (Matrix Market), `.tns` (FROSTT) and `.npy` (NumPy) are known, each also with `.gz`\n");
  EXPECT_EQ(write_error("out/a.npy", zero(1), folder),
            "error: cannot write `out/a.npy`: there is no folder `out`\nhint: create the folder first\n");
  EXPECT_EQ(write_error("folder.npy", zero(1), folder),
            "error: cannot write `folder.npy`: it is a folder\nhint: name a file in it\n");
  ASSERT_EQ(::mkfifo(folder.path("pipe.npy").c_str(), 0600), 0);
  fs::create_symlink("pipe.npy", folder.path("link.npy"));
  for (const std::string name : {"pipe.npy", "link.npy"})
    EXPECT_EQ(write_error(name, zero(1), folder),
              "error: cannot write `" + name +
                  "`: it is not a file\nhint: a pipe or a device would be replaced, not written to; name a file\n");
  EXPECT_TRUE(fs::is_fifo(folder.path("pipe.npy")));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"folder.npy", "link.npy", "pipe.npy"}));
}

TEST(Write, CheckingLeavesNothing) {
  const ScratchFolder folder;
  folder.put("old.npy", "old");
  Report report;
  EXPECT_TRUE(check_writable(folder.path("new.npy"), 2, report.diagnostics));
  EXPECT_TRUE(check_writable(folder.path("old.npy"), 2, report.diagnostics));
  EXPECT_EQ(folder.names(), std::vector<std::string>{"old.npy"});
  EXPECT_EQ(slurp(folder.path("old.npy")), "old");
}

TEST(Write, ReadOnlyFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  const ScratchFolder folder;
  fs::create_directory(folder.path("locked"));
  ::chmod(folder.path("locked").c_str(), 0500);
  Report report;
  EXPECT_FALSE(check_writable(folder.path("locked/a.npy"), 2, report.diagnostics));
  EXPECT_EQ(report.text(folder.prefix()), "error: cannot write `locked/a.npy`: Permission denied\n"
                                          "hint: the folder `locked` must be writable\n");
}

// A full disk, played by a limit on the size of files.
TEST(Write, FailureLeavesTheOldFile) {
  const ScratchFolder folder;
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  const Tensor tensor = packed_as(Entries{{4000}, {}, std::vector<double>(4000, 1.0 / 3), true}, dense_format(1));
  for (const char* name : {"a.npy", "a.mtx", "a.tns", "a.mtx.gz"}) {
    folder.put(name, "old");
    const rlimit small_files{20, old.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small_files);
    const std::string message = write_error(name, tensor, folder);
    ::setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_EQ(message, "error: cannot write `" + std::string(name) + "`: File too large\n");
    EXPECT_EQ(slurp(folder.path(name)), "old");
  }
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"a.mtx", "a.mtx.gz", "a.npy", "a.tns"}));
  std::signal(SIGXFSZ, before);
}

TEST(Write, FollowsLinksAndKeepsPermissions) {
  const ScratchFolder folder;
  folder.put("real.npy", "old");
  ::chmod(folder.path("real.npy").c_str(), 0640);
  fs::create_symlink("real.npy", folder.path("link.npy"));
  Report report;
  EXPECT_TRUE(write(folder.path("link.npy"), packed_as(small, dense_format(2)), report.diagnostics)) << report.text();
  EXPECT_TRUE(fs::is_symlink(folder.path("link.npy")));
  EXPECT_EQ(slurp(folder.path("real.npy")).substr(1, 5), "NUMPY");
  EXPECT_EQ(fs::status(folder.path("real.npy")).permissions(), fs::perms{0640});
}

} // namespace
} // namespace cyclotron::tensor
