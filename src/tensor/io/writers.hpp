// SPDX-License-Identifier: MIT
// One writer per file kind. They only fill the sink; committing it is the caller's.
#pragma once

#include "tensor/io/file_sink.hpp"
#include "tensor/tensor.hpp"

namespace cyclotron::tensor {

// Fully dense formats as `array`, all others as `coordinate`; a vector as a matrix of one column.
void write_matrix_market(FileSink& sink, const Tensor& tensor);
// Entries that are not zero.
void write_frostt(FileSink& sink, const Tensor& tensor);
// All elements; false, with an error, where there is no memory to lay them out.
bool write_numpy(FileSink& sink, const Tensor& tensor, Diagnostics& diagnostics);

// What a dense tensor's file begins with.
std::string numpy_header(const std::vector<std::int64_t>& dims, ValueType type);
std::string matrix_market_array_header(const std::vector<std::int64_t>& dims, ValueType type);
std::string frostt_header(const std::vector<std::int64_t>& dims);

// The shortest text that reads back as the same number.
template <class T> void append_number(fmt::memory_buffer& buffer, T value) {
  fmt::format_to(std::back_inserter(buffer), "{}", value);
}

} // namespace cyclotron::tensor
