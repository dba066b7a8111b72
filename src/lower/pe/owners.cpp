// SPDX-License-Identifier: MIT
#include "lower/pe/owners.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace cyclotron::lower {

namespace {

// The dimension of a tensor that an index runs over alone.
std::optional<int> dimension_of(const std::string& tensor, const std::string& index,
                                const recurrence::Program& program) {
  std::optional<int> found;
  const auto look = [&](const recurrence::Access& access) {
    if (access.tensor != tensor) return;
    for (std::size_t d = 0; d < access.indices.size() && !found; ++d)
      if (const auto* name = ir::as<recurrence::Name>(access.indices[d]); name && name->id == index)
        found = static_cast<int>(d);
  };
  for (const recurrence::Equation& e : program.equations) {
    look(e.access());
    ir::walk<recurrence::ExprNode>(e.value, [&](const recurrence::Expr& x) {
      if (const auto* access = ir::as<recurrence::Access>(x)) look(*access);
    });
  }
  return found;
}

} // namespace

bool set_owners(pe::Program& to, const std::vector<Owners>& owners, const recurrence::Program& program,
                Diagnostics& diagnostics) {
  for (const Owners& o : owners) {
    pe::Distribution made{o.cyclic, {}};
    for (const std::string& index : o.indices) {
      const auto dimension = dimension_of(o.tensor, index, program);
      if (!dimension || std::count(made.dims.begin(), made.dims.end(), *dimension)) {
        diagnostics
            .error(o.span, dimension ? fmt::format("two of these indices are the same dimension of `{}`", o.tensor)
                                     : fmt::format("`{}` is no index of `{}` anywhere in the program", index, o.tensor))
            .with_hint("name the indices that the equations use for its dimensions");
        return false;
      }
      made.dims.push_back(*dimension);
    }
    for (pe::Memory& m : to.tensors)
      if (m.name == o.tensor) m.distribution = made;
  }
  return true;
}

} // namespace cyclotron::lower
