// SPDX-License-Identifier: MIT
// The command line of `cyclotron run`.
#include "arguments.hpp"
#include "verbs.hpp"

using namespace cyclotron;

namespace {

const char* const run_examples = R"(
Inputs are NAME=VALUE: a file (.mtx, .tns, .npy, each also .gz), a generator, a number, a list [1, 2, 3],
or for a size a whole number. An input that is not given takes its default.

Examples:
  cyclotron run examples/cholesky.cyc
  cyclotron run examples/cholesky.cyc A=laplacian2d:k=10 -o L=factor.mtx
  cyclotron run examples/triangular_solve.cyc n=50 b=random:seed=7,low=-1 --json
  cyclotron run --target=mpi --ranks 2 examples/matmul.cyc --schedule tiles
  cyclotron run --target=simd examples/needleman_wunsch.cyc --only score
  cyclotron run --target=cuda --emulate examples/conv1d.cyc
)";

struct RunLine {
  driver::RunOptions options;
  std::vector<std::string> inputs, outputs;
};

void add_mpi(CLI::App& run, TargetOptions& own, driver::MpiOptions& mpi) {
  const auto add = [&](CLI::Option* option) { return own.under("Ranks", option, {"mpi"}); };
  take_whole(add(run.add_option("--ranks", mpi.ranks, "ranks that mpirun starts")), 1, 1'000'000)
      ->capture_default_str();
  take_word(add(run.add_option("--spread", mpi.spread,
                               "processing elements that are neighbours go to ranks together (block) or in turn "
                               "(cyclic); else what balances best")),
            {"block", "cyclic"});
  take_word(add(run.add_option("--transport", mpi.transport,
                               "how values go between ranks of one node: in shared memory (shared), or as messages")),
            {"shared", "messages"});
  add(run.add_option("--checkpoint", mpi.checkpoint,
                     "keep in this folder, now and then, how far the run is: the same command goes on from there where "
                     "the run did not get to its end"))
      ->type_name("DIR");
  take_real(add(run.add_option("--checkpoint-every", mpi.checkpoint_every,
                               "seconds from one checkpoint to the next (60 where not given)")))
      ->type_name("SECONDS");
}

int run_verb(RunLine& line, const TargetOptions& own) {
  driver::RunOptions& o = line.options;
  if (!split_all(line.inputs, "NAME=VALUE", o.inputs) || !split_all(line.outputs, "NAME=FILE after -o", o.outputs) ||
      !own.choose(o.target, o.common.program))
    return driver::wrong_usage;
  return driver::run(o);
}

} // namespace

Verb add_run(CLI::App& app) {
  const auto line = std::make_shared<RunLine>();
  const auto own = std::make_shared<TargetOptions>(driver::Verb::run);
  driver::RunOptions& o = line->options;
  CLI::App* run = app.add_subcommand("run", "run a program and show its outputs");
  add_program(*run, o.common);
  add_inputs(*run, line->inputs);
  add_texts(*run, "-o,--output", line->outputs, "write an output to a file (.mtx, .tns, .npy, each also .gz)",
            "NAME=FILE");
  add_texts(*run, "--all-steps", o.all_steps, "keep every step of a stepped output, as its first dimension", "NAME");
  add_only(*run, o.common);
  own->add_choice(*run, o.target);
  add_mpi(*run, *own, o.mpi);
  own->under("GPU", run->add_flag("--emulate", o.emulate, "run the kernels on this CPU: slow, and needs no GPU"),
             {"cuda"});
  run->add_flag("--json", o.common.json, "print the result as JSON");
  run->footer(own->help() + run_examples + generators_text());
  return {run, [line, own] { return run_verb(*line, *own); }, "a program", "`cyclotron run examples/cholesky.cyc`",
          own};
}
