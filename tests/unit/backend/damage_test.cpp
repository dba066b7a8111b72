// SPDX-License-Identifier: MIT
// A cache that is damaged, cannot be used, or grows too large.
#include "kernels.hpp"

#include "backend/c/cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cyclotron::backend::c {
namespace {

namespace fs = std::filesystem;

void set_age(const std::string& file, int age) {
  const timespec then = {::time(nullptr) - age, 0}, times[2] = {then, then};
  ::utimensat(AT_FDCWD, file.c_str(), times, 0);
}

class Damage : public Build {
protected:
  // Builds, damages the one file there is, and expects it to be built anew, and whole after that.
  template <typename Harm> void expect_repair(Harm harm) {
    ASSERT_TRUE(in_child([&] { return build_answer(answer_source(21), options).value == 21; }));
    ASSERT_EQ(cached(".so").size(), 1u);
    harm(cached(".so")[0]);
    const int before = compiled();
    EXPECT_EQ(build_answer(answer_source(21), options), (Answer{21, false}));
    EXPECT_EQ(compiled(), before + 1);
    EXPECT_TRUE(in_child([&] { return build_answer(answer_source(21), options) == Answer{21, true}; }));
    EXPECT_EQ(temporaries(), 0);
  }

  static void overwrite(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
  }
};

TEST_F(Damage, Truncated) {
  for (const double part : {0.0, 0.1, 0.5, 0.99})
    expect_repair([&](const std::string& file) {
      fs::resize_file(file, static_cast<std::uintmax_t>(part * static_cast<double>(fs::file_size(file))));
    });
}

TEST_F(Damage, Garbage) {
  expect_repair([](const std::string& file) { overwrite(file, std::string(20000, '\x5a')); });
}

TEST_F(Damage, OneBit) {
  for (const std::size_t from_end : {1u, 30u, 100u, 5000u})
    expect_repair([&](const std::string& file) {
      std::string bytes = slurp(file);
      bytes[bytes.size() - from_end] ^= 1;
      overwrite(file, bytes);
    });
}

TEST_F(Damage, AnotherKernelUnderThisName) {
  ASSERT_TRUE(in_child([&] { return build_answer(answer_source(22), options).value == 22; }));
  const std::string other = slurp(cached(".so")[0]);
  fs::remove(cached(".so")[0]);
  expect_repair([&](const std::string& file) { overwrite(file, other); });
}

TEST_F(Damage, SomethingElseUnderThisName) {
  expect_repair([](const std::string& file) { fs::remove(file), fs::create_directory(file); });
  expect_repair([](const std::string& file) { fs::remove(file), ::mkfifo(file.c_str(), 0600); });
  expect_repair(
      [&](const std::string& file) { fs::rename(file, path("moved")), fs::create_symlink(path("moved"), file); });
}

TEST_F(Damage, WritableByOthers) {
  expect_repair([](const std::string& file) { ::chmod(file.c_str(), 0620); });
  expect_repair([](const std::string& file) { ::chmod(file.c_str(), 0602); });
  if (::geteuid() == 0)
    expect_repair([](const std::string& file) { ASSERT_EQ(::chown(file.c_str(), 12345, 12345), 0); });
}

TEST_F(Damage, TheCompilersAnswer) {
  ASSERT_TRUE(in_child([&] { return build_answer(answer_source(23), options).value == 23; }));
  for (const auto& entry : fs::directory_iterator(path("cache/c")))
    if (entry.path().filename().string().starts_with("compiler-")) overwrite(entry.path().string(), "gcc 99\nx\n");
  EXPECT_EQ(build_answer(answer_source(23), options), (Answer{23, true}));
  EXPECT_EQ(asked(), 2);
}

class Fallback : public Build {
protected:
  // Works all the same, twice with one warning, and keeps the kernel for the rest of the run.
  std::string warning_of_two_builds() {
    Report report;
    const auto first = build(answer_source(31), options, report.diagnostics);
    const auto second = build(answer_source(32), options, report.diagnostics);
    const auto again = build(answer_source(31), options, report.diagnostics);
    EXPECT_TRUE(first && second && again && again->from_cache()) << report.text();
    EXPECT_EQ(first ? answer_of(*first) : -1, 31);
    EXPECT_EQ(second ? answer_of(*second) : -1, 32);
    EXPECT_EQ(temporaries(), 0);
    return report.text();
  }

  std::string warning(const std::string& note) const {
    return fmt::format("warning: compiled kernels are not kept: `{0}/c` cannot be used\nnote: {1}\n"
                       "hint: set CYCLOTRON_CACHE to a folder that can be written\n",
                       options.cache_folder, note);
  }
};

TEST_F(Fallback, AFileInTheWay) {
  put("cache", "");
  EXPECT_EQ(warning_of_two_builds(), warning(fmt::format("cannot make the folder `{}`: File exists", path("cache"))));
}

TEST_F(Fallback, NotToBeWritten) {
  options.cache_folder = "/proc/cyclotron"; // not even by root
  EXPECT_EQ(warning_of_two_builds(), warning("cannot make the folder `/proc/cyclotron`: No such file or directory"));
}

TEST_F(Fallback, WritableByOthers) {
  fs::create_directories(path("cache/c"));
  ::chmod(path("cache/c").c_str(), 0777);
  EXPECT_EQ(warning_of_two_builds(),
            warning(fmt::format("other users can write to the folder `{}`, or own it", path("cache/c"))));
  EXPECT_TRUE(cached("").empty());
}

TEST_F(Fallback, AFullDisk) {
  options.compiler =
      script("full-cc", fmt::format("[ \"$1\" = --version ] || echo compile >>'{}'\n"
                                    "case \"$*\" in\n*'{}'*)\n"
                                    "  echo 'ld: final link failed: No space left on device'; exit 1\nesac\n"
                                    "exec cc \"$@\"\n",
                                    path("log"), path("cache")));
  EXPECT_EQ(warning_of_two_builds(), warning("No space left on device"));
  EXPECT_EQ(compiled(), 3); // in vain only once
}

// A cache that was filled before, and now may only be read, still serves; new kernels go elsewhere.
TEST_F(Fallback, ReadOnlyButThere) {
  EXPECT_TRUE(in_child([&] {
    become_plain_user();
    bool fine = build_answer(answer_source(33), options).value == 33;
    ::chmod(path("cache/c").c_str(), 0500);
    fine = build_answer(answer_source(33), options) == Answer{33, true} && fine;
    const std::string note = fmt::format("cannot write to the folder `{}`: Permission denied", path("cache/c"));
    fine = warning_of_two_builds() == warning(note) && fine;
    ::chmod(path("cache/c").c_str(), 0700);
    return fine;
  }));
}

// What processes that were killed have left in the temporary folder goes when the next one needs a folder there.
TEST_F(Fallback, LeftOversOfKilledRuns) {
  const auto make = [&](const std::string& name, int age) {
    fs::create_directories(path("temporary/" + name));
    ::chmod(path("temporary/" + name).c_str(), 0700);
    put("temporary/" + name + "/kernel.so", "");
    set_age(path("temporary/" + name), age);
    return path("temporary/" + name);
  };
  const std::string dead = make("cyclotron-999999999-abcdef", 7200), young = make("cyclotron-999999998-abcdef", 60);
  const std::string alive = make(fmt::format("cyclotron-{}-abcdef", ::getppid()), 7200),
                    other = make("cyclotron-x", 7200);
  options.use_cache = false;
  EXPECT_EQ(build_answer(answer_source(34), options), (Answer{34, false}));
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_TRUE(fs::exists(young) && fs::exists(alive) && fs::exists(other));
}

class Trim : public Build {
protected:
  Trim() { fs::create_directories(folder); }

  // An entry of so many bytes that was used so many seconds ago.
  std::string add(char digit, std::size_t bytes, int age) const {
    const std::string key(64, digit);
    for (const char* ending : {".so", ".c"}) make("cache/c/" + key + ending, bytes / 2, age);
    return key;
  }

  void make(const std::string& name, std::size_t bytes, int age) const {
    const std::string file = put(name, std::string(bytes, 'x'));
    set_age(file, age);
  }

  bool has(const std::string& key) const {
    const bool object = fs::exists(folder + "/" + key + ".so");
    EXPECT_EQ(object, fs::exists(folder + "/" + key + ".c"));
    return object;
  }

  const std::string folder = path("cache/c");
};

TEST_F(Trim, OldestFirst) {
  const std::string a = add('a', 100, 10), b = add('b', 100, 40), c = add('c', 100, 30), d = add('d', 100, 20);
  trim(folder, {4, 400}, "");
  EXPECT_TRUE(has(a) && has(b) && has(c) && has(d)); // within the limits
  trim(folder, {3, 400}, "");
  EXPECT_TRUE(has(a) && !has(b) && has(c) && has(d));
  trim(folder, {3, 250}, "");
  EXPECT_TRUE(has(a) && !has(c) && has(d));
  trim(folder, {0, 0}, d);
  EXPECT_TRUE(!has(a) && has(d)); // what was just built stays
}

TEST_F(Trim, LeftOversOfKilledProcesses) {
  fs::create_directories(folder + "/work-fresh");
  fs::create_directories(folder + "/work-stale");
  make("cache/c/work-stale/kernel.so", 10, 0);
  set_age(folder + "/work-stale", 4000);
  make("cache/c/compiler-old", 10, 40 * 24 * 3600);
  make("cache/c/somebody-elses", 10, 40 * 24 * 3600);
  trim(folder, {}, "");
  EXPECT_TRUE(fs::exists(folder + "/work-fresh"));
  EXPECT_FALSE(fs::exists(folder + "/work-stale"));
  EXPECT_FALSE(fs::exists(folder + "/compiler-old"));
  EXPECT_TRUE(fs::exists(folder + "/somebody-elses"));
}

TEST_F(Trim, BuildsKeepTheBound) {
  options.limits.entries = 3;
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(build_answer(answer_source(i), options), (Answer{i, false}));
    EXPECT_LE(cached(".so").size(), 3u);
    EXPECT_EQ(build_answer(answer_source(i), options), (Answer{i, true}));
  }
}

// A use makes an entry young again.
TEST_F(Trim, UsedEntriesStay) {
  ASSERT_EQ(build_answer(answer_source(1), options), (Answer{1, false}));
  const std::string file = cached(".so").at(0);
  set_age(file, 10000);
  EXPECT_EQ(build_answer(answer_source(1), options), (Answer{1, true}));
  struct stat info;
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  EXPECT_GT(info.st_mtime, ::time(nullptr) - 100);
}

// Some remove all the time what others build and load.
TEST_F(Trim, BesideOthers) {
  std::vector<int> children;
  for (int child = 0; child < 4; ++child)
    start_child(
        [&] {
          bool fine = true;
          for (int i = 0; i < 6; ++i) {
            fine = build_answer(answer_source(i % 3), options).value == i % 3 && fine;
            trim(folder, {0, 0}, "");
          }
          return fine;
        },
        children);
  EXPECT_TRUE(all_succeed(children));
}

} // namespace
} // namespace cyclotron::backend::c
