// SPDX-License-Identifier: MIT
#include "explore_line.hpp"

#include <fmt/format.h>

#include <algorithm>

using namespace cyclotron;

namespace {

const char* const examples = R"(
Enumerates the schedules of a program for an array (which indices are axes, the order of the steps, how every operand
travels), lets the compiler refuse what is illegal, and simulates the others on every machine asked for. What is found is
verified apart: read again from its text, its values compared with the interpreter's, its cycles with a second timing.

Examples:
  cyclotron explore examples/matmul.cyc m=4 n=4 p=4 --budget 40
  cyclotron explore examples/matmul.cyc m=4 n=4 p=4 --grid 2x2,1x4 --budget 12 --latency 1,4 --fifo-depth 0,1 --no-broadcast -o front.html -o all.csv
  cyclotron explore examples/matmul.cyc --schedule output_stationary --latency 1,2,4,8
  cyclotron explore examples/triangular_solve.cyc n=12 --space i --space j

Ctrl-C ends it after the points at work; the same command goes on from the journal.)";

// `1,2` and `4` -> {"1", "2", "4"}.
std::vector<std::string> items_of(const std::vector<std::string>& texts, char separator) {
  std::vector<std::string> items;
  for (const std::string& text : texts)
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find(separator, at), text.size());
      items.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  return items;
}

std::optional<std::int64_t> number_in(const std::string& text, std::int64_t least) {
  if (text.empty() || text.size() > 9 || text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const std::int64_t n = std::stoll(text);
  return n >= least ? std::optional(n) : std::nullopt;
}

bool fail(const std::string& message, const std::string& hint) {
  fmt::print(stderr, "error: {}\nhint: {}\n", message, hint);
  return false;
}

bool read_numbers(const char* option, const std::vector<std::string>& texts, std::int64_t least,
                  std::vector<std::int64_t>& to) {
  if (!texts.empty()) to.clear();
  for (const std::string& item : items_of(texts, ',')) {
    const auto n = number_in(item, least);
    if (!n)
      return fail(fmt::format("{}: expected whole numbers of at least {}, found `{}`", option, least, item),
                  fmt::format("write `{} 1,2,4`", option));
    if (std::find(to.begin(), to.end(), *n) == to.end()) to.push_back(*n);
  }
  return true;
}

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

CLI::Option* add_list(CLI::App& app, const char* name, std::vector<std::string>& to, const char* meaning,
                      const char* form) {
  return app.add_option(name, to, meaning)->type_name(form)->expected(1)->take_all()->allow_extra_args(false);
}

} // namespace

CLI::App* add_explore(CLI::App& app, ExploreLine& line) {
  CLI::App* explore = app.add_subcommand("explore", "search the schedules of a program, and arrays to run them on");
  driver::ExploreOptions& o = line.options;
  explore->add_option("program", o.common.program, "the program, a .cyc file")->required()->type_name("FILE.cyc");
  explore->add_option("inputs", line.inputs, "inputs and sizes, NAME=VALUE")->type_name("NAME=VALUE");
  add_list(*explore, "-o,--output", o.outputs, "write all points to a .csv, a .json, or as a plot to an .html", "FILE");
  add_list(*explore, "--only", o.common.only, "the outputs that are wanted", "NAME");
  const char* schedules = "Schedules";
  add_list(*explore, "--schedule", o.schedules, "this schedule of the program instead of all possible ones", "NAME")
      ->group(schedules);
  add_list(*explore, "--space", line.spaces, "only these axes; may be given several times", "I[,J]")->group(schedules);
  add_list(*explore, "--grid", line.grids, "grids to fit the array to, such as 4x4,16,whole", "LIST")->group(schedules);
  add_list(*explore, "--tile", line.tiles, "tiles that a PE works on; 1: numbers", "LIST")->group(schedules);
  explore->add_option("--budget", o.budget, "try at most so many schedules, a sample where there are more")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000000000))
      ->group(schedules);
  explore->add_option("--seed", o.seed, "of the sample")->capture_default_str()->group(schedules);
  const char* machines = "The machines";
  add_list(*explore, "--latency", line.latencies, "cycles per hop of a link, such as 1,2,4 [1]", "LIST")
      ->group(machines);
  add_list(*explore, "--fifo-depth", line.depths, "elements that a link holds; 0: as many as there are [0]", "LIST")
      ->group(machines);
  explore->add_option("--multiply-add-cycles", o.cycles_per_multiply_add, "cycles per multiply-add of kernels on tiles")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->group(machines);
  explore->add_flag("!--no-broadcast", o.broadcasts, "there is no broadcast network")->group(machines);
  const char* work = "The search";
  explore->add_option("-j,--jobs", o.threads, "threads; 0: one per core")
      ->capture_default_str()
      ->check(CLI::Range(0U, 1024U))
      ->group(work);
  explore
      ->add_option("--journal", o.journal, "keep results here, to go on after an interrupt [beside the first output]")
      ->type_name("FILE")
      ->group(work);
  explore->footer(examples);
  return explore;
}

int explore_verb(ExploreLine& line) {
  driver::ExploreOptions& o = line.options;
  for (const std::string& text : line.inputs) {
    const std::size_t at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size()) {
      fmt::print(stderr, "error: expected NAME=VALUE, found `{}`\n", text);
      return driver::wrong_usage;
    }
    o.inputs.push_back({text.substr(0, at), text.substr(at + 1)});
  }
  const bool read = read_numbers("--latency", line.latencies, 1, o.latencies) &&
                    read_numbers("--fifo-depth", line.depths, 0, o.depths) &&
                    read_numbers("--tile", line.tiles, 1, o.tiles) && read_grids(line.grids, o.grids) &&
                    read_spaces(line.spaces, o.spaces);
  return read ? driver::explore(o) : driver::wrong_usage;
}
