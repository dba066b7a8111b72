// SPDX-License-Identifier: MIT
#include "problem.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace cyclotron::bench {

namespace {

// A number in [-1/2, 1/2) that looks random: the finaliser of splitmix64 on the position.
double noise(std::uint64_t matrix, long row, long column) {
  std::uint64_t x = (matrix << 60) ^ (static_cast<std::uint64_t>(row) << 30) ^ static_cast<std::uint64_t>(column);
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((x ^ (x >> 31)) >> 11) * 0x1p-53 - 0.5;
}

struct Name {
  Operation operation;
  const char* text;
};
constexpr Name names[] = {{Operation::gemm, "gemm"}, {Operation::trsm, "trsm"}, {Operation::potrf, "potrf"}};

} // namespace

double Problem::flops() const {
  const auto [x, y, z] = std::tuple{static_cast<double>(m), static_cast<double>(n), static_cast<double>(k)};
  switch (operation) {
  case Operation::gemm: return 2 * x * y * z;
  case Operation::trsm: return x * x * y;
  case Operation::potrf: return x * x * x / 3;
  }
  return 0;
}

std::string Problem::shape() const {
  if (operation == Operation::potrf) return fmt::format("{}", m);
  if (operation == Operation::trsm) return fmt::format("{}x{}", m, n);
  return fmt::format("{}x{}x{}", m, n, k);
}

// The diagonal outweighs the rest, so that solutions stay near 1 at any size and a Cholesky factor exists.
double Problem::a(long row, long column) const {
  if (operation == Operation::gemm) return noise(1, row, column);
  if (operation == Operation::potrf && row < column) std::swap(row, column);
  return noise(1, row, column) + (row == column ? static_cast<double>(m) : 0.0);
}

double Problem::b(long row, long column) const { return noise(2, row, column); }

const char* name_of(Operation operation) {
  for (const Name& name : names)
    if (name.operation == operation) return name.text;
  return "";
}

Operation operation_of(const std::string& text) {
  for (const Name& name : names)
    if (name.text == text) return name.operation;
  throw std::invalid_argument(fmt::format("expected gemm, trsm or potrf, found `{}`", text));
}

Problem problem_of(Operation operation, const std::string& shape) {
  std::vector<long> extents;
  std::size_t at = 0;
  while (at <= shape.size() && extents.size() < 4) {
    const std::size_t end = std::min(shape.find('x', at), shape.size());
    const std::string digits = shape.substr(at, end - at);
    if (digits.empty() || digits.size() > 7 || digits.find_first_not_of("0123456789") != std::string::npos) break;
    extents.push_back(std::stol(digits));
    at = end + 1;
  }
  if (at <= shape.size() || extents.empty() || extents.size() > 3 ||
      *std::min_element(extents.begin(), extents.end()) < 1)
    throw std::invalid_argument(fmt::format("expected a shape such as `2048` or `4096x512x1024`, found `{}`", shape));
  while (extents.size() < 3) extents.push_back(extents.back());
  return {operation, extents[0], extents[1], extents[2]};
}

} // namespace cyclotron::bench
