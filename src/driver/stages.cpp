// SPDX-License-Identifier: MIT
#include "driver/stages.hpp"

#include "stream/dot.hpp"
#include "stream/verify.hpp"

#include <fmt/format.h>

namespace cyclotron::driver {

std::string text_of(const Parsed& parsed) { return frontend::print(parsed.unit); }
std::string text_of(const frontend::Unit& unit) { return frontend::print(unit); }
std::string text_of(const frontend::Checked& checked) { return checked.unit ? frontend::print(*checked.unit) : ""; }
std::string text_of(const KernelStage& kernel) { return text_of(kernel.program.checked()); }
std::string text_of(const PlacedLoops& placed) {
  return loops::print(placed.loops.nest, placed.kernel.program.checked().program());
}
std::string text_of(const backend::c::Written& written) { return written.emitted.text(); }
std::string text_of(const MappedProgram& mapped) { return text_of(mapped.checked()); }
std::string text_of(const ArrayDataflow& array) { return dataflow::print(array.lowered.program); }
std::string text_of(const CompiledArray& array) { return pe::print(array.program); }
std::string text_of(const CompiledLanes& made) { return lanes::print(made.program); }
std::string text_of(const LoweredStream& stream) { return stream::print_dot(stream.lowered.phases); }
std::string text_of(const SamProgram& program) { return stream::print_dot(program.phases); }

std::string problem_of(const frontend::Unit& unit) { return recurrence::problem_of(unit.program); }
std::string problem_of(const frontend::Checked& checked) { return checked.unit ? problem_of(*checked.unit) : ""; }
std::string problem_of(const KernelStage& kernel) { return problem_of(kernel.program.checked()); }
std::string problem_of(const PlacedLoops& placed) {
  return loops::problem_of(placed.loops.nest, placed.kernel.program.checked().program());
}
std::string problem_of(const MappedProgram& mapped) { return problem_of(mapped.checked()); }
std::string problem_of(const ArrayDataflow& array) { return dataflow::problem_of(array.lowered.program); }
std::string problem_of(const CompiledArray& array) { return pe::problem_of(array.program); }
std::string problem_of(const CompiledLanes& made) { return lanes::problem_of(made.program); }

namespace {

std::string problem_of_phases(const std::vector<stream::Graph>& phases) {
  for (const stream::Graph& g : phases)
    if (const std::string problem = stream::problem_of(g); !problem.empty())
      return fmt::format("{}: {}", g.title, problem);
  return "";
}

} // namespace

std::string problem_of(const LoweredStream& stream) { return problem_of_phases(stream.lowered.phases); }
std::string problem_of(const SamProgram& program) { return problem_of_phases(program.phases); }

} // namespace cyclotron::driver
