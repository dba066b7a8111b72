// SPDX-License-Identifier: MIT
// Matrices and vectors as Matrix Market files.
#include "tensor/io/writers.hpp"
#include "tensor/relayout.hpp"
#include "tensor/walk.hpp"

#include <iterator>

namespace cyclotron::tensor {

std::string matrix_market_array_header(const std::vector<std::int64_t>& dims, ValueType type) {
  return fmt::format("%%MatrixMarket matrix array {} general\n{} {}\n", is_float(type) ? "real" : "integer", dims[0],
                     dims.size() == 2 ? dims[1] : 1);
}

namespace {

void write_array(FileSink& sink, const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
  fmt::format_to(std::back_inserter(sink.buffer()), "{}", matrix_market_array_header(tensor.dims, tensor.type()));
  const std::vector<std::int64_t> strides = strides_of(tensor.dims, tensor.format.order);
  const std::int64_t down = strides[0];
  const std::int64_t across = tensor.rank() == 2 ? strides[1] : 0;
  std::visit(
      [&](const auto& values) {
        for (std::int64_t j = 0; j < columns && rows > 0; ++j)
          for (std::int64_t i = 0; i < rows; ++i) {
            append_number(sink.buffer(), values[static_cast<std::size_t>(i * down + j * across)]);
            sink.buffer().push_back('\n');
            sink.flush_if_full();
          }
      },
      tensor.values);
}

void write_coordinates(FileSink& sink, const Tensor& tensor, std::int64_t rows, std::int64_t columns) {
  const bool pattern = tensor.type() == ValueType::boolean;
  // Zeros that a dense leaf stores beside its entries are filling, and a pattern has no way to say false.
  const bool skip_zeros = pattern || is_full(tensor.levels.back().kind);
  fmt::format_to(std::back_inserter(sink.buffer()), "%%MatrixMarket matrix coordinate {} general\n{} {} {}\n",
                 pattern                   ? "pattern"
                 : is_float(tensor.type()) ? "real"
                                           : "integer",
                 rows, columns, skip_zeros ? nonzeros(tensor) : tensor.stored());
  std::visit(
      [&](const auto& values) {
        walk(tensor, [&](std::int64_t position, const std::int64_t* at) {
          const auto value = values[static_cast<std::size_t>(position)];
          if (skip_zeros && value == 0) return;
          append_number(sink.buffer(), at[0] + 1);
          sink.buffer().push_back(' ');
          append_number(sink.buffer(), tensor.rank() == 2 ? at[1] + 1 : 1);
          if (!pattern) {
            sink.buffer().push_back(' ');
            append_number(sink.buffer(), value);
          }
          sink.buffer().push_back('\n');
          sink.flush_if_full();
        });
      },
      tensor.values);
}

} // namespace

void write_matrix_market(FileSink& sink, const Tensor& tensor) {
  const std::int64_t rows = tensor.dims[0];
  const std::int64_t columns = tensor.rank() == 2 ? tensor.dims[1] : 1;
  if (is_dense(tensor.format)) write_array(sink, tensor, rows, columns);
  else write_coordinates(sink, tensor, rows, columns);
}

} // namespace cyclotron::tensor
