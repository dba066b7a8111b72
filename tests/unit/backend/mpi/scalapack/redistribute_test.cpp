// SPDX-License-Identifier: MIT
// Redistribution against a formula, element by element: random parts of random block-cyclic matrices, seen straight,
// transposed and backwards, to tiles of random extents on random ranks, and from there to another such matrix.
#include "backend/mpi/scalapack/descriptors.hpp"
#include "backend/mpi/scalapack/redistribute.hpp"
#include "blacs_grid.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace cyclotron::mpi::scalapack {
namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

// A part of a matrix, and how it is seen.
struct Sight {
  int row, column; // from 0
  bool transposed, rows_backwards, columns_backwards;
  int rows, columns; // as seen

  // Where element (i, j) of the sight is in the matrix.
  std::pair<long, long> origin(long i, long j) const {
    if (rows_backwards) i = rows - 1 - i;
    if (columns_backwards) j = columns - 1 - j;
    return transposed ? std::pair{row + j, column + i} : std::pair{row + i, column + j};
  }
  CyclicView view(Dealt& dealt, const GridPlace& place) const {
    const int across = transposed ? columns : rows, along = transposed ? rows : columns;
    const Operand operand{{across, 0}, {along, 0}, row + 1, column + 1, Descriptor::of(dealt.descriptor.data()), 0};
    CyclicView seen = operand.view(dealt.values.data(), place);
    if (transposed) seen = seen.transpose();
    if (rows_backwards) seen = seen.reversed_rows();
    if (columns_backwards) seen = seen.reversed_columns();
    return seen;
  }
};

Sight random_sight(Dice& dice, int rows, int columns) {
  Sight sight{dice.between(0, 11), dice.between(0, 11), dice.coin(), dice.coin(), dice.coin(), rows, columns};
  return sight;
}

Dealt matrix_around(const Sight& sight, const RandomGrid& grid, Dice& dice) {
  const int rows = sight.transposed ? sight.columns : sight.rows,
            columns = sight.transposed ? sight.rows : sight.columns;
  return Dealt(grid, dice, sight.row + rows + dice.between(0, 5), sight.column + columns + dice.between(0, 5));
}

// Tiles with memory for those of this rank.
struct OwnTiles {
  OwnTiles(Dice& dice, int rows, int columns, const RandomGrid& grid) {
    const int ranks = std::max(1, grid.place.rows * grid.place.columns);
    const int by_row = dice.between(0, 5), by_column = dice.between(0, 5);
    tiles = {rows, columns, dice.between(1, 17), dice.between(1, 17), {}, {}};
    tiles.owner = [=](long i, long j) { return static_cast<int>((i * by_row + j * by_column + i * j) % ranks); };
    tiles.data = [this](long i, long j) { return memory.at({i, j}).data(); };
    if (!grid.has_me()) return;
    const int me = grid.place.row * grid.place.columns + grid.place.column;
    for (long i = 0; i < tiles.row_count(); ++i)
      for (long j = 0; j < tiles.column_count(); ++j)
        if (tiles.owner(i, j) == me) memory[{i, j}].assign(static_cast<std::size_t>(height(i) * width(j)), nan);
  }
  long height(long i) const { return std::min(tiles.tile_rows, tiles.rows - i * tiles.tile_rows); }
  long width(long j) const { return std::min(tiles.tile_columns, tiles.columns - j * tiles.tile_columns); }

  Tiles tiles;
  std::map<std::pair<long, long>, std::vector<double>> memory;
};

bool same(double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); }

// What a tile element should be after to_tiles, `outside` where it is above the diagonal of a tile that is touched.
double expected_in_tile(const OwnTiles& own, const Sight& sight, Part part, long i, long j, double alpha) {
  const long tile_row = i / own.tiles.tile_rows, tile_column = j / own.tiles.tile_columns;
  if (part == Part::lower && j > i) {
    const long last_row = tile_row * own.tiles.tile_rows + own.height(tile_row) - 1;
    return last_row < tile_column * own.tiles.tile_columns ? nan : 0;
  }
  const auto [row, column] = sight.origin(i, j);
  return alpha * element(1, row, column);
}

long wrong_in_tiles(const OwnTiles& own, const Sight& sight, Part part, double alpha) {
  long wrong = 0;
  for (const auto& [where, values] : own.memory)
    for (std::size_t at = 0; at < values.size(); ++at) {
      const long width = own.width(where.second);
      const long i = where.first * own.tiles.tile_rows + static_cast<long>(at) / width;
      const long j = where.second * own.tiles.tile_columns + static_cast<long>(at) % width;
      wrong += !same(values[at], expected_in_tile(own, sight, part, i, j, alpha));
    }
  return wrong;
}

struct Trip {
  Sight there, back;
  Part part;
  double alpha, beta;
};

// The inverse of Sight::origin: where a matrix element stands in the sight, if it does.
std::map<std::pair<long, long>, std::pair<long, long>> places_of(const Sight& sight) {
  std::map<std::pair<long, long>, std::pair<long, long>> found;
  for (long i = 0; i < sight.rows; ++i)
    for (long j = 0; j < sight.columns; ++j) found[sight.origin(i, j)] = {i, j};
  return found;
}

long wrong_in_target(Dealt& target, const Trip& trip, double first_factor) {
  Dealt expected = target;
  const auto places = places_of(trip.back);
  expected.fill([&](long row, long column) {
    const double before = trip.beta == 0 ? nan : element(2, row, column);
    const auto found = places.find({row, column});
    if (found == places.end()) return before;
    const auto [i, j] = found->second;
    if (trip.part == Part::lower && j > i) return before;
    const auto [from_row, from_column] = trip.there.origin(i, j);
    const double moved = trip.alpha * (first_factor * element(1, from_row, from_column));
    return trip.beta == 0 ? moved : moved + trip.beta * before;
  });
  long wrong = 0;
  for (std::size_t at = 0; at < target.values.size(); ++at)
    wrong += !same(target.values[at], expected.values[at]) && std::abs(target.values[at] - expected.values[at]) > 1e-15;
  return wrong;
}

long sum_over_ranks(long count) {
  MPI_Allreduce(MPI_IN_PLACE, &count, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return count;
}

void round_trip(unsigned seed) {
  Dice dice(seed);
  const RandomGrid grid(dice);
  const int rows = dice.between(1, 60), columns = dice.between(1, 60);
  Trip trip{random_sight(dice, rows, columns), random_sight(dice, rows, columns), dice.coin() ? Part::all : Part::lower,
            dice.one_of<double>({1, -2, 0.5}), dice.one_of<double>({0, 1, 3})};
  Dealt source = matrix_around(trip.there, grid, dice), target = matrix_around(trip.back, grid, dice);
  OwnTiles own(dice, rows, columns, grid);
  const double factor = dice.one_of<double>({1, 4});
  long in_tiles = 0, in_target = 0;
  if (grid.has_me()) {
    source.fill([](long i, long j) { return element(1, i, j); });
    target.fill([&](long i, long j) { return trip.beta == 0 ? nan : element(2, i, j); });
    to_tiles(trip.there.view(source, grid.place), own.tiles, trip.part, factor, grid.communicator);
    in_tiles = wrong_in_tiles(own, trip.there, trip.part, factor);
    from_tiles(own.tiles, trip.back.view(target, grid.place), trip.part, trip.alpha, trip.beta, grid.communicator);
    in_target = wrong_in_target(target, trip, factor);
  }
  ASSERT_EQ(sum_over_ranks(in_tiles), 0) << "elements of tiles, seed " << seed;
  ASSERT_EQ(sum_over_ranks(in_target), 0) << "elements of the matrix that was written, seed " << seed;
}

TEST(Redistribute, RoundTripsOfRandomParts) {
  for (unsigned seed = 1; seed <= 200 && !testing::Test::HasFailure(); ++seed) round_trip(seed);
}

TEST(Cyclic, SharesAndPlacesAreThoseOfDealingOneByOne) {
  Dice dice(7);
  for (int trial = 0; trial < 200; ++trial) {
    const int count = dice.between(0, 50), block = dice.between(1, 9), processes = dice.between(1, 6);
    const int source = dice.between(0, processes - 1);
    std::vector<long> dealt(static_cast<std::size_t>(processes));
    for (int i = 0; i < count; ++i) {
      const int owner = (i / block + source) % processes;
      EXPECT_EQ(owner_of(i, block, source, processes), owner);
      EXPECT_EQ(local_index(i, block, processes), dealt[static_cast<std::size_t>(owner)]++);
    }
    for (int p = 0; p < processes; ++p)
      EXPECT_EQ(share_of(count, block, p, source, processes), dealt[static_cast<std::size_t>(p)]);
  }
}

} // namespace
} // namespace cyclotron::mpi::scalapack
