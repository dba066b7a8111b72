// SPDX-License-Identifier: MIT
// A sparse matrix cut into square tiles, of which only those with entries are kept.
#pragma once

#include "tensor/tensor.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace cyclotron::study {

struct TileEntry {
  std::int64_t row = 0, column = 0; // in the tile
  double value = 0;
};

struct Tile {
  std::vector<TileEntry> entries;
  std::int64_t rows = 0; // that have entries
  // Of its arrays: coordinates and values, rows and where they begin, three ends; two bytes for each number.
  double bytes() const {
    return 2.0 * static_cast<double>(2 * entries.size() + 2 * static_cast<std::size_t>(rows) + 3);
  }
};

using TilePlace = std::pair<std::int64_t, std::int64_t>; // row and column of tiles
using Tiles = std::map<TilePlace, Tile>;

Tiles tiles_of(const tensor::Entries& matrix, std::int64_t size);

// The matrix of tiles as a matrix of ones, `dims` tiles in each direction.
tensor::Entries occupancy(const std::set<TilePlace>& tiles, std::int64_t dims);

// The matrix shifted by one column, then transposed: related to the first, but with other products.
tensor::Entries shifted_transpose(const tensor::Entries& matrix);

} // namespace cyclotron::study
