// SPDX-License-Identifier: MIT
// Runs a program lifted to tiles on tensors in their original shape, whose last tiles may be smaller than the others.
//
// It is written to be obviously right: a tile is cut or computed when it is first needed, reductions try every value.
#pragma once

#include "lower/lift_to_tiles.hpp"
#include "recurrence/kernels.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace cyclotron::lower {

// All elements in row-major order.
struct DenseTensor {
  std::vector<std::int64_t> dims;
  std::vector<double> values;
};

class RaggedTiles {
public:
  // Sizes and inputs are those of the original program.
  RaggedTiles(const Lifted& lifted, std::map<std::string, std::int64_t> sizes,
              std::map<std::string, DenseTensor> inputs);

  // A tensor put together again, with these dimensions; of a stepped one the step that is given.
  DenseTensor tensor(const std::string& name, const std::vector<std::int64_t>& dims, std::int64_t step = 0);

private:
  using Indices = std::map<std::string, std::int64_t>;
  using Place = std::vector<std::int64_t>; // the step, then the indices of a tile

  // A number is a tile of rank 0.
  using Tile = recurrence::Tile;

  Tile tile(const std::string& name, const Place& place);
  Tile cut(const std::string& name, const Place& place) const;
  Tile filled(const std::string& name, const Place& place, double value) const;
  Tile value(const recurrence::Expr& expr, const Indices& indices, const recurrence::Equation& equation);
  Tile binary(const recurrence::Binary& b, const Indices& indices, const recurrence::Equation& equation);
  void add_all(const recurrence::Reduce& reduce, std::size_t variable, Indices indices,
               const recurrence::Equation& equation, Tile& total);
  std::int64_t whole(const recurrence::Expr& expr, const Indices& indices) const;
  bool holds(const recurrence::Constraint& constraint, const Indices& indices) const;
  bool bind(const recurrence::Access& target, const Place& place, Indices& indices) const;
  std::vector<std::int64_t> original_dims(const std::string& name) const;

  const Lifted& lifted_;
  std::map<std::string, std::int64_t> sizes_;
  std::map<std::string, DenseTensor> inputs_;
  std::map<std::string, std::vector<std::int64_t>> dims_; // of outputs, once asked for
  std::map<std::pair<std::string, Place>, Tile> known_;
};

} // namespace cyclotron::lower
