// SPDX-License-Identifier: MIT
// A program on the ranks of a communicator: planned once, the same on every rank; then filled with data and run.
#pragma once

#include "backend/mpi/rank.hpp"

#include <memory>
#include <optional>
#include <string>

namespace cyclotron::mpi {

class Job {
public:
  // Every rank plans for itself, without asking the others. `problem` says why the program cannot run.
  Job(pe::Program program, Context& context, std::optional<pe::Spread> spread = {});
  const std::string& problem() const { return problem_; }

  const pe::Program& program() const { return program_; }
  const pe::Executable& executable() const { return executable_; }
  const pe::Trace& trace() const { return trace_; }
  const pe::Placement& placement() const { return placement_; }
  const pe::Ownership& ownership() const { return ownership_; }
  const pe::RankPlan& plan() const { return plan_; }

  // Collective. A run of its own: fill in the inputs of its parts, run it, take the results from its parts.
  std::unique_ptr<Rank> start(const Rank* previous = nullptr, Inputs inputs = Inputs::kept) {
    return std::make_unique<Rank>(executable_, trace_, plan_, context_, previous, inputs);
  }

  // What will happen, in a few lines: PEs, messages, memory.
  std::string describe() const;

private:
  Context& context_;
  pe::Program program_;
  pe::Executable executable_;
  pe::Trace trace_;
  std::string problem_;
  pe::Placement placement_;
  pe::Ownership ownership_;
  pe::RankPlan plan_;
};

} // namespace cyclotron::mpi
