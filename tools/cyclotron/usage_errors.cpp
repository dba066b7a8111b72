// SPDX-License-Identifier: MIT
#include "usage_errors.hpp"

#include "arguments.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iostream>

using namespace cyclotron;

namespace {

std::vector<std::string> names_of(const std::vector<Verb>& verbs) {
  std::vector<std::string> names;
  for (const Verb& v : verbs) names.push_back(v.command->get_name());
  return names;
}

const Verb* verb_of(const CLI::App& app, const std::vector<Verb>& verbs) {
  for (const Verb& v : verbs)
    if (app.got_subcommand(v.command)) return &v;
  return nullptr;
}

std::string name_of(const Verb& verb) { return "cyclotron " + verb.command->get_name(); }

// Long names, as `--ranks`.
std::vector<std::string> options_of(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* o : command.get_options())
    for (const std::string& name : o->get_lnames()) names.push_back("--" + name);
  return names;
}

bool has_option(const CLI::App& command, const std::string& option) {
  return option.starts_with("-") && command.get_option_no_throw(option) != nullptr;
}

// Another verb may have the option: "it is an option of `cyclotron simulate` (for the target `array`)".
std::string owners_of(const std::string& option, const std::vector<Verb>& verbs) {
  std::vector<std::string> owners;
  for (const Verb& v : verbs) {
    if (!has_option(*v.command, option)) continue;
    std::string owner = fmt::format("`{}`", name_of(v));
    if (v.targets)
      for (const TargetOptions::Owned& o : v.targets->owned())
        if (o.option == v.command->get_option_no_throw(option)) owner += fmt::format(" (for {})", in_words(o.targets));
    owners.push_back(owner);
  }
  return owners.empty() ? "" : fmt::format("it is an option of {}", join_names(owners));
}

void report_unknown_option(const std::string& text, const Verb& verb, const std::vector<Verb>& verbs) {
  const std::string option = text.substr(0, text.find('='));
  std::string hint = owners_of(option, verbs);
  if (hint.empty()) hint = did_you_mean(option, options_of(*verb.command));
  if (hint.empty()) hint = fmt::format("`{} --help` shows the options", name_of(verb));
  fail(fmt::format("`{}` has no option `{}`", name_of(verb), option), hint);
}

void report_extra(const Verb* verb, const CLI::App& app, const std::vector<Verb>& verbs) {
  const std::vector<std::string> extras = app.remaining(true);
  const std::string first = extras.empty() ? "" : extras.front();
  if (!verb) fail(fmt::format("expected a verb, found `{}`", first), "the verbs are " + join_names(names_of(verbs)));
  else if (first.starts_with("-")) report_unknown_option(first, *verb, verbs);
  else if (first.find('=') != std::string::npos)
    fail(fmt::format("`{}` takes no inputs, but was given `{}`", name_of(*verb), first),
         fmt::format("leave it out, or write `cyclotron run … {}`", first));
  else fail(fmt::format("`{}` does not know what to do with `{}`", name_of(*verb), first), "write " + verb->usage);
}

void report_missing(const Verb* verb, const std::vector<Verb>& verbs) {
  if (verb) fail(fmt::format("`{}` needs {}", name_of(*verb), verb->needs), "write " + verb->usage);
  else
    fail("`cyclotron` needs a verb", fmt::format("the verbs are {}; write {}, or `cyclotron --help`",
                                                 join_names(names_of(verbs)), verbs.front().usage));
}

// An option without its value, or with too many.
void report_count(const CLI::ParseError& error, const Verb& verb) {
  const std::string text = error.what();
  const std::string name = text.substr(0, text.find_first_of(": "));
  const CLI::Option* option = verb.command->get_option_no_throw(name);
  const std::string form = option ? fmt::format("{} {}", name, option->get_type_name()) : name;
  if (option && option->results().size() > 1)
    fail(fmt::format("`{}` is given {} times, and takes one value", name, option->results().size()),
         fmt::format("write `{}` once", form));
  else fail(fmt::format("`{}` has no value", name), fmt::format("write `{}`", form));
}

// The parser says `--ranks: what is wrong`, and our checks add a line of hint where there is one. A word by itself has
// no name that a user knows.
void report_value(const CLI::ParseError& error) {
  std::string text = error.what();
  if (!text.starts_with("-") && text.find(": ") != std::string::npos) text = text.substr(text.find(": ") + 2);
  const std::size_t hint = text.find("\nhint: ");
  if (hint == std::string::npos) fail(text, "");
  else fail(text.substr(0, hint), text.substr(hint + 7));
}

} // namespace

int report(const CLI::ParseError& error, const CLI::App& app, const std::vector<Verb>& verbs) {
  if (error.get_exit_code() == 0) return app.exit(error); // the help, the version
  const Verb* verb = verb_of(app, verbs);
  const auto is = [&](CLI::ExitCodes kind) { return error.get_exit_code() == static_cast<int>(kind); };
  const bool missing = is(CLI::ExitCodes::RequiredError);
  if (is(CLI::ExitCodes::ExtrasError) || (missing && !app.remaining(true).empty())) report_extra(verb, app, verbs);
  else if (missing) report_missing(verb, verbs);
  else if (is(CLI::ExitCodes::ArgumentMismatch) && verb) report_count(error, *verb);
  else report_value(error);
  return driver::wrong_usage;
}

bool is_no_verb(int argc, char** argv, const std::vector<Verb>& verbs) {
  const std::vector<std::string> names = names_of(verbs);
  if (argc < 2 || argv[1][0] == '-' || std::find(names.begin(), names.end(), argv[1]) != names.end()) return false;
  const std::string near = did_you_mean(argv[1], names);
  fail(fmt::format("`{}` is no verb", argv[1]), near.empty() ? "the verbs are " + join_names(names) : near);
  return true;
}
