// SPDX-License-Identifier: MIT
// The command line of `cyclotron check`.
#include "arguments.hpp"
#include "verbs.hpp"

using namespace cyclotron;

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
  return {check, [options] { return driver::check(*options); }, "a program", "cyclotron check examples/cholesky.cyc",
          nullptr};
}
