// SPDX-License-Identifier: MIT
// The elements of a NumPy file: their type here, and their values from their bytes.
#pragma once

#include "tensor/io/numpy_header.hpp"
#include "tensor/tensor.hpp"

#include <cstring>

namespace cyclotron::tensor {

inline ValueType type_of(const NumpyHeader& header) {
  if (header.kind == 'b') return ValueType::boolean;
  if (header.kind == 'f') return header.bytes == 8 ? ValueType::f64 : ValueType::f32;
  const bool wide = header.bytes == 8 || (header.kind == 'u' && header.bytes == 4);
  return wide ? ValueType::i64 : ValueType::i32;
}

// Assembled from its bytes, so that neither the file's byte order nor ours matters. T belongs to `type_of(header)`.
template <class T> T element_at(const unsigned char* bytes, const NumpyHeader& header) {
  std::uint64_t bits = 0;
  for (int i = 0; i < header.bytes; ++i)
    bits |= std::uint64_t{bytes[header.big_endian ? header.bytes - 1 - i : i]} << (8 * i);
  if constexpr (std::is_same_v<T, double>) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  } else if constexpr (std::is_same_v<T, float>) {
    const auto half = static_cast<std::uint32_t>(bits);
    float value;
    std::memcpy(&value, &half, sizeof value);
    return value;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return bits != 0 ? 1 : 0;
  } else {
    // Signed ones narrower than T: shift up and arithmetically down again to extend the sign.
    const int spare = 64 - 8 * header.bytes;
    if (header.kind == 'u') return static_cast<T>(bits);
    return static_cast<T>(static_cast<std::int64_t>(bits << spare) >> spare);
  }
}

// What a NumPy file must be: of a shape that is `known` (see ReadOptions), and long enough for it. False with an error.
bool check_shape(ByteSource& source, const NumpyHeader& header, const std::vector<std::int64_t>& known);
// Only a plain file tells its length; `found` is how many bytes of data there are, one more where there are too many.
bool check_length(ByteSource& source, const NumpyHeader& header, std::int64_t found);

} // namespace cyclotron::tensor
