// SPDX-License-Identifier: MIT
// The command line of `cyclotron explore`.
#include "arguments.hpp"
#include "verbs.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace cyclotron;

namespace {

struct ExploreLine {
  driver::ExploreOptions options;
  std::string target = "array";
  std::vector<std::string> inputs, spaces, grids, tiles, latencies, depths;
};

const char* const explore_examples = R"(
Enumerates the schedules of a program for an array (which indices are axes, the order of the steps, how every operand
travels), lets the compiler refuse what is illegal, and simulates the others on every machine asked for. What is found is
verified apart: read again from its text, its values compared with the interpreter's, its cycles with a second timing.

For `simd` and `cuda` it tries small maps to an axis and steps, and says of every design what its tensors do (inputs
are Broadcast, Stay, or go Forward; results Stay or Move), how many elements and steps it has, and what it needs.

Examples:
  cyclotron explore examples/matmul.cyc m=4 n=4 p=4 --budget 40
  cyclotron explore examples/matmul.cyc m=4 n=4 p=4 --grid 2x2,1x4 --budget 12 --latency 1,4 --fifo-depth 0,1 --no-broadcast -o front.html -o all.csv
  cyclotron explore examples/matmul.cyc --schedule output_stationary --latency 1,2,4,8
  cyclotron explore examples/triangular_solve.cyc n=12 --space i --space j
  cyclotron explore examples/conv1d.cyc --target=simd n=20 w=random:n=5,seed=1
  cyclotron explore examples/conv1d.cyc --target=simd n=20000 w=random:n=5,seed=1 --measure 5

Ctrl-C ends it after the points at work; the same command goes on from the journal.)";

bool read_grids(const std::vector<std::string>& texts, std::vector<std::vector<std::int64_t>>& to) {
  for (const std::string& item : items_of(texts, ',')) {
    std::vector<std::int64_t> grid;
    if (item != "whole")
      for (const std::string& part : items_of({item}, 'x')) {
        const auto n = number_in(part, 1);
        if (!n || grid.size() == 2)
          return fail(fmt::format("--grid: expected grids such as `4x4`, `16` or `whole`, found `{}`", item),
                      "write `--grid 4x4,2x8`");
        grid.push_back(*n);
      }
    if (std::find(to.begin(), to.end(), grid) == to.end()) to.push_back(grid);
  }
  return true;
}

bool read_spaces(const std::vector<std::string>& texts, std::vector<std::vector<std::string>>& to) {
  for (const std::string& text : texts) {
    to.push_back(items_of({text}, ','));
    const std::vector<std::string>& axes = to.back();
    if (axes.size() > 2 || std::count(axes.begin(), axes.end(), "") || (axes.size() == 2 && axes[0] == axes[1]))
      return fail(fmt::format("--space: expected one index or two, found `{}`", text),
                  "write `--space i,j`; once more for other axes");
  }
  return true;
}

void add_schedules(CLI::App& explore, ExploreLine& line, TargetOptions& own) {
  driver::ExploreOptions& o = line.options;
  const char* schedules = "Schedules";
  const auto add = [&](const char* name, std::vector<std::string>& to, const char* meaning, const char* form) {
    own.only(add_texts(explore, name, to, meaning, form), {"array"})->group(schedules);
  };
  add("--schedule", o.schedules, "this schedule of the program instead of all possible ones", "NAME");
  add("--space", line.spaces, "only these axes; may be given several times", "I[,J]");
  add("--grid", line.grids, "grids to fit the array to, such as 4x4,16,whole", "LIST");
  add("--tile", line.tiles, "tiles that a PE works on; 1: numbers", "LIST");
  take_whole(explore.add_option("--budget", o.budget, "try at most so many schedules, a sample where there are more"),
             1, 1'000'000'000)
      ->capture_default_str()
      ->group(schedules);
  own.only(take_whole(explore.add_option("--seed", o.seed, "of the sample"), 0), {"array"})
      ->capture_default_str()
      ->group(schedules);
  own.only(take_whole(explore.add_option("--measure", o.measure,
                                         "for `simd`: time so many of the best designs on this machine"),
                      0, 1000),
           {"simd"})
      ->type_name("N")
      ->group(schedules);
}

void add_machines(CLI::App& explore, ExploreLine& line, TargetOptions& own) {
  driver::ExploreOptions& o = line.options;
  const auto add = [&](CLI::Option* option) { own.under("The machines", option, {"array"}); };
  add(add_texts(explore, "--latency", line.latencies, "cycles per hop of a link, such as 1,2,4 [1]", "LIST"));
  add(add_texts(explore, "--fifo-depth", line.depths, "elements that a link holds; 0: as many as there are [0]",
                "LIST"));
  add(take_positive(explore.add_option("--multiply-add-cycles", o.cycles_per_multiply_add,
                                       "cycles per multiply-add of kernels on tiles"))
          ->capture_default_str());
  add(explore.add_flag("!--no-broadcast", o.broadcasts, "there is no broadcast network"));
}

int explore_verb(ExploreLine& line, const TargetOptions& own) {
  driver::ExploreOptions& o = line.options;
  const bool read =
      split_all(line.inputs, "NAME=VALUE", o.inputs) && read_numbers("--latency", line.latencies, 1, o.latencies) &&
      read_numbers("--fifo-depth", line.depths, 0, o.depths) && read_numbers("--tile", line.tiles, 1, o.tiles) &&
      read_grids(line.grids, o.grids) && read_spaces(line.spaces, o.spaces);
  const driver::Target* target = read ? own.choose(line.target, o.common.program) : nullptr;
  return target ? target->explore(o) : driver::wrong_usage;
}

} // namespace

Verb add_explore(CLI::App& app) {
  const auto line = std::make_shared<ExploreLine>();
  const auto own = std::make_shared<TargetOptions>(driver::Verb::explore);
  driver::ExploreOptions& o = line->options;
  CLI::App* explore = app.add_subcommand("explore", "search the schedules of a program, and arrays to run them on");
  explore->add_option("program", o.common.program, "the program, a .cyc file")->required()->type_name("FILE.cyc");
  add_inputs(*explore, line->inputs);
  add_texts(*explore, "-o,--output", o.outputs, "write all points to a .csv, a .json, or as a plot to an .html",
            "FILE");
  add_only(*explore, o.common);
  own->add_choice(*explore, line->target);
  add_schedules(*explore, *line, *own);
  add_machines(*explore, *line, *own);
  const char* work = "The search";
  take_whole(explore->add_option("-j,--jobs", o.threads, "threads; 0: one per core"), 0, 1024)
      ->capture_default_str()
      ->group(work);
  explore
      ->add_option("--journal", o.journal, "keep results here, to go on after an interrupt [beside the first output]")
      ->type_name("FILE")
      ->group(work);
  own->only(explore->get_option("--journal"), {"array"});
  explore->footer(own->help() + explore_examples);
  return {explore, [line, own] { return explore_verb(*line, *own); }, "a program",
          "`cyclotron explore examples/matmul.cyc m=4 n=4 p=4`", own};
}
