// SPDX-License-Identifier: MIT
// The table of generators, and what each of them is handed.
#pragma once

#include "tensor/generators/arguments.hpp"
#include "tensor/tensor.hpp"

namespace cyclotron::tensor {

// What a generator makes its tensor from: checked arguments and the final sizes.
struct Order {
  Arguments& arguments;
  const Request& request;
  std::vector<std::int64_t> dims;

  Diagnostics& diagnostics() const { return arguments.diagnostics(); }
  // "`spd` for `A`".
  std::string subject() const;
  // False, with an error, where that many entries of a tensor of these sizes do not fit.
  bool room(std::int64_t count, bool dense) const;
};

// How the sizes of a generator's tensor are found.
enum class Sizes {
  each,   // n, m, l, k are the dimensions
  square, // n is both dimensions
  own,    // the generator finds them itself from `Order::dims`, which may hold -1
};

struct Generator {
  std::string name;
  std::vector<Parameter> parameters;
  std::string meaning;
  std::vector<int> ranks; // those it can make; empty: any
  Sizes sizes = Sizes::each;
  bool whole = false; // its values are whole numbers (or the arguments decide), so that integer types can hold them
  // Values may be of any type: the result is cast to what was asked for.
  std::optional<Entries> (*make)(Order& order) = nullptr;
};

const std::vector<Generator>& generators();

// One list per file, in the order of the help text.
std::vector<Generator> fill_generators();     // zeros, ones, random, ...
std::vector<Generator> sequence_generators(); // range, letters, dna, ...
std::vector<Generator> matrix_generators();   // identity, banded, spd, ...
std::vector<Generator> grid_generators();     // laplacian2d, laplacian3d
std::vector<Generator> graph_generators();    // rmat
std::vector<Generator> tile_generators();     // tiles

// A dense list of zeros, or nothing with an error.
std::optional<Entries> dense_entries(const Order& order, ValueType type);
// An empty coordinate list with room for `count` entries, or nothing with an error.
std::optional<Entries> sparse_entries(const Order& order, ValueType type, std::int64_t count);

// `count` different numbers below `total`, ascending.
std::vector<std::int64_t> choose_positions(std::int64_t total, std::int64_t count, std::uint64_t seed);
// How many of `total` a density asks for.
std::int64_t share_of(std::int64_t total, double density);

} // namespace cyclotron::tensor
