// SPDX-License-Identifier: MIT
// How a tensor is laid out: one level per dimension, in storage order, and the memory region it lives in.
#pragma once

#include "tensor/levels.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::tensor {

enum class ValueType { f64, f32, i32, i64, boolean };

std::string_view name_of(ValueType type);
std::optional<ValueType> value_type_named(std::string_view name);
bool is_float(ValueType type);
int size_of(ValueType type);

enum class Region { unspecified, onchip, offchip };

// levels[l] stores dimension order[l]. A compressed level directly above a singleton level keeps one position
// per stored entry (so a coordinate may repeat in it): {compressed, singleton} is the coordinate format.
struct Format {
  std::vector<LevelKind> levels;
  std::vector<int> order;
  Region region = Region::unspecified;

  int rank() const { return static_cast<int>(levels.size()); }
  bool operator==(const Format&) const = default;
};

Format dense_format(int rank);

// Every level is dense: the values are a plain array. True for a scalar.
bool is_dense(const Format& format);

// Whether several entries of one parent have the same coordinate in level `l`: the level below keeps them apart, as in
// lists of coordinates.
bool repeats(const Format& format, std::size_t l);

// "dense", "csr", "csc", "dcsr", "coo", "csf" for a tensor of that rank; nothing where the name is unknown or
// does not fit the rank (csr, csc and dcsr are for matrices).
std::optional<Format> format_named(std::string_view name, int rank);
const std::vector<std::string>& format_names();

// The text that the language reads: a usual name where there is one, else "{dense, compressed} order (1,0)".
std::string to_string(const Format& format);

// Empty where the format can be stored; else a clause that says why not. Refused are an order that is not a
// permutation of the dimensions, and a branchless level on top or directly below one whose coordinates never repeat
// (that has one position per coordinate, so a second entry there would have no place). Everything else can
// be stored, blocks such as {dense, compressed, dense} included.
std::string problem_of(const Format& format);

} // namespace cyclotron::tensor
