// SPDX-License-Identifier: MIT
// What is computed: one operation at one shape, with inputs that are formulas of row and column, so that every rank
// makes the elements it owns, in any layout, and a check can make them again.
#pragma once

#include <string>
#include <vector>

namespace cyclotron::bench {

enum class Operation {
  gemm,  // C = A B           A is m x k, B is k x n
  trsm,  // L X = B           L is m x m, lower; B, overwritten by X, is m x n
  potrf, // A = L L'          A is m x m; its lower triangle is overwritten by L
};

struct Problem {
  Operation operation;
  long m, n, k;

  double flops() const;
  std::string shape() const; // as it is written on the command line

  // Elements of the inputs. The second operand of potrf does not exist.
  double a(long row, long column) const;
  double b(long row, long column) const;

  // The extents of the matrix that a run leaves behind.
  long result_rows() const { return m; }
  long result_columns() const { return operation == Operation::potrf ? m : n; }
};

const char* name_of(Operation);
Operation operation_of(const std::string& name); // throws std::invalid_argument

// `512`, `512x256` or `512x256x128`: an extent that is not written is the last one that is. Throws
// std::invalid_argument.
Problem problem_of(Operation, const std::string& shape);

} // namespace cyclotron::bench
