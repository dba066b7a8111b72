// SPDX-License-Identifier: MIT
// Sizes that may be too large, and the check before allocating.
#include "tensor/capacity.hpp"

#include "support/memory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace cyclotron::tensor {

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? too_many : product;
}

std::int64_t element_count(const std::vector<std::int64_t>& dims) {
  std::int64_t count = 1;
  for (std::int64_t size : dims) count = saturating_product(count, size);
  return count;
}

std::string_view article_for(std::int64_t number) {
  const std::string digits = std::to_string(number);
  const bool eleven = (digits.starts_with("11") || digits.starts_with("18")) && digits.size() % 3 == 2;
  return eleven || digits[0] == '8' ? "an" : "a";
}

std::string describe(const std::vector<std::int64_t>& dims) {
  return dims.empty() ? "scalar" : fmt::format("{}", fmt::join(dims, " x "));
}

std::string describe(const std::vector<std::int64_t>& dims, ValueType type) {
  if (dims.empty()) return fmt::format("a scalar of {}", name_of(type));
  if (dims.size() == 1) return fmt::format("a vector of {} of size {}", name_of(type), dims[0]);
  return fmt::format("{} {} tensor of {}", article_for(dims[0]), describe(dims), name_of(type));
}

bool enough_memory(std::int64_t count, std::int64_t bytes_each, const std::string& what, Diagnostics& diagnostics,
                   const std::string& hint) {
  // Asking the system costs a file read: not worth it for small arrays, unless someone set a limit on purpose.
  constexpr std::int64_t small = std::int64_t{1} << 20;
  const std::int64_t bytes = saturating_product(count, bytes_each);
  if (bytes <= small && !std::getenv("CYCLOTRON_MEMORY_LIMIT")) return true;
  if (count == too_many) {
    diagnostics.error(fmt::format("{} has more elements than 63 bits can count", what)).with_hint(hint);
    return false;
  }
  const std::int64_t available = available_memory();
  if (bytes != too_many && bytes <= available) return true;
  const double needed = static_cast<double>(count) * static_cast<double>(bytes_each);
  diagnostics
      .error(fmt::format("{} needs {}, but {} are available", what, describe_bytes(needed),
                         describe_bytes(static_cast<double>(available))))
      .with_hint(hint);
  return false;
}

} // namespace cyclotron::tensor
