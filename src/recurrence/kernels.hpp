// SPDX-License-Identifier: MIT
// The kernel table: named operations on tiles, with their shapes and their meaning as plain loops.
//
// This is the meaning that backends are compared with, so it is written to be read, not to be fast.
#pragma once

#include "recurrence/failures.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::recurrence {

// A dense tile, row-major. A vector is a tile of rank 1.
struct Tile {
  std::vector<std::int64_t> dims;
  std::vector<double> values;

  double& at(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(i * dims[1] + j)]; }
  double at(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(i * dims[1] + j)]; }
};

// A shape rule is written with letters: {"mk", "kn"} -> "mn" says what must agree and what comes out.
struct Kernel {
  std::string_view name;
  std::vector<std::string_view> arguments;
  std::string_view result;
  std::string_view meaning;
  Tile (*function)(const std::vector<Tile>& arguments, Failure& failure);

  // `failure`, where it is given and nothing failed before: a division by a zero pivot, the root of a negative one.
  Tile compute(const std::vector<Tile>& tiles, Failure* failure = nullptr) const {
    Failure ignored = Failure::none;
    return function(tiles, failure ? *failure : ignored);
  }
};

const std::vector<Kernel>& kernel_table();
const Kernel* kernel_named(std::string_view name);
std::vector<std::string> kernel_names();

} // namespace cyclotron::recurrence
