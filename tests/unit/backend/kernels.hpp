// SPDX-License-Identifier: MIT
// What the tests of building share: a folder that vanishes, a compiler that counts its runs, small kernels.
#pragma once

#include "backend/c/build.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace cyclotron::backend::c {

struct Report {
  Sources sources;
  Diagnostics diagnostics{sources};
  std::string text() const { return diagnostics.render(false); }
};

// Sets a variable of the environment for as long as it lives; without a value, removes it.
class Variable {
public:
  Variable(const char* name, const char* value);
  ~Variable();
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

private:
  std::string name_, before_;
  bool was_set_;
};

// A cache folder and a compiler of one's own: the system's, and a line in a log for each time it is started.
class Build : public testing::Test {
protected:
  Build();
  ~Build() override;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string put(const std::string& name, const std::string& text, int mode = 0644) const;
  std::string script(const std::string& name, const std::string& lines) const; // a program in the shell's language

  void become_plain_user() const; // root may write everywhere; for processes that end soon

  int compiled() const { return count("compile"); }
  int asked() const { return count("version"); }                    // for its version
  std::vector<std::string> cached(const std::string& ending) const; // files of the cache
  int temporaries() const; // half-made things, in the cache and in the temporary folder

  BuildOptions options; // -O0, for speed

private:
  int count(const std::string& word) const;

  std::string folder_;
  Variable tmpdir_;
  Variable cflags_{"CYCLOTRON_CFLAGS", nullptr}; // of whoever runs the tests
};

// The source of `int answer(void)`.
std::string answer_source(int answer);
int answer_of(const Library& library);

// Builds, expects no remark at all, and calls; the answer and whether it came from the cache.
struct Answer {
  int value;
  bool from_cache;
  bool operator==(const Answer&) const = default;
};
Answer build_answer(const std::string& source, const BuildOptions& options);

// True where the function returns true in a process of its own, which knows nothing of what we have loaded.
void start_child(const std::function<bool()>& test, std::vector<int>& children);
bool all_succeed(const std::vector<int>& children);
bool in_child(const std::function<bool()>& test);

std::string slurp(const std::string& path);

} // namespace cyclotron::backend::c
