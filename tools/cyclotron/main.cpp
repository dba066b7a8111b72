// SPDX-License-Identifier: MIT
// The command line: reads the arguments and hands them to a verb.
#include "driver/session.hpp"
#include "help_format.hpp"
#include "support/progress.hpp"
#include "support/unfinished.hpp"
#include "usage_errors.hpp"
#include "verbs.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

namespace {

using namespace cyclotron;

const char* const overview = R"(One language of recurrence equations, many machines.

Examples:
  cyclotron run examples/cholesky.cyc              run a program on its default inputs
  cyclotron run prog.cyc A=a.mtx b=random:seed=1 n=1000 -o x=x.npy
  cyclotron check prog.cyc                         is it right, for all sizes?
  cyclotron compile prog.cyc --emit=domains        what the compiler makes of it
  cyclotron simulate examples/matmul.cyc --schedule output_stationary
                                                   on a systolic array, cycle by cycle

Exit codes: 0 done, 1 the program or its inputs are wrong, 2 the command line cannot be read,
3 the target cannot do it, 70 a bug of ours.)";

int dispatch(int argc, char** argv) {
  CLI::App app{overview, "cyclotron"};
  app.formatter(std::make_shared<HelpFormat>()); // verbs take it over
  app.require_subcommand(1);
  app.set_version_flag("--version", "cyclotron " CYCLOTRON_VERSION);
  const std::vector<Verb> verbs{add_run(app),     add_check(app), add_compile(app), add_simulate(app),
                                add_explore(app), add_study(app), add_list(app)};
  if (is_no_verb(argc, argv, verbs)) return driver::wrong_usage;
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return report(e, app, verbs);
  }
  for (const Verb& verb : verbs)
    if (verb.command->parsed()) return verb.run();
  return driver::wrong_usage;
}

// Whoever reads a result from a file must be able to trust it: what could not be written is a failure.
int unwritten(const std::string& reason) {
  fmt::print(stderr, "error: cannot write to standard output: {}\n", reason);
  return driver::wrong_program;
}

} // namespace

int main(int argc, char** argv) {
  cyclotron::finish_work_when_interrupted();
  const cyclotron::ProgressDisplay display;
  try {
    const int code = dispatch(argc, argv);
    cyclotron::driver::flush_output();
    return code;
  } catch (const std::system_error& e) {
    if (std::ferror(stdout)) return unwritten(e.code().message());
    cyclotron::bug(e.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "error: there is not enough memory for this\n");
    return cyclotron::driver::wrong_program;
  } catch (const std::exception& e) {
    cyclotron::bug(e.what());
  }
}
