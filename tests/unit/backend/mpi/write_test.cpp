// SPDX-License-Identifier: MIT
// Files written in parts are those that one writer writes, and appear whole or not at all.
#include "backend/mpi/data/write.hpp"

#include "tensor/capacity.hpp"
#include "tensor/io.hpp"
#include "world.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

namespace cyclotron::mpi {
namespace {

using tensor::ValueType;
using Sizes = std::vector<std::int64_t>;

tensor::Tensor sample(const Sizes& dims, ValueType type) {
  Report report;
  const char* text = tensor::is_float(type) ? "random(low=-3, high=5)" : "integers(-4, 9)";
  if (type == ValueType::boolean) text = "random(density=0.5)";
  return *bind_sequentially(*tensor::parse_recipe(text, report.diagnostics), {"C", dims, type}, report.diagnostics);
}

std::string write_parts(const std::string& path, const tensor::Tensor& whole, const std::vector<Box>& boxes,
                        std::int64_t elements) {
  Report report;
  const Held held(boxes);
  fill(held.parts, whole);
  write(path, {"C", whole.dims, whole.type()}, held.parts, MPI_COMM_WORLD, report.diagnostics, elements);
  return report.text();
}

std::string write_in_parts(const std::string& path, const tensor::Tensor& whole, std::int64_t elements = 1 << 17) {
  static std::uint64_t seed = 0;
  return write_parts(path, whole, random_boxes(whole.dims, 9, ++seed), elements);
}

void expect_the_same_bytes(const SharedFolder& folder, const tensor::Tensor& whole, const std::string& ending,
                           std::int64_t elements) {
  SCOPED_TRACE(fmt::format("{} {}", tensor::describe(whole.dims, whole.type()), ending));
  Report report;
  const std::string expected = folder.path(fmt::format("{}{}", world_rank(), ending)), path = folder.path("c" + ending);
  const bool possible = tensor::write(expected, whole, report.diagnostics);
  const std::string error = write_in_parts(path, whole, elements);
  EXPECT_EQ(error.empty(), possible) << error;
  if (possible) {
    EXPECT_EQ(slurp(path), slurp(expected));
  }
  barrier();
}

TEST(Write, TheBytesOfTheSequentialWriter) {
  const SharedFolder folder;
  for (const char* ending : {".npy", ".mtx", ".tns"})
    for (std::int64_t elements : {2, 1000}) {
      for (const Sizes& dims : {Sizes{}, Sizes{0}, Sizes{1}, Sizes{13}, Sizes{4, 0}, Sizes{3, 4, 5}})
        expect_the_same_bytes(folder, sample(dims, ValueType::f64), ending, elements);
      for (ValueType type : {ValueType::f64, ValueType::f32, ValueType::i32, ValueType::i64, ValueType::boolean})
        expect_the_same_bytes(folder, sample({7, 11}, type), ending, elements);
    }
}

TEST(Write, Gzipped) {
  const SharedFolder folder;
  for (const char* name : {"c.npy.gz", "c.mtx.gz"})
    for (std::int64_t elements : {3, 1000}) {
      const tensor::Tensor whole = sample({7, 11}, ValueType::f64);
      EXPECT_EQ(write_in_parts(folder.path(name), whole, elements), "");
      Report report;
      const auto read = bind_sequentially(folder.path(name), {"C", {7, 11}, ValueType::f64}, report.diagnostics);
      ASSERT_TRUE(read.has_value()) << report.text();
      EXPECT_EQ(*read, whole);
      barrier();
    }
}

TEST(Write, ReplacesWhatWasThere) {
  const SharedFolder folder;
  const std::string path = folder.put("c.npy", "old");
  if (world_rank() == 0) ::chmod(path.c_str(), 0640);
  barrier();
  EXPECT_EQ(write_in_parts(path, sample({3, 3}, ValueType::f64)), "");
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(status.st_size, 128 + 72);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"c.npy"});
}

TEST(Write, RefusesInTheSameWords) {
  const SharedFolder folder;
  const tensor::Tensor whole = sample({3, 3, 3}, ValueType::f64);
  for (const std::string& path :
       {folder.path("none/c.npy"), folder.path(""), folder.path("c.mtx"), folder.path("c.x")}) {
    Report report;
    EXPECT_FALSE(tensor::write(path, whole, report.diagnostics));
    EXPECT_EQ(write_in_parts(path, whole), report.text());
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

TEST(Write, PartsThatDoNotCover) {
  const SharedFolder folder;
  Report report;
  EXPECT_FALSE(write(folder.path("c.npy"), {"C", {3, 3}, ValueType::f64}, {}, MPI_COMM_WORLD, report.diagnostics));
  EXPECT_EQ(report.text(), "error: the parts of all ranks have 0 elements, but `C` is a 3 x 3 tensor of f64 with 9\n");
  EXPECT_EQ(folder.names(), std::vector<std::string>{});
}

// No file of this rank may grow beyond that many bytes.
class FileLimit {
public:
  explicit FileLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST(Write, FilesThatMayNotGrow) {
  for (const char* name : {"c.npy", "c.mtx", "c.npy.gz"})
    for (int limited : {0, world_size() - 1}) {
      const SharedFolder folder;
      const std::string path = folder.put(name, "old");
      const tensor::Tensor whole = sample({60, 70}, ValueType::f64);
      std::optional<FileLimit> limit;
      if (world_rank() == limited) limit.emplace(200);
      const std::int64_t first = 60 * world_rank() / world_size(), end = 60 * (world_rank() + 1) / world_size();
      const std::string error = write_parts(path, whole, {{{first, 0}, {end - first, 70}}}, 100);
      limit.reset();
      EXPECT_EQ(error, fmt::format("error: rank {} cannot write `{}`: File too large\n", limited, path));
      EXPECT_EQ(folder.names(), std::vector<std::string>{name});
      EXPECT_EQ(slurp(path), "old");
      barrier();
    }
}

TEST(Write, FullDisk) {
  const SharedFolder folder;
  int mounted = 1;
  if (world_rank() == 0) {
    std::filesystem::create_directory(folder.path("disk"));
    mounted = ::mount("none", folder.path("disk").c_str(), "tmpfs", 0, "size=64k") == 0;
  }
  MPI_Bcast(&mounted, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (!mounted) GTEST_SKIP() << "no small disk can be mounted here";
  for (const char* name : {"disk/c.npy", "disk/c.mtx"}) {
    const std::string path = folder.put(name, "old");
    const std::string error = write_in_parts(path, sample({200, 100}, ValueType::f64), 500);
    EXPECT_TRUE(error.ends_with(fmt::format(" cannot write `{}`: No space left on device\n", path))) << error;
    EXPECT_EQ(from_rank(0, error), error);
    EXPECT_EQ(slurp(path), "old");
    barrier();
  }
  if (world_rank() == 0) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path("disk")))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"c.mtx", "c.npy"}));
    EXPECT_EQ(::umount(folder.path("disk").c_str()), 0);
  }
  barrier();
}

} // namespace
} // namespace cyclotron::mpi
