// SPDX-License-Identifier: MIT
#include "backend/c/kernel.hpp"

#include "backend/c/kernel_memory.hpp"
#include "recurrence/code.hpp"
#include "recurrence/failures.hpp"
#include "recurrence/structure.hpp"
#include "support/memory.hpp"
#include "support/pass_clock.hpp"
#include "support/progress.hpp"
#include "tensor/capacity.hpp"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace cyclotron::backend::c {

using namespace recurrence;

std::shared_ptr<Kernel> Kernel::unbuilt(KernelProgram program, Writer write) {
  return std::shared_ptr<Kernel>(new Kernel(std::move(program), std::move(write)));
}

std::shared_ptr<const Kernel> Kernel::make(KernelProgram program, Writer write, Diagnostics& diagnostics) {
  const std::size_t said = diagnostics.all().size();
  const std::shared_ptr<Kernel> kernel = unbuilt(std::move(program), std::move(write));
  const KernelOptions& options = kernel->program_.options;
  const std::string key = kernel->recall();
  if (kernel->from_memory_) return kernel;
  const Compiled* made = kernel->compiled({options.wide, Arithmetic::quick}, diagnostics);
  if (!made) return nullptr;
  // What there was to say must be said the next time, too.
  if (diagnostics.all().size() == said)
    remember(key, {made->library, made->arguments, made->narrows, kernel->order_}, options.build);
  return kernel;
}

// The kernel of an earlier process, where it is remembered. Returns its key.
std::string Kernel::recall() {
  const TimedPass recalling("recall-kernel");
  const KernelOptions& options = program_.options;
  if (options.loops) return ""; // of a file: its C must be made to know whether it has changed
  const std::string key = memory_key(written().program(), program_.schedule ? &*program_.schedule : nullptr, options);
  if (auto memory = c::recall(key, options.build)) {
    keep({options.wide, Arithmetic::quick}, {memory->library, std::move(memory->arguments), memory->narrows});
    order_ = std::move(memory->order);
    from_memory_ = true;
  }
  return key;
}

std::optional<tensor::Tensor> Kernel::make_mask(const tensor::Tensor& t, const tensor::Format& format,
                                                Diagnostics& diagnostics) const {
  tensor::Entries entries = tensor::unpack(t);
  tensor::spell_out(entries);
  std::vector<std::int64_t> places(static_cast<std::size_t>(t.stored()));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
  entries.values = std::move(places);
  return tensor::pack(std::move(entries), format, diagnostics);
}

std::optional<Emitted> Kernel::emitted(Form form, Diagnostics& diagnostics) const {
  const std::lock_guard lock(isl_);
  auto written = write_(program_, form, diagnostics);
  return written ? std::optional(std::move(written->emitted)) : std::nullopt;
}

std::string Kernel::source(bool wide, Diagnostics& diagnostics) const {
  const auto made = emitted({wide, Arithmetic::quick}, diagnostics);
  return made ? made->text() : "";
}

const Kernel::Compiled* Kernel::compiled(Form form, Diagnostics& diagnostics) const {
  if (const Compiled* made = ready(form)) return made;
  const std::lock_guard lock(isl_);
  if (const auto made = forms_.find(form); made != forms_.end()) return &made->second;
  auto written = write_(program_, form, diagnostics);
  if (!written) return nullptr;
  if (order_.empty()) order_ = written->order;
  const TimedPass compiling("compile-c");
  const Emitted& emitted = written->emitted;
  BuildOptions build_options = program_.options.build;
  build_options.flags.push_back(emitted.uses_openmp ? "-fopenmp" : "-fopenmp-simd");
  if (emitted.notes_sizes) build_options.flags.push_back("-fwrapv");
  // gcc would join iterations of outer loops and move running sums from registers to memory; clang does not know the
  // flag.
  if (describe_compiler(build_options).rfind("gcc", 0) == 0) build_options.flags.push_back("-fno-loop-unroll-and-jam");
  auto library = build(emitted.text(), build_options, diagnostics);
  return library ? keep(form, {library, emitted.arguments, emitted.narrows}) : nullptr;
}

const Kernel::Compiled* Kernel::keep(Form form, Compiled compiled) const {
  from_cache_ = compiled.library->from_cache();
  compiled.function = reinterpret_cast<decltype(compiled.function)>(compiled.library->symbol("cyclotron_call"));
  if (!compiled.function) bug("a kernel has no entry");
  return ready(form) = &forms_.emplace(form, std::move(compiled)).first->second;
}

Kernel::Steps Kernel::steps_of(const std::string& tensor, const std::map<std::string, std::int64_t>& sizes) const {
  const std::pair key(tensor, sizes);
  {
    const std::shared_lock lock(steps_mutex_);
    if (const auto at = steps_.find(key); at != steps_.end()) return at->second;
  }
  const std::lock_guard lock(isl_);
  const auto box = box_of(checked().domains.steps.at(tensor), checked().program(), sizes);
  const Steps steps = box ? std::optional((*box)[0]) : std::nullopt;
  constexpr std::size_t most_remembered = 1000; // sizes; a caller with more of them has no use for a memory
  const std::unique_lock writing(steps_mutex_);
  if (steps_.size() >= most_remembered) steps_.clear();
  steps_.emplace(key, steps);
  return steps;
}

std::optional<Outputs> Kernel::structure(const Bindings& bindings, Diagnostics& diagnostics) const {
  const std::lock_guard lock(isl_);
  return find_structure(written().program(), written().types, written().domains, bindings, diagnostics);
}

std::optional<Outputs> Kernel::analyse(const Bindings& bindings, Diagnostics& diagnostics) const {
  const TimedPass finding("find-structure");
  const Program& program = checked().program();
  const auto value_of = [&](const std::string& name) { return bindings.sizes.at(name); };
  Outputs outputs;
  bool any_sparse = false;
  for (const TensorDecl* decl : program.outputs()) {
    if (internal().count(decl->name.name)) continue;
    if (!tensor::is_dense(decl->format) && !program_.options.all_steps.count(decl->name.name)) {
      any_sparse = true;
      continue;
    }
    std::vector<std::int64_t> dims;
    for (const Expr& e : decl->dims) dims.push_back(accepted_affine(e, program).evaluate(value_of));
    if (program_.options.all_steps.count(decl->name.name)) {
      const auto steps = steps_of(decl->name.name, bindings.sizes);
      dims.insert(dims.begin(), steps ? steps->second - steps->first + 1 : 0);
    }
    auto made = tensor::zeros(dims, decl->type, decl->name.name, diagnostics);
    if (!made) return std::nullopt;
    if (!program_.options.all_steps.count(decl->name.name)) {
      made->format = decl->format;
      for (std::size_t l = 0; l < made->levels.size(); ++l)
        made->levels[l].size = made->dims[static_cast<std::size_t>(decl->format.order[l])];
    }
    outputs.emplace(decl->name.name, std::move(*made));
  }
  if (!any_sparse) return outputs;
  auto sparse = structure(bindings, diagnostics);
  if (!sparse) return std::nullopt;
  for (auto& [name, made] : *sparse) outputs.emplace(name, std::move(made));
  return outputs;
}

namespace {

void* values_of(tensor::Tensor& t) {
  return std::visit([](auto& v) { return static_cast<void*>(v.data()); }, t.values);
}

bool fits_narrow(const tensor::Tensor& t) {
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  if (t.stored() > most) return false;
  for (const tensor::Level& l : t.levels)
    if (l.size > most || static_cast<std::int64_t>(l.coordinates.size()) > most) return false;
  return true;
}

// Positions and coordinates in 32 bits, kept alive beside the views.
using Narrow = std::vector<std::vector<std::int32_t>>;

const void* narrowed(const std::vector<std::int64_t>& list, Narrow& keep) {
  std::vector<std::int32_t>& narrow = keep.emplace_back();
  reserve_pages(narrow, list.size());
  narrow.assign(list.begin(), list.end());
  return narrow.data();
}

View view_of(tensor::Tensor& t, bool wide, Narrow& keep) {
  View view;
  for (tensor::Level& l : t.levels) {
    view.positions.push_back(wide ? static_cast<const void*>(l.positions.data()) : narrowed(l.positions, keep));
    view.coordinates.push_back(wide ? static_cast<const void*>(l.coordinates.data()) : narrowed(l.coordinates, keep));
    view.bits.push_back(l.bits.data());
  }
  view.values = values_of(t);
  return view;
}

} // namespace

bool Kernel::compute(const Bindings& bindings, Outputs& outputs, Diagnostics& diagnostics) const {
  const TimedPass computing("compute");
  const Progress progress("computing natively");
  bool wide = program_.options.wide;
  for (const auto& [name, t] : bindings.tensors) wide |= !tensor::is_dense(t.format) && !fits_narrow(t);
  for (const auto& [name, t] : outputs) wide |= !tensor::is_dense(t.format) && !fits_narrow(t);
  std::map<std::string, View> views;
  Narrow keep;
  for (const auto& [name, t] : bindings.tensors)
    views[name] = view_of(const_cast<tensor::Tensor&>(t), wide, keep); // inputs are only read
  for (auto& [name, t] : outputs) views[name] = view_of(t, wide, keep);
  std::vector<tensor::Tensor> made_masks;
  made_masks.reserve(masks().size());
  for (std::size_t m = 0; m < masks().size(); ++m) {
    const auto output = outputs.find(masks()[m].tensor);
    const tensor::Tensor& own = output != outputs.end() ? output->second : bindings.tensors.at(masks()[m].tensor);
    auto made = make_mask(own, masks()[m].format, diagnostics);
    if (!made) return false;
    made_masks.push_back(std::move(*made));
    View view = view_of(made_masks.back(), wide, keep);
    const auto& places = std::get<std::vector<std::int64_t>>(made_masks.back().values);
    view.entries = wide ? static_cast<const void*>(places.data()) : narrowed(places, keep);
    views[masks()[m].tensor].masks[static_cast<int>(m)] = std::move(view);
  }
  return call(bindings.sizes, views, wide, diagnostics);
}

bool Kernel::call(const std::map<std::string, std::int64_t>& sizes, const std::map<std::string, View>& views, bool wide,
                  Diagnostics& diagnostics) const {
  const auto bound = bind(sizes, views, wide, diagnostics);
  return bound && run(*bound, diagnostics);
}

std::optional<Kernel::BoundCall> Kernel::bind(const std::map<std::string, std::int64_t>& sizes,
                                              const std::map<std::string, View>& views, bool wide,
                                              Diagnostics& diagnostics) const {
  BoundCall call{compiled({wide, Arithmetic::quick}, diagnostics), wide, {}, {}};
  if (!call.compiled) return std::nullopt;
  call.numbers.reserve(call.compiled->arguments.size());
  call.arrays.reserve(call.compiled->arguments.size());
  for (const Argument& a : call.compiled->arguments) {
    const auto own = views.find(a.name);
    const View* view = own == views.end() ? nullptr : a.mask < 0 ? &own->second : &own->second.masks.at(a.mask);
    const auto level = static_cast<std::size_t>(a.level);
    switch (a.kind) {
    case Argument::Kind::size: call.numbers.push_back(sizes.at(a.name)); break;
    case Argument::Kind::first_step:
    case Argument::Kind::last_step: {
      const auto steps = steps_of(a.name, sizes).value_or(std::pair<std::int64_t, std::int64_t>{0, -1});
      call.numbers.push_back(a.kind == Argument::Kind::first_step ? steps.first : steps.second);
      break;
    }
    case Argument::Kind::positions: call.arrays.push_back(const_cast<void*>(view->positions[level])); break;
    case Argument::Kind::coordinates: call.arrays.push_back(const_cast<void*>(view->coordinates[level])); break;
    case Argument::Kind::bits: call.arrays.push_back(const_cast<std::uint64_t*>(view->bits[level])); break;
    case Argument::Kind::entries: call.arrays.push_back(const_cast<void*>(view->entries)); break;
    case Argument::Kind::values: call.arrays.push_back(view->values); break;
    }
  }
  return call;
}

bool Kernel::run(const BoundCall& call, Diagnostics& diagnostics) const {
  const Compiled* kernel = call.compiled;
  KernelError error;
  kernel->function(call.numbers.data(), call.arrays.data(), &error);
  for (const Arithmetic arithmetic : {Arithmetic::plain, Arithmetic::careful}) {
    if (error.kind != large) break;
    if (arithmetic == Arithmetic::plain && !kernel->narrows) continue;
    kernel = compiled({call.wide, arithmetic}, diagnostics);
    if (!kernel) return false;
    error = {};
    kernel->function(call.numbers.data(), call.arrays.data(), &error);
  }
  if (error.kind == 0) return true;
  report(error, diagnostics);
  return false;
}

void Kernel::report(const KernelError& error, Diagnostics& diagnostics) const {
  const Program& program = checked().program();
  if (error.kind == out_of_memory) {
    diagnostics.error("there is not enough memory for the kernel's workspaces").with_hint("run it with smaller sizes");
    return;
  }
  if (error.kind == overflows) {
    if (error.equation < 0) {
      diagnostics.error("an integer overflows while computing a constant");
      return;
    }
    const Equation& own = program.equations[static_cast<std::size_t>(error.equation)];
    diagnostics.error(own.span, fmt::format("an integer overflows while computing `{}`", own.access().tensor))
        .with_hint(recurrence::overflow_hint(program, own) + "; `--target=interpret` names the element");
    return;
  }
  const Equation& equation = program.equations[static_cast<std::size_t>(error.equation)];
  const Access& target = equation.access();
  std::string name = target.tensor, indices;
  std::size_t next = 0;
  if (target.step) {
    const std::int64_t step = error.at[next++];
    name += step < 0 ? fmt::format("^({})", step) : fmt::format("^{}", step);
  }
  for (std::size_t d = 0; d < target.indices.size() && next < most_indices; ++d)
    indices += fmt::format("{}{}", indices.empty() ? "" : ", ", error.at[next++]);
  if (!indices.empty()) name += "(" + indices + ")";
  report_failure(static_cast<Failure>(error.kind), equation.span, name, diagnostics);
}

} // namespace cyclotron::backend::c
