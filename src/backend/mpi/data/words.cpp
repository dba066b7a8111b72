// SPDX-License-Identifier: MIT
#include "backend/mpi/data/words.hpp"

#include "tensor/cast.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace cyclotron::mpi {

using tensor::ValueType;

std::vector<std::int64_t> coordinates_in(const Box& box, std::int64_t offset) {
  std::vector<std::int64_t> at = box.first;
  for (std::size_t d = at.size(); d-- > 0; offset /= box.count[d]) at[d] += offset % box.count[d];
  return at;
}

void report_made(const std::string& maker, double value, ValueType type, Diagnostics& mine) {
  mine.error(fmt::format("{} makes `{}`, which {} cannot hold", maker, value, tensor::name_of(type)))
      .with_hint(tensor::is_float(type) ? "use `f64`, or smaller values"
                                        : "use whole numbers in range, or a tensor of `f64`");
}

namespace {

void report(const Part& part, std::int64_t offset, const Declaration& tensor, ValueType from, Diagnostics& mine) {
  const std::string value =
      with_type(from, [&](auto kind) { return fmt::format("{}", value_of<decltype(kind)>(part.values[offset])); });
  const bool fraction = tensor::is_float(from) && !tensor::is_float(tensor.type);
  mine.error(fmt::format("the value `{}` at ({}) cannot be stored as {}", value,
                         fmt::join(coordinates_in(part.box, offset), ", "), tensor::name_of(tensor.type)))
      .with_hint(fraction ? "only whole numbers in range become integers: use `f64`, or change the data"
                          : "use a wider type, or change the data");
}

// The offset of the first value that cannot be converted, or -1.
std::int64_t convert_part(const Part& part, ValueType from, ValueType to) {
  constexpr std::int64_t block = 4096;
  for (std::int64_t done = 0, all = part.box.elements(); done < all; done += block) {
    const auto count = static_cast<std::size_t>(std::min(block, all - done));
    Word* words = part.values + done;
    tensor::Values values = tensor::make_values(from, count);
    std::visit(
        [&](auto& v) {
          using T = typename std::decay_t<decltype(v)>::value_type;
          for (std::size_t i = 0; i < count; ++i) v[i] = value_of<T>(words[i]);
        },
        values);
    std::int64_t failed = -1;
    const tensor::Values cast = tensor::cast_values(values, to, failed);
    if (failed >= 0) return done + failed;
    std::visit(
        [&](const auto& v) {
          for (std::size_t i = 0; i < count; ++i) words[i] = word_of(v[i]);
        },
        cast);
  }
  return -1;
}

} // namespace

void convert(const std::vector<Part>& parts, const Declaration& tensor, ValueType from, const std::string& maker,
             MPI_Comm comm, Diagnostics& mine) {
  if (from == tensor.type) return;
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t first = none, offset = 0; // in the tensor, in its part
  const Part* wrong = nullptr;
  for (const Part& part : parts) {
    const std::int64_t failed = convert_part(part, from, tensor.type);
    if (failed < 0) continue;
    const std::int64_t position = tensor::position_of(coordinates_in(part.box, failed).data(), tensor.dims);
    if (wrong && position > first) continue;
    first = position;
    offset = failed;
    wrong = &part;
  }
  std::int64_t first_of_all = first;
  MPI_Allreduce(MPI_IN_PLACE, &first_of_all, 1, MPI_INT64_T, MPI_MIN, comm);
  if (!wrong || first != first_of_all) return;
  const double value =
      tensor::is_float(from) ? wrong->values[offset].real : static_cast<double>(wrong->values[offset].whole);
  if (maker.empty()) report(*wrong, offset, tensor, from, mine);
  else report_made(maker, value, tensor.type, mine);
}

} // namespace cyclotron::mpi
