// SPDX-License-Identifier: MIT
#include "driver/compile_stream.hpp"

namespace cyclotron::driver {

using namespace recurrence;

namespace {

using Numbers = std::map<std::string, std::int64_t>;

std::int64_t number(const Affine& size, const Numbers& sizes) {
  return size.evaluate([&](const std::string& name) { return sizes.at(name); });
}

// Of the indices of a phase. An index that is split has one for each of its parts.
Numbers extents_at(const std::map<std::string, Affine>& affine, const std::vector<lower::StreamTile>& tiles,
                   const Numbers& sizes) {
  Numbers extents;
  for (const auto& [index, size] : affine) extents[index] = number(size, sizes);
  for (const lower::StreamTile& t : tiles)
    if (affine.count(t.index)) {
      std::int64_t count = number(affine.at(t.index), sizes); // of the steps of the index in what is left to split
      for (std::size_t part = 0; part < t.parts.size(); ++part) {
        extents[t.parts[part]] = (count + t.stride(part) - 1) / t.stride(part);
        count = t.stride(part);
      }
    }
  return extents;
}

} // namespace

SamProgram at_sizes(LoweredStream stream) {
  lower::LoweredStream& lowered = stream.lowered;
  const Numbers& sizes = stream.request.sizes;
  const Program& source = stream.request.checked->program();
  const bool only_graph = sizes.empty() && !source.sizes.empty();
  SamProgram program;
  for (const auto& affine : lowered.extents)
    program.extents.push_back(only_graph ? Numbers() : extents_at(affine, lowered.tiles, sizes));
  program.splits = std::move(lowered.splits);
  for (std::size_t p = 0; p < lowered.phases.size() && !only_graph; ++p) {
    const stream::Operand& result = lowered.phases[p].result;
    const auto whole_name = lowered.whole.find(result.tensor);
    const TensorDecl* decl = source.tensor(whole_name == lowered.whole.end() ? result.tensor : whole_name->second);
    if (!decl || (!program.splits[p].count(result.name) && decl->format == result.format)) continue;
    auto& whole = program.results[result.tensor];
    for (const Expr& d : decl->dims) whole.dims.push_back(number(accepted_affine(d, source), sizes));
    whole.format = decl->format;
  }
  program.phases = std::move(lowered.phases);
  return program;
}

} // namespace cyclotron::driver
