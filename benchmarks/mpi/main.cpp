// SPDX-License-Identifier: MIT
// ScaLAPACK at its best block size and grid, our library behind its interface, OpenBLAS on one rank, and the ceiling of
// all cores, in one run, in turns.
//
//   mpirun -np 2 --bind-to core cyclotron_bench_mpi --op gemm,potrf --shape 2048,4096x512x1024 --repeat 5 --json
//   out.json
//
// On a machine without ScaLAPACK the program and the libraries it needs are carried in one folder. CMake's target
// `carry` fills build/carry with them; there:
//
//   LD_LIBRARY_PATH=build/carry mpirun -np 16 --bind-to core build/carry/cyclotron_bench_mpi
#include "openblas.hpp"
#include "ours.hpp"
#include "report.hpp"
#include "scalapack.hpp"

#include <algorithm>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <mpi.h>

using namespace cyclotron::bench;

namespace {

struct Options {
  std::vector<std::string> operations{"gemm", "trsm", "potrf"};
  std::vector<std::string> shapes{"1024", "2048", "4096"};
  std::vector<std::string> contestants{"cyclotron", "scalapack", "drop-in", "openblas", "ceiling"};
  std::vector<int> blocks{32, 64, 96, 128, 192, 256};
  int repeat = 5;
  std::string json;
};

// All ranks parse; only rank 0 speaks.
bool read_options(int argc, char** argv, Options& options, bool speaks, int& status) {
  CLI::App app{"Distributed dense linear algebra beside ScaLAPACK and OpenBLAS, one BLAS thread per rank."};
  app.add_option("--op", options.operations, "gemm, trsm, potrf")->delimiter(',')->capture_default_str();
  app.add_option("--shape", options.shapes, "M, MxN or MxNxK; trsm uses M and N, potrf M")->delimiter(',');
  app.add_option("--with", options.contestants,
                 "cyclotron, scalapack, drop-in (ours behind its interface), openblas (on one rank), ceiling")
      ->delimiter(',')
      ->check(CLI::IsMember({"cyclotron", "scalapack", "drop-in", "openblas", "ceiling"}));
  app.add_option("--block", options.blocks, "block sizes that ScaLAPACK may use")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  app.add_option("--repeat", options.repeat, "runs of each contestant after one to warm up; the median counts")
      ->check(CLI::PositiveNumber);
  app.add_option("--json", options.json, "write all times to this file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out, err;
    status = app.exit(e, out, err);
    if (speaks) fmt::print(status ? stderr : stdout, "{}{}", out.str(), err.str());
    return false;
  }
  return true;
}

std::vector<Contestant> contestants_of(const Problem& problem, const Options& options, int ranks) {
  std::vector<Contestant> made;
  const auto asked = [&](const char* name) {
    return std::find(options.contestants.begin(), options.contestants.end(), name) != options.contestants.end();
  };
  std::optional<CyclicLayout> layout; // for both who need one
  if (asked("scalapack") || asked("drop-in")) layout = fastest_layout(problem, ranks, options.blocks);
  for (const std::string& name : options.contestants) {
    if (name == "cyclotron") made.push_back(ours(problem));
    if (name == "scalapack") made.push_back(scalapack(problem, *layout));
    if (name == "drop-in") made.push_back(same_interface(problem, *layout));
    if (name == "openblas") made.push_back(openblas_of_one_rank(problem));
    if (name == "ceiling") made.push_back(ceiling(problem, ranks));
  }
  return made;
}

std::vector<Problem> problems_of(const Options& options) {
  std::vector<Problem> problems;
  for (const std::string& operation : options.operations)
    for (const std::string& shape : options.shapes) {
      const Problem problem = problem_of(operation_of(operation), shape);
      const auto same = [&](const Problem& other) {
        return other.operation == problem.operation && other.shape() == problem.shape();
      };
      if (std::none_of(problems.begin(), problems.end(), same)) problems.push_back(problem);
    }
  return problems;
}

int bench(const Options& options, int rank, int ranks) {
  Report report{ranks, options.repeat, {}};
  if (rank == 0) print_heading(report);
  for (const Problem& problem : problems_of(options)) {
    report.rows.push_back({problem, measure(problem, contestants_of(problem, options, ranks), options.repeat)});
    if (rank == 0) print_row(report.rows.back());
  }
  if (rank == 0 && !options.json.empty()) write_json(report, options.json);
  return wrong_results(report) ? 1 : 0;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1, status = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  one_thread_per_rank();
  try {
    Options options;
    if (read_options(argc, argv, options, rank == 0, status)) status = bench(options, rank, ranks);
  } catch (const std::exception& error) {
    fmt::print(stderr, "cyclotron_bench_mpi: rank {}: {}\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}
