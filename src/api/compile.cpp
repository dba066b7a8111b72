// SPDX-License-Identifier: MIT
#include "api/compile.hpp"

#include "api/lanes.hpp"
#include "api/layout.hpp"
#include "api/raise.hpp"
#include "api/state.hpp"
#include "driver/compile_kernel.hpp"
#include "schedule/targets.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::api {

namespace {

Declared declared(const recurrence::TensorDecl& decl) {
  Declared d{decl.name.name, external(decl.type), tensor::to_string(decl.format), {}};
  for (const recurrence::Expr& e : decl.dims) d.dims.push_back(recurrence::print_index(e));
  return d;
}

bool is_lanes(const Options& options) { return options.target == "simd" || options.target == "cuda"; }

backend::c::BuildOptions build_options(const Options& options) {
  backend::c::BuildOptions build;
  build.compiler = options.compiler;
  build.flags = options.flags;
  build.cache_folder = options.cache_folder;
  build.use_cache = options.use_cache;
  build.time_limit = options.compile_time_limit;
  return build;
}

void check_sizes(const Options& options, const recurrence::Program& program) {
  std::vector<std::string> names;
  for (const recurrence::Binder& s : program.sizes) names.push_back(s.name);
  for (const auto& [name, value] : options.sizes)
    if (!program.is_size(name))
      raise(fmt::format("sizes: the program has no size `{}`", name), did_you_mean(name, names));
}

void check_options(const Options& options, const Loaded& loaded) {
  if (options.target != "c" && options.target != "interpret" && !is_lanes(options))
    raise(fmt::format("there is no target `{}`", options.target),
          "the targets are `c`, `simd`, `cuda` and `interpret`");
  if (options.index_bits != 32 && options.index_bits != 64)
    raise(fmt::format("index arrays have 32 or 64 bits, not {}", options.index_bits));
  Diagnostics diagnostics(loaded.sources);
  schedule::check_target(loaded.schedule, options.target, diagnostics);
  raise_if_failed(diagnostics);
}

void check_all_steps(const Options& options, const recurrence::Program& program) {
  for (const std::string& name : options.all_steps) {
    std::vector<std::string> names;
    for (const recurrence::TensorDecl* t : program.outputs()) names.push_back(t->name.name);
    if (!program.is_output(name))
      raise(fmt::format("all_steps: the program has no output `{}`", name), did_you_mean(name, names));
    if (!program.is_stepped(name)) raise(fmt::format("all_steps: `{}` has no steps", name));
    if (!tensor::is_dense(program.tensor(name)->format))
      raise(fmt::format("all_steps: `{}` is sparse; every step can be had of dense outputs only", name));
  }
}

// The outputs that are not wanted.
std::set<std::string> unwanted(const Options& options, const recurrence::Program& program) {
  std::vector<std::string> names;
  for (const recurrence::TensorDecl* t : program.outputs()) names.push_back(t->name.name);
  for (const std::string& name : options.only)
    if (!program.is_output(name))
      raise(fmt::format("only: the program has no output `{}`", name), did_you_mean(name, names));
  std::set<std::string> left(names.begin(), names.end());
  for (const std::string& name : options.only) left.erase(name);
  for (const std::string& name : options.all_steps)
    if (!options.only.empty() && left.count(name)) raise(fmt::format("all_steps: `only` leaves `{}` out", name));
  return options.only.empty() ? std::set<std::string>{} : left;
}

std::shared_ptr<const backend::c::Kernel> compile_c(const Loaded& loaded, const Options& options,
                                                    const std::set<std::string>& unwanted, const std::string& file) {
  backend::c::KernelOptions own;
  own.title = file;
  own.name = file.substr(0, file.find('.'));
  own.all_steps = {options.all_steps.begin(), options.all_steps.end()};
  own.unwanted = unwanted;
  own.build = build_options(options);
  Diagnostics diagnostics(loaded.sources);
  auto kernel = driver::make_kernel({&*loaded.checked, loaded.schedule, own}, diagnostics);
  raise_if_failed(diagnostics);
  return kernel;
}

} // namespace

Kernel compile(std::shared_ptr<Loaded> loaded, const Options& options, const std::string& name) {
  choose_schedule(*loaded, options);
  check_options(options, *loaded);
  const recurrence::Program& program = loaded->checked->program();
  check_sizes(options, program);
  check_all_steps(options, program);
  auto state = std::make_shared<detail::KernelState>();
  state->loaded = loaded;
  state->options = options;
  for (const recurrence::TensorDecl* t : program.inputs()) state->inputs.push_back(declared(*t));
  const std::set<std::string> left = unwanted(options, program);
  state->internal = is_lanes(options) ? left : backend::c::internal_of(program, left);
  for (const recurrence::TensorDecl* t : state->wanted()) state->outputs.push_back(declared(*t));
  for (const recurrence::Binder& s : program.sizes) state->sizes.push_back(s.name);
  const std::string file = name.substr(name.rfind('/') == std::string::npos ? 0 : name.rfind('/') + 1);
  if (options.target == "c") state->compiled = compile_c(*loaded, options, left, file);
  if (is_lanes(options)) state->lanes = compile_lanes(*loaded, options, left, file, build_options(options));
  return Kernel(std::move(state));
}

} // namespace cyclotron::api
