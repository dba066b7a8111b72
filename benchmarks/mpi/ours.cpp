// SPDX-License-Identifier: MIT
#include "ours.hpp"

#include "backend/mpi/job.hpp"
#include "backend/mpi/measure.hpp"
#include "driver/choose_for_ranks.hpp"
#include "driver/pipelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace cyclotron::bench {

namespace {

const char* text_of(Operation operation) {
  switch (operation) {
  case Operation::gemm:
    return "tensor A(m, k)\ntensor B(k, n)\ntensor C(m, n)\n"
           "C(i,j) = sum[l](A(i,l) * B(l,j))\n";
  case Operation::trsm:
    return "tensor A(m, m)\ntensor B(m, n)\ntensor C(m, n)\n"
           "C(i,j) = (B(i,j) - sum[l](A(i,l) * C(l,j))) / A(i,i)   : l < i\n";
  case Operation::potrf:
    return "tensor A(m, m)\ntensor C(m, m)\n"
           "C(i,j) = (A(i,j) - sum[l](C(i,l) * C(j,l))) / C(j,j)   : l < j, j < i\n"
           "C(i,i) = sqrt(A(i,i) - sum[l](C(i,l) * C(i,l)))        : l < i\n";
  }
  throw std::logic_error("unknown operation");
}

mpi::Context& context() {
  static auto* made = new mpi::Context(MPI_COMM_WORLD); // until MPI itself ends, which is before statics do
  return *made;
}

const pe::MachineModel& machine() {
  static const pe::MachineModel measured = mpi::measure_machine(context());
  return measured;
}

// One rank chooses, all get the same text.
pe::Program program_of(const Problem& problem, std::string& settings) {
  const pe::MachineModel& model = machine();
  std::string text;
  Sources sources;
  Diagnostics diagnostics(sources);
  if (context().rank() == 0) {
    const auto front = driver::run_front_end(sources.add("benchmark", text_of(problem.operation)), {}, diagnostics);
    std::map<std::string, std::int64_t> sizes{{"m", problem.m}};
    if (problem.operation != Operation::potrf) sizes["n"] = problem.n;
    if (problem.operation == Operation::gemm) sizes["k"] = problem.k;
    std::optional<driver::RankSchedule> chosen;
    if (front.checked)
      chosen = driver::choose_for_ranks(*front.checked, nullptr, sizes, context().ranks(), model, {"benchmark", {}, {}},
                                        diagnostics);
    if (!chosen) throw std::runtime_error(diagnostics.render(false));
    text = pe::print(chosen->compiled.program);
    settings = chosen->compiled.describe();
    std::replace(settings.begin(), settings.end(), '\n', ' ');
    settings = fmt::format("{}(of {}, {:.1f} ms predicted)", settings.substr(0, settings.find("time ")), chosen->tried,
                           1e3 * chosen->predicted_seconds);
  }
  std::int64_t size = static_cast<std::int64_t>(text.size());
  MPI_Bcast(&size, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(size));
  MPI_Bcast(text.data(), static_cast<int>(size), MPI_CHAR, 0, MPI_COMM_WORLD);
  const auto program = pe::parse(sources.add("benchmark.pe", text), diagnostics);
  if (!program) throw std::runtime_error(diagnostics.render(false));
  return *program;
}

struct Entry {
  Entry(const Problem& of, std::string& settings) : problem(of), job(program_of(of, settings), context()) {
    if (!job.problem().empty()) throw std::runtime_error(job.problem());
    settings += "; " + job.placement().text;
    prepare();
  }

  // Inputs are overwritten, here as by the others.
  void prepare() {
    rank.reset();
    rank = job.start(nullptr, mpi::Inputs::consumed);
    each_part(false, [&](TileRef& tile, const pe::PartBox& box, bool first) {
      for (std::int64_t i = 0; i < box.count[0]; ++i)
        for (std::int64_t j = 0; j < box.count[1]; ++j) {
          const long row = box.first[0] + i, column = box.first[1] + j;
          tile->values()[i * box.count[1] + j] = first ? problem.a(row, column) : problem.b(row, column);
        }
    });
  }

  using TileRef = mpi::TileRef;
  template <class F> void each_part(bool outputs, F&& f) {
    const auto& parts = job.plan().parts;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const pe::Memory& memory = job.program().tensors[static_cast<std::size_t>(parts[p].tensor)];
      if (memory.is_output != outputs) continue;
      TileRef& tile = rank->part_tile(static_cast<int>(p));
      if (tile) f(tile, pe::box_of(memory, parts[p].part), memory.name == "A");
    }
  }

  std::vector<Block> result() {
    std::vector<Block> blocks;
    each_part(true, [&](TileRef& tile, const pe::PartBox& box, bool) {
      blocks.push_back({box.first[0], box.first[1], box.count[0], box.count[1], tile->values(), box.count[1], 1});
    });
    return blocks;
  }

  void run() {
    const std::string problem_text = rank->run();
    if (!problem_text.empty()) throw std::runtime_error(problem_text);
  }

  Problem problem;
  mpi::Job job;
  std::unique_ptr<mpi::Rank> rank;
};

} // namespace

Contestant ours(const Problem& problem) {
  std::string settings;
  const auto entry = std::make_shared<Entry>(problem, settings);
  return {"Cyclotron",
          settings,
          problem.flops(),
          [entry] { entry->prepare(); },
          [entry] { entry->run(); },
          [entry] { return entry->result(); }};
}

} // namespace cyclotron::bench
