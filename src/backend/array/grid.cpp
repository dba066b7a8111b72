// SPDX-License-Identifier: MIT
#include "backend/array/grid.hpp"

#include <fmt/format.h>

namespace cyclotron::array {

Grid::Grid(const pe::Program& program) : places_(program) {
  for (const pe::Axis& a : program.axes) extents_.push_back(a.last - a.first + 1);
  for (const pe::Role& r : program.roles) codes_.push_back(pe::compile(r.body, program, spaces_));
}

std::string Grid::name(int pe) const { return fmt::format("PE ({})", fmt::join(coordinates(pe), ",")); }

} // namespace cyclotron::array
