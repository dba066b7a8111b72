// SPDX-License-Identifier: MIT
// The table of generators, and what each of them is handed.
#pragma once

#include "tensor/box.hpp"
#include "tensor/generators/arguments.hpp"
#include "tensor/tensor.hpp"

#include <functional>

namespace cyclotron::tensor {

// What a generator makes its tensor from: checked arguments and the final sizes.
struct Order {
  Arguments& arguments;
  const Request& request;
  std::vector<std::int64_t> dims;
  const Box* part = nullptr; // to be made of the tensor; null: all of it

  Diagnostics& diagnostics() const { return arguments.diagnostics(); }
  // "`spd` for `A`".
  std::string subject() const;
  Box box() const { return part ? *part : whole_box(dims); }
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
  bool by_element = true; // each is made without the others, unless a density below 1 chooses which there are
};

const std::vector<Generator>& generators();

// One list per file, in the order of the help text.
std::vector<Generator> fill_generators();     // zeros, ones, random, ...
std::vector<Generator> sequence_generators(); // range, letters, dna, ...
std::vector<Generator> matrix_generators();   // identity, banded, spd, ...
std::vector<Generator> grid_generators();     // laplacian2d, laplacian3d
std::vector<Generator> graph_generators();    // rmat
std::vector<Generator> tile_generators();     // tiles

// What is to be made as a dense list of zeros, or nothing with an error.
std::optional<Entries> dense_entries(const Order& order, ValueType type);
// An empty coordinate list with room for what is to be made of `count` entries, or nothing with an error.
std::optional<Entries> sparse_entries(const Order& order, ValueType type, std::int64_t count);

// Every element that is to be made, from value(position), its row-major position in the whole tensor.
template <class T, class Value>
std::optional<Entries> fill_entries(const Order& order, ValueType type, const Value& value) {
  if (element_count(order.dims) == too_many && !order.room(too_many, true)) return std::nullopt;
  std::optional<Entries> entries = dense_entries(order, type);
  if (!entries) return std::nullopt;
  auto& values = std::get<std::vector<T>>(entries->values);
  for_each_row(order.box(), [&](const std::int64_t* at, std::int64_t offset, std::int64_t length) {
    const std::int64_t position = position_of(at, order.dims);
    for (std::int64_t i = 0; i < length; ++i) values[static_cast<std::size_t>(offset + i)] = value(position + i);
  });
  return entries;
}

// Appends an entry where it lies in `box`; its value is for the caller to append then.
inline bool place_entry(Entries& entries, const Box& box, const std::int64_t* at) {
  if (!box.contains(at)) return false;
  for (std::size_t d = 0; d < box.first.size(); ++d) entries.coordinates[d].push_back(at[d] - box.first[d]);
  return true;
}

// `count` different numbers below `total`, ascending.
class ChosenPositions {
public:
  ChosenPositions(std::int64_t total, std::int64_t count, std::uint64_t seed);

  // How many of them are held in memory.
  static std::int64_t held(std::int64_t total, std::int64_t count) { return count <= total / 8 ? count : 0; }

  std::int64_t count() const { return count_; }
  bool everything() const { return count_ == total_; }
  void visit(const std::function<void(std::int64_t position)>& visit) const;

private:
  std::int64_t total_, count_;
  std::uint64_t seed_;
  std::vector<std::int64_t> drawn_; // where few are wanted; many are found again in each visit
};
// How many of `total` a density asks for.
std::int64_t share_of(std::int64_t total, double density);

} // namespace cyclotron::tensor
