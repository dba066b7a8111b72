// SPDX-License-Identifier: MIT
#include "backend/c/folder.hpp"

#include "backend/c/names.hpp"
#include "support/unfinished.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cyclotron::backend::c {

namespace fs = std::filesystem;

namespace {

std::string makefile_text(const FolderSource& source) {
  return fmt::format(R"(# {0}: {1}.
#   make        the library lib{2}.a
#   make test   builds and runs the self-test
CFLAGS = -O3 -march=native
ALL_CFLAGS = -std=c11 -Wall -Wextra -pedantic -ffp-contract=fast -fno-math-errno {3} $(CFLAGS)

lib{2}.a: {2}.o
{4}$(AR) rcs $@ $<

{2}.o: {2}.c {2}.h
{4}$(CC) $(ALL_CFLAGS) -c -o $@ {2}.c

{2}_test: {2}_test.c {2}.h lib{2}.a
{4}$(CC) $(ALL_CFLAGS) -o $@ {2}_test.c lib{2}.a -lm

test: {2}_test
{4}./{2}_test

clean:
{4}rm -f {2}.o lib{2}.a {2}_test

.PHONY: test clean
)",
                     harmless(source.title), made_by, source.emitted.function,
                     source.emitted.uses_openmp ? "-fopenmp" : "-fopenmp-simd", '\t');
}

std::string cmake_text(const FolderSource& source) {
  const bool openmp = source.emitted.uses_openmp;
  return fmt::format(R"(# {0}: {1}.
cmake_minimum_required(VERSION 3.13)
project({2}_kernel LANGUAGES C)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_C_STANDARD 11)

add_library({2}_kernel STATIC {2}.c)
set_target_properties({2}_kernel PROPERTIES OUTPUT_NAME {2})
target_include_directories({2}_kernel PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})
target_compile_options({2}_kernel PRIVATE -ffp-contract=fast -fno-math-errno{3})
target_link_libraries({2}_kernel PUBLIC m)
{4}
add_executable({2}_test {2}_test.c)
target_link_libraries({2}_test PRIVATE {2}_kernel)
enable_testing()
add_test(NAME self_test COMMAND {2}_test)
)",
                     harmless(source.title), made_by, source.emitted.function, openmp ? "" : " -fopenmp-simd",
                     openmp ? fmt::format("find_package(OpenMP REQUIRED)\ntarget_link_libraries({}_kernel PUBLIC "
                                          "OpenMP::OpenMP_C)\n",
                                          source.emitted.function)
                            : "");
}

std::string readme_text(const FolderSource& source, const Sample& sample) {
  std::string equations, numbers;
  for (const recurrence::Equation& e : source.program.equations) equations += "    " + recurrence::print(e) + "\n";
  return fmt::format(R"(<!-- {0}: {1}. -->
# {2}

C11 for these equations, on its own: it needs a C compiler and nothing else.

{3}
| file | what it is |
| --- | --- |
| `{2}.h` | the function to call, and what each argument is |
| `{2}.c` | the kernel |
| `{2}_test.c` | a self-test: sample data ({4}) and what must come out |
| `Makefile`, `CMakeLists.txt` | two ways to build it |

Build it and run its self-test:

    make test

or

    cmake -S . -B ../{2}-build && cmake --build ../{2}-build && ../{2}-build/{2}_test

To use it, include `{2}.h` and link with `lib{2}.a -lm{5}`; `{2}_test.c` shows a whole call.
)",
                     harmless(source.title), made_by, source.emitted.function, equations, harmless(sample.origin),
                     source.emitted.uses_openmp ? " -fopenmp" : "");
}

// --- writing ---

struct Contents {
  std::vector<fs::path> own; // what we wrote, and what came of building it
  std::string foreign;       // the first of anything else
};

Contents contents_of(const fs::path& folder) {
  Contents result;
  std::error_code error;
  std::set<std::string> built;
  std::vector<fs::path> others;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    std::string start(400, '\0');
    if (entry.is_regular_file(error) && !entry.is_symlink(error)) {
      std::ifstream in(entry.path(), std::ios::binary);
      in.read(start.data(), static_cast<std::streamsize>(start.size()));
      start.resize(static_cast<std::size_t>(in.gcount()));
      if (start.substr(0, start.find('\n')).find(made_by) != std::string::npos) {
        if (entry.path().extension() == ".c" || entry.path().extension() == ".cu") {
          const std::string stem = entry.path().stem().string();
          built.insert({stem, stem + ".o", "lib" + stem + ".a", stem + "_on_cpu"});
        }
        result.own.push_back(entry.path().filename());
        continue;
      }
    }
    others.push_back(entry.path().filename());
  }
  for (const fs::path& p : others) {
    const bool own = built.count(p.string()) && fs::is_regular_file(fs::symlink_status(folder / p, error));
    if (own) result.own.push_back(p);
    else if (result.foreign.empty()) result.foreign = p.string();
  }
  return result;
}

bool is_current_folder(const fs::path& folder) {
  std::error_code error;
  return fs::equivalent(folder, ".", error);
}

// File by file: whoever stands in the folder (`-o .`) would be left in one that is gone if it were swapped.
bool put_files_in_place(const fs::path& made, const fs::path& wanted, const std::vector<FolderFile>& files,
                        const std::vector<fs::path>& old) {
  std::error_code error;
  for (const FolderFile& f : files) {
    fs::rename(made / f.name, wanted / f.name, error);
    if (error) return false;
  }
  for (const fs::path& p : old)
    if (std::none_of(files.begin(), files.end(), [&](const FolderFile& f) { return f.name == p; }))
      fs::remove(wanted / p, error);
  fs::remove_all(made, error);
  return true;
}

// Swaps two folders at once where the system can; else one after the other.
bool put_in_place(const fs::path& made, const fs::path& wanted, bool exists) {
  std::error_code error;
  if (!exists) {
    fs::rename(made, wanted, error);
    return !error;
  }
#ifdef RENAME_EXCHANGE
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, wanted.c_str(), RENAME_EXCHANGE) == 0) {
    fs::remove_all(made, error);
    return true;
  }
#endif
  const fs::path old = made.string() + "-old";
  fs::rename(wanted, old, error);
  if (error) return false;
  fs::rename(made, wanted, error);
  if (error) {
    std::error_code ignored;
    fs::rename(old, wanted, ignored);
    return false;
  }
  fs::remove_all(old, error);
  return true;
}

} // namespace

std::optional<std::vector<FolderFile>> folder_files(const FolderSource& source, const Sample& sample,
                                                    Diagnostics& diagnostics) {
  const std::string& name = source.emitted.function;
  const std::string test = self_test_text(source, sample, diagnostics);
  if (test.empty()) return std::nullopt;
  const Emitted& e = source.emitted;
  return std::vector<FolderFile>{
      {name + ".c", e.comment + fmt::format("#include \"{}.h\"\n\n", name) + e.includes + e.code},
      {name + ".h", header_text(source)},
      {name + "_test.c", test},
      {"Makefile", makefile_text(source)},
      {"CMakeLists.txt", cmake_text(source)},
      {"README.md", readme_text(source, sample)}};
}

bool write_folder(const std::string& path, const std::vector<FolderFile>& files, Diagnostics& diagnostics) {
  std::error_code error;
  fs::path wanted = fs::absolute(path, error).lexically_normal();
  if (!wanted.has_filename()) wanted = wanted.parent_path(); // `dir/`
  const auto fail = [&](const std::string& why) {
    diagnostics.error(fmt::format("cannot write the folder `{}`: {}", path, why));
    return false;
  };
  const bool exists = fs::exists(fs::symlink_status(wanted, error));
  Contents old;
  if (exists) {
    wanted = fs::canonical(wanted, error);
    if (error || !fs::is_directory(wanted, error)) return fail("there is something else of that name");
    old = contents_of(wanted);
    if (!old.foreign.empty()) {
      diagnostics.error(fmt::format("the folder `{}` holds `{}`, which Cyclotron did not write", path, old.foreign))
          .with_hint("name a new folder, or an empty one; it is replaced as a whole");
      return false;
    }
  }
  const Unfinished work;
  std::string made = wanted.string() + ".XXXXXX";
  if (!::mkdtemp(made.data())) return fail(std::strerror(errno));
  const auto give_up = [&](const std::string& why) {
    fs::remove_all(made, error);
    return fail(why);
  };
  for (const FolderFile& f : files) {
    std::ofstream out(fs::path(made) / f.name, std::ios::binary);
    out << f.text;
    out.close();
    if (!out) return give_up(fmt::format("`{}`: {}", f.name, std::strerror(errno)));
  }
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::chmod(made.c_str(), 0777 & ~mask);
  const bool placed = exists && is_current_folder(wanted) ? put_files_in_place(made, wanted, files, old.own)
                                                          : put_in_place(made, wanted, exists);
  if (!placed) return give_up(std::strerror(errno));
  return true;
}

} // namespace cyclotron::backend::c
