// SPDX-License-Identifier: MIT
// Tensors as FROSTT files: the entries that are not zero, coordinates counted from 1.
#include "tensor/capacity.hpp"
#include "tensor/io/writers.hpp"
#include "tensor/walk.hpp"

#include <iterator>

namespace cyclotron::tensor {

// The format has no place for the sizes; a comment keeps them for human readers.
std::string frostt_header(const std::vector<std::int64_t>& dims) { return fmt::format("# {}\n", describe(dims)); }

void write_frostt(FileSink& sink, const Tensor& tensor) {
  fmt::format_to(std::back_inserter(sink.buffer()), "{}", frostt_header(tensor.dims));
  std::visit(
      [&](const auto& values) {
        walk(tensor, [&](std::int64_t position, const std::int64_t* at) {
          const auto value = values[static_cast<std::size_t>(position)];
          if (value == 0) return;
          for (int d = 0; d < tensor.rank(); ++d) {
            append_number(sink.buffer(), at[d] + 1);
            sink.buffer().push_back(' ');
          }
          append_number(sink.buffer(), value);
          sink.buffer().push_back('\n');
          sink.flush_if_full();
        });
      },
      tensor.values);
}

} // namespace cyclotron::tensor
