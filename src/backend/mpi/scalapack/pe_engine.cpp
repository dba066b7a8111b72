// SPDX-License-Identifier: MIT
#include "backend/mpi/scalapack/pe_engine.hpp"

#include "backend/mpi/job.hpp"

#include <map>
#include <stdexcept>

namespace cyclotron::mpi::scalapack {

namespace {

// What is kept for later calls. A run that failed leaves ranks behind that cannot be used again.
struct Kept {
  explicit Kept(MPI_Comm communicator) : context(communicator) {}

  Context context;
  std::map<Shape, std::unique_ptr<Job>> jobs;
  bool is_spoiled = false;
};

constexpr std::size_t most_shapes = 64; // kept; who uses more waits for some again

class PeComputation : public Computation {
public:
  PeComputation(Job& of, std::shared_ptr<Kept> kept, Operation operation)
      : job_(of), kept_(std::move(kept)), operation_(operation), rank_(of.start(nullptr, Inputs::consumed)) {
    const auto& tensors = job_.program().tensors;
    for (std::size_t t = 0; t < tensors.size(); ++t) (tensors[t].is_output ? outputs_ : inputs_).push_back(t);
    const auto& parts = job_.plan().parts;
    for (std::size_t p = 0; p < parts.size(); ++p) own_parts_[{parts[p].tensor, parts[p].part}] = static_cast<int>(p);
  }

  Tiles input(int number) override { return tiles(inputs_.at(static_cast<std::size_t>(number))); }
  Tiles result() override { return tiles(outputs_.at(0)); }

  bool run() override {
    const std::string problem = rank_->run();
    if (problem.empty()) return true;
    kept_->is_spoiled = true;
    if (operation_ == Operation::factor && problem.starts_with("computing ")) return false;
    throw std::runtime_error(problem);
  }

private:
  Tiles tiles(std::size_t tensor) {
    const pe::Memory& memory = job_.program().tensors[tensor];
    const long across = (memory.dims[1] + memory.block[1] - 1) / memory.block[1];
    const auto part = [across](long i, long j) { return i * across + j; };
    const std::vector<int>& owners = job_.ownership().owners[tensor];
    return {memory.dims[0],
            memory.dims[1],
            memory.block[0],
            memory.block[1],
            [&owners, part](long i, long j) { return owners[static_cast<std::size_t>(part(i, j))]; },
            [this, part, number = static_cast<int>(tensor)](long i, long j) {
              return rank_->part_tile(own_parts_.at({number, part(i, j)}))->values();
            }};
  }

  Job& job_;
  std::shared_ptr<Kept> kept_;
  Operation operation_;
  std::unique_ptr<Rank> rank_;
  std::vector<std::size_t> inputs_, outputs_;
  std::map<std::pair<int, std::int64_t>, int> own_parts_;
};

class PeEngine : public Engine {
public:
  PeEngine(MPI_Comm communicator, ProgramOf program_of)
      : communicator_(communicator), program_of_(std::move(program_of)) {}

  std::unique_ptr<Computation> prepare(const Shape& shape) override {
    if (!kept_ || kept_->is_spoiled || kept_->jobs.size() > most_shapes) kept_ = std::make_shared<Kept>(communicator_);
    std::unique_ptr<Job>& job = kept_->jobs[shape];
    if (!job) job = std::make_unique<Job>(program(shape), kept_->context);
    if (!job->problem().empty()) throw std::runtime_error(job->problem());
    return std::make_unique<PeComputation>(*job, kept_, shape.operation);
  }

private:
  const pe::Program& program(const Shape& shape) {
    const auto known = programs_.find(shape);
    if (known != programs_.end()) return known->second;
    if (programs_.size() > most_shapes) programs_.clear();
    return programs_.emplace(shape, program_of_(shape, kept_->context)).first->second;
  }

  MPI_Comm communicator_;
  ProgramOf program_of_;
  std::map<Shape, pe::Program> programs_; // outlive runs that fail
  std::shared_ptr<Kept> kept_;
};

} // namespace

std::unique_ptr<Engine> pe_engine(MPI_Comm communicator, ProgramOf program_of) {
  return std::make_unique<PeEngine>(communicator, std::move(program_of));
}

} // namespace cyclotron::mpi::scalapack
