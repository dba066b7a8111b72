// SPDX-License-Identifier: MIT
// Values of one type as another, refused where a value would change by more than rounding.
#include "tensor/capacity.hpp"
#include "tensor/cast.hpp"
#include "tensor/tensor.hpp"
#include "tensor/walk.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::tensor {

namespace {

// Coordinates of the value at a position; only errors need them, so a whole walk is fine.
std::string coordinates_of(const Tensor& tensor, std::int64_t wanted) {
  std::vector<std::int64_t> found;
  walk(tensor, [&](std::int64_t position, const std::int64_t* at) {
    if (position == wanted) found.assign(at, at + tensor.rank());
  });
  return fmt::format("({})", fmt::join(found, ", "));
}

} // namespace

std::optional<Tensor> convert_type(Tensor tensor, ValueType type, Diagnostics& diagnostics) {
  if (tensor.type() == type) return tensor;
  if (!enough_memory(tensor.stored(), size_of(type), describe(tensor.dims, type), diagnostics)) return std::nullopt;
  std::int64_t failed = -1;
  Values values = cast_values(tensor.values, type, failed);
  if (failed < 0) {
    tensor.values = std::move(values);
    return tensor;
  }
  const std::string value =
      std::visit([&](const auto& v) { return fmt::format("{}", v[static_cast<std::size_t>(failed)]); }, tensor.values);
  const bool fraction = is_float(tensor.type()) && !is_float(type);
  diagnostics
      .error(fmt::format("the value `{}` at {} cannot be stored as {}", value, coordinates_of(tensor, failed),
                         name_of(type)))
      .with_hint(fraction ? "only whole numbers in range become integers: use `f64`, or change the data"
                          : "use a wider type, or change the data");
  return std::nullopt;
}

} // namespace cyclotron::tensor
