// SPDX-License-Identifier: MIT
// How fast compiled kernels are, beside other libraries in the same run.
#include "machine.hpp"
#include "suites.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

using namespace cyclotron::bench;

namespace {

Options read_options(int argc, char** argv, std::string& out) {
  Options options;
  std::string only;
  const std::string here = CYCLOTRON_BENCH_FOLDER;
  options.programs = here + "/programs";
  options.data = here + "/../data";
  options.examples = here + "/../../examples";
  CLI::App app{"Compiled kernels beside other libraries: rival time / our time, in one run, in turns."};
  app.add_flag("--quick", options.quick, "small inputs, little time");
  app.add_option("--only", only, "rows whose `kernel/input` this regular expression finds");
  auto* seconds =
      app.add_option("--seconds", options.seconds, "the most time for a row, beyond its first seven rounds");
  app.add_option("--data", options.data, "folder of the matrices");
  app.add_option("--edited", options.edited, "folder of C files to use instead of generated ones: PROGRAM.SCHEDULE.c");
  app.add_option("--out", out, "write OUT.json and OUT.md");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::exit(app.exit(e));
  }
  if (!only.empty()) options.only = std::regex(only, std::regex::icase);
  if (options.quick && seconds->count() == 0) options.seconds = 0.3;
  return options;
}

} // namespace

int main(int argc, char** argv) {
  std::string out;
  Bench bench(read_options(argc, argv, out));
  fmt::print("{}\n{:<28} {:<22} {:>9} {:>9} {:>7}  goal\n", machine_text(), "kernel", "input", "ours", "theirs",
             "ratio");
  for (const auto suite : {solves, cholesky, floyd_warshall, needleman_wunsch, gauss_seidel, viterbi, matrix_algebra,
                           sparse_results, tensor_algebra, lanes, compile_times})
    suite(bench);
  fmt::print("\n{}", summary(bench));
  if (!out.empty()) {
    write_json(bench, out + ".json");
    write_markdown(bench, out + ".md");
  }
  int wrong = 0;
  for (const Row& row : bench.rows()) wrong += row.state == Row::State::wrong;
  if (wrong) fmt::print("{} rows are WRONG\n", wrong);
  return wrong ? 1 : 0;
}
