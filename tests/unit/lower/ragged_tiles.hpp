// SPDX-License-Identifier: MIT
// Runs a program lifted to tiles on tensors in their original shape, whose last tiles may be smaller than the others.
//
// It is written to be obviously right: a tile is cut or computed when it is first needed, reductions try every value.
#pragma once

#include "lower/tiles/lift_to_tiles.hpp"
#include "recurrence/kernels.hpp"

namespace cyclotron::lower {

// All elements in row-major order.
using DenseTensor = recurrence::Tile;

class RaggedTiles {
public:
  // Sizes and inputs are those of the original program.
  RaggedTiles(const Lifted& lifted, const recurrence::Program& original, std::map<std::string, std::int64_t> sizes,
              std::map<std::string, DenseTensor> inputs);

  // A tensor put together again; of a stepped one the last step that is defined, of at most ten.
  DenseTensor tensor(const std::string& name);

private:
  using Tile = recurrence::Tile; // a number is one of rank 0
  using Indices = std::map<std::string, std::int64_t>;
  using Place = std::vector<std::int64_t>; // the step, then the indices of a tile

  Tile tile(const std::string& name, const Place& place);
  std::optional<Tile> computed(const std::string& name, const Place& place);
  Tile empty_tile(const std::string& name, const Place& place) const;
  // Calls f with the position in the tile and in the whole tensor of each element of a tile.
  void each_element(const std::string& name, const Place& place,
                    const std::function<void(std::size_t, std::size_t)>& f) const;
  bool bind(const recurrence::Equation& equation, const Place& place, Indices& indices) const;

  Tile value(const recurrence::Expr& expr, const Indices& indices, const recurrence::Equation& equation);
  Tile binary(const recurrence::Binary& b, Tile left, Tile right) const;
  void add_all(const recurrence::Reduce& reduce, std::size_t variable, Indices& indices,
               const recurrence::Equation& equation, Tile& total);
  std::int64_t whole(const recurrence::Expr& expr, const Indices& indices) const;
  bool holds(const recurrence::Constraint& constraint, const Indices& indices) const;

  const Lifted& lifted_;
  std::map<std::string, std::int64_t> sizes_;
  std::map<std::string, std::vector<std::int64_t>> dims_; // in the original shape
  std::map<std::string, DenseTensor> inputs_;
  std::map<std::pair<std::string, Place>, Tile> known_;
};

} // namespace cyclotron::lower
