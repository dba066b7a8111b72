// SPDX-License-Identifier: MIT
#include "lower/pattern/operands.hpp"

#include <algorithm>

namespace cyclotron::lower {

using recurrence::Affine;

bool Operand::sparse() const {
  return std::any_of(format.levels.begin(), format.levels.end(),
                     [](tensor::LevelKind kind) { return !tensor::is_full(kind); });
}

bool Operand::walks(std::size_t level, const std::string& loop) const { return index[level] == Affine{{{loop, 1}}, 0}; }

std::size_t Operand::first_dense(std::size_t depth) const {
  while (depth > 0 && !compressed(depth - 1)) --depth;
  return depth;
}

std::size_t Operand::chunk(std::size_t depth) const {
  const auto depth_of = [&](const std::string& name) {
    return std::find(path.begin(), path.end(), name) - path.begin();
  };
  // The loop of the chunk that is farthest out, and that of the rest that is farthest in.
  const auto outermost = [&](std::size_t from) {
    auto least = static_cast<std::ptrdiff_t>(path.size());
    for (std::size_t l = from; l < depth; ++l)
      for (const auto& [name, c] : index[l].terms) least = std::min(least, depth_of(name));
    return least;
  };
  const auto innermost = [&](std::size_t end) {
    std::ptrdiff_t most = -1;
    for (std::size_t l = 0; l < end; ++l)
      for (const auto& [name, c] : index[l].terms)
        if (depth_of(name) < static_cast<std::ptrdiff_t>(path.size())) most = std::max(most, depth_of(name));
    return most;
  };
  const std::size_t least = first_dense(depth);
  for (std::size_t from = depth; from-- > least;)
    if (innermost(from) < outermost(from)) return from;
  return least;
}

std::set<std::string> indices_in(const Affine& formula, const recurrence::Program& program) {
  std::set<std::string> names;
  for (const auto& [name, c] : formula.terms)
    if (!program.is_size(name)) names.insert(name);
  return names;
}

tensor::Format stored_format(tensor::Format format) {
  for (tensor::LevelKind& kind : format.levels)
    if (!tensor::is_full(kind)) kind = tensor::LevelKind::compressed;
  return format;
}

Operand operand_of(const recurrence::Expr& access, const tensor::Format& stored, const recurrence::Program& program,
                   std::vector<std::string> path) {
  const auto& a = *recurrence::as<recurrence::Access>(access);
  const recurrence::TensorDecl& declared = *program.tensor(a.tensor);
  Operand operand{recurrence::print(access), a.tensor, declared.type, stored, {}, {}, std::move(path)};
  for (const int dimension : stored.order) {
    const auto d = static_cast<std::size_t>(dimension);
    operand.index.push_back(recurrence::accepted_affine(a.indices[d], program));
    operand.extent.push_back(recurrence::accepted_affine(declared.dims[d], program));
  }
  return operand;
}

} // namespace cyclotron::lower
