// SPDX-License-Identifier: MIT
// The command line: reads the arguments and calls the driver.
#include "driver/commands.hpp"
#include "driver/pipelines.hpp"
#include "driver/session.hpp"
#include "driver/simulate.hpp"
#include "explore_line.hpp"
#include "recurrence/kernels.hpp"
#include "schedule/ir.hpp"
#include "study_line.hpp"
#include "support/nearest.hpp"
#include "support/progress.hpp"
#include "support/unfinished.hpp"
#include "tensor/generate.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

namespace {

using namespace cyclotron;
using driver::Assignment;

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

std::string generators_text() {
  std::string out = "\nGenerators (as `b=random:seed=1` here, `default b = random(seed=1)` in a program):\n";
  for (const tensor::GeneratorHelp& g : tensor::generator_help())
    out += fmt::format("  {:<13} {}\n                {}\n", g.name, g.arguments, g.meaning);
  return out;
}

std::string run_footer() {
  return R"(
Inputs are NAME=VALUE: a file (.mtx, .tns, .npy, each also .gz), a generator, a number, a list [1, 2, 3],
or for a size a whole number. An input that is not given takes its default.

Examples:
  cyclotron run examples/cholesky.cyc
  cyclotron run examples/cholesky.cyc A=bcsstk01.mtx -o L=factor.mtx
  cyclotron run examples/triangular_solve.cyc n=50 b=random:seed=7,low=-1 --json
  cyclotron run --target=mpi --ranks 4 examples/matmul.cyc --schedule tiles
)" + generators_text();
}

// Splits NAME=VALUE; empty name where there is no `=`.
Assignment split(const std::string& text) {
  const std::size_t at = text.find('=');
  return at == std::string::npos ? Assignment{"", text} : Assignment{text.substr(0, at), text.substr(at + 1)};
}

bool split_all(const std::vector<std::string>& texts, const char* form, std::vector<Assignment>& list) {
  for (const std::string& text : texts) {
    list.push_back(split(text));
    if (!list.back().name.empty() && !list.back().value.empty()) continue;
    fmt::print(stderr, "error: expected {}, found `{}`\n", form, text);
    return false;
  }
  return true;
}

void add_common(CLI::App& command, driver::CommonOptions& common) {
  command.add_option("program", common.program, "the program, a .cyc file")->required()->type_name("FILE.cyc");
  command.add_flag("--print-after-all", common.print_after_all, "print the program after each pass that changed it");
  command.add_flag("--time-passes", common.time_passes, "print how long each pass took, to stderr");
  command.add_option("--schedule", common.schedule, "choose a schedule of the program by name")->type_name("NAME");
  command.add_option("--schedule-file", common.schedule_file, "look for schedules in this file, too")
      ->type_name("FILE.cyc");
}

void add_only(CLI::App& command, driver::CommonOptions& common) {
  command.add_option("--only", common.only, "the outputs that are wanted; of others, only what these need is kept")
      ->type_name("NAME")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
}

struct Line {
  driver::RunOptions run;
  driver::CommonOptions check;
  driver::CompileOptions compile;
  driver::SimulateOptions simulate;
  std::vector<std::string> inputs, outputs, compile_inputs, simulate_inputs, simulate_outputs, kernel_cycles;
};

CLI::App* add_run(CLI::App& app, Line& line) {
  CLI::App* run = app.add_subcommand("run", "run a program and show its outputs");
  add_common(*run, line.run.common);
  run->add_option("inputs", line.inputs, "inputs and sizes, NAME=VALUE")->type_name("NAME=VALUE");
  run->add_option("-o,--output", line.outputs, "write an output to a file (.mtx, .tns, .npy, each also .gz)")
      ->type_name("NAME=FILE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  run->add_option("--all-steps", line.run.all_steps, "keep every step of a stepped output, as its first dimension")
      ->type_name("NAME")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  add_only(*run, line.run.common);
  run->add_option(
         "--target", line.run.target,
         "what runs it: `c` compiles it, `array` simulates an array of processing elements, `mpi` runs that "
         "array on the ranks of a cluster, `sam` simulates a graph of streams, `interpret` evaluates it as it stands")
      ->capture_default_str();
  const char* mpi = "With --target=mpi";
  run->add_option("--ranks", line.run.mpi.ranks, "ranks that mpirun starts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000))
      ->group(mpi);
  run->add_option("--spread", line.run.mpi.spread,
                  "processing elements that are neighbours go to ranks together (block) or in turn (cyclic); else what "
                  "balances best")
      ->check(CLI::IsMember({"block", "cyclic"}))
      ->group(mpi);
  run->add_option("--transport", line.run.mpi.transport,
                  "how values go between ranks of one node: in shared memory, or as messages")
      ->check(CLI::IsMember({"shared", "messages"}))
      ->group(mpi);
  run->add_option(
         "--checkpoint", line.run.mpi.checkpoint,
         "keep in this folder, now and then, how far the run is: the same command goes on from there where the "
         "run did not get to its end")
      ->type_name("DIR")
      ->group(mpi);
  run->add_option("--checkpoint-every", line.run.mpi.checkpoint_every,
                  "seconds from one checkpoint to the next (60 where not given)")
      ->type_name("SECONDS")
      ->check(CLI::NonNegativeNumber)
      ->group(mpi);
  run->add_flag("--json", line.run.common.json, "print the result as JSON");
  run->footer(run_footer());
  return run;
}

CLI::App* add_compile(CLI::App& app, Line& line) {
  CLI::App* compile = app.add_subcommand("compile", "show what the compiler makes of a program");
  add_common(*compile, line.compile.common);
  std::vector<std::string> names;
  std::string footer = "\nWhat --emit shows:\n";
  for (const driver::EmitHelp& e : driver::emit_help()) {
    names.push_back(e.name);
    footer += fmt::format("  {:<12} {}\n", e.name, e.meaning);
  }
  compile->add_option("--emit", line.compile.emit, "what to show")->check(CLI::IsMember(names))->capture_default_str();
  compile->add_flag("--explain", line.compile.explain, "with --emit=loops: show step by step why they are so");
  compile->add_option("--target", line.compile.target, "write a folder of code that stands alone, for `c`")
      ->check(CLI::IsMember({"c"}));
  add_only(*compile, line.compile.common);
  compile->add_option("-o,--output", line.compile.output, "write it to a file; with --target, to a folder")
      ->type_name("FILE");
  compile
      ->add_option(
          "inputs", line.compile_inputs,
          "inputs and sizes, NAME=VALUE: of the self-test of --target; for --emit=pe and stream, whose sizes they give")
      ->type_name("NAME=VALUE");
  compile->footer(footer + R"(
Examples:
  cyclotron compile examples/cholesky.cyc --emit=c              the kernel as C
  cyclotron compile examples/cholesky.cyc --target=c -o chol/   kernel, header, self-test, Makefile, README
  make -C chol test
)");
  return compile;
}

CLI::App* add_simulate(CLI::App& app, Line& line) {
  CLI::App* simulate = app.add_subcommand(
      "simulate", "run a program on an array of processing elements, or as a graph of streams, cycle by cycle");
  driver::SimulateOptions& o = line.simulate;
  add_common(*simulate, o.common);
  simulate->add_option("inputs", line.simulate_inputs, "inputs and sizes, NAME=VALUE")->type_name("NAME=VALUE");
  simulate->add_option("-o,--output", line.simulate_outputs, "write an output to a file")
      ->type_name("NAME=FILE")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  add_only(*simulate, o.common);
  simulate->add_option("--target", o.target, "`array`: processing elements; `sam`: a graph of streams")
      ->check(CLI::IsMember({"array", "sam"}))
      ->capture_default_str();
  simulate->add_flag("--json", o.common.json, "print the statistics as JSON");
  simulate->add_flag("--record", o.record, "with --json: every step and every wait of every element");
  simulate->add_flag("!--no-check", o.check, "do not compare the values with the interpreter's");
  const char* pictures = "Pictures (.svg or .html)";
  simulate->add_option("--grid", o.grid, "the grid with its utilisation and the dataflow")
      ->type_name("FILE")
      ->group(pictures);
  simulate->add_option("--spacetime", o.spacetime, "what every element does when")->type_name("FILE")->group(pictures);
  simulate->add_option("--utilisation", o.utilisation, "how elements along the array spend their time")
      ->type_name("FILE")
      ->group(pictures);
  simulate->add_option("--trace", o.trace, "a timeline (.json) that Perfetto and Chrome open")
      ->type_name("FILE")
      ->group(pictures);
  const char* streams = "With --target=sam";
  simulate
      ->add_option("--graph", o.graph,
                   "the graph coloured by how busy its blocks are (.gv, or .svg where Graphviz is installed)")
      ->type_name("FILE")
      ->group(streams);
  simulate->add_option("--timeline", o.timeline, "a picture (.svg) of what every block does when")
      ->type_name("FILE")
      ->group(streams);
  simulate->add_option("--tokens", o.tokens, "every token of every wire with its cycle (.json)")
      ->type_name("FILE")
      ->group(streams);
  const char* machine = "The machine";
  simulate->add_option("--latency", o.machine.link_latency, "cycles per hop of a link")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000))
      ->group(machine);
  simulate->add_option("--fifo-depth", o.machine.fifo_depth, "elements that a link holds; 0: as many as there are")
      ->capture_default_str()
      ->group(machine);
  simulate->add_option("--link-interval", o.machine.link_interval, "cycles between two elements of a link, at least")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(machine);
  simulate
      ->add_option("--link-bytes", o.machine.link_bytes_per_cycle, "bytes that a link takes in a cycle; 0: any number")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(machine);
  simulate->add_option("--register-bytes", o.machine.register_bytes, "what a processing element can keep; 0: anything")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(machine);
  simulate->add_flag("!--no-broadcast", o.machine.broadcast_network, "there is no broadcast network")->group(machine);
  simulate->add_option("--broadcast-latency", o.machine.broadcast_latency, "cycles")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(machine);
  simulate->add_option("--memory-latency", o.machine.memory_latency, "cycles to the ports at the boundary")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(machine);
  simulate->add_option("--loads", o.machine.loads_per_cycle, "loads of a port in a cycle; 0: any number")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(machine);
  simulate->add_option("--kernel-cycles", line.kernel_cycles, "what a call of a kernel takes, such as GEMM=64")
      ->type_name("KERNEL=N")
      ->group(machine);
  simulate
      ->add_option("--multiply-add-cycles", o.machine.cycles_per_multiply_add,
                   "cycles per multiply-add of other kernels; 0: one cycle a call")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber)
      ->group(machine);
  const char* cluster = "A cluster instead of an array";
  CLI::Option* ranks =
      simulate->add_option("--ranks", o.cluster.ranks, "say how long the program takes on so many ranks")
          ->delimiter(',')
          ->check(CLI::Range(1, 1000000))
          ->type_name("N,...")
          ->group(cluster);
  simulate
      ->add_option("--machine", o.cluster.machine,
                   "figures of a machine, as `cyclotron-mpi --measure FILE` writes; else those of this one")
      ->type_name("FILE")
      ->needs(ranks)
      ->group(cluster);
  simulate->add_option("--scaling", o.cluster.plot, "a picture (.svg) of the time over the ranks")
      ->type_name("FILE")
      ->needs(ranks)
      ->group(cluster);
  simulate->add_option("--torus", o.torus, "axes whose ends are joined")->type_name("AXIS")->group(machine);
  simulate->footer(R"(
The schedule says which indices are processing elements (`space i, j`), which are steps (`time k`), and how operands
travel (`stream`, `broadcast`, `prefetch`). Without one, axes are chosen and shown.

Examples:
  cyclotron simulate examples/matmul.cyc --schedule output_stationary
  cyclotron simulate examples/matmul.cyc --schedule weight_stationary --grid grid.html --trace trace.json
  cyclotron simulate examples/triangular_solve.cyc --schedule linear_array --latency 4 --fifo-depth 2
  cyclotron compile examples/matmul.cyc --schedule output_stationary --emit=pe -o matmul.pe
  cyclotron simulate matmul.pe A=a.npy B=b.npy -o C=c.npy
  cyclotron simulate matmul.pe --ranks 16,64,256,1024 --scaling scaling.svg
)");
  return simulate;
}

int simulate_verb(Line& line) {
  if (!split_all(line.simulate_inputs, "NAME=VALUE", line.simulate.inputs) ||
      !split_all(line.simulate_outputs, "NAME=FILE after -o", line.simulate.outputs))
    return driver::wrong_usage;
  std::vector<Assignment> cycles;
  if (!split_all(line.kernel_cycles, "KERNEL=N after --kernel-cycles", cycles)) return driver::wrong_usage;
  for (const Assignment& c : cycles) {
    if (!recurrence::kernel_named(c.name)) {
      const std::string hint = did_you_mean(c.name, recurrence::kernel_names());
      fmt::print(stderr, "error: --kernel-cycles: there is no kernel `{}`\nhint: {}\n", c.name,
                 hint.empty() ? "`cyclotron list kernels` shows them" : hint);
      return driver::wrong_usage;
    }
    const std::int64_t n =
        c.value.find_first_not_of("0123456789") == std::string::npos && c.value.size() < 10 ? std::stoll(c.value) : 0;
    if (n < 1) {
      fmt::print(stderr, "error: --kernel-cycles: expected a whole number of at least 1, found `{}`\n", c.value);
      return driver::wrong_usage;
    }
    line.simulate.machine.kernel_cycles[c.name] = n;
  }
  return driver::simulate(line.simulate);
}

int list_words(const std::string& what) {
  if (what == "generators") fmt::print("{}", generators_text().substr(1));
  if (what == "kernels")
    for (const recurrence::Kernel& k : recurrence::kernel_table()) fmt::print("{:<10} {}\n", k.name, k.meaning);
  if (what == "passes")
    for (const driver::PipelineInfo& pipeline : driver::all_pipelines()) {
      fmt::print("{}: {}\n", pipeline.name, pipeline.meaning);
      for (const driver::PassInfo& p : pipeline.passes) fmt::print("  {:<22}  {}\n", p.name, p.summary);
    }
  if (what == "commands")
    for (const schedule::CommandRow& c : schedule::command_table()) fmt::print("{:<42} {}\n", c.syntax, c.meaning);
  return driver::success;
}

int compile_verb(const CLI::App& compile, Line& line) {
  const bool folder = !line.compile.target.empty();
  if (!split_all(line.compile_inputs, "NAME=VALUE", line.compile.inputs)) return driver::wrong_usage;
  std::string problem, hint;
  if (folder && compile.count("--emit") > 0) {
    problem = "--emit shows one thing, --target writes a folder";
    hint = "give one of the two";
  } else if (folder && line.compile.output.empty()) {
    problem = "--target needs a folder to write";
    hint = "write `-o DIR`; `--emit=c` shows the kernel alone";
  } else if (!folder && line.compile.emit != "pe" && !line.compile.emit.starts_with("stream") &&
             !line.compile.inputs.empty()) {
    problem = "inputs are for the self-test that --target writes, and for --emit=pe and --emit=stream";
    hint = "leave them out, or write `--target=c -o DIR`";
  }
  if (!problem.empty()) {
    fmt::print(stderr, "error: {}\nhint: {}\n", problem, hint);
    return driver::wrong_usage;
  }
  return folder ? driver::compile_folder(line.compile) : driver::compile(line.compile);
}

int dispatch(int argc, char** argv) {
  CLI::App app{overview, "cyclotron"};
  Line line;
  app.require_subcommand(1);
  app.set_version_flag("--version", "cyclotron " CYCLOTRON_VERSION);
  CLI::App* run = add_run(app, line);
  CLI::App* check = app.add_subcommand("check", "check a program for all sizes, without running it");
  add_common(*check, line.check);
  check->add_flag("--json", line.check.json, "print the result as JSON");
  CLI::App* compile = add_compile(app, line);
  CLI::App* simulate = add_simulate(app, line);
  ExploreLine explore_line;
  CLI::App* explore = add_explore(app, explore_line);
  study::StudyOptions study_options;
  CLI::App* study = add_study(app, study_options);
  std::string what;
  CLI::App* list = app.add_subcommand("list", "list the generators, the kernels, the passes or the schedule commands");
  list->add_option("what", what, "generators, kernels, passes or commands")
      ->required()
      ->check(CLI::IsMember({"generators", "kernels", "passes", "commands"}));
  const std::vector<std::string> verbs{"run", "check", "compile", "simulate", "explore", "study", "list"};
  if (argc > 1 && argv[1][0] != '-' && std::find(verbs.begin(), verbs.end(), argv[1]) == verbs.end()) {
    const std::string hint = did_you_mean(argv[1], verbs);
    fmt::print(stderr, "error: `{}` is no verb\nhint: {}\n", argv[1],
               hint.empty() ? "the verbs are " + join_names(verbs) : hint);
    return driver::wrong_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? driver::success : driver::wrong_usage;
  }
  if (run->parsed()) {
    if (!split_all(line.inputs, "NAME=VALUE", line.run.inputs) ||
        !split_all(line.outputs, "NAME=FILE after -o", line.run.outputs))
      return driver::wrong_usage;
    return driver::run(line.run);
  }
  if (check->parsed()) return driver::check(line.check);
  if (compile->parsed()) return compile_verb(*compile, line);
  if (simulate->parsed()) return simulate_verb(line);
  if (explore->parsed()) return explore_verb(explore_line);
  if (study->parsed()) return study::study(study_options);
  return list->parsed() ? list_words(what) : driver::wrong_usage;
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
