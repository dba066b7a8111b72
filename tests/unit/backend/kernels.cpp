// SPDX-License-Identifier: MIT
#include "kernels.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cyclotron::backend::c {

namespace fs = std::filesystem;

Variable::Variable(const char* name, const char* value) : name_(name), was_set_(std::getenv(name)) {
  if (was_set_) before_ = std::getenv(name);
  if (value) ::setenv(name, value, 1);
  else ::unsetenv(name);
}

Variable::~Variable() {
  if (was_set_) ::setenv(name_.c_str(), before_.c_str(), 1);
  else ::unsetenv(name_.c_str());
}

namespace {

std::string fresh_folder() {
  std::string path = (fs::temp_directory_path() / "cyclotron_build_test_XXXXXX").string();
  if (!::mkdtemp(path.data())) std::abort();
  fs::create_directory(path + "/temporary");
  return path;
}

} // namespace

Build::Build() : folder_(fresh_folder()), tmpdir_("TMPDIR", (folder_ + "/temporary").c_str()) {
  put("log", "");
  options.compiler = script("counting-cc", fmt::format("if [ \"$1\" = --version ]; then\n"
                                                       "  echo version >>'{0}/log'; echo 'fake-cc (Fake) 1.2.3'; exit\n"
                                                       "fi\n"
                                                       "echo compile >>'{0}/log'\n"
                                                       "exec cc \"$@\"\n",
                                                       folder_));
  options.flags = {"-O0"};
  options.cache_folder = path("cache");
  options.time_limit = 600; // a busy machine is no reason to fail
}

Build::~Build() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

std::string Build::put(const std::string& name, const std::string& text, int mode) const {
  std::ofstream(path(name), std::ios::binary) << text;
  ::chmod(path(name).c_str(), static_cast<mode_t>(mode));
  return path(name);
}

std::string Build::script(const std::string& name, const std::string& lines) const {
  return put(name, "#!/bin/sh\n" + lines, 0755);
}

void Build::become_plain_user() const {
  constexpr uid_t nobody = 65534;
  if (::geteuid() != 0) return;
  bool fine = ::chown(folder_.c_str(), nobody, nobody) == 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_))
    fine = ::chown(entry.path().c_str(), nobody, nobody) == 0 && fine;
  if (!fine || ::setgid(nobody) != 0 || ::setuid(nobody) != 0) ::_exit(2);
}

int Build::count(const std::string& word) const {
  std::ifstream log(path("log"));
  int found = 0;
  for (std::string line; std::getline(log, line);) found += line == word;
  return found;
}

std::vector<std::string> Build::cached(const std::string& ending) const {
  std::vector<std::string> found;
  if (!fs::exists(path("cache/c"))) return found;
  for (const auto& entry : fs::directory_iterator(path("cache/c")))
    if (entry.path().string().ends_with(ending)) found.push_back(entry.path().string());
  return found;
}

int Build::temporaries() const {
  int found = 0;
  if (fs::exists(path("cache/c")))
    for (const auto& entry : fs::directory_iterator(path("cache/c")))
      found += entry.path().filename().string().starts_with("work-");
  // Those of gcc are `cc` and six letters; kernels that are kept have longer names, some of which begin so, too.
  const auto half_made = [](const fs::path& file) {
    const std::string stem = file.stem().string();
    return stem.starts_with("work-") || (stem.starts_with("cc") && stem.size() == 8);
  };
  for (const auto& entry : fs::recursive_directory_iterator(path("temporary"))) found += half_made(entry.path());
  return found;
}

std::string answer_source(int answer) { return fmt::format("int answer(void) {{ return {}; }}\n", answer); }

int answer_of(const Library& library) {
  auto* function = reinterpret_cast<int (*)()>(library.symbol("answer"));
  return function ? function() : -1;
}

Answer build_answer(const std::string& source, const BuildOptions& options) {
  Report report;
  const auto library = build(source, options, report.diagnostics);
  EXPECT_EQ(report.text(), "");
  return library ? Answer{answer_of(*library), library->from_cache()} : Answer{-1, false};
}

void start_child(const std::function<bool()>& test, std::vector<int>& children) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(test() ? 0 : 1);
  children.push_back(child);
}

bool all_succeed(const std::vector<int>& children) {
  bool fine = true;
  for (int child : children) {
    int status = 0;
    fine = ::waitpid(child, &status, 0) == child && status == 0 && fine;
  }
  return fine;
}

bool in_child(const std::function<bool()>& test) {
  std::vector<int> children;
  start_child(test, children);
  return all_succeed(children);
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace cyclotron::backend::c
