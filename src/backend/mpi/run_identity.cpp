// SPDX-License-Identifier: MIT
#include "backend/mpi/run_identity.hpp"

#include "backend/mpi/checkpoint_file.hpp"
#include "support/sha256.hpp"

namespace cyclotron::mpi {

namespace {

void add(Checksum& sum, std::int64_t number) { sum.add(static_cast<std::uint64_t>(number)); }

// What the numbers in a checkpoint refer to; another version of Cyclotron may number otherwise.
std::uint64_t identity_of(const pe::Executable& executable, const pe::RankPlan& plan) {
  Checksum sum;
  for (const pe::Code& code : executable.codes) {
    for (const int size : {code.frame_size, code.words, code.tiles}) add(sum, size);
    for (const pe::Instruction& i : code.instructions)
      for (const int part : {static_cast<int>(i.op), i.a, i.b, i.c}) add(sum, part);
  }
  for (const pe::Cargo& c : plan.cargo) {
    for (const int part : {c.value, c.uses, c.source, c.tag, c.part}) add(sum, part);
    for (const int part : c.fills) add(sum, part);
    for (const pe::Delivery& d : c.deliveries)
      for (const int part : {d.rank, d.tag}) add(sum, part);
  }
  for (const pe::OwnedPart& p : plan.parts) add(sum, p.tensor), add(sum, p.part);
  for (const pe::PlannedElement& e : plan.elements) {
    add(sum, e.element);
    for (const pe::Need& n : e.needs) add(sum, n.cargo);
    for (const pe::Parting& p : e.makes) add(sum, p.cargo), add(sum, p.part);
  }
  return sum.value();
}

} // namespace

RunIdentity identity_of(const std::string& program_text, const Job& job, Rank& rank) {
  RunIdentity made;
  made.program = sha256(program_text);
  made.placement = job.placement().text;
  for (const pe::TracedElement& e : job.trace().elements) made.steps += e.steps.size();
  made.plan = identity_of(job.executable(), job.plan());
  const auto& parts = job.plan().parts;
  for (std::size_t t = 0; t < job.program().tensors.size(); ++t) {
    const pe::Memory& memory = job.program().tensors[t];
    if (memory.is_output) continue;
    Checksum sum;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      if (parts[p].tensor != static_cast<int>(t)) continue;
      const TileRef& tile = rank.part_tile(static_cast<int>(p));
      if (tile) sum.add(tile->values(), static_cast<std::size_t>(tile->numbers()));
      else sum.add(&rank.part_word(static_cast<int>(p)), 1);
    }
    made.inputs.emplace_back(memory.name, sum.value());
  }
  return made;
}

} // namespace cyclotron::mpi
