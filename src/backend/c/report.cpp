// SPDX-License-Identifier: MIT
#include "backend/c/report.hpp"

#include "backend/c/private_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include <unistd.h>

namespace cyclotron::backend::c {

namespace {

constexpr int shown_lines = 12;
constexpr std::size_t shown_columns = 300;

// The first lines of a compiler's output, fit for a terminal: it may quote anything.
std::vector<std::string> first_lines(const std::string& output) {
  std::vector<std::string> lines;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    if (lines.size() == shown_lines) {
      lines.push_back("…");
      break;
    }
    if (line.size() > shown_columns) line = line.substr(0, shown_columns) + "…";
    std::replace_if(
        line.begin(), line.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    lines.push_back(line);
  }
  return lines;
}

// A user's own flags come first among the suspects.
std::string advice() {
  const char* flags = std::getenv("CYCLOTRON_CFLAGS");
  if (flags && *flags) return fmt::format("try without CYCLOTRON_CFLAGS, which is set to `{}`", flags);
  return "leave out flags of your own, or try another compiler by setting CYCLOTRON_CC; then please report it with the "
         "source";
}

std::string main_message(const std::string& compiler, const ProgramRun& run, double time_limit) {
  switch (run.end) {
  case ProgramRun::End::out_of_time:
    return fmt::format("the C compiler `{}` did not end within {:g} s and was stopped", compiler, time_limit);
  case ProgramRun::End::by_signal:
  case ProgramRun::End::not_started: return fmt::format("the C compiler `{}` {}", compiler, describe_end(run));
  case ProgramRun::End::exited: break;
  }
  return "the C compiler does not accept a generated kernel: flags it does not know, a broken compiler, or a bug in "
         "cyclotron";
}

} // namespace

void report_compiler(const std::string& compiler, const ProgramRun& run, double time_limit, const std::string& source,
                     Diagnostics& diagnostics) {
  Diagnostic& d = diagnostics.error(main_message(compiler, run, time_limit));
  if (run.end == ProgramRun::End::exited) d.note(fmt::format("`{}` {}; it said:", compiler, describe_end(run)));
  for (const std::string& line : first_lines(run.output)) d.note(line);
  d.note(fmt::format("the source is kept in `{}`", source));
  d.with_hint(advice());
}

void report_loading(const std::string& compiler, const std::string& problem, const std::string& source,
                    Diagnostics& diagnostics) {
  diagnostics.error("a compiled kernel cannot be loaded: a bug in cyclotron, or a broken compiler")
      .note(problem)
      .note(fmt::format("it was compiled with `{}` from `{}`", compiler, source))
      .with_hint(advice());
}

void warn_about_folder(const std::string& folder, const std::string& trouble, Diagnostics& diagnostics) {
  const std::string message = fmt::format("compiled kernels are not kept: `{}` cannot be used", folder);
  for (const Diagnostic& d : diagnostics.all())
    if (d.main.message == message) return;
  diagnostics.warning(Span{}, message).note(trouble).with_hint("set CYCLOTRON_CACHE to a folder that can be written");
}

std::string disk_trouble(const ProgramRun& run) {
  for (const char* reason : {"No space left on device", "Disk quota exceeded", "Read-only file system"})
    if (run.end == ProgramRun::End::exited && run.output.find(reason) != run.output.npos) return reason;
  return "";
}

std::string kept_source(const std::string& path, bool lasting) {
  if (lasting) return path;
  const auto text = read_private_file(path);
  std::string copy = temporary_folder() + "/cyclotron-kernel-XXXXXX.c";
  const int descriptor = text ? ::mkstemps(copy.data(), 2) : -1;
  if (descriptor < 0) return path;
  const bool written = ::write(descriptor, text->data(), text->size()) == static_cast<ssize_t>(text->size());
  ::close(descriptor);
  return written ? copy : path;
}

} // namespace cyclotron::backend::c
