// SPDX-License-Identifier: MIT
#include "driver/compare.hpp"

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
double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return INFINITY;
  return std::abs(a - b) / std::max(1.0, std::abs(b));
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
    const double allowed = allowed_for(right.type());
    result.allowed = std::max(result.allowed, allowed);
    // Every element, as the two may be stored in different formats.
    std::vector<std::int64_t> at(right.dims.size(), 0);
    if (std::count(right.dims.begin(), right.dims.end(), 0)) continue;
    for (bool more = true; more;) {
      const std::int64_t l = tensor::locate(left, at.data()), r = tensor::locate(right, at.data());
      const double a = l < 0 ? 0 : tensor::float_at(left.values, l), b = r < 0 ? 0 : tensor::float_at(right.values, r);
      const double d = difference(a, b);
      if (d > allowed) {
        result.problem = fmt::format("`{}({})` is {} where {} is right", name, fmt::join(at, ","), a, b);
        return result;
      }
      result.largest = std::max(result.largest, d);
      more = false;
      for (std::size_t i = at.size(); i-- > 0;) {
        if (++at[i] < right.dims[i]) {
          more = true;
          break;
        }
        at[i] = 0;
      }
    }
  }
  return result;
}

} // namespace cyclotron::driver
