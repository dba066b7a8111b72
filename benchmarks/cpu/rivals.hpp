// SPDX-License-Identifier: MIT
// Sparse matrix algebra of other libraries, on copies that they made beforehand.
#pragma once

#include "sparse.hpp"

#include <functional>
#include <string>
#include <vector>

namespace cyclotron::bench {

struct Rival {
  std::string name;
  std::function<void()> run;
  std::function<std::vector<double>()> values; // of the last result: all of them, or the nonzeros, by rows
};

// One library. A kernel that it does not have throws Unavailable.
struct MatrixLibrary {
  std::string name;
  std::function<Rival(Sparse& b, std::vector<double>& c)> times_vector;
  std::function<Rival(Sparse& b, std::vector<double>& c, int columns)> times_dense;
  std::function<Rival(Sparse& b, std::vector<double>& c, std::vector<double>& d, int columns)> sampled_product;
  std::function<Rival(std::vector<Sparse*> terms)> sum;
  std::function<Rival(Sparse& b, Sparse& c)> product;
};

MatrixLibrary eigen();
MatrixLibrary graphblas();

} // namespace cyclotron::bench
