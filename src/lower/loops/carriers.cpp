// SPDX-License-Identifier: MIT
#include "lower/loops/carriers.hpp"

namespace cyclotron::lower {

using namespace recurrence;
using loops::Loop;

namespace {

bool is_single(const Loop& loop) {
  return loop.ranges.size() == 1 && loop.ranges[0].lower.size() == 1 && loop.ranges[0].lower == loop.ranges[0].upper;
}

// The tensor's coordinate that is this variable, but for a constant.
std::optional<Carrier> coordinate_of(const std::string& variable, const Access& target, const Program& program) {
  for (std::size_t d = 0; d < target.indices.size(); ++d) {
    const Affine rest = Affine{{{variable, 1}}, 0} - accepted_affine(target.indices[d], program);
    if (!rest.is_constant()) continue;
    Carrier c{target.tensor, variable, std::vector<std::int64_t>(target.indices.size()), rest.constant};
    c.coefficients[d] = 1;
    return c;
  }
  return std::nullopt;
}

std::optional<Carrier> carrier_of(const std::string& variable, const Access& target, const Program& program,
                                  const std::vector<Front>& fronts) {
  for (const Front& f : fronts) {
    if (f.name != variable) continue;
    const auto a = coordinate_of(f.first, target, program), b = coordinate_of(f.second, target, program);
    if (!a || !b) return std::nullopt;
    Carrier c{target.tensor, variable, {}, f.first_sign * a->constant + f.second_sign * b->constant};
    for (std::size_t d = 0; d < target.indices.size(); ++d)
      c.coefficients.push_back(f.first_sign * a->coefficients[d] + f.second_sign * b->coefficients[d]);
    return c;
  }
  return coordinate_of(variable, target, program);
}

} // namespace

std::vector<Carrier> find_carriers(const loops::Nest& nest, const Program& program,
                                   const std::set<std::string>& tensors, const std::vector<Front>& fronts) {
  std::map<std::string, std::pair<const loops::Statement*, std::vector<const Loop*>>> widest;
  loops::each_statement(nest.body, [&](const loops::Statement& s, const std::vector<const Loop*>& around) {
    if (s.reducer || !tensors.count(s.access().tensor)) return;
    std::vector<const Loop*> own;
    for (const Loop* l : around)
      if (!is_single(*l)) own.push_back(l);
    auto& best = widest[s.access().tensor];
    if (!best.first || own.size() > best.second.size()) best = {&s, own};
  });
  std::vector<Carrier> list;
  for (const auto& [name, writer] : widest)
    for (std::size_t l = 0; l + 1 < writer.second.size(); ++l)
      if (const auto c = carrier_of(writer.second[l]->variable, writer.first->access(), program, fronts))
        list.push_back(*c);
  return list;
}

} // namespace cyclotron::lower
