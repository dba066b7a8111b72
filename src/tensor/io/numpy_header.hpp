// SPDX-License-Identifier: MIT
// The header of a NumPy file: a Python dictionary that gives the element type, the order and the shape.
#pragma once

#include "tensor/io/byte_source.hpp"

#include <optional>
#include <vector>

namespace cyclotron::tensor {

struct NumpyHeader {
  char kind = 'f'; // f: float, i: signed, u: unsigned, b: bool
  int bytes = 8;   // per element
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
  std::int64_t length = 0; // of everything before the data
};

// Leaves `source` at the first element. Nothing, with an error, where the header is wrong or its type is none
// that we hold.
std::optional<NumpyHeader> read_numpy_header(ByteSource& source);

} // namespace cyclotron::tensor
