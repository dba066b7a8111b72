// SPDX-License-Identifier: MIT
#include "driver/compare.hpp"

#include "tensor/walk.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cyclotron::driver {

namespace {

double allowed_for(tensor::ValueType type) {
  if (type == tensor::ValueType::f32) return 1e-3;
  return type == tensor::ValueType::f64 ? 1e-9 : 0;
}

// 0 where both are the same, also where both are infinite or no number.
double difference(double a, double b, double least_scale) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return INFINITY;
  return std::abs(a - b) / std::max(least_scale, std::abs(b));
}

// A small element next to large ones may be what is left of large terms: it is rounded as they are. Its terms are not
// known here, but other elements tell how large they may be.
double least_scale(const tensor::Tensor& tensor) {
  constexpr double share = 1e-4; // with what f64 is allowed, some hundred roundings of the largest
  double largest = 0;
  for (std::int64_t i = 0; i < tensor.stored(); ++i)
    if (const double v = std::abs(tensor::float_at(tensor.values, i)); std::isfinite(v)) largest = std::max(largest, v);
  return std::max(1.0, share * largest);
}

double value_at(const tensor::Tensor& tensor, const std::int64_t* at) {
  const std::int64_t position = tensor::locate(tensor, at);
  return position < 0 ? 0 : tensor::float_at(tensor.values, position);
}

} // namespace

Comparison compare(const std::map<std::string, tensor::Tensor>& computed,
                   const std::map<std::string, tensor::Tensor>& expected, const std::set<std::string>& left_out) {
  Comparison result;
  for (const auto& [name, right] : expected) {
    if (left_out.count(name)) continue;
    const auto found = computed.find(name);
    if (found == computed.end()) {
      result.problem = fmt::format("`{}` is missing", name);
      return result;
    }
    const tensor::Tensor& left = found->second;
    if (left.dims != right.dims) {
      result.problem =
          fmt::format("`{}` is {}, not {}", name, fmt::join(left.dims, " x "), fmt::join(right.dims, " x "));
      return result;
    }
    const double allowed = allowed_for(right.type()), scale = least_scale(right);
    result.allowed = std::max(result.allowed, allowed);
    const auto look = [&](const std::int64_t* at) {
      if (!result.problem.empty()) return;
      const double a = value_at(left, at), b = value_at(right, at), d = difference(a, b, scale);
      result.largest = std::max(result.largest, d);
      if (d > allowed)
        result.problem =
            fmt::format("`{}({})` is {} where {} is right", name, fmt::join(at, at + right.dims.size(), ","), a, b);
    };
    // What is stored in either, as the two may have different formats; all else is zero in both.
    tensor::walk(right, [&](std::int64_t, const std::int64_t* at) { look(at); });
    if (!tensor::is_dense(right.format)) tensor::walk(left, [&](std::int64_t, const std::int64_t* at) { look(at); });
    if (!result.problem.empty()) return result;
  }
  return result;
}

} // namespace cyclotron::driver
