// SPDX-License-Identifier: MIT
#include "blacs_grid.hpp"

#include "backend/mpi/scalapack/grid.hpp"

#include <algorithm>
#include <numeric>

namespace cyclotron::mpi::scalapack {

RandomGrid::RandomGrid(Dice& dice) {
  const int ranks = dice.between(0, 3) == 0 ? dice.between(1, world_size()) : world_size();
  int rows = dice.between(1, ranks);
  while (ranks % rows) rows = dice.between(1, ranks);
  std::vector<int> order(static_cast<std::size_t>(world_size()));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(dice.between(0, static_cast<int>(i) - 1))]);
  int rank = 0, size = 0;
  Cblacs_pinfo(&rank, &size);
  Cblacs_get(-1, 0, &context);
  Cblacs_gridmap(&context, order.data(), rows, rows, ranks / rows);
  if (std::find(order.begin(), order.begin() + ranks, world_rank()) == order.begin() + ranks) return;
  place = grid_place(context);
  communicator = grid_communicator(context, place);
}

RandomGrid::~RandomGrid() {
  if (has_me()) Cblacs_gridexit(context);
}

double element(int matrix, long row, long column) {
  const auto mixed = static_cast<unsigned>(row * 7919 + column * 104729 + matrix * 1299709) * 2654435761U;
  return static_cast<double>(mixed >> 8) / (1 << 24) - 0.5;
}

Dealt::Dealt(const RandomGrid& grid, Dice& dice, int rows, int columns, bool square_blocks) {
  const int row_block = dice.between(1, 9), column_block = square_blocks ? row_block : dice.between(1, 9);
  const int row_die = dice.between(0, 999), column_die = dice.between(0, 999), gap = dice.between(0, 3);
  if (!grid.has_me()) return;
  const int row_source = row_die % grid.place.rows, column_source = column_die % grid.place.columns;
  for (int i = 0; i < rows; ++i)
    if ((i / row_block + row_source) % grid.place.rows == grid.place.row) global_rows.push_back(i);
  for (int j = 0; j < columns; ++j)
    if ((j / column_block + column_source) % grid.place.columns == grid.place.column) global_columns.push_back(j);
  const int leading = std::max(1, static_cast<int>(global_rows.size()) + gap);
  descriptor = {1, grid.context, rows, columns, row_block, column_block, row_source, column_source, leading};
  values.assign(static_cast<std::size_t>(leading) * std::max<std::size_t>(1, global_columns.size()), -777);
}

void Dealt::fill(const std::function<double(long, long)>& value) {
  for (std::size_t j = 0; j < global_columns.size(); ++j)
    for (std::size_t i = 0; i < global_rows.size(); ++i) at(i, j) = value(global_rows[i], global_columns[j]);
}

} // namespace cyclotron::mpi::scalapack
