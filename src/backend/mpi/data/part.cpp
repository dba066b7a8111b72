// SPDX-License-Identifier: MIT
#include "backend/mpi/data/part.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::mpi {

std::int64_t elements_of(const std::vector<Part>& parts) {
  std::int64_t count = 0;
  for (const Part& part : parts) count += part.box.elements();
  return count;
}

std::string problem_of(const std::vector<Part>& parts, const Declaration& tensor) {
  for (const Part& part : parts) {
    const Box& box = part.box;
    bool fits = box.first.size() == tensor.dims.size() && box.count.size() == tensor.dims.size();
    for (std::size_t d = 0; fits && d < tensor.dims.size(); ++d)
      fits = box.first[d] >= 0 && box.count[d] >= 0 && box.count[d] <= tensor.dims[d] &&
             box.first[d] <= tensor.dims[d] - box.count[d];
    if (!fits)
      return fmt::format("a part of ({}) elements from ({}) on does not lie in `{}`, {}", fmt::join(box.count, ", "),
                         fmt::join(box.first, ", "), tensor.name, tensor::describe(tensor.dims, tensor.type));
  }
  return "";
}

} // namespace cyclotron::mpi
