// SPDX-License-Identifier: MIT
#include "recurrence/structure.hpp"

#include "recurrence/structure_solve.hpp"
#include "tensor/capacity.hpp"

#include <fmt/format.h>

namespace cyclotron::recurrence {

namespace {

using structure::Facts;
using structure::SparseTensor;

bool fits_one_word(const std::vector<SparseTensor>& relations, Diagnostics& diagnostics) {
  bool fits = true;
  for (const SparseTensor& r : relations) {
    const structure::Packing packing(r.dims, r.decl->format.order);
    if (packing.bits() <= 64) continue;
    fits = false;
    diagnostics
        .unsupported(r.decl->span, fmt::format("`{}` is too large to find where it can be other than zero: its "
                                               "coordinates take {} bits of at most 64",
                                               r.decl->name.name, packing.bits()))
        .with_hint("use smaller sizes");
  }
  return fits;
}

std::optional<tensor::Tensor> packed(const SparseTensor& relation, const Facts& facts, Diagnostics& diagnostics) {
  tensor::Entries entries;
  entries.dims = relation.dims;
  if (!tensor::enough_memory(static_cast<std::int64_t>(facts.keys.size()),
                             8 * static_cast<std::int64_t>(relation.dims.size()) + tensor::size_of(relation.decl->type),
                             fmt::format("the structure of `{}`", relation.decl->name.name), diagnostics))
    return std::nullopt;
  for (std::size_t d = 0; d < relation.dims.size(); ++d) {
    std::vector<std::int64_t>& column = entries.coordinates.emplace_back(facts.keys.size());
    for (std::size_t i = 0; i < column.size(); ++i)
      column[i] = facts.packing.coordinate(facts.keys[i], static_cast<int>(d));
  }
  entries.values = tensor::make_values(relation.decl->type, facts.keys.size());
  return tensor::pack(std::move(entries), relation.decl->format, diagnostics);
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
    auto tensor = packed(relation, store.facts(static_cast<int>(r)), diagnostics);
    if (!tensor) return std::nullopt;
    result.emplace(relation.decl->name.name, std::move(*tensor));
  }
  return result;
}

} // namespace cyclotron::recurrence
