// SPDX-License-Identifier: MIT
#include "backend/array/grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace cyclotron::array {

Grid::Grid(const pe::Program& program) : program_(program) {
  for (const pe::Axis& a : program.axes) extents_.push_back(std::max<std::int64_t>(a.last - a.first + 1, 0));
  for (const pe::Role& r : program.roles) codes_.push_back(pe::compile(r.body, program, spaces_));
  const std::int64_t count = std::max<std::int64_t>(program.elements(), 0);
  roles_.assign(static_cast<std::size_t>(count), -1);
  for (int p = 0; p < static_cast<int>(count); ++p) {
    const std::vector<std::int64_t> at = coordinates(p);
    for (std::size_t r = 0; r < program.roles.size() && roles_[static_cast<std::size_t>(p)] < 0; ++r)
      if (pe::holds(program.roles[r].where, program.axes, at.data()))
        roles_[static_cast<std::size_t>(p)] = static_cast<int>(r);
  }
}

std::vector<std::int64_t> Grid::coordinates(int pe) const {
  std::vector<std::int64_t> at(extents_.size());
  std::int64_t rest = pe;
  for (std::size_t d = extents_.size(); d-- > 0;) {
    at[d] = program_.axes[d].first + rest % extents_[d];
    rest /= extents_[d];
  }
  return at;
}

std::string Grid::name(int pe) const {
  std::string text;
  for (std::int64_t c : coordinates(pe)) text += fmt::format("{}{}", text.empty() ? "" : ",", c);
  return fmt::format("PE ({})", text);
}

int Grid::target(int pe, const pe::Channel& channel) const {
  const std::vector<std::int64_t> at = coordinates(pe);
  std::int64_t number = 0;
  for (std::size_t d = 0; d < at.size(); ++d) {
    std::int64_t to = at[d] - program_.axes[d].first + channel.offset[d];
    if (d < program_.torus.size() && program_.torus[d]) to = (to % extents_[d] + extents_[d]) % extents_[d];
    if (to < 0 || to >= extents_[d]) return -1;
    number = number * extents_[d] + to;
  }
  return static_cast<int>(number);
}

std::int64_t Grid::hops(const pe::Channel& channel) const {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    std::int64_t distance = std::abs(channel.offset[d]);
    if (d < program_.torus.size() && program_.torus[d]) {
      distance %= extents_[d];
      distance = std::min(distance, extents_[d] - distance);
    }
    sum += distance;
  }
  return sum;
}

} // namespace cyclotron::array
