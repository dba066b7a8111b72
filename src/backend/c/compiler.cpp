// SPDX-License-Identifier: MIT
#include "backend/c/compiler.hpp"

#include "backend/c/private_files.hpp"
#include "support/program.hpp"
#include "support/sha256.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>

#include <sys/stat.h>
#include <unistd.h>

namespace cyclotron::backend::c {

namespace {

namespace fs = std::filesystem;

// The resolved path is part of it and not what we call: `ccache` goes by the name of the link that it is called by.
std::string identity_of(const std::string& path) {
  struct stat info;
  if (::stat(path.c_str(), &info) != 0) return path + ";";
  std::error_code ignored;
  return fmt::format("{};{};{};{}.{:09};", path, fs::canonical(path, ignored).string(), info.st_size,
                     info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

std::optional<Compiler> compiler_named(const std::string& text) {
  if (std::string path = find_program(text); !path.empty()) return Compiler{{path}, identity_of(path)};
  Compiler compiler; // more than one word
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const std::string path = word.starts_with('-') ? "" : find_program(word);
    if (compiler.command.empty() && path.empty()) return std::nullopt;
    compiler.identity += path.empty() ? word + ";" : identity_of(path);
    compiler.command.push_back(compiler.command.empty() ? path : word);
  }
  return compiler.command.empty() ? std::nullopt : std::optional(compiler);
}

std::optional<Compiler> expect_compiler(const std::string& text, const std::string& named_by,
                                        Diagnostics& diagnostics) {
  auto compiler = compiler_named(text);
  if (!compiler)
    diagnostics.error(fmt::format("the C compiler `{}`{} was not found", text, named_by))
        .with_hint(named_by.empty() ? "give the path of a C compiler, or none: then CYCLOTRON_CC or CC names one, or "
                                      "`cc`, `gcc` or `clang` is used"
                                    : "set CYCLOTRON_CC to the path of a C compiler; where neither it nor CC is set, "
                                      "`cc`, `gcc` or `clang` is used");
  return compiler;
}

const char* set_variable(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

} // namespace

std::optional<Compiler> find_compiler(const std::string& wanted, Diagnostics& diagnostics) {
  if (!wanted.empty()) return expect_compiler(wanted, "", diagnostics);
  for (const char* variable : {"CYCLOTRON_CC", "CC"})
    if (const char* value = set_variable(variable))
      return expect_compiler(value, fmt::format(", named by {},", variable), diagnostics);
  for (const char* name : {"cc", "gcc", "clang"})
    if (auto compiler = compiler_named(name)) return compiler;
  diagnostics.error("there is no C compiler: none of `cc`, `gcc` and `clang` is in PATH")
      .with_hint("install one (`apt-get install gcc libc6-dev` on Debian and Ubuntu, `dnf install gcc` on Fedora), or "
                 "set CYCLOTRON_CC to the path of one");
  return std::nullopt;
}

namespace {

// The file that remembers a compiler's answer: the line, and a hash of question and line.
std::string seal_of_answer(const Compiler& compiler, const std::string& line) {
  return sha256(compiler.identity + "\n" + line);
}

std::optional<std::string> remembered(const Compiler& compiler, const std::string& file) {
  const auto text = read_private_file(file);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  std::string line, seal;
  if (!std::getline(lines, line) || !std::getline(lines, seal)) return std::nullopt;
  return seal == seal_of_answer(compiler, line) ? std::optional(line) : std::nullopt;
}

// Not being able to is no trouble: the next process asks again.
void remember(const Compiler& compiler, const std::string& line, const std::string& folder, const std::string& file) {
  if (!prepare_private_folder(folder).empty()) return;
  const WorkFolder work(folder);
  const std::string fresh = work.path() + "/answer";
  if (work.path().empty()) return;
  if (!write_private_file(fresh, line + "\n" + seal_of_answer(compiler, line) + "\n").empty()) return;
  if (std::rename(fresh.c_str(), file.c_str()) != 0) return;
}

std::optional<std::string> ask_compiler(const Compiler& compiler, double time_limit, bool& answered,
                                        Diagnostics& diagnostics) {
  std::vector<std::string> arguments = compiler.command;
  arguments.push_back("--version");
  const ProgramRun run = run_program(arguments, {{"LC_ALL", "C"}}, time_limit);
  if (run.end == ProgramRun::End::out_of_time || run.end == ProgramRun::End::not_started) {
    diagnostics.error(fmt::format("the C compiler `{}` {}", compiler.command[0], describe_end(run)))
        .note("it was asked for its `--version`")
        .with_hint("set CYCLOTRON_CC to the path of another C compiler");
    return std::nullopt;
  }
  answered = run.succeeded();
  return run.output.substr(0, run.output.find('\n'));
}

} // namespace

std::optional<std::string> compiler_version(const Compiler& compiler, const std::string& memory_folder,
                                            double time_limit, Diagnostics& diagnostics) {
  static std::mutex mutex;
  static std::map<std::string, std::string> answers; // by identity
  {
    const std::lock_guard lock(mutex);
    if (auto known = answers.find(compiler.identity); known != answers.end()) return known->second;
  }
  const std::string file = fmt::format("{}/{}{}", memory_folder, memory_prefix, sha256(compiler.identity));
  auto line = memory_folder.empty() ? std::nullopt : remembered(compiler, file);
  if (!line) {
    bool answered = false;
    line = ask_compiler(compiler, time_limit, answered, diagnostics);
    if (line && answered && !memory_folder.empty()) remember(compiler, *line, memory_folder, file);
  }
  if (!line) return std::nullopt;
  const std::lock_guard lock(mutex);
  return answers.emplace(compiler.identity, *line).first->second;
}

std::string short_version(const std::string& version_line) {
  const std::string clang = "clang version ";
  if (const std::size_t at = version_line.find(clang); at != std::string::npos) {
    const std::size_t number = at + clang.size();
    return "clang " + version_line.substr(number, version_line.find_first_of(" -(", number) - number);
  }
  // gcc calls itself by the name it is called by: "cc (Debian 12.2.0-14+deb12u1) 12.2.0".
  const std::size_t open = version_line.find(" ("), close = version_line.find(") ");
  if (open != std::string::npos && close != std::string::npos && version_line.find(' ') == open) {
    const std::size_t number = close + 2;
    if (number < version_line.size() && std::isdigit(static_cast<unsigned char>(version_line[number])))
      return "gcc " + version_line.substr(number, version_line.find(' ', number) - number);
  }
  return version_line;
}

} // namespace cyclotron::backend::c
