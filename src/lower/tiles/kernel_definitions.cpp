// SPDX-License-Identifier: MIT
#include "lower/tiles/kernel_definitions.hpp"

#include "frontend/parse.hpp"
#include "frontend/resolve.hpp"

namespace cyclotron::lower {

namespace {

recurrence::Program read(const recurrence::Kernel& kernel) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const std::int32_t file = sources.add(std::string(kernel.name), recurrence::definition_program(kernel));
  frontend::Unit unit = frontend::resolve(frontend::parse(file, diagnostics), diagnostics);
  if (diagnostics.failed()) bug(diagnostics.render(false));
  return std::move(unit.program);
}

} // namespace

const std::vector<KernelDefinition>& kernel_definitions() {
  static const std::vector<KernelDefinition> list = [] {
    std::vector<KernelDefinition> all;
    for (const recurrence::Kernel& kernel : recurrence::kernel_table()) all.push_back({&kernel, read(kernel)});
    return all;
  }();
  return list;
}

} // namespace cyclotron::lower
