// SPDX-License-Identifier: MIT
// Runs a program that must go well, or one that must be refused.
#pragma once

#include "backend/array/simulate.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cyclotron::array {

using Inputs = std::map<std::string, tensor::Tensor>;

tensor::Tensor dense(std::vector<std::int64_t> dims, const std::vector<double>& values);
tensor::Tensor dense_i32(std::vector<std::int64_t> dims, const std::vector<std::int32_t>& values);
// A tensor of small whole numbers, different for every seed.
tensor::Tensor random_tensor(std::vector<std::int64_t> dims, std::uint64_t seed);
std::vector<double> numbers(const tensor::Tensor& tensor);

// C = A B.
std::vector<double> product(const tensor::Tensor& a, const tensor::Tensor& b);

Result run(const pe::Program& program, const Inputs& inputs, const Machine& machine = {},
           const SimulationSettings& settings = {});
// The whole report.
std::string refusal(const pe::Program& program, const Inputs& inputs, const Machine& machine = {});

} // namespace cyclotron::array
