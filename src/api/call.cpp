// SPDX-License-Identifier: MIT
#include "api/call.hpp"

#include "api/copy.hpp"
#include "api/lanes.hpp"
#include "recurrence/failures.hpp"
#include "recurrence/interpret.hpp"
#include "tensor/capacity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron {

namespace {

using api::BoundInputs;
using api::BoundTensor;
using api::within_isl_limit;
using detail::AnalysisState;
using detail::CallState;
using detail::KernelState;
using detail::OutputState;
using detail::Structure;

bool has_memory(const OutputState& output) {
  const Structure& s = *output.structure;
  return tensor::type_of(output.values) == s.type &&
         static_cast<std::int64_t>(tensor::size_of(output.values)) == s.stored;
}

// Memory for an output that the caller brought none for.
void allocate(OutputState& output, const Sources& sources) {
  const Structure& s = *output.structure;
  Diagnostics diagnostics(sources);
  tensor::enough_memory(s.stored, tensor::size_of(s.type), fmt::format("`{}`", s.name), diagnostics);
  api::raise_if_failed(diagnostics);
  output.values = tensor::make_values(s.type, static_cast<std::size_t>(s.stored));
}

void* data_of(tensor::Values& values) {
  return std::visit([](auto& v) { return static_cast<void*>(v.data()); }, values);
}

backend::c::View borrowed(const BoundTensor& t) {
  backend::c::View view;
  for (std::size_t l = 0; l < t.format.levels.size(); ++l) {
    const detail::LevelArrays own = t.view.levels.empty() ? detail::LevelArrays{} : t.view.levels[l];
    view.positions.push_back(own.positions.data);
    view.coordinates.push_back(own.coordinates.data);
    view.bits.push_back(static_cast<const std::uint64_t*>(own.bits.data));
  }
  view.values = t.values();
  return view;
}

backend::c::View borrowed(const Structure& s, void* values) {
  backend::c::View view;
  for (std::size_t l = 0; l < s.format.levels.size(); ++l) {
    const bool dense = s.levels.empty();
    view.positions.push_back(dense ? nullptr : s.positions(l).data);
    view.coordinates.push_back(dense ? nullptr : s.coordinates(l).data);
    view.bits.push_back(dense ? nullptr : s.levels[l].bits.data());
  }
  view.values = values;
  return view;
}

void interpret(const AnalysisState& analysis, const BoundInputs& inputs, const std::vector<void*>& values) {
  const KernelState& kernel = *analysis.kernel;
  const frontend::Checked& checked = *kernel.loaded->checked;
  recurrence::Bindings bindings{inputs.sizes, {}};
  for (const BoundTensor& t : inputs.tensors) bindings.tensors.emplace(t.decl->name.name, api::copy_of(t, true));
  Diagnostics diagnostics(kernel.loaded->sources);
  recurrence::InterpretOptions options;
  options.all_steps = {kernel.options.all_steps.begin(), kernel.options.all_steps.end()};
  const std::lock_guard lock(kernel.interpreter);
  const auto result = within_isl_limit([&] {
    return recurrence::interpret(checked.program(), checked.types, checked.domains, bindings, options, diagnostics);
  });
  if (!result) api::raise(diagnostics);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Structure& s = *analysis.outputs[i]->structure;
    api::copy_values(result->at(s.name), s, values[i]);
  }
}

// All arrays, where the compiled function takes them.
void find_arguments(CallState& call) {
  const AnalysisState& analysis = *call.analysis;
  if (!analysis.kernel->compiled) return;
  std::map<std::string, backend::c::View> views;
  for (const BoundTensor& t : call.inputs.tensors) views.emplace(t.decl->name.name, borrowed(t));
  for (std::size_t i = 0; i < call.values.size(); ++i) {
    const Structure& s = *analysis.outputs[i]->structure;
    views.emplace(s.name, borrowed(s, call.values[i]));
  }
  for (std::size_t m = 0; m < analysis.masks.size(); ++m) {
    const detail::MaskState& mask = *analysis.masks[m];
    backend::c::View view = borrowed(*mask.structure, nullptr);
    view.entries = analysis.wide ? static_cast<const void*>(mask.entries64.data()) : mask.entries32.data();
    views.at(mask.tensor).masks.emplace(static_cast<int>(m), std::move(view));
  }
  Diagnostics diagnostics(analysis.kernel->loaded->sources);
  call.compiled = within_isl_limit(
      [&] { return analysis.kernel->compiled->bind(call.inputs.sizes, views, analysis.wide, diagnostics); });
  if (!call.compiled) api::raise(diagnostics);
}

// What stands in the outputs before a call that may fail on the way.
class Before {
public:
  explicit Before(const CallState& call) : call_(call) {
    const KernelState& kernel = *call.analysis->kernel;
    const auto& equations = kernel.program().equations;
    const bool may_fail = std::any_of(equations.begin(), equations.end(), [](const recurrence::Equation& e) {
      return recurrence::may_be_undefined(e.value);
    });
    const bool at_the_end = !call.compiled && !(kernel.lanes && kernel.lanes->simd); // where outputs are written
    if (!may_fail || at_the_end) return;
    for (std::size_t i = 0; i < call.values.size(); ++i) {
      if (call.fresh[i].structure) continue; // nobody has seen it
      const Structure& s = *call.analysis->outputs[i]->structure;
      Diagnostics diagnostics(kernel.loaded->sources);
      tensor::enough_memory(s.stored, tensor::size_of(s.type), fmt::format("a copy of `{}`", s.name), diagnostics);
      api::raise_if_failed(diagnostics);
      const auto* bytes = static_cast<const char*>(call.values[i]);
      copies_.emplace_back(i, std::vector<char>(bytes, bytes + s.stored * tensor::size_of(s.type)));
    }
  }

  void put_back() const {
    for (const auto& [output, bytes] : copies_)
      std::copy(bytes.begin(), bytes.end(), static_cast<char*>(call_.values[output]));
  }

private:
  const CallState& call_;
  std::vector<std::pair<std::size_t, std::vector<char>>> copies_;
};

} // namespace

void CallState::run_or_leave() const {
  const Before before(*this);
  try {
    run();
  } catch (...) {
    before.put_back();
    throw;
  }
}

void CallState::run() const {
  const KernelState& kernel = *analysis->kernel;
  if (kernel.lanes) return api::run_in_lanes(*this);
  if (!compiled) return interpret(*analysis, inputs, values);
  Diagnostics diagnostics(kernel.loaded->sources);
  if (!within_isl_limit([&] { return kernel.compiled->run(*compiled, diagnostics); })) api::raise(diagnostics);
}

std::shared_ptr<const CallState> api::bound_call(std::shared_ptr<const AnalysisState> analysis, BoundInputs inputs,
                                                 const Arguments& outputs) {
  const std::vector<BoundTensor> named = bind_outputs(*analysis, inputs, outputs);
  auto call = std::make_shared<CallState>();
  call->analysis = std::move(analysis);
  call->inputs = std::move(inputs);
  call->fresh.resize(named.size());
  for (std::size_t i = 0; i < named.size(); ++i) {
    OutputState& own = call->fresh[i];
    if (!named[i].decl) {
      own.structure = call->analysis->outputs[i]->structure;
      allocate(own, call->analysis->kernel->loaded->sources);
    }
    call->values.push_back(named[i].decl ? named[i].values() : data_of(own.values));
    if (named[i].view.on_device) call->on_device.emplace(i, named[i].view.memory);
  }
  find_arguments(*call);
  return call;
}

void api::compute_own(const std::shared_ptr<AnalysisState>& analysis, BoundInputs inputs) {
  CallState call{analysis, std::move(inputs), {}, {}};
  call.fresh.resize(analysis->outputs.size());
  for (std::size_t i = 0; i < call.fresh.size(); ++i) {
    OutputState &output = *analysis->outputs[i], &fresh = call.fresh[i];
    const bool again = has_memory(output);
    if (!again) {
      fresh.structure = output.structure;
      allocate(fresh, analysis->kernel->loaded->sources);
    }
    call.values.push_back(data_of(again ? output.values : fresh.values));
  }
  find_arguments(call);
  call.run_or_leave();
  for (std::size_t i = 0; i < call.fresh.size(); ++i)
    if (call.fresh[i].structure) analysis->outputs[i]->values = std::move(call.fresh[i].values);
}

void Call::operator()() const { api::held(state_, "call")->run(); }

} // namespace cyclotron
