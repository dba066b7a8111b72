// SPDX-License-Identifier: MIT
// Indices as C text, written as one would by hand: no brackets around a name, nothing added that is zero.
#pragma once

#include <string>

namespace cyclotron::backend::c {

// As an operand of a product.
inline std::string in_brackets(const std::string& text) {
  const bool simple = text.find(' ') == std::string::npos;
  return simple ? text : "(" + text + ")";
}

// The position of an element of a row: `row * size + column`. No row, or "0": the first.
inline std::string in_row(const std::string& row, const std::string& size, const std::string& column) {
  if (row.empty() || row == "0") return column;
  const std::string first = row == "1" ? size : in_brackets(row) + " * " + in_brackets(size);
  return column == "0" ? first : first + " + " + column;
}

} // namespace cyclotron::backend::c
