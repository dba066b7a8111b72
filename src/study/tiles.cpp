// SPDX-License-Identifier: MIT
#include "study/tiles.hpp"

namespace cyclotron::study {

Tiles tiles_of(const tensor::Entries& matrix, std::int64_t size) {
  Tiles tiles;
  for (std::size_t e = 0; e < matrix.coordinates[0].size(); ++e) {
    const std::int64_t i = matrix.coordinates[0][e], k = matrix.coordinates[1][e];
    tiles[{i / size, k / size}].entries.push_back(
        {i % size, k % size, tensor::float_at(matrix.values, static_cast<std::int64_t>(e))});
  }
  for (auto& [place, tile] : tiles) {
    std::set<std::int64_t> rows;
    for (const TileEntry& entry : tile.entries) rows.insert(entry.row);
    tile.rows = static_cast<std::int64_t>(rows.size());
  }
  return tiles;
}

tensor::Entries occupancy(const std::set<TilePlace>& tiles, std::int64_t dims) {
  tensor::Entries entries{{dims, dims}, {{}, {}}, std::vector<double>(tiles.size(), 1.0), false};
  for (const TilePlace& place : tiles) {
    entries.coordinates[0].push_back(place.first);
    entries.coordinates[1].push_back(place.second);
  }
  return entries;
}

tensor::Entries shifted_transpose(const tensor::Entries& matrix) {
  tensor::Entries result{{matrix.dims[1], matrix.dims[0]}, {{}, matrix.coordinates[0]}, matrix.values, false};
  for (std::int64_t column : matrix.coordinates[1]) result.coordinates[0].push_back((column + 1) % matrix.dims[1]);
  return result;
}

} // namespace cyclotron::study
