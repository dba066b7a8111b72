// SPDX-License-Identifier: MIT
// The command line of `cyclotron list`.
#include "arguments.hpp"
#include "driver/pipelines.hpp"
#include "recurrence/kernels.hpp"
#include "schedule/targets.hpp"
#include "support/nearest.hpp"
#include "tensor/generate.hpp"
#include "verbs.hpp"

#include <fmt/format.h>

using namespace cyclotron;

namespace {

void list_generators() { fmt::print("{}", generators_text().substr(1)); }

void list_kernels() {
  for (const recurrence::Kernel& k : recurrence::kernel_table()) fmt::print("{:<10} {}\n", k.name, k.meaning);
}

void list_passes() {
  for (const driver::PipelineInfo& pipeline : driver::all_pipelines()) {
    fmt::print("{}: {}\n", pipeline.name, pipeline.meaning);
    for (const driver::PassInfo& p : pipeline.passes) fmt::print("  {:<22}  {}\n", p.name, p.summary);
  }
}

void list_commands() {
  for (const schedule::CommandRow& c : schedule::command_table()) {
    const std::vector<std::string> targets(c.targets.begin(), c.targets.end());
    fmt::print("{}\n    {}\n    {}\n", c.syntax, c.meaning,
               targets.empty() ? "no target takes it yet" : "for " + in_words(targets));
  }
}

void list_targets() {
  for (const driver::Target& t : driver::target_table()) {
    std::vector<std::string> verbs;
    for (const driver::Verb verb :
         {driver::Verb::run, driver::Verb::simulate, driver::Verb::compile, driver::Verb::explore})
      if (has(t, verb)) verbs.push_back(fmt::format("`{}`", name_of(verb)));
    const std::vector<std::string> commands = schedule::commands_of(t.name);
    fmt::print("{:<11}{}\n", t.name, t.meaning);
    fmt::print("           verbs      {}\n", join_names(verbs));
    fmt::print("           takes      {}, which `compile --emit={}` shows\n", t.takes, t.takes);
    fmt::print("           runs       {}\n", t.started);
    fmt::print("           refuses    {}\n", t.refuses);
    fmt::print("           schedules  {}\n", commands.empty() ? "none" : join_names(commands));
  }
}

struct List {
  const char* name;
  const char* meaning;
  void (*print)();
};
const List lists[] = {
    {"generators", "what makes inputs, such as `A=random:n=4,seed=1`", list_generators},
    {"kernels", "the products, solves and factorizations that an equation over tiles may use", list_kernels},
    {"passes", "what the compiler does with a program on its way to each target, in this order", list_passes},
    {"commands", "the commands of schedules, and which targets take them", list_commands},
    {"targets", "what a program can run on, and what each takes and refuses", list_targets},
};

int list_verb(const std::string& what) {
  for (const List& list : lists)
    if (what == list.name) list.print();
  return driver::success;
}

} // namespace

std::string generators_text() {
  std::string out = "\nGenerators (as `b=random:seed=1` here, `default b = random(seed=1)` in a program):\n";
  for (const tensor::GeneratorHelp& g : tensor::generator_help())
    out += fmt::format("  {:<13} {}\n                {}\n", g.name, g.arguments, g.meaning);
  return out;
}

Verb add_list(CLI::App& app) {
  std::vector<std::string> names;
  std::string meanings;
  for (const List& l : lists) {
    names.emplace_back(l.name);
    meanings += fmt::format("\n  cyclotron list {:<10}  {}", l.name, l.meaning);
  }
  const auto what = std::make_shared<std::string>();
  CLI::App* list = app.add_subcommand("list", "list the " + join_names(names, "or the"));
  take_word(list->add_option("what", *what, join_names(names, "or"))->required(), names);
  list->footer("\nExamples:" + meanings + "\n");
  return {list, [what] { return list_verb(*what); }, "to know what to list", "one of" + meanings, nullptr};
}
