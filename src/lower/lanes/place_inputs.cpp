// SPDX-License-Identifier: MIT
#include "lower/lanes/place_inputs.hpp"

#include "lanes/placed.hpp"

#include <fmt/format.h>

#include <limits>

namespace cyclotron::lower {

using lanes::Memory;

namespace {

constexpr std::int64_t line_bytes = 64; // shared memories begin at multiples of it

// As it lies in memory, where numbers may become narrower yet.
std::int64_t bytes_of(const lanes::Program& program, const std::string& tensor) {
  const std::int64_t elements = lanes::box_of_block(program, tensor)->elements();
  const recurrence::TensorDecl& decl = *program.flow.source->tensor(tensor);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(elements, tensor::size_of(decl.type), &bytes) ||
      __builtin_add_overflow(bytes, line_bytes - 1, &bytes))
    return std::numeric_limits<std::int64_t>::max();
  return bytes / line_bytes * line_bytes;
}

bool refuse(const PlacedInput& wanted, const lanes::PlacedProblem& problem, Diagnostics& diagnostics) {
  auto& message = diagnostics.unsupported(wanted.span, problem.message);
  if (problem.span.known()) message.note(problem.span, "it is read here");
  message.with_hint(problem.hint);
  return false;
}

bool is_streamed(const PlacedInput& wanted, const LaneMachine& machine, Diagnostics& diagnostics) {
  const std::string& tensor = wanted.placed.tensor;
  if (!machine.streamed.count(tensor) || wanted.placed.memory != Memory::registers) return false;
  diagnostics.error(wanted.span, fmt::format("`{}` is streamed, and cannot stay in registers too", tensor))
      .with_hint("leave one of the two out: what is streamed travels through registers already");
  return true;
}

} // namespace

bool place_inputs(lanes::Program& program, const LaneMachine& machine, Diagnostics& diagnostics) {
  program.placed.clear();
  for (const PlacedInput& wanted : machine.placed) program.placed.push_back(wanted.placed);
  std::int64_t shared = 0;
  for (const PlacedInput& wanted : machine.placed) {
    if (is_streamed(wanted, machine, diagnostics)) return false;
    if (const auto problem = lanes::problem_of_placed(program, wanted.placed))
      return refuse(wanted, *problem, diagnostics);
    if (wanted.placed.memory != Memory::shared) continue;
    if (__builtin_add_overflow(shared, bytes_of(program, wanted.placed.tensor), &shared))
      shared = std::numeric_limits<std::int64_t>::max();
    if (shared <= machine.shared_bytes) continue;
    diagnostics
        .unsupported(wanted.span,
                     fmt::format("a block would share {} bytes, and has room for {}", shared, machine.shared_bytes))
        .with_hint("`tile` the loops of a block by smaller numbers, or leave `place` out");
    return false;
  }
  return true;
}

} // namespace cyclotron::lower
