// SPDX-License-Identifier: MIT
#include "dataflow/ir.hpp"

#include "support/diagnostics.hpp"

namespace cyclotron::dataflow {

using namespace recurrence;

const Value& Program::value(int space, const std::string& name) const {
  for (const Value& v : values)
    if (v.space == space && v.name == name) return v;
  bug("space " + spaces[static_cast<std::size_t>(space)].name + " has no value " + name);
}

int Program::space_named(const std::string& name) const {
  for (std::size_t s = 0; s < spaces.size(); ++s)
    if (spaces[s].name == name) return static_cast<int>(s);
  return -1;
}

std::string key_of(const Space& space, const std::string& value) { return space.name + "." + value; }

std::optional<Reference> reference_of(const Access& access, const Program& program) {
  const std::size_t dot = access.tensor.find('.');
  if (dot == std::string::npos) return std::nullopt;
  Reference result{program.space_named(access.tensor.substr(0, dot)), access.tensor.substr(dot + 1), {}};
  for (const Expr& e : access.indices) result.point.push_back(accepted_affine(e, *program.source));
  return result;
}

Expr refer_to(const Program& program, int space, const std::string& value, const Point& point) {
  Access access{key_of(program.spaces[static_cast<std::size_t>(space)], value), std::nullopt, {}};
  for (const Affine& a : point) access.indices.push_back(expression_of(a, *program.source));
  return Expr(std::move(access));
}

Point own_point(const Space& space) {
  Point point;
  for (const std::string& c : space.coordinates) point.push_back(Affine{{{c, 1}}, 0});
  return point;
}

} // namespace cyclotron::dataflow
