// SPDX-License-Identifier: MIT
#include "lanes/ir.hpp"

#include <fmt/format.h>

namespace cyclotron::lanes {

std::string print(const Program& program) {
  const Shape& shape = program.shape;
  std::string out = fmt::format("lanes {}", shape.lanes);
  if (shape.per_lane != 1) out += fmt::format(" of {} {}", shape.per_lane, name_of(shape.layout));
  out += fmt::format("\nstrips {} from {}\n", name_of(program.strips), recurrence::print(program.from));
  std::string time;
  for (const Component& component : program.time) {
    time += (time.empty() ? "time " : ", ") + component.name;
    if (component.worker) time += fmt::format(" {}", name_of(component.workers));
    if (component.unrolled) time += " unrolled";
  }
  if (!time.empty()) time += "\n";
  for (const Placed& p : program.placed) time += fmt::format("place {} {}\n", p.tensor, name_of(p.memory));
  return out + time + "\n" + dataflow::print(program.flow);
}

} // namespace cyclotron::lanes
