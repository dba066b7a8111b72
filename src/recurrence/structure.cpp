// SPDX-License-Identifier: MIT
#include "recurrence/structure.hpp"

#include "recurrence/structure_solve.hpp"

#include <fmt/format.h>

namespace cyclotron::recurrence {

namespace {

using structure::SparseTensor;

bool fits_one_word(const std::vector<SparseTensor>& relations, Diagnostics& diagnostics) {
  bool fits = true;
  for (const SparseTensor& r : relations) {
    const structure::Packing packing(r.dims, r.decl->format.order);
    if (packing.bits() <= structure::Packing::most_bits) continue;
    fits = false;
    diagnostics
        .unsupported(r.decl->span, fmt::format("`{}` is too large to find where it can be other than zero: its "
                                               "coordinates take {} bits of at most {}",
                                               r.decl->name.name, packing.bits(), structure::Packing::most_bits))
        .with_hint("use smaller sizes");
  }
  return fits;
}

} // namespace

std::optional<std::map<std::string, tensor::Tensor>> find_structure(const Program& program, const Types&,
                                                                    const Domains& domains, const Bindings& bindings,
                                                                    Diagnostics& diagnostics) {
  auto rules = structure::make_rules(program, domains, bindings, diagnostics);
  if (!rules || !fits_one_word(rules->relations, diagnostics)) return std::nullopt;
  structure::Store store(rules->relations);
  structure::solve(*rules, *domains.context, store);
  std::map<std::string, tensor::Tensor> result;
  for (std::size_t r = 0; r < rules->relations.size(); ++r) {
    const SparseTensor& relation = rules->relations[r];
    if (relation.input) continue;
    const int number = static_cast<int>(r);
    auto tensor = structure::tensor_of(store.take(number), store.packing(number), relation, diagnostics);
    if (!tensor) return std::nullopt;
    result.emplace(relation.decl->name.name, std::move(*tensor));
  }
  return result;
}

} // namespace cyclotron::recurrence
