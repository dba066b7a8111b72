// SPDX-License-Identifier: MIT
#include "cyclotron/kernel.hpp"

#include "api/bind.hpp"
#include "api/call.hpp"
#include "api/copy.hpp"
#include "api/device.hpp"
#include "api/inspect.hpp"
#include "api/lanes.hpp"
#include "api/raise.hpp"
#include "recurrence/code.hpp"
#include "recurrence/structure.hpp"
#include "tensor/capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace cyclotron {

namespace {

using api::BoundInputs;
using api::BoundTensor;
using detail::AnalysisState;
using detail::KernelState;
using detail::OutputState;
using detail::Structure;

std::optional<std::map<std::string, tensor::Tensor>>
find_structure(const KernelState& kernel, const recurrence::Bindings& bindings, Diagnostics& diagnostics) {
  if (kernel.compiled) return kernel.compiled->structure(bindings, diagnostics);
  const std::lock_guard lock(kernel.interpreter);
  const frontend::Checked& checked = *kernel.loaded->checked;
  return recurrence::find_structure(checked.program(), checked.types, checked.domains, bindings, diagnostics);
}

std::int64_t steps_of(const KernelState& kernel, const std::string& name,
                      const std::map<std::string, std::int64_t>& sizes) {
  std::optional<std::pair<std::int64_t, std::int64_t>> steps;
  if (kernel.compiled) {
    steps = kernel.compiled->steps_of(name, sizes);
  } else {
    const std::lock_guard lock(kernel.interpreter);
    const auto box = recurrence::box_of(kernel.loaded->checked->domains.steps.at(name), kernel.program(), sizes);
    if (box) steps = (*box)[0];
  }
  return steps ? steps->second - steps->first + 1 : 0;
}

std::shared_ptr<const Structure> dense_structure(const KernelState& kernel, const recurrence::TensorDecl& decl,
                                                 const std::map<std::string, std::int64_t>& sizes, int index_bits) {
  auto s = std::make_shared<Structure>();
  s->name = decl.name.name;
  s->type = decl.type;
  s->format = decl.format;
  s->index_bits = index_bits;
  const auto value_of = [&](const std::string& name) { return sizes.at(name); };
  for (const recurrence::Expr& e : decl.dims)
    s->dims.push_back(recurrence::accepted_affine(e, kernel.program()).evaluate(value_of));
  if (kernel.all_steps(s->name)) {
    s->dims.insert(s->dims.begin(), api::within_isl_limit([&] { return steps_of(kernel, s->name, sizes); }));
    s->format = tensor::dense_format(static_cast<int>(s->dims.size()));
  }
  s->format.region = tensor::Region::unspecified;
  s->stored = tensor::element_count(s->dims);
  return s;
}

// What the analysis remembers of the inputs, to know them again.
std::vector<detail::InputSeen> seen(const KernelState& kernel, const BoundInputs& inputs) {
  std::vector<detail::InputSeen> list;
  for (const BoundTensor& t : inputs.tensors) {
    const bool compare = t.has_indices() && kernel.options.validate;
    list.push_back({t.view.dims, t.stored, compare ? api::fingerprint(t.view, t.format) : 0});
  }
  return list;
}

// Of inputs and outputs that are not dense, by name.
void add_masks(AnalysisState& state, const std::map<std::string, tensor::Tensor>& tensors, int index_bits) {
  for (const backend::c::Mask& mask : state.kernel->compiled->masks()) {
    Diagnostics diagnostics(state.kernel->loaded->sources);
    auto made = state.kernel->compiled->make_mask(tensors.at(mask.tensor), mask.format, diagnostics);
    if (!made) api::raise(diagnostics);
    detail::MaskState own{mask.tensor, nullptr, {}, {}};
    const auto& places = std::get<std::vector<std::int64_t>>(made->values);
    if (index_bits == 64) own.entries64 = places;
    else own.entries32.assign(places.begin(), places.end());
    own.structure = api::structure_of(mask.tensor, std::move(*made), index_bits);
    state.masks.push_back(std::make_shared<const detail::MaskState>(std::move(own)));
  }
}

// `width`: of the index arrays of outputs where no input has some; 0: what the options say.
std::shared_ptr<AnalysisState> analysis_of(const std::shared_ptr<const KernelState>& kernel, const BoundInputs& inputs,
                                           int width = 0) {
  auto state = std::make_shared<AnalysisState>();
  state->kernel = kernel;
  state->sizes = inputs.sizes;
  state->index_bits = inputs.index_bits;
  const int index_bits = inputs.index_bits != 0 ? inputs.index_bits : width != 0 ? width : kernel->options.index_bits;
  state->wide = index_bits == 64;
  const auto decls = kernel->wanted();
  const bool any_sparse = std::any_of(decls.begin(), decls.end(),
                                      [](const recurrence::TensorDecl* t) { return !tensor::is_dense(t->format); });
  const bool any_mask = kernel->compiled && !kernel->compiled->masks().empty();
  recurrence::Bindings bindings{inputs.sizes, {}};
  for (const BoundTensor& t : inputs.tensors)
    if (t.has_indices() && (any_sparse || any_mask))
      bindings.tensors.emplace(t.decl->name.name, api::copy_of(t, false));
  std::map<std::string, tensor::Tensor> sparse;
  if (any_sparse) {
    Diagnostics diagnostics(kernel->loaded->sources);
    auto found = api::within_isl_limit([&] { return find_structure(*kernel, bindings, diagnostics); });
    if (!found) api::raise(diagnostics);
    sparse = std::move(*found);
  }
  if (any_mask) {
    bindings.tensors.insert(sparse.begin(), sparse.end());
    add_masks(*state, bindings.tensors, index_bits);
  }
  for (const recurrence::TensorDecl* t : decls) {
    const auto at = sparse.find(t->name.name);
    auto structure = at == sparse.end() ? dense_structure(*kernel, *t, inputs.sizes, index_bits)
                                        : api::structure_of(t->name.name, std::move(at->second), index_bits);
    state->outputs.push_back(std::make_shared<OutputState>(OutputState{std::move(structure), {}}));
  }
  return state;
}

void check_ours(const std::shared_ptr<const KernelState>& kernel, const std::shared_ptr<AnalysisState>& analysis) {
  if (api::held(analysis, "analysis")->kernel != kernel) api::raise("this analysis was made by another kernel");
}

std::shared_ptr<const detail::CallState> bound(const std::shared_ptr<const KernelState>& kernel,
                                               const Arguments& inputs, const Arguments& outputs) {
  BoundInputs bound = api::bind_inputs(*kernel, inputs);
  int width = 0;
  for (const auto& [name, output] : outputs.list()) width = std::max(width, output.view().data().index_bits);
  auto analysis = analysis_of(kernel, bound, width);
  return api::bound_call(std::move(analysis), std::move(bound), outputs);
}

std::shared_ptr<const detail::CallState> bound(const std::shared_ptr<const KernelState>& kernel,
                                               const Arguments& inputs, const std::shared_ptr<AnalysisState>& analysis,
                                               const Arguments& outputs) {
  check_ours(kernel, analysis);
  return api::bound_call(analysis, api::bind_inputs_again(*analysis, inputs), outputs);
}

// What the system's allocator says when it has no more, as an Error.
template <class F> auto within_memory(F f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    api::raise("there is not enough memory", "run it with smaller sizes");
  }
}

} // namespace

bool detail::KernelState::all_steps(const std::string& output) const {
  return std::find(options.all_steps.begin(), options.all_steps.end(), output) != options.all_steps.end();
}

std::vector<const recurrence::TensorDecl*> detail::KernelState::wanted() const {
  std::vector<const recurrence::TensorDecl*> list;
  for (const recurrence::TensorDecl* t : program().outputs())
    if (!internal.count(t->name.name)) list.push_back(t);
  return list;
}

Call Kernel::bind(const Arguments& inputs, const Arguments& outputs) const {
  return within_memory([&] { return Call(bound(api::held(state_, "kernel"), inputs, outputs)); });
}

Call Kernel::bind(const Arguments& inputs, const Analysis& analysis, const Arguments& outputs) const {
  return within_memory([&] { return Call(bound(api::held(state_, "kernel"), inputs, analysis.state_, outputs)); });
}

void Kernel::run(const Arguments& inputs, const Arguments& outputs) const {
  within_memory([&] { bound(api::held(state_, "kernel"), inputs, outputs)->run_or_leave(); });
}

Result Kernel::operator()(const Arguments& inputs) const {
  return within_memory([&] {
    BoundInputs bound = api::bind_inputs(*api::held(state_, "kernel"), inputs);
    auto analysis = analysis_of(state_, bound);
    api::compute_own(analysis, std::move(bound));
    return Result(Analysis(std::move(analysis)));
  });
}

Analysis Kernel::analyse(const Arguments& inputs) const {
  return within_memory([&] {
    const BoundInputs bound = api::bind_inputs(*api::held(state_, "kernel"), inputs);
    auto analysis = analysis_of(state_, bound);
    analysis->inputs = seen(*state_, bound);
    return Analysis(std::move(analysis));
  });
}

void Kernel::compute(const Arguments& inputs, Analysis& analysis) const {
  within_memory([&] {
    check_ours(api::held(state_, "kernel"), analysis.state_);
    api::compute_own(analysis.state_, api::bind_inputs_again(*analysis.state_, inputs));
  });
}

void Kernel::compute(const Arguments& inputs, const Analysis& analysis, const Arguments& outputs) const {
  within_memory([&] { bound(api::held(state_, "kernel"), inputs, analysis.state_, outputs)->run_or_leave(); });
}

const std::vector<Declared>& Kernel::inputs() const { return api::held(state_, "kernel")->inputs; }
const std::vector<Declared>& Kernel::outputs() const { return api::held(state_, "kernel")->outputs; }
const std::vector<std::string>& Kernel::sizes() const { return api::held(state_, "kernel")->sizes; }

std::string Kernel::source(int index_bits) const {
  if (index_bits != 32 && index_bits != 64)
    api::raise(fmt::format("there is no code for indices of {} bits", index_bits), "ask for 32 or 64");
  if (api::held(state_, "kernel")->lanes) return state_->lanes->source();
  if (!state_->compiled) return "";
  Diagnostics diagnostics(state_->loaded->sources);
  std::string text = state_->compiled->source(index_bits == 64, diagnostics);
  api::raise_if_failed(diagnostics);
  return text;
}

Device Kernel::device() const {
  const auto& state = api::held(state_, "kernel");
  if (!state->lanes || !state->lanes->machine)
    api::raise(fmt::format("a kernel of the target `{}` runs on no device", state->options.target),
               "compile it with `Options::target` = \"cuda\"");
  return Device(std::make_shared<const detail::DeviceState>(detail::DeviceState{state->lanes->machine}));
}

} // namespace cyclotron
