// SPDX-License-Identifier: MIT
#include "target_options.hpp"

#include "arguments.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

using namespace cyclotron;

void TargetOptions::add_choice(CLI::App& command, std::string& target) const {
  std::vector<std::string> names;
  for (const std::string& name : driver::targets_with(verb_)) names.push_back("`" + name + "`");
  CLI::Option* option = command.add_option("--target", target, join_names(names, "or") + ": see below");
  option->type_name("NAME")->capture_default_str();
}

CLI::Option* TargetOptions::only(CLI::Option* option, const std::vector<std::string>& targets) {
  const std::vector<std::string> known = driver::targets_with(verb_);
  for (const std::string& name : targets)
    if (std::find(known.begin(), known.end(), name) == known.end())
      bug(fmt::format("`{}` belongs to a target `{}` that has no `{}`", option->get_name(), name, name_of(verb_)));
  owned_.push_back({option, targets});
  return option;
}

CLI::Option* TargetOptions::under(const std::string& heading, CLI::Option* option,
                                  const std::vector<std::string>& targets) {
  return only(option, targets)->group(fmt::format("{} (--target={})", heading, join_names(targets, "or")));
}

const driver::Target* TargetOptions::choose(const std::string& name, const std::string& file) const {
  const Sources none;
  Diagnostics diagnostics(none);
  const driver::Target* target = driver::find_target(name, verb_, file, diagnostics);
  fmt::print(stderr, "{}", diagnostics.render(false));
  if (!target) return nullptr;
  for (const Owned& o : owned_) {
    if (o.option->count() == 0 || std::find(o.targets.begin(), o.targets.end(), name) != o.targets.end()) continue;
    std::vector<std::string> choices;
    for (const std::string& owner : o.targets) choices.push_back(fmt::format("`--target={}`", owner));
    fail(fmt::format("`{}` is an option of {}, not of `{}`", o.option->get_name(), in_words(o.targets), name),
         "leave it out, or write " + join_names(choices, "or"));
    return nullptr;
  }
  return target;
}

std::string TargetOptions::help() const {
  std::string text = "\nTargets:\n";
  for (const driver::Target& t : driver::target_table())
    if (has(t, verb_)) text += fmt::format("  {:<10} {}\n", t.name, t.meaning);
  return text;
}

std::string in_words(const std::vector<std::string>& targets) {
  std::vector<std::string> names;
  for (const std::string& name : targets) names.push_back("`" + name + "`");
  return (names.size() == 1 ? "the target " : "the targets ") + join_names(names);
}
