// SPDX-License-Identifier: MIT
// The command line of `cyclotron check`.
#include "arguments.hpp"
#include "verbs.hpp"

using namespace cyclotron;

namespace {

int check_verb(const driver::CommonOptions& options) {
  if (options.json && options.print_after_all) {
    fail("`--json` and `--print-after-all` both write to standard output", "leave one of the two out");
    return driver::wrong_usage;
  }
  return driver::check(options);
}

} // namespace

Verb add_check(CLI::App& app) {
  const auto options = std::make_shared<driver::CommonOptions>();
  CLI::App* check = app.add_subcommand("check", "check a program for all sizes, without running it");
  add_program(*check, *options);
  check->add_flag("--json", options->json, "print the result as JSON: what the program has, or what is wrong with it");
  check->footer(R"(
Examples:
  cyclotron check examples/cholesky.cyc
  cyclotron check examples/cholesky.cyc --json
)");
  return {check, [options] { return check_verb(*options); }, "a program", "`cyclotron check examples/cholesky.cyc`",
          nullptr};
}
