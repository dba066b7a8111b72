// SPDX-License-Identifier: MIT
#include "pe/ir.hpp"

namespace cyclotron::pe {

bool Loop::operator==(const Loop&) const = default;
bool If::operator==(const If&) const = default;

const Memory* Program::tensor(const std::string& wanted) const {
  for (const Memory& m : tensors)
    if (m.name == wanted) return &m;
  return nullptr;
}

const Register* Program::find_register(const std::string& wanted) const {
  for (const Register& r : registers)
    if (r.name == wanted) return &r;
  return nullptr;
}

std::int64_t Program::elements() const {
  std::int64_t count = 1;
  for (const Axis& a : axes) count *= a.last - a.first + 1;
  return count;
}

} // namespace cyclotron::pe
