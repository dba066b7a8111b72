// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace cyclotron;

bool fail(const std::string& message, const std::string& hint) {
  fmt::print(stderr, "error: {}\n", message);
  if (!hint.empty()) fmt::print(stderr, "hint: {}\n", hint);
  return false;
}

bool split_all(const std::vector<std::string>& texts, const char* form, std::vector<driver::Assignment>& list) {
  for (const std::string& text : texts) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
      return fail(fmt::format("expected {}, found `{}`", form, text), "");
    list.push_back({text.substr(0, at), text.substr(at + 1)});
  }
  return true;
}

std::vector<std::string> items_of(const std::vector<std::string>& texts, char separator) {
  std::vector<std::string> items;
  for (const std::string& text : texts)
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(separator, at), text.size());
      items.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  return items;
}

std::optional<std::int64_t> number_in(const std::string& text, std::int64_t least, std::int64_t most) {
  if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  const std::int64_t n = std::stoll(text);
  return n >= least && n <= most ? std::optional(n) : std::nullopt;
}

bool read_numbers(const char* option, const std::vector<std::string>& texts, std::int64_t least,
                  std::vector<std::int64_t>& to) {
  if (!texts.empty()) to.clear();
  for (const std::string& item : items_of(texts, ',')) {
    const auto n = number_in(item, least);
    if (!n)
      return fail(fmt::format("{}: expected whole numbers of at least {}, found `{}`", option, least, item),
                  fmt::format("write `{} 1,2,4`", option));
    if (std::find(to.begin(), to.end(), *n) == to.end()) to.push_back(*n);
  }
  return true;
}

CLI::Option* add_texts(CLI::App& app, const char* name, std::vector<std::string>& to, const std::string& meaning,
                       const char* form) {
  return app.add_option(name, to, meaning)->type_name(form)->expected(1)->take_all()->allow_extra_args(false);
}

CLI::Option* take_whole(CLI::Option* option, std::int64_t least, std::int64_t most) {
  const auto check = [=](const std::string& text) -> std::string {
    if (number_in(text, least, most)) return "";
    return fmt::format("expected a whole number from {} to {}, found `{}`\nhint: write such as `{} {}`", least, most,
                       text, option->get_name(), option->get_default_str());
  };
  return option->check(CLI::Validator(check, ""))->type_name("N");
}

namespace {

std::optional<double> real_in(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

} // namespace

CLI::Option* take_real(CLI::Option* option) {
  const auto check = [=](const std::string& text) -> std::string {
    if (real_in(text).value_or(-1) >= 0) return "";
    return fmt::format("expected a number of at least 0, found `{}`\nhint: write such as `{} 1.5`", text,
                       option->get_name());
  };
  return option->check(CLI::Validator(check, ""))->type_name("X");
}

CLI::Option* take_positive(CLI::Option* option) {
  const auto check = [=](const std::string& text) -> std::string {
    if (real_in(text).value_or(0) > 0) return "";
    return fmt::format("expected a number above 0, found `{}`\nhint: write such as `{} 1.5`", text, option->get_name());
  };
  return option->check(CLI::Validator(check, ""))->type_name("X");
}

CLI::Option* take_word(CLI::Option* option, const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return "";
    std::vector<std::string> quoted;
    for (const std::string& word : words) quoted.push_back("`" + word + "`");
    const std::string near = did_you_mean(text, words);
    return fmt::format("expected {}, found `{}`{}", join_names(quoted, "or"), text,
                       near.empty() ? "" : "\nhint: " + near);
  };
  return option->check(CLI::Validator(check, ""))->type_name("WORD");
}

void add_program(CLI::App& command, driver::CommonOptions& common) {
  command.add_option("program", common.program, "the program, a .cyc file")->required()->type_name("FILE.cyc");
  command.add_flag("--print-after-all", common.print_after_all, "print the program after each pass that changed it");
  command.add_flag("--time-passes", common.time_passes, "print how long each pass took, to stderr");
  command.add_option("--schedule", common.schedule, "choose a schedule of the program by name")->type_name("NAME");
  command.add_option("--schedule-file", common.schedule_file, "look for schedules in this file, too")
      ->type_name("FILE.cyc");
}

void add_inputs(CLI::App& command, std::vector<std::string>& inputs, const char* meaning) {
  command.add_option("inputs", inputs, meaning)->type_name("NAME=VALUE");
}

void add_only(CLI::App& command, driver::CommonOptions& common) {
  add_texts(command, "--only", common.only, "the outputs that are wanted; of others, only what these need is kept",
            "NAME");
}
