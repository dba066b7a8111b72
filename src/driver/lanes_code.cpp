// SPDX-License-Identifier: MIT
#include "driver/lanes_code.hpp"

#include "backend/simd/registers.hpp"
#include "driver/code_memory.hpp"
#include "lower/code/value_bounds.hpp"
#include "recurrence/isl_limit.hpp"
#include "support/pass_clock.hpp"

#include <isl/ctx.h>

#include <algorithm>
#include <cmath>

namespace cyclotron::driver {

namespace {

std::int64_t bytes_of(tensor::ValueType type, bool narrow) {
  switch (type) {
  case tensor::ValueType::f64:
  case tensor::ValueType::i64: return 8;
  case tensor::ValueType::i32: return narrow ? 2 : 4;
  case tensor::ValueType::f32: return 4;
  case tensor::ValueType::boolean: return narrow ? 2 : 4;
  }
  bug("unknown type");
}

// By the widest numbers that are computed with.
std::int64_t lanes_for(const recurrence::Program& program, const LaneTarget& target, bool narrow) {
  if (target.vector_bytes == 0) return target.lanes;
  std::int64_t widest = narrow ? 2 : 4;
  for (const recurrence::TensorDecl& t : program.tensors) widest = std::max(widest, bytes_of(t.type, narrow));
  return std::max<std::int64_t>(1, target.vector_bytes / widest);
}

std::optional<CompiledLanes> compiled(ArrayRequest request, const LaneTarget& target, std::int64_t lanes,
                                      Diagnostics& diagnostics) {
  lower::LaneMachine machine;
  machine.lanes = lanes;
  machine.registers = target.registers;
  machine.layout = target.layout;
  request.machine = machine;
  return compile_lanes(std::move(request), diagnostics);
}

double largest_element(const tensor::Tensor& tensor) {
  double largest = 0;
  std::visit(
      [&](const auto& values) {
        for (const auto value : values) largest = std::max(largest, std::abs(static_cast<double>(value)));
      },
      tensor.values);
  return largest;
}

// NaN and infinity are in real numbers only, of which there is no bound to find.
std::map<std::string, double> largest_elements(const recurrence::Bindings& bindings) {
  std::map<std::string, double> largest;
  for (const auto& [name, tensor] : bindings.tensors)
    if (!tensor::is_float(tensor.type())) largest[name] = largest_element(tensor);
  return largest;
}

bool has_whole_numbers(const lanes::Program& program) {
  return std::any_of(program.flow.values.begin(), program.flow.values.end(), [](const dataflow::Value& v) {
    return v.type == tensor::ValueType::i32 || v.type == tensor::ValueType::i64;
  });
}

std::optional<lower::LanesCode> loops_over(const lanes::Program& program, const lower::Arithmetic& arithmetic,
                                           lower::CodeFor code_for, const ArrayRequest& request,
                                           const backend::c::BuildOptions& build, Diagnostics& diagnostics) {
  std::optional<TimedPass> recalling("recall-code");
  const CodeMemory memory(program, arithmetic, code_for, build);
  if (auto code = memory.recall()) return code;
  recalling.reset();
  const TimedPass writing("lanes-to-code");
  const recurrence::Question asked{request.schedule ? request.schedule->span : Span{}, "the loops over these lanes",
                                   "choose another axis, or fewer constraints: many cases multiply the work"};
  isl_ctx_reset_operations(program.flow.context->get().get()); // choosing took some of what isl may do
  auto code = recurrence::within_isl_limit(asked, diagnostics,
                                           [&] { return lower::lanes_to_code(program, arithmetic, code_for); });
  if (code) memory.remember(*code);
  return code;
}

} // namespace

LaneTarget simd_target() {
  const std::int64_t bytes = backend::simd::register_bytes();
  return {bytes, 0, bytes == 64 ? 32 : 16, lanes::Layout::striped, lower::CodeFor::core};
}

LaneTarget cuda_target() { // neighbours: a thread moves its elements at once
  return {0, 32, 128, lanes::Layout::neighbours, lower::CodeFor::gpu};
}

std::optional<LaneKernels> make_lanes_code(ArrayRequest request, const LaneTarget& target,
                                           const recurrence::Bindings* bindings, Diagnostics& diagnostics,
                                           std::int64_t lanes, const backend::c::BuildOptions& build) {
  const recurrence::Program& program = request.checked->program();
  const std::int64_t usual = lanes > 0 ? lanes : lanes_for(program, target, false);
  auto made = compiled(request, target, usual, diagnostics);
  if (!made) return std::nullopt;
  lower::Arithmetic arithmetic;
  if (bindings && has_whole_numbers(made->program)) {
    const TimedPass finding("find-bounds-of-values");
    arithmetic = lower::arithmetic_for(
        made->program, lower::largest_whole_number(made->program, bindings->sizes, largest_elements(*bindings)));
    if (target.vector_bytes == 0) arithmetic.narrow = false; // a lane has a register of 32 bits, whatever is in it
  }
  const std::int64_t narrow = lanes_for(program, target, true);
  if (arithmetic.narrow && lanes == 0 && narrow != usual) {
    Diagnostics unheard(diagnostics.sources());
    if (auto wider = compiled(request, target, narrow, unheard)) made = std::move(wider);
  }
  auto code = loops_over(made->program, arithmetic, target.code_for, request, build, diagnostics);
  if (!code) return std::nullopt;
  return LaneKernels{std::move(*made), std::move(*code)};
}

} // namespace cyclotron::driver
