// SPDX-License-Identifier: MIT
// The command line of `cyclotron simulate`.
#include "arguments.hpp"
#include "recurrence/kernels.hpp"
#include "support/nearest.hpp"
#include "verbs.hpp"

#include <fmt/format.h>

using namespace cyclotron;

namespace {

const char* const simulate_examples = R"(
Without --target it is `mpi` that is meant where --ranks is given, the target of a file that is no program (.pe,
.dataflow, .gv, .dot), else `array`. A schedule says which indices are processing elements (`space i, j`), which are
steps (`time k`), and how operands travel (`stream`, `broadcast`, `prefetch`). Without one, axes are chosen and shown.

Examples:
  cyclotron simulate examples/matmul.cyc --schedule output_stationary
  cyclotron simulate examples/matmul.cyc --schedule weight_stationary --grid grid.html --trace trace.json
  cyclotron simulate examples/triangular_solve.cyc --schedule linear_array --latency 4 --fifo-depth 2
  cyclotron simulate examples/spgemm.cyc --target=sam
  cyclotron compile examples/matmul.cyc --schedule output_stationary --emit=pe -o matmul.pe
  cyclotron simulate matmul.pe A=random:seed=1 B=random:seed=2 -o C=c.npy
  cyclotron simulate matmul.pe --ranks 1,2
)";

struct SimulateLine {
  driver::SimulateOptions options;
  std::string target; // "" where none was given
  std::vector<std::string> inputs, outputs, kernel_cycles, ranks;
};

const std::vector<std::string> on_array{"array"}, on_sam{"sam"}, on_both{"array", "sam"}, on_mpi{"mpi"};

void add_pictures(CLI::App& simulate, TargetOptions& own, driver::SimulateOptions& o) {
  const char* pictures = "Pictures (.svg or .html)";
  const auto add = [&](const char* name, std::string& to, const char* meaning) {
    own.under(pictures, simulate.add_option(name, to, meaning)->type_name("FILE"), on_array);
  };
  add("--grid", o.grid, "the grid with its utilisation and the dataflow");
  add("--spacetime", o.spacetime, "what every element does when");
  add("--utilisation", o.utilisation, "how elements along the array spend their time");
  const auto add_of_streams = [&](const char* name, std::string& to, const char* meaning) {
    own.under("Pictures", simulate.add_option(name, to, meaning)->type_name("FILE"), on_sam);
  };
  add_of_streams("--graph", o.graph,
                 "the graph coloured by how busy its blocks are (.gv, or .svg where Graphviz is installed)");
  add_of_streams("--timeline", o.timeline, "a picture (.svg) of what every block does when");
  add_of_streams("--tokens", o.tokens, "every token of every wire with its cycle (.json)");
}

void add_machine(CLI::App& simulate, TargetOptions& own, SimulateLine& line) {
  array::Machine& m = line.options.machine;
  const auto add = [&](CLI::Option* option) { return own.under("The machine", option, on_array); };
  const auto add_number = [&](const char* name, auto& to, const char* meaning, std::int64_t least = 0) {
    take_whole(add(simulate.add_option(name, to, meaning)), least)->capture_default_str();
  };
  add_number("--latency", m.link_latency, "cycles per hop of a link", 1);
  add_number("--link-interval", m.link_interval, "cycles between two elements of a link, at least");
  add_number("--link-bytes", m.link_bytes_per_cycle, "bytes that a link takes in a cycle; 0: any number");
  add_number("--register-bytes", m.register_bytes, "what a processing element can keep; 0: anything");
  add(simulate.add_flag("!--no-broadcast", m.broadcast_network, "there is no broadcast network"));
  add_number("--broadcast-latency", m.broadcast_latency, "cycles");
  add_number("--loads", m.loads_per_cycle, "loads of a port in a cycle; 0: any number");
  add(add_texts(simulate, "--kernel-cycles", line.kernel_cycles, "what a call of a kernel takes, such as GEMM=64",
                "KERNEL=N"));
  take_real(add(simulate.add_option("--multiply-add-cycles", m.cycles_per_multiply_add,
                                    "cycles per multiply-add of other kernels; 0: one cycle a call")))
      ->capture_default_str();
  const auto add_of_both = [&](const char* name, auto& to, const char* meaning) {
    take_whole(own.under("The machine", simulate.add_option(name, to, meaning), on_both), 0)->capture_default_str();
  };
  add_of_both("--fifo-depth", m.fifo_depth, "elements that a link or a wire holds; 0: as many as there are");
  add_of_both("--memory-latency", m.memory_latency, "cycles to the memories at the boundary");
  own.under("The machine", add_texts(simulate, "--torus", line.options.torus, "axes whose ends are joined", "AXIS"),
            {"array", "mpi"});
}

void add_cluster(CLI::App& simulate, TargetOptions& own, SimulateLine& line) {
  driver::ClusterOptions& cluster = line.options.cluster;
  const char* heading = "A cluster instead of an array";
  own.under(heading,
            add_texts(simulate, "--ranks", line.ranks, "say how long the program takes on so many ranks", "N,..."),
            on_mpi);
  own.under(heading,
            simulate
                .add_option("--machine", cluster.machine,
                            "figures of a machine, as `cyclotron-mpi --measure FILE` writes; else those of this one")
                ->type_name("FILE"),
            on_mpi);
  own.under(
      heading,
      simulate.add_option("--scaling", cluster.plot, "a picture (.svg) of the time over the ranks")->type_name("FILE"),
      on_mpi);
}

bool read_kernel_cycles(const std::vector<std::string>& texts, array::Machine& machine) {
  std::vector<driver::Assignment> cycles;
  if (!split_all(texts, "KERNEL=N after --kernel-cycles", cycles)) return false;
  for (const driver::Assignment& c : cycles) {
    if (!recurrence::kernel_named(c.name)) {
      const std::string hint = did_you_mean(c.name, recurrence::kernel_names());
      return fail(fmt::format("--kernel-cycles: there is no kernel `{}`", c.name),
                  hint.empty() ? "`cyclotron list kernels` shows them" : hint);
    }
    const auto n = number_in(c.value, 1);
    if (!n) return fail(fmt::format("--kernel-cycles: expected a whole number of at least 1, found `{}`", c.value), "");
    machine.kernel_cycles[c.name] = *n;
  }
  return true;
}

bool read_ranks(const std::vector<std::string>& texts, std::vector<int>& to) {
  std::vector<std::int64_t> numbers;
  if (!read_numbers("--ranks", texts, 1, numbers)) return false;
  to.assign(numbers.begin(), numbers.end());
  return true;
}

std::string target_meant(const SimulateLine& line) {
  if (!line.target.empty()) return line.target;
  if (!line.ranks.empty()) return "mpi";
  const std::string of_file = driver::target_of_file(line.options.common.program);
  return of_file.empty() ? "array" : of_file;
}

int simulate_verb(SimulateLine& line, const TargetOptions& own) {
  driver::SimulateOptions& o = line.options;
  if (!split_all(line.inputs, "NAME=VALUE", o.inputs) || !split_all(line.outputs, "NAME=FILE after -o", o.outputs) ||
      !read_kernel_cycles(line.kernel_cycles, o.machine) || !read_ranks(line.ranks, o.cluster.ranks))
    return driver::wrong_usage;
  o.target = target_meant(line);
  const driver::Target* target = own.choose(o.target, o.common.program);
  return target ? target->simulate(o) : driver::wrong_usage;
}

} // namespace

Verb add_simulate(CLI::App& app) {
  const auto line = std::make_shared<SimulateLine>();
  const auto own = std::make_shared<TargetOptions>(driver::Verb::simulate);
  driver::SimulateOptions& o = line->options;
  CLI::App* simulate = app.add_subcommand(
      "simulate", "run a program on an array of processing elements, or as a graph of streams, cycle by cycle");
  add_program(*simulate, o.common);
  add_inputs(*simulate, line->inputs);
  own->only(add_texts(*simulate, "-o,--output", line->outputs, "write an output to a file", "NAME=FILE"), on_both);
  add_only(*simulate, o.common);
  own->add_choice(*simulate, line->target);
  own->only(simulate->add_flag("--json", o.common.json, "print the statistics as JSON"), on_both);
  own->only(simulate->add_flag("--record", o.record, "with --json: every step and every wait of every element"),
            on_array);
  own->only(simulate->add_flag("!--no-check", o.check, "do not compare the values with the interpreter's"), on_both);
  own->only(simulate->add_option("--trace", o.trace, "a timeline (.json) that Perfetto and Chrome open"), on_both)
      ->type_name("FILE");
  add_pictures(*simulate, *own, o);
  add_machine(*simulate, *own, *line);
  add_cluster(*simulate, *own, *line);
  simulate->footer(own->help() + simulate_examples);
  return {simulate, [line, own] { return simulate_verb(*line, *own); }, "a program",
          "`cyclotron simulate examples/matmul.cyc --schedule output_stationary`", own};
}
