// SPDX-License-Identifier: MIT
#include "backend/mpi/checkpoint.hpp"

#include "backend/mpi/data/agree.hpp"
#include "backend/mpi/profile.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <system_error>
#include <utility>

namespace cyclotron::mpi {

namespace fs = std::filesystem;

namespace {

const std::string version = "cyclotron checkpoint 1"; // the first line of `latest`, and first in every file

std::int64_t now() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

std::string time_of(std::int64_t nanoseconds) {
  const std::time_t seconds = nanoseconds / 1'000'000'000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S UTC", &parts);
  return text;
}

// Names in the folder outlive a crash of the machine only then. Not every file system can; none loses the files.
void keep_names(const std::string& folder) {
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  fsync(file);
  ::close(file);
}

std::string cannot(const char* what, const std::string& path) {
  return fmt::format("`{}` cannot be {}: {}", path, what, std::strerror(errno));
}

} // namespace

Checkpoints::Checkpoints(std::string folder, double every, Context& context)
    : folder_(std::move(folder)), every_(every), context_(context), rendezvous_(context.comm()) {}

std::string Checkpoints::own_path(std::int64_t number) const {
  return path(fmt::format("checkpoint-{}-rank-{}.part", number, context_.rank()));
}

// --- going on from one ---

std::string Checkpoints::open(const RunIdentity& run) {
  run_ = run;
  std::string problem;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) problem = fmt::format("--checkpoint: the folder `{}` cannot be made: {}", folder_, error.message());
  else if (is_first()) problem = find_latest();
  problem = agreed_words(context_.comm(), problem);
  if (!problem.empty()) return problem;
  MPI_Bcast(&latest_, sizeof latest_, MPI_BYTE, 0, context_.comm());
  if (latest_.number > 0) problem = agreed_words(context_.comm(), open_own());
  if (!problem.empty()) {
    state_.reset();
    return problem;
  }
  remove_own(latest_.number);
  next_ = seconds_now() + every_;
  return {};
}

std::string Checkpoints::find_latest() {
  const std::string file = path("latest");
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    std::error_code error;
    return fs::exists(file, error) || error ? cannot("read", file) : "";
  }
  std::string line;
  std::getline(in, line);
  if (line != version)
    return fmt::format("`{}` was written by another version of Cyclotron: expected `{}`, found `{}`\n  go on with that "
                       "one, or delete `{}` to begin again",
                       file, version, line, folder_);
  std::map<std::string, std::string> found;
  while (std::getline(in, line)) {
    const std::size_t at = line.find(' ');
    if (at != std::string::npos) found[line.substr(0, at)] = line.substr(at + 1);
    else found[line] = "";
  }
  const auto number = [&](const char* key) { return std::strtoll(found[key].c_str(), nullptr, 10); };
  const auto refuse = [&](const std::string& what) {
    return fmt::format("the checkpoint in `{}` is {}\n  give another folder, or delete `{}` to begin again", folder_,
                       what, folder_);
  };
  const Set set{number("number"), number("steps"), number("made")};
  if (!found.count("end") || set.number < 1)
    return fmt::format("`{}` is damaged\n  delete `{}` to begin again", file, folder_);
  if (found["program"] != run_.program) return refuse("of another program");
  if (number("ranks") != context_.ranks())
    return refuse(fmt::format("of a run on {} ranks, and this is one on {}", number("ranks"), context_.ranks()));
  if (found["placement"] != run_.placement)
    return refuse(
        fmt::format("of a run whose PEs were spread as `{}`, and now it is `{}`", found["placement"], run_.placement));
  latest_ = set;
  return {};
}

std::string Checkpoints::open_own() {
  state_.emplace(own_path(latest_.number));
  if (!state_->problem().empty()) return fmt::format("{}\n  delete `{}` to begin again", state_->problem(), folder_);
  const auto refuse = [&](const std::string& what) {
    return fmt::format("the checkpoint in `{}` {}\n  give another folder, or delete `{}` to begin again", folder_, what,
                       folder_);
  };
  if (state_->text() != version || state_->number() != latest_.made || state_->number() != context_.rank())
    return refuse(fmt::format("has a file of another run: `{}`", own_path(latest_.number)));
  if (state_->word() != run_.plan) return refuse("was written by another version of Cyclotron");
  for (const auto& [name, sum] : run_.inputs)
    if (state_->word() != sum) return refuse(fmt::format("is of a run with another input `{}`", name));
  return {};
}

std::string Checkpoints::describe() const {
  return fmt::format("goes on from step {} of {} (checkpoint of {})\n", latest_.steps, run_.steps,
                     time_of(latest_.made));
}

// --- making one ---

void Checkpoints::want() {
  if (std::exchange(is_wanted_, true)) return;
  rendezvous_.ask();
}

void Checkpoints::look() {
  if (!is_first()) is_wanted_ = rendezvous_.is_asked();
  else if (every_ > 0 && seconds_now() >= next_) want();
}

void Checkpoints::keep(const std::string& problem, std::uint64_t steps,
                       const std::function<void(CheckpointWriter&)>& save) {
  MPI_Comm comm = context_.comm();
  Set set{latest_.number + 1, 0, now()};
  MPI_Bcast(&set, sizeof set, MPI_BYTE, 0, comm);
  const auto own_steps = static_cast<std::int64_t>(steps);
  MPI_Allreduce(&own_steps, &set.steps, 1, MPI_INT64_T, MPI_SUM, comm);
  std::string agreed = agreed_words(comm, problem.empty() ? save_own(set, save) : problem);
  if (agreed.empty()) agreed = agreed_words(comm, is_first() ? write_latest(set) : "");
  const std::int64_t gone = agreed.empty() ? latest_.number : set.number;
  if (agreed.empty()) latest_ = set;
  else if (is_first()) fmt::print(stderr, "warning: no checkpoint was made, the run goes on: {}\n", agreed);
  std::remove(own_path(gone).c_str());
  is_wanted_ = false;
  next_ = seconds_now() + every_;
}

std::string Checkpoints::save_own(const Set& set, const std::function<void(CheckpointWriter&)>& save) const {
  CheckpointWriter file(own_path(set.number));
  file.text(version);
  file.number(set.made);
  file.number(context_.rank());
  file.word(run_.plan);
  for (const auto& [name, sum] : run_.inputs) file.word(sum);
  save(file);
  const std::string problem = file.close();
  keep_names(folder_);
  return problem;
}

std::string Checkpoints::write_latest(const Set& set) const {
  const std::string text =
      fmt::format("{}\nnumber {}\nsteps {}\nmade {}\nranks {}\nprogram {}\nplacement {}\nend\n", version, set.number,
                  set.steps, set.made, context_.ranks(), run_.program, run_.placement);
  const std::string aside = path("latest.aside"), file = path("latest");
  File out(std::fopen(aside.c_str(), "wb"));
  const bool written = out && std::fwrite(text.data(), 1, text.size(), out.get()) == text.size() &&
                       std::fflush(out.get()) == 0 && fsync(fileno(out.get())) == 0;
  if (!written) return cannot("written", aside);
  out.reset();
  if (std::rename(aside.c_str(), file.c_str()) != 0) return cannot("written", file);
  keep_names(folder_);
  return {};
}

// --- what is needed no more ---

// The files of this rank, and for rank 0 those of ranks that are no more.
void Checkpoints::remove_own(std::int64_t except) const {
  static const std::regex form("checkpoint-(\\d+)-rank-(\\d+)\\.part");
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored)) {
    std::smatch found;
    const std::string name = entry.path().filename().string();
    if (!std::regex_match(name, found, form)) continue;
    const long rank = std::strtol(found[2].str().c_str(), nullptr, 10);
    const bool is_own = rank == context_.rank() || (is_first() && rank >= context_.ranks());
    if (is_own && found[1].str() != std::to_string(except)) fs::remove(entry.path(), ignored);
  }
}

void Checkpoints::clear() {
  std::error_code ignored;
  if (is_first()) {
    fs::remove(path("latest"), ignored);
    fs::remove(path("latest.aside"), ignored);
    keep_names(folder_);
  }
  MPI_Barrier(context_.comm()); // no set counts from now on
  remove_own(0);
}

} // namespace cyclotron::mpi
