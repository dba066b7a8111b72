// SPDX-License-Identifier: MIT
#include "driver/run_mpi.hpp"

#include "backend/c/cache.hpp"
#include "pe/executable.hpp"
#include "pe/rank_status.hpp"
#include "support/pass_clock.hpp"
#include "support/program.hpp"
#include "support/progress.hpp"
#include "support/temporary_folder.hpp"
#include "support/unfinished.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <sstream>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace cyclotron::driver {

namespace fs = std::filesystem;

namespace {

// Named by a variable of the environment, or found.
std::optional<std::string> find(const char* variable, const std::vector<fs::path>& beside, const std::string& name) {
  std::vector<std::string> places;
  if (const char* given = std::getenv(variable)) places = {given};
  else {
    for (const fs::path& candidate : beside) places.push_back(candidate.string());
    places.push_back(name);
  }
  for (const std::string& place : places)
    if (std::string path = find_program(place); !path.empty()) return path;
  return std::nullopt;
}

// mpirun with its options, and the runtime behind it.
std::optional<std::vector<std::string>> launch_command(int ranks, Diagnostics& diagnostics) {
  const auto mpirun = find("CYCLOTRON_MPIRUN", {}, "mpirun");
  if (!mpirun) {
    diagnostics.error("there is no `mpirun` to start the ranks")
        .with_hint("install MPI (on Debian: openmpi-bin), or name it in the variable CYCLOTRON_MPIRUN");
    return std::nullopt;
  }
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  const auto runtime =
      find("CYCLOTRON_MPI", {here / "cyclotron-mpi", here.parent_path() / "cyclotron-mpi" / "cyclotron-mpi"},
           "cyclotron-mpi");
  if (!runtime) {
    Diagnostic& d = diagnostics.error("the runtime `cyclotron-mpi`, which runs on every rank, is not there");
    if (const char* named = std::getenv("CYCLOTRON_MPI"))
      d.note(fmt::format("the variable CYCLOTRON_MPI names `{}`, which cannot be run", named));
    d.with_hint("`scripts/setup.sh run-mpi` in the folder of Cyclotron installs MPI and BLAS and builds it; "
                "CYCLOTRON_MPI names one that stands elsewhere");
    return std::nullopt;
  }
  const bool crowded = ranks > static_cast<int>(std::thread::hardware_concurrency());
  std::vector<std::string> command = {*mpirun, "-np", std::to_string(ranks), "--bind-to", crowded ? "none" : "core"};
  if (crowded) command.emplace_back("--oversubscribe");
  command.push_back(*runtime);
  return command;
}

constexpr double no_limit = 1e9; // seconds

ProgramRun launch(const std::vector<std::string>& command, const std::function<bool()>& is_unwanted = is_interrupted) {
  // Whoever starts it as root in a container means to. How far it is, we show. PMIx, through which the ranks find each
  // other, keeps what it knows in their memory: as files in the temporary folder it is left there by ranks that fail.
  return run_program(command,
                     {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                      {"PMIX_MCA_gds", "hash"},
                      {"OPENBLAS_NUM_THREADS", "1"},
                      {"CYCLOTRON_PROGRESS_SECONDS", "1e9"}},
                     no_limit, is_unwanted);
}

class MpiRun {
public:
  MpiRun(const pe::Program& program, const MpiOptions& options, Diagnostics& diagnostics)
      : program_(program), options_(options), diagnostics_(diagnostics) {}

  std::optional<MpiResult> run(const std::map<std::string, tensor::Tensor>& inputs) {
    if (!folder_.exists()) {
      diagnostics_.error("no temporary folder can be made").with_hint("set TMPDIR to a folder that can be written to");
      return std::nullopt;
    }
    auto command = launcher();
    if (!command || !write_inputs(inputs, *command)) return std::nullopt;
    for (const pe::Memory& m : program_.tensors)
      if (m.is_output) command->insert(command->end(), {"-o", m.name + "=" + folder_.file(m.name + ".npy")});
    command->insert(command->end(), {"--json", folder_.file("result.json"), "--status", folder_.file("status")});
    if (!options_.spread.empty()) command->insert(command->end(), {"--spread", options_.spread});
    if (!options_.transport.empty()) command->insert(command->end(), {"--transport", options_.transport});
    if (!options_.checkpoint.empty()) command->insert(command->end(), {"--checkpoint", options_.checkpoint});
    if (!options_.checkpoint_every.empty())
      command->insert(command->end(), {"--checkpoint-every", options_.checkpoint_every});
    const ProgramRun run = launch_shown(*command);
    if (!run.succeeded()) {
      report(run);
      return std::nullopt;
    }
    return read_result(run.output);
  }

private:
  std::optional<std::vector<std::string>> launcher() {
    auto command = launch_command(options_.ranks, diagnostics_);
    if (!command) return std::nullopt;
    command->push_back(folder_.file("program.pe"));
    std::ofstream(folder_.file("program.pe"), std::ios::binary) << pe::print(program_);
    return command;
  }

  bool write_inputs(const std::map<std::string, tensor::Tensor>& inputs, std::vector<std::string>& command) {
    for (const pe::Memory& m : program_.tensors) {
      if (m.is_output) continue;
      const auto dense =
          tensor::convert(inputs.at(m.name), tensor::dense_format(static_cast<int>(m.dims.size())), diagnostics_);
      const std::string file = folder_.file(m.name + ".npy");
      if (!dense || !tensor::write(file, *dense, diagnostics_)) return false;
      command.push_back(m.name + "=" + file);
    }
    return true;
  }

  ProgramRun launch_shown(const std::vector<std::string>& command) {
    Progress progress(fmt::format("running on {} ranks", options_.ranks), {0, "steps"});
    return launch(command, [&] {
      progress.advance_to(pe::steps_done(folder_.file("status"), options_.ranks));
      return is_interrupted();
    });
  }

  std::optional<MpiResult> read_result(const std::string& output) {
    MpiResult result;
    std::smatch found;
    if (std::regex_search(output, found, std::regex("goes on from step [^\n]*"))) result.goes_on = found[0];
    if (std::regex_search(output, found, std::regex("warning: ([^\n]*)"))) diagnostics_.warning({}, found[1].str());
    std::ifstream file(folder_.file("result.json"));
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if (json.is_discarded()) {
      diagnostics_.error("the runtime ended without saying how the run went").note(output);
      return std::nullopt;
    }
    result.seconds = json.at("seconds");
    result.pe_messages = json.at("pe_messages");
    result.pe_bytes = json.at("pe_bytes");
    result.rank_messages = json.at("rank_messages");
    result.rank_bytes = json.at("rank_bytes");
    for (const pe::Memory& m : program_.tensors) {
      if (!m.is_output) continue;
      auto entries = tensor::read(folder_.file(m.name + ".npy"), {m.dims}, diagnostics_);
      if (!entries) return std::nullopt;
      auto packed =
          tensor::pack(std::move(*entries), tensor::dense_format(static_cast<int>(m.dims.size())), diagnostics_);
      if (packed) packed = tensor::convert_type(std::move(*packed), m.type, diagnostics_);
      if (!packed) return std::nullopt;
      result.outputs.emplace(m.name, std::move(*packed));
    }
    return result;
  }

  // Without what mpirun says of its own, which stands between lines of dashes.
  static std::string without_frames(const std::string& output) {
    std::istringstream lines(output);
    std::string kept;
    bool framed = false;
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("----------")) framed = !framed;
      else if (!framed) kept += line + "\n";
    return kept;
  }

  // A rank that died says nothing; where it was, it left in the status file.
  void report(const ProgramRun& run) {
    std::smatch found;
    const std::regex died("process rank (\\d+) .*exited on signal (\\d+) \\(([^)]*)\\)");
    if (std::regex_search(run.output, found, died)) {
      const int rank = std::stoi(found[1]);
      Diagnostic& d = diagnostics_.error(fmt::format("rank {} of {} was ended by signal {} ({})", rank, options_.ranks,
                                                     found[2].str(), found[3].str()));
      const pe::Executable executable(program_);
      d.note(pe::where_it_was(folder_.file("status"), rank, executable));
      d.note("the other ranks were stopped, and nothing was written");
      note_checkpoint(d);
      return;
    }
    std::string words = without_frames(run.output);
    const std::size_t at = words.find("error: ");
    if (at == std::string::npos) {
      Diagnostic& d = diagnostics_.error(fmt::format("mpirun {}", describe_end(run)));
      d.note(run.output.empty() ? "it said nothing" : run.output);
      note_checkpoint(d);
      return;
    }
    words = words.substr(at + 7);
    words.erase(words.find_last_not_of(" \n") + 1);
    const std::size_t line = words.find('\n');
    Diagnostic& d = diagnostics_.error(words.substr(0, line));
    if (line != std::string::npos) d.note(words.substr(words.find_first_not_of(" \n", line)));
  }

  void note_checkpoint(Diagnostic& of) const {
    if (!options_.checkpoint.empty()) of.note("the same command goes on from the last checkpoint, where there is one");
  }

  const pe::Program& program_;
  const MpiOptions& options_;
  Diagnostics& diagnostics_;
  TemporaryFolder folder_{"mpi"};
};

} // namespace

std::optional<pe::MachineModel> machine_for(const MpiOptions& options, Diagnostics& diagnostics) {
  const TimedPass measuring("measure-machine");
  const Unfinished work; // outlives the temporary files
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const std::string folder = backend::c::lasting_folder({});
  const TemporaryFolder beside("mpi");
  const std::string path = (folder.empty() ? fs::path(beside.file("machine"))
                                           : fs::path(folder) / fmt::format("machine-{}-{}", host, options.ranks))
                               .string();
  const auto known = [&] {
    std::ifstream file(path, std::ios::binary);
    return pe::parse_machine(std::string(std::istreambuf_iterator<char>(file), {}));
  };
  if (const auto model = known()) return model;
  auto command = launch_command(options.ranks, diagnostics);
  if (!command) return std::nullopt;
  const Progress progress(fmt::format("measuring this machine with {} ranks", options.ranks));
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  command->insert(command->end(), {"--measure", path});
  const ProgramRun run = launch(*command);
  const auto model = run.succeeded() ? known() : std::nullopt;
  if (!model)
    diagnostics.error(fmt::format("this machine could not be measured: mpirun {}", describe_end(run))).note(run.output);
  return model;
}

std::optional<MpiResult> run_mpi(const pe::Program& program, const std::map<std::string, tensor::Tensor>& inputs,
                                 const MpiOptions& options, Diagnostics& diagnostics) {
  const TimedPass running("run-mpi");
  const Unfinished work; // outlives the temporary files
  return MpiRun(program, options, diagnostics).run(inputs);
}

} // namespace cyclotron::driver
