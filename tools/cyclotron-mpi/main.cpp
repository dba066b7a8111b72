// SPDX-License-Identifier: MIT
// `mpirun -np 4 cyclotron-mpi prog.pe A=a.npy -o C=c.npy`: runs a .pe file on the ranks of MPI.
#include "arguments.hpp"
#include "backend/mpi/blas_threads.hpp"
#include "backend/mpi/checkpoint.hpp"
#include "backend/mpi/data/agree.hpp"
#include "backend/mpi/inputs.hpp"
#include "backend/mpi/measure.hpp"
#include "pe/rank_status.hpp"
#include "support/memory.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace {

using namespace cyclotron;
using cyclotron_mpi::Arguments;

void say(const mpi::Context& context, const std::string& text) {
  if (context.rank() == 0) fmt::print("{}", text), std::fflush(stdout);
}

// The same words on every rank; the first says them.
int refuse(const mpi::Context& context, const std::string& words) {
  if (context.rank() == 0) fmt::print(stderr, "{}{}", words, words.ends_with('\n') ? "" : "\n");
  return 1;
}

// One rank reads, all get the same.
std::string read_program(const mpi::Context& context, const std::string& path, std::string& text) {
  std::string problem;
  if (context.rank() == 0) {
    std::ifstream file(path, std::ios::binary);
    if (!file) problem = fmt::format("error: `{}` cannot be read: {}", path, std::strerror(errno));
    else text.assign(std::istreambuf_iterator<char>(file), {});
  }
  problem = mpi::agreed_words(context.comm(), problem);
  if (!problem.empty()) return problem;
  mpi::broadcast(text, 0, context.comm());
  return {};
}

struct Totals {
  std::uint64_t pe_messages = 0, pe_bytes = 0, rank_messages = 0, rank_bytes = 0;
  double seconds = 0;
};

Totals totals_of(const mpi::Context& context, const mpi::Profile& profile) {
  const std::uint64_t own[4] = {profile.pe_messages, profile.pe_bytes, profile.rank_messages, profile.rank_bytes};
  std::uint64_t all[4] = {};
  MPI_Reduce(own, all, 4, MPI_UINT64_T, MPI_SUM, 0, context.comm());
  Totals t{all[0], all[1], all[2], all[3], 0};
  MPI_Reduce(&profile.total, &t.seconds, 1, MPI_DOUBLE, MPI_MAX, 0, context.comm());
  return t;
}

void write_json(const std::string& path, const Totals& totals, const std::vector<double>& sorted) {
  std::ofstream file(path);
  file << fmt::format("{{\"seconds\": {}, \"pe_messages\": {}, \"pe_bytes\": {}, \"rank_messages\": {}, "
                      "\"rank_bytes\": {}}}\n",
                      sorted[sorted.size() / 2], totals.pe_messages, totals.pe_bytes, totals.rank_messages,
                      totals.rank_bytes);
}

void print_profile(const mpi::Context& context, const mpi::Profile& profile) {
  for (int r = 0; r < context.ranks(); ++r) {
    MPI_Barrier(context.comm());
    if (r != context.rank()) continue;
    fmt::print("rank {}: {:.4f} s, of which {:.4f} s waiting\n", r, profile.total, profile.waiting);
    for (const auto& [name, spent] : profile.kernels)
      fmt::print("  {:<12} {:>8} calls {:>9.4f} s\n", name, spent.calls, spent.seconds);
    std::fflush(stdout);
  }
  MPI_Barrier(context.comm());
}

// What this machine can do, into a file.
int measure(mpi::Context& context, const std::string& path) {
  const pe::MachineModel model = mpi::measure_machine(context);
  std::string problem;
  if (context.rank() == 0 && !(std::ofstream(path) << pe::print(model)))
    problem = fmt::format("error: `{}` cannot be written", path);
  problem = mpi::agreed_words(context.comm(), problem);
  return problem.empty() ? 0 : refuse(context, problem);
}

// Collective: what there is to say about the runs, which took so many seconds each, the shortest first.
void report(const Arguments& arguments, const mpi::Context& context, const mpi::Profile& profile,
            const std::vector<double>& seconds, const std::optional<pe::ClusterTime>& predicted) {
  const Totals totals = totals_of(context, profile);
  const double median = seconds[seconds.size() / 2];
  if (!arguments.quiet && arguments.json.empty())
    say(context,
        fmt::format("ran in {:.6f} s: {} messages of {} bytes from PE to PE, {} of {} bytes between ranks\n",
                    totals.seconds, totals.pe_messages, totals.pe_bytes, totals.rank_messages, totals.rank_bytes));
  if (!arguments.json.empty() && context.rank() == 0) write_json(arguments.json, totals, seconds);
  if (arguments.repeat > 1)
    say(context, fmt::format("of {} runs: median {:.6f} s, least {:.6f} s\n", seconds.size(), median, seconds[0]));
  if (predicted)
    say(context, fmt::format("predicted {:.6f} s, measured {:.6f} s; the longest chain of steps takes {:.6f} s\n",
                             predicted->seconds, median, predicted->critical_path));
  if (arguments.profile) print_profile(context, profile);
}

int run(const Arguments& arguments) {
  mpi::Context context(MPI_COMM_WORLD, arguments.messages ? mpi::Transport::messages : mpi::Transport::shared);
  std::optional<ProgressDisplay> display; // its thread never calls MPI
  if (context.rank() == 0) display.emplace();
  if (!arguments.measure.empty()) return measure(context, arguments.measure);
  std::string text;
  if (const std::string problem = read_program(context, arguments.program, text); !problem.empty())
    return refuse(context, problem);
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto program = pe::parse(sources.add(arguments.program, text), diagnostics);
  if (!program) return refuse(context, diagnostics.render(false));
  mpi::Job job(*program, context, arguments.spread);
  if (!job.problem().empty()) return refuse(context, "error: " + job.problem());
  const std::string unknown = mpi::check_names(job, arguments.inputs, arguments.outputs);
  if (!unknown.empty()) return refuse(context, "error: " + unknown);
  const bool talks = !arguments.quiet && arguments.json.empty();
  if (talks) say(context, job.describe());
  if (talks && !context.arena().why_not_shared().empty())
    say(context, fmt::format("values go as messages, since ranks cannot share memory here: {}\n",
                             context.arena().why_not_shared()));
  std::unique_ptr<mpi::Rank> rank = job.start();
  std::string problem = mpi::fill_inputs(job, *rank, arguments.inputs, context);
  if (!problem.empty()) return refuse(context, problem);
  std::optional<mpi::Checkpoints> checkpoints;
  if (!arguments.checkpoint.empty()) {
    checkpoints.emplace(arguments.checkpoint, arguments.checkpoint_every, context);
    problem = checkpoints->open(mpi::identity_of(text, job, *rank));
    if (!problem.empty()) return refuse(context, "error: " + problem);
    if (checkpoints->goes_on() && !arguments.quiet) say(context, checkpoints->describe());
  }
  std::optional<pe::ClusterTime> predicted;
  if (arguments.predict) predicted = mpi::predict(job, mpi::measure(job, context), context);
  std::optional<pe::StatusFile> status;
  if (!arguments.status.empty()) status.emplace(arguments.status, context.rank());
  std::vector<double> seconds;
  for (int repeat = 0; repeat < arguments.repeat && problem.empty(); ++repeat) {
    if (repeat > 0) rank = job.start(rank.get());
    MPI_Barrier(context.comm());
    const double begin = mpi::seconds_now();
    problem = rank->run(status ? status->record() : nullptr, checkpoints ? &*checkpoints : nullptr);
    seconds.push_back(mpi::seconds_now() - begin);
  }
  std::sort(seconds.begin(), seconds.end());
  if (!problem.empty()) return refuse(context, "error: " + problem);
  report(arguments, context, rank->profile(), seconds, predicted);
  problem = mpi::write_outputs(job, *rank, arguments.outputs, context);
  if (!problem.empty()) return refuse(context, problem);
  if (checkpoints) checkpoints->clear();
  return 0;
}

} // namespace

// What MPI keeps until the process ends is no leak of ours. Only looked at where we are built with the sanitizer.
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }

int main(int count, char** words) {
  const auto arguments = cyclotron_mpi::read_arguments(count, words);
  if (!arguments) return 2;
  if (arguments->help) return 0;
  int provided = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &provided);
  mpi::use_one_blas_thread();
  const int code = run(*arguments);
  MPI_Finalize();
  return code;
}
