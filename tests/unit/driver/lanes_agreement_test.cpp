// SPDX-License-Identifier: MIT
// Programs compiled for vector registers, and as CUDA for this CPU in the place of a GPU: the values are those of the
// interpreter.
#include "backend/cuda/kernel.hpp"
#include "backend/simd/kernel.hpp"
#include "driver/compare.hpp"
#include "driver/lane_arrays.hpp"
#include "driver/lanes_code.hpp"
#include "driver/pipelines.hpp"
#include "fuzz/random_program.hpp"

#include <gtest/gtest.h>

namespace cyclotron::driver {
namespace {

using LaneSizes = std::map<std::string, std::int64_t>;
enum class Where { registers, gpu };

class InLanes {
public:
  explicit InLanes(const std::string& text)
      : front_end_(run_front_end(sources_.add("program.cyc", text), {}, diagnostics_)) {}

  // What is wrong; "" where the values agree.
  std::string compare_with_interpreter(Where where, const LaneSizes& sizes) {
    if (!front_end_.checked) return diagnostics_.render(false);
    const frontend::Checked& checked = *front_end_.checked;
    const auto& schedules = checked.unit->schedules;
    const recurrence::Bindings bindings{sizes, fuzz::random_inputs(checked.program(), sizes, 7)};
    ArrayRequest request{&checked, schedules.empty() ? nullptr : &schedules[0], {}, sizes, {"program", {}, {}}, {}};
    const auto made = make_lanes_code(std::move(request), where == Where::gpu ? cuda_target() : simd_target(), bindings,
                                      diagnostics_);
    if (!made) return diagnostics_.render(false);
    auto arrays = lane_arrays(made->code, checked.program(), bindings, diagnostics_);
    const auto answer = where == Where::gpu ? on_gpu(*made, *arrays) : in_registers(*made, *arrays);
    if (answer != 0) return "the kernel fails\n" + diagnostics_.render(false);
    const auto expected = interpret(checked.program(), checked.types, checked.domains, bindings, {}, diagnostics_);
    return compare(arrays->outputs, *expected).problem;
  }

private:
  std::optional<std::int64_t> in_registers(const LaneKernels& made, LaneArrays& arrays) {
    const auto kernel = backend::simd::Kernel::make(made.code.kernels, {}, diagnostics_);
    return kernel ? kernel->call(arrays.sizes, arrays.memories, diagnostics_) : std::nullopt;
  }

  std::optional<std::int64_t> on_gpu(const LaneKernels& made, LaneArrays& arrays) {
    backend::cuda::KernelOptions options;
    options.machine.emulate = true;
    const auto kernel = backend::cuda::Kernel::make(made.code.kernels, options, diagnostics_);
    std::map<std::string, backend::cuda::HostMemory> memories;
    for (const auto& [name, data] : arrays.memories)
      memories[name] = {data, arrays.bytes.at(name), arrays.zero.count(name) > 0};
    return kernel ? kernel->call(arrays.sizes, memories, diagnostics_) : std::nullopt;
  }

  Sources sources_;
  Diagnostics diagnostics_{sources_};
  FrontEndResult front_end_;
};

void agrees_in_lanes(const std::string& text, const std::vector<LaneSizes>& all_sizes) {
  for (const Where where : {Where::registers, Where::gpu}) {
    InLanes program(text);
    for (const LaneSizes& sizes : all_sizes) EXPECT_EQ(program.compare_with_interpreter(where, sizes), "");
  }
}

TEST(LanesAgreement, Convolution) {
  agrees_in_lanes(
      "assume 1 <= r <= n\ntensor x(n): f32\ntensor w(r): f32\ntensor z(n - r + 1): f32\nz(c) = x(c+q) * w(q)\n",
      {{{"n", 1}, {"r", 1}}, {{"n", 37}, {"r", 5}}, {{"n", 1009}, {"r", 9}}});
}

TEST(LanesAgreement, ConvolutionWhoseSumsMove) {
  agrees_in_lanes("assume 1 <= r <= n\ntensor x(n)\ntensor w(r)\ntensor z(n - r + 1)\nz(c) = x(c+q) * w(q)\n"
                  "schedule sbm { spacetime (c, q) -> (s, t) = [1 1; 0 1] }\n",
                  {{{"n", 5}, {"r", 5}}, {{"n", 211}, {"r", 4}}});
}

TEST(LanesAgreement, Alignment) {
  agrees_in_lanes(
      "tensor a(m): i32\ntensor b(n): i32\ntensor H(m+1, n+1): i32\ntensor score: i32\n"
      "H(i,0) = -i\nH(0,j) = -j : j >= 1\n"
      "H(i,j) = max(H(i-1,j-1) + select(a(i-1) == b(j-1), 1, -1), H(i-1,j) - 1, H(i,j-1) - 1) : i >= 1, j >= 1\n"
      "score = H(m,n)\n",
      {{{"m", 0}, {"n", 3}}, {{"m", 71}, {"n", 67}}});
}

TEST(LanesAgreement, RecurrencesSideBySide) {
  agrees_in_lanes(
      "tensor a(n, m)\ntensor b(n, m)\ntensor y(n, m)\ny(0,c) = b(0,c)\ny(i,c) = a(i,c) * y(i-1,c) + b(i,c) : i >= 1\n",
      {{{"n", 3}, {"m", 0}}, {{"n", 17}, {"m", 45}}});
}

} // namespace
} // namespace cyclotron::driver
