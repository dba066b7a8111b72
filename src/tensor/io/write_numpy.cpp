// SPDX-License-Identifier: MIT
// Tensors as NumPy files: version 1, row-major, little-endian.
#include "tensor/capacity.hpp"
#include "tensor/io/writers.hpp"

#include <fmt/ranges.h>

#include <bit>

namespace cyclotron::tensor {

namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie in memory");

const char* dtype_of(ValueType type) {
  switch (type) {
  case ValueType::f64: return "<f8";
  case ValueType::f32: return "<f4";
  case ValueType::i32: return "<i4";
  case ValueType::i64: return "<i8";
  case ValueType::boolean: return "|b1";
  }
  bug("unknown value type");
}

} // namespace

std::string numpy_header(const std::vector<std::int64_t>& dims, ValueType type) {
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", dtype_of(type),
                                 fmt::join(dims, ", "), dims.size() == 1 ? "," : "");
  // Numpy pads with spaces and a line break so that the data begin at a multiple of 64 bytes.
  while ((10 + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string header = "\x93NUMPY";
  header += {'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

bool write_numpy(FileSink& sink, const Tensor& tensor, Diagnostics& diagnostics) {
  const Format wanted = dense_format(tensor.rank());
  std::optional<Tensor> laid_out;
  if (tensor.format.levels != wanted.levels || tensor.format.order != wanted.order) {
    laid_out = convert(tensor, wanted, diagnostics);
    if (!laid_out) return false;
  }
  const std::string header = numpy_header(tensor.dims, tensor.type());
  sink.write(header.data(), header.size());
  std::visit([&](const auto& values) { sink.write(values.data(), values.size() * sizeof values[0]); },
             laid_out ? laid_out->values : tensor.values);
  return true;
}

} // namespace cyclotron::tensor
