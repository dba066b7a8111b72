// SPDX-License-Identifier: MIT
#include "api/lanes.hpp"

#include "api/call.hpp"
#include "api/copy.hpp"
#include "api/device.hpp"
#include "driver/lanes_code.hpp"
#include "driver/lanes_failure.hpp"
#include "tensor/capacity.hpp"

#include <fmt/format.h>

#include <cstring>
#include <list>

namespace cyclotron::api {

namespace {

using detail::CallState;
using detail::DeviceTensorState;
using detail::KernelState;
using detail::Structure;

void* values_of(tensor::Tensor& tensor) {
  return std::visit([](auto& values) -> void* { return values.data(); }, tensor.values);
}

bool is_row_major(const tensor::Format& format) {
  const tensor::Format plain = tensor::dense_format(static_cast<int>(format.levels.size()));
  return format.levels == plain.levels && format.order == plain.order;
}

// An array of one call, as the kernels take it.
struct LaneArray {
  std::string memory; // what it is called in the kernels
  void* data = nullptr;
  std::int64_t bytes = 0;
  bool on_device = false;
  bool is_output = false;
};

// One call: its arrays in the form that kernels want, and back.
class LanesCall {
public:
  explicit LanesCall(const CallState& call)
      : call_(call), kernel_(*call.analysis->kernel), lanes_(*kernel_.lanes), diagnostics_(kernel_.loaded->sources) {
    for (const auto& [name, called] : lanes_.code.sizes) sizes_[called] = call.analysis->sizes.at(name);
    for (const BoundTensor& t : call.inputs.tensors) add_input(t);
    for (std::size_t i = 0; i < call.values.size(); ++i) add_output(i);
  }

  void run() {
    const std::int64_t answer = lanes_.simd ? run_here() : run_on_device();
    if (answer != 0) raise_failure(answer);
    for (auto& [output, tensor] : results_)
      copy_values(tensor, *call_.analysis->outputs[output]->structure, call_.values[output]);
  }

private:
  void add_input(const BoundTensor& t) {
    const std::string& memory = lanes_.code.memories.at(t.decl->name.name);
    const std::int64_t bytes = tensor::element_count(t.view.dims) * tensor::size_of(t.decl->type);
    if (t.view.on_device || is_row_major(t.format)) {
      arrays_.push_back({memory, t.values(), bytes, t.view.on_device, false});
      return;
    }
    auto dense = tensor::convert(copy_of(t, true), tensor::dense_format(t.decl->dims.size()), diagnostics_);
    if (!dense) raise(diagnostics_);
    converted_.push_back(std::move(*dense));
    arrays_.push_back({memory, values_of(converted_.back()), bytes, false, false});
  }

  void add_output(std::size_t i) {
    const Structure& s = *call_.analysis->outputs[i]->structure;
    const std::int64_t bytes = tensor::element_count(s.dims) * tensor::size_of(s.type);
    const auto called = lanes_.code.memories.find(s.name); // nowhere: no element is defined
    LaneArray array{called == lanes_.code.memories.end() ? "" : called->second, call_.values[i], bytes,
                    call_.on_device.count(i) > 0, true};
    if (!is_row_major(s.format)) {
      auto zeros = tensor::zeros(s.dims, s.type, fmt::format("`{}` as a dense tensor", s.name), diagnostics_);
      if (!zeros) raise(diagnostics_);
      array.data = values_of(results_.emplace_back(i, std::move(*zeros)).second);
    }
    arrays_.push_back(std::move(array));
  }

  // Elements that no equation defines are zero, and kernels write the others.
  std::int64_t run_here() {
    std::map<std::string, void*> memories;
    for (const LaneArray& a : arrays_) {
      if (a.is_output && a.bytes > 0) std::memset(a.data, 0, static_cast<std::size_t>(a.bytes));
      memories[a.memory] = a.data;
    }
    const auto answer = lanes_.simd->call(sizes_, memories, diagnostics_);
    if (!answer) raise(diagnostics_);
    return *answer;
  }

  std::int64_t run_on_device() {
    std::list<std::shared_ptr<const DeviceTensorState>> copies; // of what is not there
    std::vector<std::pair<LaneArray, const void*>> results;
    std::map<std::string, backend::cuda::DeviceArray> memories;
    for (const LaneArray& a : arrays_) {
      const void* there = a.data;
      if (!a.on_device) {
        copies.push_back(allocate_on(lanes_.machine, {a.bytes}, tensor::ValueType::boolean, "a copy on the device"));
        there = copies.back()->data();
        if (!a.is_output) copy_in(*lanes_.machine, there, a.data, a.bytes);
        else results.emplace_back(a, there);
      }
      if (a.is_output) clear(*lanes_.machine, there, a.bytes);
      memories[a.memory] = {address_of(there), a.bytes};
    }
    const auto answer = lanes_.cuda->call_on_device(sizes_, memories, diagnostics_);
    if (!answer) raise(diagnostics_);
    if (*answer == 0)
      for (const auto& [array, there] : results) copy_out(*lanes_.machine, array.data, there, array.bytes);
    return *answer;
  }

  // The interpreter names what is wrong; it needs the inputs here.
  [[noreturn]] void raise_failure(std::int64_t answer) {
    recurrence::Bindings bindings{call_.inputs.sizes, {}};
    for (const BoundTensor& t : call_.inputs.tensors) bindings.tensors.emplace(t.decl->name.name, here(t));
    {
      const std::lock_guard lock(kernel_.interpreter);
      within_isl_limit([&] {
        driver::report_lanes_failure(*kernel_.loaded->checked, bindings, answer, diagnostics_);
        return true;
      });
    }
    raise(diagnostics_);
  }

  tensor::Tensor here(const BoundTensor& t) const {
    if (!t.view.on_device) return copy_of(t, true);
    std::vector<std::byte> values(static_cast<std::size_t>(t.stored * tensor::size_of(t.decl->type)));
    copy_out(*lanes_.machine, values.data(), t.values(), static_cast<std::int64_t>(values.size()));
    BoundTensor copy = t;
    copy.view.values.data = values.data();
    return copy_of(copy, true);
  }

  const CallState& call_;
  const KernelState& kernel_;
  const LanesKernel& lanes_;
  Diagnostics diagnostics_;
  std::map<std::string, std::int64_t> sizes_;
  std::vector<LaneArray> arrays_;
  std::list<tensor::Tensor> converted_;
  std::list<std::pair<std::size_t, tensor::Tensor>> results_; // of outputs that are not dense and in row-major order
};

void make_simd(LanesKernel& made, const backend::c::BuildOptions& build, bool threads, Diagnostics& diagnostics) {
  backend::simd::KernelOptions own;
  own.threads = threads ? 0 : 1;
  own.build = build;
  made.simd = backend::simd::Kernel::make(made.code.kernels, own, diagnostics);
}

void make_cuda(LanesKernel& made, const Options& options, backend::c::BuildOptions build, Diagnostics& diagnostics) {
  build.compiler = ""; // CUDA text is not for a C compiler, nor are its flags
  build.flags = {};
  backend::cuda::KernelOptions own;
  own.machine.emulate = options.emulate;
  own.machine.number = options.gpu;
  own.machine.build = std::move(build);
  made.machine = open_machine(options.emulate, options.gpu);
  made.cuda = backend::cuda::Kernel::make(made.code.kernels, own, diagnostics);
}

} // namespace

std::shared_ptr<const LanesKernel> compile_lanes(const Loaded& loaded, const Options& options,
                                                 const std::set<std::string>& unwanted, const std::string& name,
                                                 const backend::c::BuildOptions& build) {
  Diagnostics diagnostics(loaded.sources);
  if (!options.all_steps.empty())
    diagnostics.unsupported({}, "lanes keep only the last step of a tensor")
        .with_hint("leave `Options::all_steps` out, or choose the target `c`");
  raise_if_failed(diagnostics);
  const bool simd = options.target == "simd";
  driver::ArrayRequest request{&*loaded.checked, loaded.schedule, {}, options.sizes, {name, {}, unwanted, {}}, {}};
  auto kernels = driver::make_lanes_code(std::move(request), simd ? driver::simd_target() : driver::cuda_target(),
                                         nullptr, diagnostics, 0, build);
  raise_if_failed(diagnostics);
  auto made = std::make_shared<LanesKernel>();
  made->code = std::move(kernels->code);
  if (simd) make_simd(*made, build, kernels->compiled.says_threads(), diagnostics);
  else make_cuda(*made, options, build, diagnostics);
  raise_if_failed(diagnostics);
  return made;
}

void run_in_lanes(const CallState& call) { LanesCall(call).run(); }

} // namespace cyclotron::api
