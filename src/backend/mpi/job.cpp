// SPDX-License-Identifier: MIT
#include "backend/mpi/job.hpp"

#include "support/memory.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace cyclotron::mpi {

namespace {

std::string problem_of(const pe::Program& program, const pe::Trace& trace) {
  if (!trace.problem.empty()) return trace.problem;
  for (const pe::Memory& m : program.tensors)
    if (std::count_if(m.block.begin(), m.block.end(), [](std::int64_t b) { return b != 0; }) > most_extents)
      return fmt::format("tiles of `{}` have more than {} extents", m.name, most_extents);
  for (const pe::Register& r : program.registers)
    if (r.tile.size() > static_cast<std::size_t>(most_extents))
      return fmt::format("tiles of the register `{}` have more than {} extents", r.name, most_extents);
  return {};
}

} // namespace

Job::Job(pe::Program program, Context& context, std::optional<pe::Spread> spread)
    : context_(context), program_(std::move(program)), executable_(program_), trace_(pe::trace(executable_)),
      problem_(problem_of(program_, trace_)) {
  if (!problem_.empty()) return;
  const Progress progress("planning for the ranks");
  placement_ = pe::place(executable_, trace_, context.ranks(), spread);
  ownership_ = pe::own(executable_, trace_, placement_);
  plan_ = pe::plan(executable_, trace_, placement_, ownership_, context.rank());
}

std::string Job::describe() const {
  const auto [least, most] = std::minmax_element(ownership_.bytes.begin(), ownership_.bytes.end());
  std::set<int> busy(placement_.rank_of.begin(), placement_.rank_of.end() - 1);
  return fmt::format("{} PEs on {} of {} ranks: {}\n"
                     "each rank keeps {} to {} of the tensors\n"
                     "{} messages of {} bytes from PE to PE\n",
                     executable_.grid.size(), busy.size(), placement_.ranks, placement_.text,
                     describe_bytes(static_cast<double>(*least)), describe_bytes(static_cast<double>(*most)),
                     trace_.messages, trace_.bytes);
}

} // namespace cyclotron::mpi
