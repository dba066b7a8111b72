// SPDX-License-Identifier: MIT
// What a rank holds of a tensor: boxes of it, and nothing else.
#pragma once

#include "tensor/box.hpp"
#include "tensor/format.hpp"
#include "tensor/word.hpp"

#include <string>
#include <vector>

namespace cyclotron::mpi {

using tensor::Box;
using tensor::Word;

// `values` are as many words as the box has elements, row-major. Parts of one tensor never overlap, on one rank or
// between ranks.
struct Part {
  Box box;
  Word* values = nullptr;
};

// A tensor as the program declares it, the same on every rank.
struct Declaration {
  std::string name; // for messages
  std::vector<std::int64_t> dims;
  tensor::ValueType type = tensor::ValueType::f64;
};

std::int64_t elements_of(const std::vector<Part>& parts);

// Empty, or the first part that does not lie in the tensor.
std::string problem_of(const std::vector<Part>& parts, const Declaration& tensor);

} // namespace cyclotron::mpi
