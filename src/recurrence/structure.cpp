// SPDX-License-Identifier: MIT
#include "recurrence/structure.hpp"

#include "recurrence/structure_solve.hpp"
#include "support/progress.hpp"

#include <fmt/format.h>

namespace cyclotron::recurrence {

namespace {

using structure::SparseTensor;

// Keys and coordinates have their limits, far beyond what is stored anywhere.
bool are_small_enough(const std::vector<SparseTensor>& relations, Diagnostics& diagnostics) {
  const auto refuse = [&](const SparseTensor& r, const std::string& why) {
    diagnostics
        .unsupported(r.decl->span, fmt::format("`{}` is too large to find where it can be other than zero: {}",
                                               r.decl->name.name, why))
        .with_hint("use smaller sizes");
    return false;
  };
  for (const SparseTensor& r : relations) {
    const int bits = structure::Packing(r.dims, r.decl->format.order).bits();
    if (bits > structure::Packing::most_bits)
      return refuse(r, fmt::format("its coordinates take {} bits of at most {}", bits, structure::Packing::most_bits));
    for (std::int64_t d : r.dims)
      if (d > structure::largest_dimension)
        return refuse(r, fmt::format("a dimension is {}, of at most {}", d, structure::largest_dimension));
  }
  return true;
}

} // namespace

std::optional<std::map<std::string, tensor::Tensor>> find_structure(const Program& program, const Types&,
                                                                    const Domains& domains, const Bindings& bindings,
                                                                    Diagnostics& diagnostics) {
  const Progress progress("finding the entries of sparse results");
  auto rules = structure::make_rules(program, domains, bindings, diagnostics);
  if (!rules || !are_small_enough(rules->relations, diagnostics)) return std::nullopt;
  structure::Store store(rules->relations);
  if (!structure::solve(*rules, *domains.context, store, diagnostics)) return std::nullopt;
  std::map<std::string, tensor::Tensor> result;
  for (std::size_t r = 0; r < rules->relations.size(); ++r) {
    const SparseTensor& relation = rules->relations[r];
    if (relation.input) continue;
    const int number = static_cast<int>(r);
    auto tensor = store.take_made(number);
    if (!tensor) tensor = structure::tensor_of(store.take(number), store.packing(number), relation, diagnostics);
    if (!tensor) return std::nullopt;
    result.emplace(relation.decl->name.name, std::move(*tensor));
  }
  return result;
}

} // namespace cyclotron::recurrence
