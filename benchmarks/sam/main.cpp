// SPDX-License-Identifier: MIT
// How fast the simulator of stream graphs is, in tokens a second. Results are compared with the interpreter or native
// code before a figure is printed. Seconds are those of the processor, of whole runs that record nothing.
#include "driver/bind.hpp"
#include "driver/check_values.hpp"
#include "driver/pipelines.hpp"
#include "driver/run_sam.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace cyclotron {
namespace {

// What is run: a program, one of its schedules (or none), and its inputs as the command line has them.
struct Row {
  std::string kernel, program, schedule;
  std::vector<std::string> inputs;
};

std::vector<Row> usual_rows(bool quick) {
  const std::string folder = std::string(CYCLOTRON_BENCH_FOLDER) + "/programs/";
  const auto row = [&](const std::string& kernel, const std::string& program, const std::string& schedule,
                       std::vector<std::string> inputs) {
    return Row{kernel, folder + program + ".cyc", schedule, std::move(inputs)};
  };
  const std::string million = quick ? "n=10000,m=10000,density=0.001" : "n=50000,m=50000,density=0.0004";
  const std::string five_a_row = quick ? "n=2000,m=2000,density=0.0025" : "n=20000,m=20000,density=0.00025";
  const std::string fewer_rows = quick ? "n=1000,m=1000,density=0.005" : "n=4000,m=4000,density=0.00125";
  const std::string small = quick ? "n=200,m=200,density=0.02" : "n=700,m=700,density=0.01";
  const std::string tensor = quick ? "n=50,m=50,l=100,density=0.02" : "n=200,m=200,l=1000,density=0.0125";
  const std::string little = quick ? "n=20,m=30,l=40,density=0.02" : "n=100,m=60,l=100,density=0.1";
  const auto pair = [](const std::string& sizes) {
    return std::vector<std::string>{"B=random:" + sizes + ",seed=1", "C=random:" + sizes + ",seed=2"};
  };
  return {
      row("SpMV", "spmv", "located", {"B=random:" + million + ",seed=1", "c=random:seed=2"}),
      row("MMAdd", "mmadd", "", pair(million)),
      row("SDDMM, K = 10", "sddmm", "located", {"B=random:" + five_a_row + ",seed=1", "C=ones", "D=ones", "n_k=10"}),
      row("SpM*SpM, ikj", "spmspm", "ikj", pair(fewer_rows)),
      row("SpM*SpM, kij", "spmspm_columns", "kij", pair(five_a_row)),
      row("SpM*SpM, ijk", "spmspm_transposed", "ijk", pair(small)),
      row("TTV", "ttv", "", {"B=random:" + tensor + ",seed=1", "c=random:density=0.5,seed=2"}),
      row("MTTKRP, J = 10", "mttkrp", "",
          {"B=random:" + little + ",seed=1", "C=random:density=0.5,seed=2", "D=random:density=0.5,seed=3", "n_j=10"}),
  };
}

double processor_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The most memory that the process had since `forget_peak`.
void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }
double peak_mebibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) / 1024;
  return 0;
}

std::string text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct Measured {
  std::int64_t nonzeros = 0; // of the largest sparse operand
  sam::Time cycles = 0;
  std::uint64_t tokens = 0;
  std::vector<double> seconds;             // sorted
  double input_memory = 0, run_memory = 0; // MiB: before, and at most during the run

  double rate(double s) const { return static_cast<double>(tokens) / s / 1e6; }
  double median() const { return seconds[seconds.size() / 2]; }
};

class Contest {
public:
  Contest(const Row& row, int rounds, bool statistics) : row_(row), rounds_(rounds) { options_.waiting = statistics; }

  Measured run() {
    const std::int32_t file = sources_.add(row_.program, text_of_file(row_.program));
    front_end_ = driver::run_front_end(file, {}, diagnostics_);
    if (!front_end_.checked) fail();
    std::vector<driver::Assignment> words;
    for (const std::string& w : row_.inputs) words.push_back({w.substr(0, w.find('=')), w.substr(w.find('=') + 1)});
    auto inputs = driver::bind_inputs(checked().program(), words, ".", sources_, diagnostics_);
    if (!inputs) fail();
    const auto program = driver::compile_sam({&checked(), schedule(), inputs->bindings.sizes}, diagnostics_);
    if (!program) fail();
    return measure(*program, inputs->bindings);
  }

private:
  Measured measure(const driver::SamProgram& program, const recurrence::Bindings& bindings) {
    Measured m;
    for (const auto& [name, t] : bindings.tensors)
      if (!tensor::is_dense(t.format)) m.nonzeros = std::max(m.nonzeros, t.stored());
    forget_peak();
    m.input_memory = peak_mebibytes();
    auto result = driver::run_sam(program, bindings, options_, diagnostics_); // warms up, and is checked
    if (!result) fail();
    m.run_memory = peak_mebibytes();
    m.cycles = result->cycles;
    m.tokens = result->tokens;
    check(*result, bindings);
    result.reset();
    for (int r = 0; r < rounds_; ++r) {
      const double start = processor_seconds();
      if (!driver::run_sam(program, bindings, options_, diagnostics_)) fail();
      m.seconds.push_back(processor_seconds() - start);
    }
    std::ranges::sort(m.seconds);
    return m;
  }

  void check(const driver::SamResult& result, const recurrence::Bindings& bindings) {
    std::map<std::string, tensor::Tensor> outputs;
    for (const recurrence::TensorDecl* t : checked().program().outputs())
      outputs[t->name.name] = result.results.at(t->name.name);
    if (!driver::check_values(checked(), bindings, outputs, {}, "the graph", diagnostics_)) fail();
  }

  const frontend::Checked& checked() const { return *front_end_.checked; }

  const schedule::Schedule* schedule() {
    if (row_.schedule.empty()) return nullptr;
    for (const schedule::Schedule& s : checked().unit->schedules)
      if (s.name.name == row_.schedule) return &s;
    throw std::runtime_error(row_.program + " has no schedule " + row_.schedule);
  }

  [[noreturn]] void fail() const { throw std::runtime_error(diagnostics_.render(false)); }

  const Row& row_;
  int rounds_;
  sam::Options options_;
  Sources sources_;
  Diagnostics diagnostics_{sources_};
  driver::FrontEndResult front_end_;
};

void print_json(const Measured& m) {
  fmt::print("{{\"cycles\": {}, \"tokens\": {}, \"seconds\": {:.6g}, \"least\": {:.6g}, \"most\": {:.6g}}}\n", m.cycles,
             m.tokens, m.median(), m.seconds.front(), m.seconds.back());
}

void print_row(const Row& row, const Measured& m) {
  fmt::print("{:<16} {:>9} {:>10} {:>11} {:>8.3f} {:>7.1f} {:>7.1f} {:>7.1f} {:>9.0f} {:>7.0f}\n", row.kernel,
             m.nonzeros, m.cycles, m.tokens, m.median(), m.rate(m.median()), m.rate(m.seconds.back()),
             m.rate(m.seconds.front()), m.input_memory, m.run_memory);
  std::fflush(stdout);
}

void print_table(const std::vector<Row>& rows, const std::string& only, int rounds, bool statistics) {
  fmt::print("{:<16} {:>9} {:>10} {:>11} {:>8} {:>23} {:>17}\n", "", "", "", "", "", "million tokens/s", "MiB");
  fmt::print("{:<16} {:>9} {:>10} {:>11} {:>8} {:>7} {:>7} {:>7} {:>9} {:>7}\n", "kernel", "nonzeros", "cycles",
             "tokens", "seconds", "median", "least", "most", "inputs", "run");
  for (const Row& row : rows)
    if (row.kernel.find(only) != std::string::npos) print_row(row, Contest(row, rounds, statistics).run());
}

} // namespace
} // namespace cyclotron

int main(int count, char** words) {
  using namespace cyclotron;
  CLI::App app("The token rate of the simulator of stream graphs; without a program, on the usual kernels.");
  Row row{"", "", "", {}};
  std::string only;
  bool quick = false, statistics = false;
  int rounds = 7;
  app.add_flag("--quick", quick, "small inputs");
  app.add_flag("--statistics", statistics, "count what waits in streams, as `cyclotron simulate` does; `run` does not");
  app.add_option("--only", only, "kernels whose name has this in it");
  app.add_option("--rounds", rounds, "runs that are timed")->check(CLI::PositiveNumber);
  app.add_option("--schedule", row.schedule, "of the program");
  app.add_option("program", row.program, "measure this program, and print JSON");
  app.add_option("inputs", row.inputs, "NAME=VALUE as for `cyclotron simulate`");
  CLI11_PARSE(app, count, words);
  try {
    if (row.program.empty()) print_table(usual_rows(quick), only, rounds, statistics);
    else print_json(Contest(row, rounds, statistics).run());
  } catch (const std::runtime_error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
