// SPDX-License-Identifier: MIT
#include "run.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace cyclotron::array {

tensor::Tensor dense(std::vector<std::int64_t> dims, const std::vector<double>& values) {
  Sources sources;
  Diagnostics diagnostics(sources);
  tensor::Tensor t = *tensor::zeros(std::move(dims), tensor::ValueType::f64, "t", diagnostics);
  std::get<std::vector<double>>(t.values) = values;
  return t;
}

tensor::Tensor dense_i32(std::vector<std::int64_t> dims, const std::vector<std::int32_t>& values) {
  Sources sources;
  Diagnostics diagnostics(sources);
  tensor::Tensor t = *tensor::zeros(std::move(dims), tensor::ValueType::i32, "t", diagnostics);
  std::get<std::vector<std::int32_t>>(t.values) = values;
  return t;
}

tensor::Tensor random_tensor(std::vector<std::int64_t> dims, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::int64_t count = 1;
  for (std::int64_t d : dims) count *= d;
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) values.push_back(static_cast<double>(random() % 19) - 9);
  return dense(std::move(dims), values);
}

std::vector<double> numbers(const tensor::Tensor& tensor) {
  std::vector<double> list;
  for (std::int64_t i = 0; i < tensor.stored(); ++i) list.push_back(tensor::float_at(tensor.values, i));
  return list;
}

std::vector<double> product(const tensor::Tensor& a, const tensor::Tensor& b) {
  const auto m = static_cast<std::size_t>(a.dims[0]), k = static_cast<std::size_t>(a.dims[1]),
             n = static_cast<std::size_t>(b.dims[1]);
  const std::vector<double> x = numbers(a), y = numbers(b);
  std::vector<double> c(m * n);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t l = 0; l < k; ++l) c[i * n + j] += x[i * k + l] * y[l * n + j];
  return c;
}

Result run(const pe::Program& program, const Inputs& inputs, const Machine& machine,
           const SimulationSettings& settings) {
  Sources sources;
  Diagnostics diagnostics(sources);
  auto result = simulate(program, inputs, machine, settings, diagnostics);
  if (!result || diagnostics.failed()) throw std::runtime_error(diagnostics.render(false));
  return std::move(*result);
}

std::string refusal(const pe::Program& program, const Inputs& inputs, const Machine& machine) {
  Sources sources;
  Diagnostics diagnostics(sources);
  EXPECT_FALSE(simulate(program, inputs, machine, {}, diagnostics));
  EXPECT_TRUE(diagnostics.failed());
  return diagnostics.render(false);
}

} // namespace cyclotron::array
