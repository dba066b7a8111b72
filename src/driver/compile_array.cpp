// SPDX-License-Identifier: MIT
#include "driver/compile_array.hpp"

#include "dataflow/timing.hpp"
#include "support/progress.hpp"

namespace cyclotron::driver {

namespace {

constexpr std::int64_t most_elements_by_choice = 4096; // who wants a larger array says so

MappedProgram on_axes(const MappedProgram& program, const std::vector<std::string>& axes) {
  MappedProgram tried = program;
  tried.mapping.space = axes;
  tried.mapping.space_given = true;
  return tried;
}

} // namespace

std::optional<CompiledArray> choose_axes(MappedProgram program, WithAxes with_axes, Diagnostics& diagnostics) {
  if (program.mapping.space_given || program.mapping.spacetime) return with_axes(std::move(program), diagnostics);
  const auto choices = lower::axis_choices(program.checked(), program.mapping, diagnostics);
  if (diagnostics.failed()) return std::nullopt;
  std::optional<CompiledArray> smallest;
  Progress progress("choosing axes", {static_cast<std::int64_t>(choices.size()), "choices"});
  for (const auto& choice : choices) {
    progress.advance_to(&choice - choices.data());
    Diagnostics attempt(diagnostics.sources());
    auto done = with_axes(on_axes(program, choice), attempt);
    if (!done) continue;
    done->dataflow.chosen = true;
    const bool usual = done->program.elements() <= most_elements_by_choice;
    if (!smallest || done->program.elements() < smallest->program.elements()) smallest = std::move(done);
    if (usual) break;
  }
  if (smallest) return smallest;
  // Once more for its messages.
  return with_axes(on_axes(program, choices.empty() ? program.mapping.space : choices.front()), diagnostics);
}

std::vector<std::vector<std::string>> axes_of(const frontend::Checked& checked, const lower::Mapping& mapping,
                                              Diagnostics& diagnostics) {
  const auto program = map_program({&checked, nullptr, mapping, {}, {}}, diagnostics);
  if (!program) return {};
  return lower::axis_choices(program->checked(), program->mapping, diagnostics);
}

std::string CompiledArray::describe() const {
  std::string out = lower::print(dataflow.mapping);
  if (dataflow.program.timing) out += dataflow::print(*dataflow.program.timing) + "\n";
  return out;
}

} // namespace cyclotron::driver
