// SPDX-License-Identifier: MIT
#include "driver/bind.hpp"

#include "driver/sizes.hpp"
#include "frontend/parse.hpp"
#include "recurrence/failures.hpp"
#include "support/nearest.hpp"
#include "support/pass_clock.hpp"
#include "support/progress.hpp"
#include "tensor/generate.hpp"
#include "tensor/io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace cyclotron::driver {

using namespace recurrence;

namespace {

using Value = decltype(DefaultDecl::value);

// A value for a tensor or a size, from the command line or from a `default`.
struct Given {
  std::string name;
  Value value;
  std::string who; // for messages: "`A` (a.mtx)"
  std::string origin;
  bool is_default = false;
  Span span;
};

tensor::Entries entries_of(const WrittenOut& list, tensor::ValueType type) {
  tensor::Entries entries;
  entries.dims = list.dims;
  entries.coordinates.resize(list.dims.size());
  entries.values = tensor::make_values(type, list.values.size());
  for (std::size_t i = 0; i < list.values.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i);
    for (std::size_t d = list.dims.size(); d-- > 0;) {
      entries.coordinates[d].push_back(rest % list.dims[d]);
      rest /= list.dims[d];
    }
    std::visit(
        [&](auto& values) {
          using T = typename std::decay_t<decltype(values)>::value_type;
          if (list.values[i].integer) values[i] = static_cast<T>(*list.values[i].integer);
          else values[i] = static_cast<T>(list.values[i].value);
        },
        entries.values);
  }
  return entries;
}

class InputBinder {
public:
  InputBinder(const Program& program, const std::string& folder, Sources& sources, Diagnostics& diagnostics)
      : program_(program), folder_(folder), sources_(sources), diagnostics_(diagnostics), sizes_(program, diagnostics) {
  }

  std::optional<BoundInputs> run(const std::vector<Assignment>& assignments) {
    std::vector<Given> explicit_values;
    for (const Assignment& a : assignments)
      if (auto given = read_assignment(a)) explicit_values.push_back(std::move(*given));
    if (diagnostics_.failed()) return std::nullopt;
    // Sizes first, then data whose shape is fixed, then generators, which follow the shapes known by then.
    take(explicit_values);
    if (diagnostics_.failed()) return std::nullopt;
    take_defaults();
    if (diagnostics_.failed() || !complete()) return std::nullopt;
    return std::move(result_);
  }

private:
  std::vector<std::string> bindable_names() const {
    std::vector<std::string> names;
    for (const TensorDecl* t : program_.inputs()) names.push_back(t->name.name);
    for (const auto& s : program_.sizes) names.push_back(s.name);
    return names;
  }

  // --- the command line ---

  std::optional<Given> read_assignment(const Assignment& a) {
    if (program_.is_output(a.name)) {
      diagnostics_.error(fmt::format("`{}` is an output: its equations say what it is", a.name))
          .with_hint(fmt::format("to write it to a file use `-o {}=FILE`", a.name));
      return std::nullopt;
    }
    if (!program_.tensor(a.name) && !program_.is_size(a.name)) {
      std::string hint = did_you_mean(a.name, bindable_names());
      if (hint.empty()) {
        std::vector<std::string> names = bindable_names();
        hint = names.empty() ? "the program takes no inputs" : "the program takes " + join_names(names);
      }
      diagnostics_.error(fmt::format("`{}={}`: the program has no input or size `{}`", a.name, a.value, a.name))
          .with_hint(hint);
      return std::nullopt;
    }
    if (std::find(given_.begin(), given_.end(), a.name) != given_.end()) {
      diagnostics_.error(fmt::format("`{}` is given twice", a.name));
      return std::nullopt;
    }
    given_.push_back(a.name);
    auto value = read_value(a);
    if (!value) return std::nullopt;
    return Given{a.name, *value, fmt::format("`{}` ({})", a.name, a.value), a.value, false, {}};
  }

  // A file by its ending; otherwise whatever a `default` could say, or a generator as `name:key=value,...`.
  std::optional<Value> read_value(const Assignment& a) {
    if (tensor::file_kind(a.value)) return Value(a.value);
    const bool plain = !a.value.empty() && (std::string("-[0123456789").find(a.value[0]) != std::string::npos ||
                                            a.value == "inf" || a.value == "true" || a.value == "false");
    if (!plain) {
      if (a.value.find_first_of("/.") != std::string::npos && a.value.find_first_of(":(") == std::string::npos) {
        diagnostics_.error(fmt::format("`{}={}`: the ending of this file is not known", a.name, a.value))
            .with_hint("data files end in .mtx, .tns or .npy, each also with .gz");
        return std::nullopt;
      }
      auto recipe = tensor::parse_recipe(a.value, diagnostics_);
      if (!recipe) return std::nullopt;
      return Value(*recipe);
    }
    const std::int32_t file = sources_.add("command line", fmt::format("default {} = {}", a.name, a.value));
    const frontend::Unit unit = frontend::parse(file, diagnostics_);
    if (unit.program.defaults.size() != 1) return std::nullopt;
    return unit.program.defaults[0].value;
  }

  // --- taking values ---

  static bool fixes_shape(const Given& g) { return !std::holds_alternative<tensor::Recipe>(g.value); }

  void take(const std::vector<Given>& list) {
    for (const Given& g : list)
      if (program_.is_size(g.name)) take_size(g);
    for (const Given& g : list)
      if (!program_.is_size(g.name) && fixes_shape(g)) take_tensor(g, diagnostics_);
    if (diagnostics_.failed()) return;
    std::vector<Given> generators;
    for (const Given& g : list)
      if (!program_.is_size(g.name) && !fixes_shape(g)) generators.push_back(g);
    take_generators(generators);
    // What its arguments say holds before any default, even where other sizes are still missing.
    for (const Given& g : postponed_) sizes_.take_shape(*program_.tensor(g.name), said_dims(g), g.who);
    if (diagnostics_.failed()) return;
    take_generators(std::exchange(postponed_, {}));
  }

  // The dimensions that a generator's arguments fix whatever the unknown sizes are; -1 for the others.
  std::vector<std::int64_t> said_dims(const Given& g) {
    const TensorDecl& decl = *program_.tensor(g.name);
    const std::vector<std::int64_t> known = sizes_.dims_of(decl);
    const auto dims_if_unknown_are = [&](std::int64_t size) {
      std::vector<std::int64_t> dims = known;
      std::replace(dims.begin(), dims.end(), std::int64_t{-1}, size);
      Diagnostics unheard(sources_);
      return tensor::generated_dims(std::get<tensor::Recipe>(g.value), {dims, decl.type, g.name, true}, unheard);
    };
    const auto one = dims_if_unknown_are(1), other = dims_if_unknown_are(2);
    std::vector<std::int64_t> said(known.size(), -1);
    if (one && other)
      for (std::size_t d = 0; d < said.size(); ++d)
        if ((*one)[d] == (*other)[d]) said[d] = (*one)[d];
    return said;
  }

  // A generator may need a size that a later one brings: go round until nothing new can be made.
  void take_generators(std::vector<Given> generators) {
    bool progress = true;
    while (progress && !generators.empty()) {
      progress = false;
      std::vector<Given> waiting;
      for (const Given& g : generators) {
        Diagnostics attempt(sources_);
        const bool made = take_tensor(g, attempt);
        progress |= made;
        if (!made) waiting.push_back(g);
      }
      generators = std::move(waiting);
    }
    postponed_.insert(postponed_.end(), generators.begin(), generators.end());
  }

  void take_defaults() {
    std::vector<Given> list = std::move(postponed_);
    postponed_.clear();
    std::vector<Given> generators = list;
    for (const DefaultDecl& d : program_.defaults) {
      if (std::find(given_.begin(), given_.end(), d.name.name) != given_.end()) continue;
      Given g{d.name.name, d.value, "", "", true, d.value_span};
      g.origin = std::string(sources_.slice(d.value_span));
      g.who = fmt::format("the default of `{}`", g.name);
      if (program_.is_size(g.name)) {
        default_sizes_.push_back(g);
      } else if (fixes_shape(g)) {
        if (auto* path = std::get_if<std::string>(&g.value)) *path = (std::filesystem::path(folder_) / *path).string();
        take_tensor(g, diagnostics_);
      } else {
        generators.push_back(g);
      }
    }
    if (diagnostics_.failed()) return;
    // Sizes that nothing has fixed yet take their defaults before generators that could fix them.
    for (const Given& g : default_sizes_)
      if (!sizes_.known(g.name)) take_size(g);
    take_generators(generators);
    for (const Given& g : postponed_) take_tensor(g, diagnostics_); // again, to say what is wrong
  }

  void take_size(const Given& g) {
    const auto* list = std::get_if<WrittenOut>(&g.value);
    if (!list || !list->dims.empty() || !list->values[0].integer) {
      diagnostics_.error(fmt::format("`{}={}`: a size is a whole number", g.name, g.origin));
      return;
    }
    sizes_.set(g.name, *list->values[0].integer, g.is_default ? "its default" : "the command line");
  }

  // Loads or makes a tensor and takes its shape. Reports into `diagnostics`; false where it could not be had.
  bool take_tensor(const Given& g, Diagnostics& diagnostics) {
    const TensorDecl& decl = *program_.tensor(g.name);
    auto entries = std::visit(
        ir::overload{[&](const std::string& path) { return tensor::read(path, {sizes_.dims_of(decl)}, diagnostics); },
                     [&](const tensor::Recipe& recipe) { return make(recipe, decl, g, diagnostics); },
                     [&](const WrittenOut& list) { return written(list, decl, g, diagnostics); }},
        g.value);
    if (!entries) return false;
    if (decl.dims.size() == 1) tensor::as_vector(*entries);
    if (is_pattern(g, *entries) && decl.type != tensor::ValueType::boolean) result_.patterns.push_back(g.name);
    if (!sizes_.take_shape(decl, entries->dims, g.who)) return true; // reported
    const Progress progress(fmt::format("storing `{}` as declared", g.name));
    tensor::Format format = decl.format;
    auto packed = tensor::pack(std::move(*entries), format, diagnostics);
    if (packed) packed = tensor::convert_type(std::move(*packed), decl.type, diagnostics);
    if (!packed) {
      diagnostics.last().note(decl.span, fmt::format("while loading {}", g.who));
      return false;
    }
    result_.bindings.tensors.insert_or_assign(g.name, std::move(*packed));
    result_.origin[g.name] = g.origin;
    return true;
  }

  std::optional<tensor::Entries> make(const tensor::Recipe& recipe, const TensorDecl& decl, const Given& g,
                                      Diagnostics& diagnostics) {
    return tensor::generate(recipe, {sizes_.dims_of(decl), decl.type, decl.name.name, !g.is_default}, diagnostics);
  }

  std::optional<tensor::Entries> written(const WrittenOut& list, const TensorDecl& decl, const Given& g,
                                         Diagnostics& diagnostics) {
    const bool whole =
        std::all_of(list.values.begin(), list.values.end(), [](const Number& n) { return n.integer.has_value(); });
    if (!whole && !tensor::is_float(decl.type)) {
      diagnostics.error(g.span,
                        fmt::format("`{}` holds {}, but its value is not whole", g.name, tensor::name_of(decl.type)));
      return std::nullopt;
    }
    tensor::Entries entries = entries_of(list, whole ? tensor::ValueType::i64 : tensor::ValueType::f64);
    if (!tensor::is_dense(decl.format)) tensor::drop_zeros(entries); // a zero written out is no entry
    return entries;
  }

  // A Matrix Market file of the field `pattern`.
  static bool is_pattern(const Given& g, const tensor::Entries& entries) {
    const auto* path = std::get_if<std::string>(&g.value);
    return path && tensor::file_kind(*path) == tensor::FileKind::matrix_market &&
           tensor::type_of(entries.values) == tensor::ValueType::boolean;
  }

  // --- at the end ---

  bool complete() {
    for (const TensorDecl* t : program_.inputs())
      if (!result_.bindings.tensors.count(t->name.name)) {
        const std::string& name = t->name.name;
        diagnostics_.error(t->name.span, fmt::format("input `{}` is not given", name))
            .with_hint(t->dims.empty() ? fmt::format("give it as `{}=2.5`", name)
                                       : fmt::format("give it as `{0}=FILE.mtx` or `{0}=random:seed=1`, or write a "
                                                     "`default {0} = …` into the program",
                                                     name));
      }
    if (diagnostics_.failed() || !sizes_.check_complete()) return false;
    result_.bindings.sizes = sizes_.values();
    return true;
  }

  const Program& program_;
  std::string folder_;
  Sources& sources_;
  Diagnostics& diagnostics_;
  Sizes sizes_;
  BoundInputs result_;
  std::vector<std::string> given_;
  std::vector<Given> postponed_;
  std::vector<Given> default_sizes_;
};

} // namespace

std::optional<BoundInputs> bind_inputs(const Program& program, const std::vector<Assignment>& assignments,
                                       const std::string& folder, Sources& sources, Diagnostics& diagnostics) {
  const TimedPass reading("read-inputs");
  return InputBinder(program, folder, sources, diagnostics).run(assignments);
}

void note_patterns(const BoundInputs& inputs, Diagnostics& diagnostics) {
  if (diagnostics.all().empty() || !reports_failure(diagnostics.last())) return;
  for (const std::string& name : inputs.patterns)
    diagnostics.last().note(
        fmt::format("`{}` comes from a `pattern` file ({}), which holds no values: all are taken as 1", name,
                    inputs.origin.at(name)));
}

} // namespace cyclotron::driver
