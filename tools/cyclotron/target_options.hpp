// SPDX-License-Identifier: MIT
// `--target`, and the options that belong to some targets: to give one with another target is an error.
#pragma once

#include "driver/targets.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

class TargetOptions {
public:
  explicit TargetOptions(cyclotron::driver::Verb verb) : verb_(verb) {}

  // Adds `--target` itself, with the targets that have the verb.
  void add_choice(CLI::App& command, std::string& target) const;

  // Says that an option belongs to these targets only.
  CLI::Option* only(CLI::Option* option, const std::vector<std::string>& targets);

  // The same, under a heading of the help: "Pictures" becomes "Pictures (--target=array)".
  CLI::Option* under(const std::string& heading, CLI::Option* option, const std::vector<std::string>& targets);

  // The target of that name, for this verb and such a file. Prints what is wrong, also with the options that were
  // given.
  const cyclotron::driver::Target* choose(const std::string& name, const std::string& file) const;

  // What the targets are, for the end of the help.
  std::string help() const;

  struct Owned {
    CLI::Option* option;
    std::vector<std::string> targets;
  };
  const std::vector<Owned>& owned() const { return owned_; }

private:
  cyclotron::driver::Verb verb_;
  std::vector<Owned> owned_;
};

// "the target `mpi`", "the targets `array` and `sam`".
std::string in_words(const std::vector<std::string>& targets);
