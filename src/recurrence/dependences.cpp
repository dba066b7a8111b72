// SPDX-License-Identifier: MIT
// What follows from the domains: the instances, which of them need which, and a text for people.
#include "recurrence/domains.hpp"

#include <fmt/format.h>

namespace cyclotron::recurrence {

isl::union_set instances(const Domains& domains) {
  isl::union_set all = isl::union_set(domains.context->get(), "{ }");
  for (const EquationDomain& e : domains.equations) all = all.unite(isl::union_set(e.defines.domain()));
  return all;
}

isl::union_map dependences(const Domains& domains) {
  isl::union_map needs(domains.context->get(), "{ }");
  for (std::size_t i = 0; i < domains.equations.size(); ++i) {
    const EquationDomain& e = domains.equations[i];
    for (const ReadDomain& read : e.reads) {
      const std::string& tensor = as<Access>(read.expr)->tensor;
      if (!domains.program->is_output(tensor)) continue;
      // Forget the reduction variables: the instance needs the element whatever their values.
      const unsigned extra = static_cast<unsigned>(read.variables.size() - e.indices.size());
      isl_map* by_instance =
          isl_map_project_out(read.elements.copy(), isl_dim_in, static_cast<unsigned>(e.indices.size()), extra);
      by_instance = isl_map_set_tuple_name(by_instance, isl_dim_in, fmt::format("S{}", i).c_str());
      const isl::map reads = isl::manage(by_instance);
      for (const EquationDomain& f : domains.equations)
        if (f.equation->access().tensor == tensor)
          needs = needs.unite(isl::union_map(f.defines.apply_range(reads.reverse())));
    }
  }
  return needs;
}

namespace {

// Sets as short as isl makes them, without saying again what holds for all sizes.
std::string short_text(const isl::set& set, const isl::set& sizes) {
  const isl::set gist =
      isl::manage(isl_set_gist_params(isl_set_remove_redundancies(set.coalesce().release()), sizes.params().release()));
  return to_string(isl::set(gist.coalesce()));
}

std::string short_text(const isl::map& map, const isl::set& domain) {
  return to_string(isl::map(isl::manage(isl_map_gist_domain(map.coalesce().release(), domain.copy()))));
}

} // namespace

std::string print(const Domains& domains) {
  std::string out;
  const isl::set sizes = set_where(*domains.context, *domains.program, {}, {});
  for (std::size_t i = 0; i < domains.equations.size(); ++i) {
    const EquationDomain& e = domains.equations[i];
    out += fmt::format("S{}: {}\n  {:<9} {}\n", i, print(*e.equation), "domain", short_text(e.domain, sizes));
    for (const ReductionDomain& r : e.reductions) {
      std::string names;
      for (const Binder& b : as<Reduce>(r.expr)->variables) names += (names.empty() ? "" : ", ") + b.name;
      out += fmt::format("  {:<9} {}\n", fmt::format("{}[{}]", name_of(as<Reduce>(r.expr)->reducer), names),
                         short_text(r.domain, sizes));
    }
    for (const ReadDomain& r : e.reads) out += fmt::format("  {:<9} {}\n", "reads", short_text(r.elements, r.domain));
  }
  return out;
}

} // namespace cyclotron::recurrence
