// SPDX-License-Identifier: MIT
// The kernel table: named operations on tiles, with their shapes, their definition as a recurrence and as plain loops.
//
// The loops are what backends are compared with, so they are written to be read, not to be fast. The definitions are
// what scalar equations are compared with when they are lifted to tiles; the tests check that both say the same.
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

// The multiply-adds of a call: the product of these extents, by the letters of the shape rule, times the share of it.
struct Work {
  std::string_view extents;
  double share = 1;
};

// A shape rule is written with letters: {"mk", "kn"} -> "mn" says what must agree and what comes out. In a definition
// the arguments are A and B, the result is C, and D, with the shape of C, is computed beside it and not given back.
struct Kernel {
  std::string_view name;
  std::vector<std::string_view> arguments;
  std::string_view result;
  std::string_view meaning;
  std::string_view definition;
  Work work;
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

// The extents of the result, from those of each argument by the letters of the shape rule; 0 where none says it.
std::vector<std::int64_t> result_extents(const Kernel& kernel, const std::vector<std::vector<std::int64_t>>& dims);

// Multiply-adds of one call, about: the terms of highest order. The extents of each argument.
double multiply_adds(const Kernel& kernel, const std::vector<std::vector<std::int64_t>>& dims);

// The definition as a program of its own, with its tensors declared.
std::string definition_program(const Kernel& kernel);

} // namespace cyclotron::recurrence
