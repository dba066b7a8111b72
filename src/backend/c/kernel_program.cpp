// SPDX-License-Identifier: MIT
#include "backend/c/kernel_program.hpp"

#include "schedule/targets.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::c {

using namespace recurrence;

std::set<std::string> internal_of(const Program& program, const std::set<std::string>& unwanted) {
  std::set<std::string> names;
  for (const TensorDecl* t : program.outputs())
    if (unwanted.count(t->name.name) && tensor::is_dense(t->format) && !program.is_stepped(t->name.name))
      names.insert(t->name.name);
  return names;
}

namespace {

// Adds the mask that the command asks for, unless the tensor is stored so already.
void read_mask(const schedule::Command& c, KernelProgram& kernel, Diagnostics& diagnostics) {
  const std::string name = c.names("tensor")[0];
  const auto& format = std::get<tensor::Format>(c.find("format")->value);
  const TensorDecl& decl = *kernel.checked().program().tensor(name);
  if (kernel.options.all_steps.count(name)) {
    diagnostics.warning(c.span, fmt::format("all steps of `{}` are stored dense: the mask is not used", name));
    return;
  }
  if (tensor::is_dense(decl.format)) {
    diagnostics.error(c.span, fmt::format("`{}` is stored dense: it needs no mask", name))
        .with_hint(fmt::format("leave it out, or declare `{}` sparse, as {}", name,
                               decl.dims.size() == 2  ? "`csr`"
                               : decl.dims.size() < 2 ? "`{compressed}`"
                                                      : "`csf`"));
    return;
  }
  const auto listed = [](tensor::LevelKind k) { return tensor::properties_of(k).listed(); };
  const bool walkable =
      std::ranges::all_of(format.levels, [&](tensor::LevelKind k) { return tensor::is_full(k) || listed(k); });
  if (!walkable || format.rank() != decl.format.rank() || !listed(format.levels.back())) {
    diagnostics.error(c.span, fmt::format("a mask of `{}` cannot have the format {}", name, to_string(format)))
        .with_hint("a mask is csr, csc, dcsr or csf: dense and compressed levels, the last one compressed");
    return;
  }
  if (format.levels != decl.format.levels || format.order != decl.format.order)
    kernel.masks.push_back({name, format, c.span});
}

EmitOptions emit_options(const KernelProgram& program, Form form) {
  return {program.options.name,
          program.options.title,
          form.wide,
          program.options.all_steps,
          program.internal,
          program.precomputed.workspaces,
          program.masks,
          program.marching,
          form.arithmetic == Arithmetic::careful,
          form.arithmetic == Arithmetic::quick};
}

void warn_of_idle_commands(const schedule::Schedule& schedule, const Emitted& made, Diagnostics& diagnostics) {
  for (const schedule::Command& c : schedule.commands) {
    if (c.name != "vectorize" && c.name != "unroll") continue;
    for (const std::string& name : c.names("index"))
      if (const auto idle = made.without_effect.find(name); idle != made.without_effect.end())
        diagnostics.warning(c.span, fmt::format("this has no effect: the loop over `{}` {}", name, idle->second))
            .with_hint("leave it out");
  }
}

} // namespace

bool read_data_commands(KernelProgram& program, Diagnostics& diagnostics) {
  if (!program.schedule) return true;
  if (!schedule::check_target(&*program.schedule, "c", diagnostics)) return false;
  for (const schedule::Command& c : program.schedule->commands) {
    if (c.name == "mask") read_mask(c, program, diagnostics);
    else if (c.name == "marching") program.marching.push_back({c.names("tensor")[0], c.names("index")[0], c.span});
  }
  return !diagnostics.failed();
}

std::optional<Written> write_kernel(const KernelProgram& program, const lower::LoweredLoops& loops, Form form,
                                    Diagnostics& diagnostics) {
  const frontend::Checked& checked = program.checked();
  auto made = emit(checked.program(), checked.domains, loops.nest, emit_options(program, form), diagnostics);
  if (!made) return std::nullopt;
  if (program.schedule) warn_of_idle_commands(*program.schedule, *made, diagnostics);
  return Written{std::move(*made), loops.order};
}

} // namespace cyclotron::backend::c
