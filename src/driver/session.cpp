// SPDX-License-Identifier: MIT
#include "driver/session.hpp"

#include "frontend/parse.hpp"
#include "support/nearest.hpp"
#include "support/pass_clock.hpp"
#include "support/terminal.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace cyclotron::driver {

namespace {

// Programs are written by people; anything larger is a data file given by mistake.
constexpr std::uintmax_t largest_program = 4 << 20;

std::vector<std::string> neighbours(const std::filesystem::path& path) {
  std::vector<std::string> names;
  std::error_code error;
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".cyc") names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

int with_pass_times(const CommonOptions& options, const std::function<int()>& verb) {
  if (!options.time_passes) return verb();
  const PassClock clock;
  const int code = verb();
  fmt::print(stderr, "{}", clock.table());
  return code;
}

std::optional<std::int32_t> Session::read_file(const std::string& path) {
  const TimedPass reading("read-program");
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    diagnostics_.error(fmt::format("`{}` is a folder, not a program", path));
    return std::nullopt;
  }
  if (tensor::file_kind(path)) {
    diagnostics_.error(fmt::format("`{}` is a data file, not a program", path))
        .with_hint("write the program first, then `NAME=FILE` for each input");
    return std::nullopt;
  }
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    const std::filesystem::path p(path);
    Diagnostic& d = diagnostics_.error(fmt::format("cannot read `{}`: {}", path, std::strerror(errno)));
    d.with_hint(did_you_mean(p.filename().string(), neighbours(p)));
    return std::nullopt;
  }
  if (std::filesystem::file_size(path, error) > largest_program && !error) {
    diagnostics_.error(fmt::format("`{}` is larger than any program", path))
        .with_hint("data is given as NAME=FILE after the program");
    return std::nullopt;
  }
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return sources_.add(path, std::move(text));
}

const frontend::Checked* Session::load(bool with_loops) {
  if (is_loops_file(options_.program)) return load_loops_file(with_loops);
  const auto file = read_file(options_.program);
  if (!file) return nullptr;
  result_ = run_front_end(*file, pipeline_, diagnostics_);
  if (!result_.checked) return nullptr;
  choose_schedule();
  check_only();
  return diagnostics_.failed() ? nullptr : &*result_.checked;
}

// The text up to the line `loops` is a program like any other. It is a source of its own, of the same name: a place in
// it is the same place in the whole.
const frontend::Checked* Session::load_loops_file(bool with_loops) {
  if (!with_loops && !takes_loops("this command")) return nullptr;
  const auto file = read_file(options_.program);
  if (!file) return nullptr;
  const std::string& text = sources_.text(*file);
  const auto begin = find_loops(text);
  if (!begin) {
    diagnostics_.error(fmt::format("`{}` has no line `loops`", options_.program))
        .with_hint("write `loops i, j` behind the equations, and the loops below it; `cyclotron compile --emit=loops "
                   "PROGRAM.cyc` shows those of a program");
    return nullptr;
  }
  result_ = run_front_end(sources_.add(options_.program, text.substr(0, *begin)), pipeline_, diagnostics_);
  if (!result_.checked) return nullptr;
  if (!options_.schedule.empty() || !options_.schedule_file.empty()) {
    diagnostics_.error(fmt::format("the loops of `{}` are placed already: it takes no schedule", options_.program))
        .with_hint("leave `--schedule` out, or give the program, a .cyc file");
    return nullptr;
  }
  if (!check_schedules_of_loops_file(*result_.checked, diagnostics_)) return nullptr;
  if (!result_.checked->unit->schedules.empty()) schedule_ = &result_.checked->unit->schedules[0];
  const TimedPass reading("read-loops");
  loops_file_ = read_loops(*file, *begin, *result_.checked, diagnostics_);
  if (!loops_file_) return nullptr;
  if (only_.empty())
    for (const recurrence::Binder& b : loops_file_->only) only_.push_back(b.name);
  check_only();
  return diagnostics_.failed() ? nullptr : &*result_.checked;
}

bool Session::takes_loops(std::string_view what) {
  if (!is_loops_file(options_.program)) return true;
  diagnostics_.unsupported({}, fmt::format("{} takes a program, a .cyc file, and no file of loops", what))
      .with_hint("`run` and `compile --emit=c` take `.loops` files");
  return false;
}

void Session::check_only() {
  const recurrence::Program& program = result_.checked->program();
  std::vector<std::string> names;
  for (const recurrence::TensorDecl* t : program.outputs()) names.push_back(t->name.name);
  for (const std::string& name : options_.only) {
    if (program.is_output(name)) continue;
    const std::string hint = did_you_mean(name, names);
    diagnostics_.error(fmt::format("--only: the program has no output `{}`", name))
        .with_hint(hint.empty() ? "the outputs are " + join_names(names) : hint);
  }
}

std::set<std::string> Session::unwanted() const {
  std::set<std::string> names;
  if (only_.empty()) return names;
  for (const recurrence::TensorDecl* t : result_.checked->program().outputs())
    if (std::find(only_.begin(), only_.end(), t->name.name) == only_.end()) names.insert(t->name.name);
  return names;
}

void Session::choose_schedule() {
  const std::vector<schedule::Schedule>*all = &result_.checked->unit->schedules, *extra = &extra_schedules_;
  std::vector<std::string> names;
  for (const schedule::Schedule& s : *all) names.push_back(s.name.name);
  if (!options_.schedule_file.empty()) {
    const auto file = read_file(options_.schedule_file);
    if (!file) return;
    extra_schedules_ = frontend::parse(*file, diagnostics_).schedules;
    schedule::check(extra_schedules_, result_.checked->program(), diagnostics_);
    if (extra_schedules_.empty() && !diagnostics_.failed())
      diagnostics_.error(fmt::format("`{}` holds no schedule", options_.schedule_file));
    for (const schedule::Schedule& s : extra_schedules_) names.push_back(s.name.name);
    if (options_.schedule.empty() && extra_schedules_.size() == 1) schedule_ = &extra_schedules_[0];
  }
  if (options_.schedule.empty()) return;
  for (const auto* list : {all, extra})
    for (const schedule::Schedule& s : *list)
      if (s.name.name == options_.schedule) schedule_ = &s;
  if (schedule_) return;
  std::string hint = did_you_mean(options_.schedule, names);
  if (hint.empty()) hint = names.empty() ? "the program has no schedules" : "there are " + join_names(names);
  diagnostics_.error(fmt::format("there is no schedule `{}`", options_.schedule)).with_hint(hint);
}

void flush_output() {
  if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
}

int Session::finish() const {
  const TimedPass showing("show-results");
  const int problem = std::fflush(stdout) == 0 ? 0 : errno;
  fmt::print(stderr, "{}", diagnostics_.render(color_on_stderr()));
  if (problem) throw std::system_error(problem, std::generic_category());
  if (!diagnostics_.failed()) return success;
  return diagnostics_.only_unsupported() ? unsupported : wrong_program;
}

std::string Session::folder() const { return std::filesystem::path(options_.program).parent_path().string(); }
std::string Session::base_name() const { return std::filesystem::path(options_.program).filename().string(); }

} // namespace cyclotron::driver
