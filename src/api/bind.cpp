// SPDX-License-Identifier: MIT
#include "api/bind.hpp"

#include "api/device.hpp"
#include "api/inspect.hpp"
#include "api/lanes.hpp"
#include "api/layout.hpp"
#include "api/raise.hpp"
#include "driver/sizes.hpp"
#include "support/nearest.hpp"
#include "tensor/capacity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace cyclotron::api {

namespace {

using recurrence::Program;
using recurrence::TensorDecl;

std::string plural(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// Memory of a device is for kernels that run there.
void check_place(const detail::KernelState& kernel, const std::string& name, const View::Data& view) {
  if (!view.on_device) return;
  const auto machine = kernel.lanes ? kernel.lanes->machine : nullptr;
  if (!machine)
    raise(fmt::format("`{}` is in the memory of a GPU, and a kernel of the target `{}` runs on the CPU", name,
                      kernel.options.target),
          "download it, or compile the program for the target `cuda`");
  if (view.memory && view.memory->machine != machine)
    raise(fmt::format("`{}` is in the memory of another device, `{}`: the kernel runs on `{}`", name,
                      view.memory->machine->properties().name, machine->properties().name),
          "make its tensors on `kernel.device()`");
  const bool empty = tensor::element_count(view.dims) == 0;
  if (view.values.data && !empty && !view.memory && !machine->is_memory(address_of(view.values.data)))
    raise(fmt::format("`{}` is given by an address that is no memory of `{}`", name, machine->properties().name),
          "`device_view` is for what `cudaMalloc` gives; your own memory needs `view`");
}

// Type, rank and format of a view against a declaration. `steps`: one more dimension in front.
void check_kind(const TensorDecl& decl, const View::Data& view, bool steps, tensor::Format& format) {
  const std::string& name = decl.name.name;
  const std::size_t rank = decl.dims.size() + (steps ? 1 : 0);
  if (internal(view.type) != decl.type)
    raise(fmt::format("`{}` is declared as {}, but its view holds {}", name, tensor::name_of(decl.type),
                      name_of(view.type)));
  if (view.dims.size() != rank)
    raise(fmt::format("`{}` has {}{}, but its view has {}", name, plural(rank, "dimension"),
                      steps ? " with that of its steps" : "",
                      view.dims.empty() ? "none" : std::to_string(view.dims.size())),
          rank > 1 && view.dims.size() == 1 ? "give the dimensions: `view(data, {rows, columns})`" : "");
  for (std::int64_t d : view.dims)
    if (d < 0) raise(fmt::format("the view of `{}` has a dimension of {}", name, d));
  const auto own = internal(view.format, static_cast<int>(rank));
  format = steps ? tensor::dense_format(static_cast<int>(rank)) : decl.format;
  format.region = tensor::Region::unspecified;
  if (!own || own->levels != format.levels || own->order != format.order)
    raise(fmt::format("`{}` is declared as {}, but its view is {}", name, tensor::to_string(format),
                      own ? tensor::to_string(*own) : view.format.text()),
          "declare it in the format that you have: that is one word of the program");
}

template <class T> void store(BoundTensor& bound, T value) { std::memcpy(bound.number.data(), &value, sizeof value); }

// A number for an input without dimensions.
void take_number(BoundTensor& bound, const Argument& argument) {
  const TensorDecl& decl = *bound.decl;
  const std::string& name = decl.name.name;
  if (!decl.dims.empty())
    raise(fmt::format("`{}` has {}, but a number is given for it", name, plural(decl.dims.size(), "dimension")),
          "give a view: `view(data, {…})`");
  const bool whole = argument.kind() == Argument::Kind::whole;
  if (!whole && !tensor::is_float(decl.type))
    raise(fmt::format("`{}` is declared as {}, but {} is given for it", name, tensor::name_of(decl.type),
                      argument.number()));
  const auto fits = [&](std::int64_t low, std::int64_t high) {
    if (argument.whole() < low || argument.whole() > high)
      raise(fmt::format("`{}` is declared as {}, which cannot hold {}", name, tensor::name_of(decl.type),
                        argument.whole()));
  };
  bound.format = decl.format;
  bound.view.type = external(decl.type);
  bound.stored = 1;
  switch (decl.type) {
  case tensor::ValueType::f64: store(bound, argument.number()); break;
  case tensor::ValueType::f32:
    if (std::isfinite(argument.number()) && std::isinf(static_cast<float>(argument.number())))
      raise(fmt::format("`{}` is declared as f32, which cannot hold {}", name, argument.number()));
    store(bound, static_cast<float>(argument.number()));
    break;
  case tensor::ValueType::i64: store(bound, argument.whole()); break;
  case tensor::ValueType::i32:
    fits(std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max());
    store(bound, static_cast<std::int32_t>(argument.whole()));
    break;
  case tensor::ValueType::boolean:
    fits(0, 1);
    store(bound, static_cast<std::uint8_t>(argument.whole()));
    break;
  }
}

// What each argument is, before any shape is known.
class Reader {
public:
  Reader(const detail::KernelState& kernel, const Arguments& arguments) : kernel_(kernel), program_(kernel.program()) {
    for (const TensorDecl* t : program_.inputs()) result_.tensors.push_back({t, {}, {}, 0, {}});
    for (const auto& [name, argument] : arguments.list()) take(name, argument);
    for (std::size_t i = 0; i < result_.tensors.size(); ++i)
      if (!std::count(given_.begin(), given_.end(), kernel.inputs[i].name)) missing(kernel, i);
    agree_on_width();
  }

  BoundInputs& result() { return result_; }
  const std::map<std::string, std::int64_t>& numbers() const { return numbers_; }

private:
  void take(const std::string& name, const Argument& argument) {
    if (std::count(given_.begin(), given_.end(), name)) raise(fmt::format("`{}` is given twice", name));
    given_.push_back(name);
    if (program_.is_size(name)) {
      if (argument.kind() != Argument::Kind::whole) raise(fmt::format("`{}` is a size: give a whole number", name));
      numbers_[name] = argument.whole();
      return;
    }
    const auto at = std::find_if(result_.tensors.begin(), result_.tensors.end(),
                                 [&](const BoundTensor& t) { return t.decl->name.name == name; });
    if (at == result_.tensors.end()) unknown(name);
    if (argument.kind() != Argument::Kind::view) return take_number(*at, argument);
    at->view = argument.view().data();
    check_place(kernel_, name, at->view);
    check_kind(*at->decl, at->view, false, at->format);
  }

  [[noreturn]] void unknown(const std::string& name) const {
    if (program_.is_output(name))
      raise(fmt::format("`{}` is an output: its equations say what it is", name), "name it among the outputs");
    std::vector<std::string> names;
    for (const TensorDecl* t : program_.inputs()) names.push_back(t->name.name);
    for (const recurrence::Binder& s : program_.sizes) names.push_back(s.name);
    std::string hint = did_you_mean(name, names);
    if (hint.empty()) hint = names.empty() ? "the program takes no inputs" : "the program takes " + join_names(names);
    raise(fmt::format("the program has no input or size `{}`", name), hint);
  }

  [[noreturn]] static void missing(const detail::KernelState& kernel, std::size_t i) {
    const Declared& d = kernel.inputs[i];
    std::string dims;
    for (const std::string& text : d.dims) dims += (dims.empty() ? "(" : ",") + text;
    raise(fmt::format("input `{}` is not given", d.name),
          fmt::format("it is declared as {}{}: {} {}", d.name, dims.empty() ? "" : dims + ")", name_of(d.type),
                      d.format));
  }

  void agree_on_width() {
    const BoundTensor* first = nullptr;
    for (const BoundTensor& t : result_.tensors) {
      if (!t.has_indices()) continue;
      if (!first) first = &t;
      if (t.view.index_bits != first->view.index_bits)
        raise(fmt::format("the index arrays of `{}` have {} bits, those of `{}` {}", first->decl->name.name,
                          first->view.index_bits, t.decl->name.name, t.view.index_bits),
              "positions and coordinates of all views are of one type");
      result_.index_bits = t.view.index_bits;
    }
  }

  const detail::KernelState& kernel_;
  const Program& program_;
  BoundInputs result_;
  std::map<std::string, std::int64_t> numbers_;
  std::vector<std::string> given_;
};

void check_arrays(BoundTensor& t, bool all) {
  if (t.decl->dims.empty() && !t.view.values.data && t.stored == 1) return; // a number
  const Inspected found = inspect(t.view, t.format, all && t.has_indices());
  if (!found.problem.empty()) raise(fmt::format("the view of `{}`: {}", t.decl->name.name, found.problem));
  t.stored = found.stored;
}

} // namespace

BoundInputs bind_inputs(const detail::KernelState& kernel, const Arguments& arguments) {
  Reader reader(kernel, arguments);
  BoundInputs& result = reader.result();
  const Program& program = kernel.program();
  Diagnostics diagnostics(kernel.loaded->sources);
  driver::Sizes sizes(program, diagnostics);
  for (const auto& [name, value] : kernel.options.sizes) sizes.set(name, value, "`Options::sizes`");
  for (const auto& [name, value] : reader.numbers()) sizes.set(name, value, "the caller");
  for (const BoundTensor& t : result.tensors)
    sizes.take_shape(*t.decl, t.view.dims, fmt::format("the view of `{}`", t.decl->name.name));
  for (const recurrence::DefaultDecl& d : program.defaults)
    if (const auto* list = std::get_if<recurrence::WrittenOut>(&d.value);
        list && list->dims.empty() && program.is_size(d.name.name) && !sizes.known(d.name.name))
      sizes.set(d.name.name, list->values[0].integer.value_or(0), "its default");
  raise_if_failed(diagnostics);
  for (const std::string& name : kernel.sizes)
    if (!sizes.known(name))
      raise(fmt::format("the size `{}` is not known", name),
            fmt::format("no input fixes it: give it among the inputs, as `{{\"{}\", 10}}`", name));
  sizes.check_complete();
  raise_if_failed(diagnostics);
  result.sizes = sizes.values();
  for (BoundTensor& t : result.tensors) check_arrays(t, kernel.options.validate);
  return std::move(result);
}

BoundInputs bind_inputs_again(const detail::AnalysisState& analysis, const Arguments& arguments) {
  Reader reader(*analysis.kernel, arguments);
  BoundInputs& result = reader.result();
  for (const auto& [name, value] : reader.numbers())
    if (analysis.sizes.at(name) != value)
      raise(fmt::format("the size `{}` is {}, but {} was analysed", name, value, analysis.sizes.at(name)));
  if (result.index_bits != analysis.index_bits)
    raise(fmt::format("the index arrays have {} bits, but {} were analysed", result.index_bits, analysis.index_bits));
  for (std::size_t i = 0; i < result.tensors.size(); ++i) {
    BoundTensor& t = result.tensors[i];
    const detail::InputSeen& seen = analysis.inputs[i];
    const std::string& name = t.decl->name.name;
    if (t.view.dims != seen.dims)
      raise(fmt::format("`{}` is {}, but {} was analysed", name, tensor::describe(t.view.dims),
                        tensor::describe(seen.dims)));
    check_arrays(t, false);
    if (!t.has_indices()) continue;
    if (t.stored != seen.stored)
      raise(fmt::format("`{}` stores {} values, but {} were analysed", name, t.stored, seen.stored),
            "analyse again: the structure of an input has changed");
    if (analysis.kernel->options.validate && fingerprint(t.view, t.format) != seen.fingerprint)
      raise(fmt::format("`{}` stores other elements than those that were analysed", name),
            "analyse again: the structure of an input has changed");
  }
  result.sizes = analysis.sizes;
  return std::move(result);
}

// --- outputs ---

namespace {

// The same entries; most often the very same array.
bool same(const detail::Array& a, const detail::Array& b, int bits) {
  return a.data == b.data || b.count == 0 ||
         (a.data &&
          std::memcmp(a.data, b.data, static_cast<std::size_t>(b.count) * static_cast<std::size_t>(bits / 8)) == 0);
}

void check_structure(const BoundTensor& t, const detail::Structure& right) {
  const std::string& name = t.decl->name.name;
  if (t.view.index_bits != right.index_bits)
    raise(
        fmt::format("the index arrays of `{}` have {} bits, but those of this call have {}", name, t.view.index_bits,
                    right.index_bits),
        "positions and coordinates of all views are of one type; where no input is sparse, `Options::index_bits` says "
        "which");
  const auto wrong = [&](const char* what, std::size_t level) {
    raise(fmt::format("the view of output `{}` has another structure than the result: its {} of level {} differ", name,
                      what, level + 1),
          "make it from the analysis: `analysis[\"…\"].view(values)`");
  };
  const auto long_enough = [&](const detail::Array& given, const detail::Array& wanted) {
    return given.count < 0 || given.count >= wanted.count;
  };
  for (std::size_t l = 0; l < right.levels.size(); ++l) {
    const detail::LevelArrays& own = t.view.levels[l];
    const detail::Array positions = right.positions(l), coordinates = right.coordinates(l);
    const std::vector<std::uint64_t>& bits = right.levels[l].bits;
    const detail::Array words{bits.data(), static_cast<std::int64_t>(bits.size())};
    if (!long_enough(own.positions, positions) || !same(own.positions, positions, right.index_bits))
      wrong("positions", l);
    if (!long_enough(own.bits, words) || !same(own.bits, words, 64)) wrong("bits", l);
    if (!long_enough(own.coordinates, coordinates) || !same(own.coordinates, coordinates, right.index_bits))
      wrong("coordinates", l);
  }
}

struct Bytes {
  const char *begin, *end;
};

Bytes bytes_of(const BoundTensor& t) {
  const char* begin = static_cast<const char*>(t.values());
  return {begin, begin + t.stored * tensor::size_of(t.decl->type)};
}

// Kernels are compiled for arrays that do not overlap.
void check_apart(const BoundTensor& output, const BoundTensor& other) {
  const Bytes a = bytes_of(output), b = bytes_of(other);
  if (std::less<>{}(a.begin, b.end) && std::less<>{}(b.begin, a.end))
    raise(fmt::format("`{}` and `{}` share memory", output.decl->name.name, other.decl->name.name),
          "an output needs an array of its own");
}

// The place of an output among those that are wanted.
std::size_t place_of_output(const detail::KernelState& kernel, const std::string& name) {
  std::vector<std::string> names;
  for (const TensorDecl* t : kernel.wanted()) names.push_back(t->name.name);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  if (kernel.program().is_output(name)) raise(fmt::format("`Options::only` leaves `{}` out", name));
  if (kernel.program().tensor(name)) raise(fmt::format("`{}` is an input, not an output", name));
  const std::string hint = did_you_mean(name, names);
  raise(fmt::format("the program has no output `{}`", name),
        hint.empty() ? "the outputs are " + join_names(names) : hint);
}

// `t` has its declaration already. `right`: what the analysis has found.
void take_output(BoundTensor& t, const detail::KernelState& kernel, const Argument& argument,
                 const detail::Structure& right) {
  const std::string& name = t.decl->name.name;
  if (argument.kind() != Argument::Kind::view) raise(fmt::format("output `{}` needs a view, not a number", name));
  t.view = argument.view().data();
  check_place(kernel, name, t.view);
  check_kind(*t.decl, t.view, kernel.all_steps(name), t.format);
  if (t.view.read_only)
    raise(fmt::format("output `{}` is given as an array of const", name), "give an array that can be written");
  if (t.view.dims != right.dims)
    raise(fmt::format("output `{}` is {}, but its view is {}", name, tensor::describe(right.dims),
                      tensor::describe(t.view.dims)));
  if (t.has_indices() && t.view.levels.size() != right.levels.size())
    raise(fmt::format("the view of `{}`: the arrays of its levels are not given", name));
  if (t.has_indices()) check_structure(t, right);
  check_arrays(t, false);
}

} // namespace

std::vector<BoundTensor> bind_outputs(const detail::AnalysisState& analysis, const BoundInputs& inputs,
                                      const Arguments& arguments) {
  const auto decls = analysis.kernel->wanted();
  std::vector<BoundTensor> result(decls.size());
  for (const auto& [name, argument] : arguments.list()) {
    const std::size_t at = place_of_output(*analysis.kernel, name);
    if (result[at].decl) raise(fmt::format("`{}` is given twice", name));
    result[at].decl = decls[at];
    take_output(result[at], *analysis.kernel, argument, *analysis.outputs[at]->structure);
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (!result[i].decl) continue;
    for (const BoundTensor& input : inputs.tensors) check_apart(result[i], input);
    for (std::size_t k = 0; k < i; ++k)
      if (result[k].decl) check_apart(result[i], result[k]);
  }
  return result;
}

} // namespace cyclotron::api
