// SPDX-License-Identifier: MIT
// The first lines of a Matrix Market file: what kind of matrix it is, and its size.
#pragma once

#include "tensor/io/text_lines.hpp"

#include <optional>

namespace cyclotron::tensor {

enum class Field { real, integer, complex, pattern };
enum class Symmetry { general, symmetric, skew, hermitian };

struct MatrixMarketHeader {
  bool coordinate = true; // else array: all elements, column by column
  Field field = Field::real;
  Symmetry symmetry = Symmetry::general;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries = 0; // that the file says it lists
};

// Leaves `lines` at the size line. Nothing, with an error, where the header is wrong.
std::optional<MatrixMarketHeader> read_header(TextLines& lines);

} // namespace cyclotron::tensor
