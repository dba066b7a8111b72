// SPDX-License-Identifier: MIT
#include "fuzz/lane_kernel.hpp"

#include "code/interpret.hpp"

#include <cstdlib>
#include <cstring>

namespace cyclotron::fuzz {

bool on_real_gpu() { return std::getenv("CYCLOTRON_TEST_GPU") != nullptr; }

const char* name_of(RunsOn machine) {
  switch (machine) {
  case RunsOn::interpreter: return "interpreted";
  case RunsOn::registers: return "in registers";
  case RunsOn::gpu: return on_real_gpu() ? "on a GPU" : "on an emulated GPU";
  }
  bug("no machine");
}

std::optional<LaneKernel> LaneKernel::make(lower::LanesCode code, RunsOn machine, Diagnostics& diagnostics) {
  LaneKernel made;
  made.machine_ = machine;
  if (machine == RunsOn::registers) {
    made.registers_ = backend::simd::Kernel::make(code.kernels, {}, diagnostics);
    if (!made.registers_) return std::nullopt;
  }
  if (machine == RunsOn::gpu) {
    backend::cuda::KernelOptions options;
    options.machine.emulate = !on_real_gpu();
    made.gpu_ = backend::cuda::Kernel::make(code.kernels, options, diagnostics);
    if (!made.gpu_) return std::nullopt;
  }
  made.code_ = std::move(code);
  return made;
}

LaneKernel::Answer LaneKernel::run(const recurrence::Program& program, const recurrence::Bindings& bindings,
                                   Diagnostics& diagnostics) const {
  Answer answer;
  auto arrays = driver::lane_arrays(code_, program, bindings, diagnostics);
  if (!arrays) return {{}, false, "the arrays cannot be made\n" + diagnostics.render(false)};
  const auto noticed = call(*arrays, answer.problem, diagnostics);
  if (!noticed && answer.problem.empty()) answer.problem = "the kernels do not run\n" + diagnostics.render(false);
  if (!answer.problem.empty()) return answer;
  answer.failed = *noticed != 0;
  for (auto& [name, tensor] : arrays->outputs)
    answer.outputs[name] = *tensor::convert(tensor, program.tensor(name)->format, diagnostics);
  return answer;
}

std::optional<std::int64_t> LaneKernel::call(driver::LaneArrays& arrays, std::string& problem,
                                             Diagnostics& diagnostics) const {
  switch (machine_) {
  case RunsOn::interpreter: return interpret(arrays, problem);
  case RunsOn::registers: return registers_->call(arrays.sizes, arrays.memories, diagnostics);
  case RunsOn::gpu: break;
  }
  std::map<std::string, backend::cuda::HostMemory> memories;
  for (const auto& [name, data] : arrays.memories)
    memories[name] = {data, arrays.bytes.at(name), arrays.zero.count(name) > 0};
  return gpu_->call(arrays.sizes, memories, diagnostics);
}

std::optional<std::int64_t> LaneKernel::interpret(driver::LaneArrays& arrays, std::string& problem) const {
  std::map<std::string, code::Bytes> memories;
  for (const auto& [name, data] : arrays.memories) {
    memories[name].resize(static_cast<std::size_t>(arrays.bytes.at(name)));
    if (!memories[name].empty()) std::memcpy(memories[name].data(), data, memories[name].size());
  }
  std::int64_t failure = 0;
  for (const code::Kernel& kernel : code_.kernels) {
    if (problem = code::problem_of(kernel); !problem.empty()) return std::nullopt;
    code::Choices choices;
    choices.backwards = true;
    choices.anything = 77;
    const code::Outcome outcome = code::interpret(kernel, arrays.sizes, memories, choices);
    if (outcome.problem) {
      problem = outcome.problem->message + "\n" + code::print(kernel);
      return std::nullopt;
    }
    if (outcome.failure != 0) failure = outcome.failure;
  }
  for (auto& [name, tensor] : arrays.outputs) {
    const std::string& called = code_.memories.at(name);
    if (!memories[called].empty())
      std::memcpy(arrays.memories[called], memories[called].data(), memories[called].size());
  }
  return failure;
}

} // namespace cyclotron::fuzz
