// SPDX-License-Identifier: MIT
#include "study/study.hpp"

#include "driver/commands.hpp"
#include "driver/summary.hpp"
#include "study/runner.hpp"
#include "support/nearest.hpp"
#include "support/terminal.hpp"

#include <fmt/format.h>

#include <fstream>

namespace cyclotron::study {
namespace {

struct Study {
  std::string name;
  std::string meaning;
  bool takes_files;
  std::optional<StudyReport> (*run)(StudyRunner& runner);
};

const std::vector<Study>& studies() {
  static const std::vector<Study> all = {
      {"primitives", "which blocks twelve expressions need (table 1)", false, study_primitives},
      {"ablation", "what cannot be expressed without a block, on a corpus of ours (table 2)", false, study_ablation},
      {"fusion", "a sampled product of dense matrices, in two steps and in one (figure 11)", false, study_fusion},
      {"orders", "six loop orders of the sparse matrix product (figure 12)", false, study_orders},
      {"structures", "formats and skipping for the product of two sparse vectors (figure 13)", false, study_structures},
      {"streams", "what the tokens of a matrix's streams are (figure 14)", true, study_streams},
      {"memory", "the sparse matrix product with finite memories, over its dimension (figure 15)", false, study_memory},
  };
  return all;
}

int list() {
  for (const Study& s : studies()) fmt::print("{:<11} {}\n", s.name, s.meaning);
  return driver::success;
}

int wrong(const std::string& message, const std::string& hint) {
  fmt::print(stderr, "error: {}\nhint: {}\n", message, hint);
  return driver::wrong_usage;
}

const Study* find(const std::string& name) {
  for (const Study& s : studies())
    if (s.name == name) return &s;
  return nullptr;
}

bool write(const std::string& path, const std::string& text, Diagnostics& diagnostics) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) diagnostics.error(fmt::format("cannot write `{}`", path));
  return static_cast<bool>(out);
}

int fail(const StudyRunner& runner, const Diagnostics& diagnostics) {
  fmt::print(stderr, "{}", diagnostics.render(color_on_stderr()));
  if (!diagnostics.failed()) bug(fmt::format("the study `{}` ended without a reason", runner.options().name));
  return diagnostics.only_unsupported() ? driver::unsupported : driver::wrong_program;
}

} // namespace

int study(const StudyOptions& options) {
  if (options.name.empty()) return list();
  const Study* found = find(options.name);
  if (!found) {
    std::vector<std::string> names;
    for (const Study& s : studies()) names.push_back(s.name);
    const std::string hint = did_you_mean(options.name, names);
    return wrong(fmt::format("there is no study `{}`", options.name),
                 hint.empty() ? "the studies are " + join_names(names) : hint);
  }
  if (!options.files.empty() && !found->takes_files)
    return wrong(fmt::format("the study `{}` makes its own data, found `{}`", options.name, options.files[0]),
                 "leave it out; `--seed N` makes other data");
  if (!options.output.empty() && !options.output.ends_with(".svg"))
    return wrong(fmt::format("-o: expected a file that ends in .svg, found `{}`", options.output),
                 "write `-o " + options.name + ".svg`; `--json` prints the numbers for other tools");
  StudyRunner runner(options);
  const auto report = found->run(runner);
  runner.end();
  if (!report || runner.diagnostics().failed()) return fail(runner, runner.diagnostics());
  if (options.json) {
    nlohmann::ordered_json json{{"study", options.name}, {"seed", options.seed}, {"quick", options.quick}};
    json.update(to_json(*report));
    fmt::print("{}\n", driver::print_json_text(json));
  } else {
    fmt::print("{}", to_text(*report));
  }
  if (options.output.empty()) return driver::success;
  if (!write(options.output, explore::chart_svg(report->chart), runner.diagnostics()))
    return fail(runner, runner.diagnostics());
  if (!options.json) fmt::print("\nwritten to {}\n", options.output);
  return driver::success;
}

} // namespace cyclotron::study
