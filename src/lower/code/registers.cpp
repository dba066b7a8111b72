// SPDX-License-Identifier: MIT
#include "lower/code/registers.hpp"

#include "code/build.hpp"
#include "lanes/slots.hpp"

#include <fmt/format.h>

namespace cyclotron::lower {

namespace build = code::build;
using recurrence::floor_div;

Registers::Registers(const lanes::Program& program, const lanes::Reads& reads, const Arithmetic& arithmetic,
                     FreshNames& names)
    : program_(program), reads_(reads), arithmetic_(arithmetic) {
  const std::size_t slots = lanes::Slots(program).count();
  for (std::size_t v = 0; v < program.flow.values.size(); ++v) {
    auto& vectors = names_.emplace_back();
    for (std::int64_t u = 0; u < program.shape.per_lane; ++u) {
      auto& of_slots = vectors.emplace_back();
      for (std::size_t s = 0; s < slots; ++s) {
        std::string own = program.flow.values[v].name;
        if (program.shape.per_lane > 1) own += fmt::format("_{}", u);
        if (slots > 1) own += fmt::format("_slot{}", s);
        auto& registers = of_slots.emplace_back();
        for (std::size_t back = 0; back < depth(v, s); ++back)
          registers.push_back(names(back == 0 ? own : fmt::format("{}_back{}", own, back)));
      }
    }
  }
}

std::size_t Registers::depth(std::size_t value, std::size_t slot) const {
  const lanes::Keep& keep = reads_.keeps[value];
  return keep.coalesced || !keep.slots.count(slot) ? 1 : static_cast<std::size_t>(keep.back) + 1;
}

void Registers::declare(code::Body& to) const {
  for (std::size_t v = 0; v < names_.size(); ++v)
    for (const auto& slots : names_[v])
      for (const auto& registers : slots)
        for (const std::string& name : registers)
          to.push_back(build::declare(name, {arithmetic_.scalar_of(program_.flow.values[v].type), true}));
}

const std::string& Registers::at(std::size_t value, Where where, std::int64_t back) const {
  const auto& registers = names_[value][static_cast<std::size_t>(where.vector)].at(where.slot);
  return registers.at(reads_.keeps[value].coalesced ? 0 : static_cast<std::size_t>(back));
}

bool Registers::leaves_strip(std::int64_t vector, std::int64_t distance) const {
  const std::int64_t vectors = program_.shape.per_lane, from = vector - distance;
  if (program_.shape.layout == lanes::Layout::neighbours) return floor_div(from, vectors) != 0;
  return distance > 0 ? vector == 0 : distance < 0 && vector == vectors - 1;
}

code::Expr Registers::read(std::size_t value, Where where, std::int64_t back, std::int64_t distance,
                           const code::Expr& beyond) const {
  const std::int64_t vectors = program_.shape.per_lane, vector = where.vector;
  const auto registered = [&](std::int64_t u) { return build::variable(at(value, {u, where.slot}, back)); };
  if (program_.shape.layout == lanes::Layout::neighbours) {
    const std::int64_t from = vector - distance, lanes = floor_div(from, vectors); // so many lanes on
    return build::shift(registered(from - lanes * vectors), -lanes, lanes == 0 ? code::Expr() : beyond);
  }
  if (distance == 0) return registered(vector);
  const std::int64_t beside = distance > 0 ? vector - 1 : vector + 1;
  const bool inside = beside >= 0 && beside < vectors;
  return build::shift(registered(vector), distance, inside ? registered(beside) : beyond);
}

bool Registers::rotate() const {
  for (const auto& vectors : names_)
    for (const auto& slots : vectors)
      for (const auto& registers : slots)
        if (registers.size() > 1) return true;
  return false;
}

void Registers::step(code::Body& to) const {
  for (const auto& vectors : names_)
    for (const auto& slots : vectors)
      for (const auto& registers : slots)
        for (std::size_t back = registers.size(); back-- > 1;)
          to.push_back(build::assign(registers[back], build::variable(registers[back - 1])));
}

} // namespace cyclotron::lower
