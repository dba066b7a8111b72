// SPDX-License-Identifier: MIT
// How fast kernels of lanes are on an NVIDIA GPU, beside plain kernels and a copy in the same run.
#include "gpu.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

using namespace cyclotron::bench::gpu;

namespace {

Options read_options(int argc, char** argv, std::string& out) {
  Options options;
  options.folder = CYCLOTRON_BENCH_FOLDER;
  std::string only;
  CLI::App app{"Kernels of lanes on a GPU beside plain kernels and a copy, in one run, in turns."};
  app.add_flag("--quick", options.quick, "small inputs, few rounds");
  app.add_option("--only", only, "rows whose name this regular expression finds");
  app.add_option("--folder", options.folder, "where plain.cu and programs/ are");
  app.add_option("--out", out, "write OUT.json");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::exit(app.exit(e));
  }
  if (!only.empty()) options.only = std::regex(only, std::regex::icase);
  return options;
}

int run(const Options& options, const std::string& out) {
  Gpu gpu(options);
  fmt::print("{}, {}\n", gpu.machine().properties().name, gpu.machine().properties().driver);
  fmt::print("{:<34} {:<44} {:>9} {:>9} {:>6} {:>7} {:>12}\n", "kernel", "schedule", "ours G/s", "plain G/s", "ratio",
             "of copy", "ours");
  Bench bench(gpu);
  for (const auto suite : {convolutions, six_designs, linear_recurrences, alignments}) {
    suite(bench);
    gpu.release_all();
  }
  if (!out.empty()) write_json(bench, out + ".json");
  int wrong = 0;
  for (const Row& row : bench.rows()) wrong += row.problem.starts_with("WRONG");
  if (wrong) fmt::print("{} rows are WRONG\n", wrong);
  return wrong ? 1 : 0;
}

} // namespace

int main(int argc, char** argv) {
  std::string out;
  const Options options = read_options(argc, argv, out);
  try {
    return run(options, out);
  } catch (const Unavailable& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
}
