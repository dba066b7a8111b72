// SPDX-License-Identifier: MIT
#include "lower/tiles/tile_program.hpp"

#include <algorithm>

namespace cyclotron::lower {

namespace {

std::int64_t value_at(const recurrence::Affine& affine, const std::map<std::string, std::int64_t>& sizes) {
  return affine.evaluate([&](const std::string& name) { return sizes.at(name); });
}

} // namespace

std::optional<TileProgram> tile_program(const frontend::Checked& original, const Lift& lift, Diagnostics& diagnostics) {
  auto lifted = lift_to_tiles(original.program(), lift, diagnostics);
  if (!lifted) return std::nullopt;
  frontend::Checked checked = frontend::infer({lifted->program, {}}, diagnostics);
  if (diagnostics.failed()) return std::nullopt;
  return TileProgram{std::move(checked), std::move(*lifted)};
}

ArraySizes tile_sizes(const Lifted& lifted, const recurrence::Program& original,
                      const std::map<std::string, std::int64_t>& sizes) {
  ArraySizes result;
  for (const recurrence::Binder& s : lifted.program.sizes) {
    const auto count = lifted.counts.find(s.name);
    if (count == lifted.counts.end()) {
      result.sizes[s.name] = sizes.at(s.name);
      continue;
    }
    const std::int64_t extent = value_at(count->second.size, sizes);
    result.sizes[s.name] = (extent + count->second.extent - 1) / count->second.extent;
  }
  for (const auto& [tensor, block] : lifted.blocks) {
    if (std::all_of(block.begin(), block.end(), [](std::int64_t b) { return b == 0; })) continue;
    std::vector<std::int64_t> dims;
    for (const recurrence::Expr& d : original.tensor(tensor)->dims)
      dims.push_back(value_at(recurrence::accepted_affine(d, original), sizes));
    result.memory[tensor] = {dims, {block.begin(), block.end()}};
  }
  return result;
}

} // namespace cyclotron::lower
