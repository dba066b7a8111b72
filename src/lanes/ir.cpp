// SPDX-License-Identifier: MIT
#include "lanes/ir.hpp"

#include "support/diagnostics.hpp"

namespace cyclotron::lanes {

std::string_view name_of(Layout layout) { return layout == Layout::striped ? "striped" : "neighbours"; }

std::string_view name_of(Strips strips) {
  switch (strips) {
  case Strips::one: return "one";
  case Strips::parallel: return "parallel";
  case Strips::rising: return "rising";
  case Strips::falling: return "falling";
  case Strips::inside: return "inside";
  }
  bug("unknown strips");
}

std::string_view name_of(Workers workers) {
  switch (workers) {
  case Workers::any: return "worker";
  case Workers::blocks: return "blocks";
  case Workers::threads: return "threads";
  }
  bug("unknown workers");
}

std::string_view name_of(Memory memory) { return memory == Memory::shared ? "shared" : "registers"; }

std::vector<Component> components_of(const dataflow::Program& program) {
  std::vector<Component> components;
  const std::size_t rank = program.spaces.empty() ? 0 : program.spaces.front().time.size();
  for (std::size_t c = 0; c < rank; ++c) {
    Component component{"phase", true, false, Workers::any, false};
    std::size_t most = 0; // coordinates: the space with the most says best what the component counts
    for (const dataflow::Space& s : program.spaces) {
      if (s.time[c].is_constant() || (!component.constant && s.coordinates.size() <= most)) continue;
      component.name = recurrence::print(s.time[c]);
      component.constant = false;
      most = s.coordinates.size();
    }
    components.push_back(std::move(component));
  }
  return components;
}

} // namespace cyclotron::lanes
