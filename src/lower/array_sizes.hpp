// SPDX-License-Identifier: MIT
// What is fixed when an array is made for one run: sizes, shapes in memory, folded and joined axes.
#pragma once

#include "lower/mapping.hpp"

namespace cyclotron::lower {

struct ArraySizes {
  std::map<std::string, std::int64_t> sizes;
  std::vector<Fold> folds;
  // Tensors that are kept in memory in another shape than they are declared in: dimensions and blocks as in pe::Memory.
  struct Blocked {
    std::vector<std::int64_t> dims;
    std::vector<std::int64_t> block;
  };
  std::map<std::string, Blocked> memory;
  std::vector<bool> torus; // per axis; empty: none
};

} // namespace cyclotron::lower
