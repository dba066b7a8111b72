// SPDX-License-Identifier: MIT
#include "backend/mpi/data/pieces.hpp"

#include "tensor/relayout.hpp"

#include <algorithm>

namespace cyclotron::mpi {

void cut_coordinates(std::vector<std::int64_t>& at, const Cuts& cuts) {
  for (const std::vector<std::int64_t>& tiles : cuts) {
    for (std::size_t d = 0; d < tiles.size(); ++d) at.push_back(at[d] % tiles[d]);
    for (std::size_t d = 0; d < tiles.size(); ++d) at[d] /= tiles[d];
  }
}

namespace {

// One piece per tile: which lies in one stretch in each dimension of what was cut.
void uncut(const Piece& piece, const std::vector<std::int64_t>& tiles, std::vector<Piece>& out) {
  const std::size_t rank = tiles.size();
  if (piece.box.elements() == 0) return;
  const auto half = static_cast<std::ptrdiff_t>(rank);
  std::vector<std::int64_t> tile(piece.box.first.begin(), piece.box.first.begin() + half);
  while (true) {
    Piece one;
    one.values = piece.values;
    one.strides.assign(piece.strides.begin() + half, piece.strides.end());
    one.box.count.assign(piece.box.count.begin() + half, piece.box.count.end());
    for (std::size_t d = 0; d < rank; ++d) {
      one.box.first.push_back(tile[d] * tiles[d] + piece.box.first[rank + d]);
      one.values += (tile[d] - piece.box.first[d]) * piece.strides[d];
    }
    out.push_back(std::move(one));
    std::size_t d = rank;
    while (d > 0 && ++tile[d - 1] == piece.box.first[d - 1] + piece.box.count[d - 1]) {
      tile[d - 1] = piece.box.first[d - 1];
      --d;
    }
    if (d == 0) return;
  }
}

// The dimensions of a piece from the one whose neighbours are nearest in the file on. Those that lie in file and
// memory without a gap are taken as one.
struct Walk {
  std::vector<std::int64_t> count, in_file, in_memory;
};

Walk walk_of(const Piece& piece, const std::vector<std::int64_t>& dims, bool column_major) {
  const int rank = static_cast<int>(dims.size());
  const std::vector<int> order = column_major ? tensor::column_major(rank) : tensor::row_major(rank);
  const std::vector<std::int64_t> strides = tensor::strides_of(dims, order);
  Walk walk;
  for (auto d = order.rbegin(); d != order.rend(); ++d) {
    const auto at = static_cast<std::size_t>(*d);
    const bool joined = !walk.count.empty() && strides[at] == walk.count.back() * walk.in_file.back() &&
                        piece.strides[at] == walk.count.back() * walk.in_memory.back();
    if (joined) {
      walk.count.back() *= piece.box.count[at];
    } else {
      walk.count.push_back(piece.box.count[at]);
      walk.in_file.push_back(strides[at]);
      walk.in_memory.push_back(piece.strides[at]);
    }
  }
  if (walk.count.empty()) walk = {{1}, {1}, {1}}; // a scalar
  return walk;
}

void add_runs(const Piece& piece, const std::vector<std::int64_t>& dims, bool column_major, std::int64_t longest,
              std::vector<Run>& runs) {
  if (piece.box.elements() == 0) return;
  const Walk walk = walk_of(piece, dims, column_major);
  const int rank = static_cast<int>(dims.size());
  const std::vector<std::int64_t> strides =
      tensor::strides_of(dims, column_major ? tensor::column_major(rank) : tensor::row_major(rank));
  std::int64_t position = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) position += piece.box.first[d] * strides[d];
  Word* values = piece.values;
  std::vector<std::int64_t> at(walk.count.size(), 0);
  while (true) {
    for (std::int64_t done = 0; done < walk.count[0]; done += longest)
      runs.push_back({position + done, std::min(longest, walk.count[0] - done), values + done * walk.in_memory[0],
                      walk.in_memory[0]});
    std::size_t d = 1;
    for (; d < at.size(); ++d) {
      position += walk.in_file[d];
      values += walk.in_memory[d];
      if (++at[d] < walk.count[d]) break;
      position -= walk.in_file[d] * walk.count[d];
      values -= walk.in_memory[d] * walk.count[d];
      at[d] = 0;
    }
    if (d == at.size()) return;
  }
}

} // namespace

std::vector<Piece> pieces_of(const std::vector<Part>& parts, const Cuts& cuts) {
  std::vector<Piece> pieces;
  for (const Part& part : parts)
    pieces.push_back({part.box, part.values,
                      tensor::strides_of(part.box.count, tensor::row_major(static_cast<int>(part.box.count.size())))});
  for (auto tiles = cuts.rbegin(); tiles != cuts.rend(); ++tiles) {
    std::vector<Piece> of_source;
    for (const Piece& piece : pieces) uncut(piece, *tiles, of_source);
    pieces = std::move(of_source);
  }
  return pieces;
}

std::vector<Run> runs_of(const std::vector<Piece>& pieces, const std::vector<std::int64_t>& dims, bool column_major,
                         std::int64_t longest) {
  std::vector<Run> runs;
  for (const Piece& piece : pieces) add_runs(piece, dims, column_major, longest, runs);
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.position < b.position; });
  return runs;
}

} // namespace cyclotron::mpi
