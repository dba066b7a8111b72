// SPDX-License-Identifier: MIT
// Expressions about elements of tiles to expressions about tiles.
//
//   A(i,j)[i',j'] - sum[k,k'](L(i,k)[i',k'] * L(j,k)[j',k'])   -->   A(i,j) - sum[k](GEMM_NT(L(i,k), L(j,k)))
// Sums, differences and multiples are what they were, a sum over places inside tiles must be a kernel, and so must a
// tile that is computed from itself. Of several kernels that fit, the one with the smallest expression is taken.
#pragma once

#include "lower/tiles/kernel_match.hpp"

namespace cyclotron::lower {

class TileOperators {
public:
  TileOperators(const std::vector<TileGroup>& groups, const IndexOrder& order) : groups_(groups), order_(order) {}

  // The value of the tile that a group defines, and the case of the group whose constraints hold for its sums.
  struct Value {
    recurrence::Expr value;
    const TileCase* of;
  };
  std::optional<Value> value_of(const TileGroup& group);

  // Where the last value could not be found: the smallest part that has none, and why.
  struct Failure {
    Span span;
    std::string reason;
  };
  const Failure& failure() const { return failure_; }

private:
  using Lifted = std::optional<recurrence::Expr>;

  Lifted lift(const Elements& elements);
  Lifted lift_access(const Elements& elements);
  Lifted lift_unary(const recurrence::Unary& unary, const Elements& elements);
  Lifted lift_binary(const recurrence::Binary& binary, const Elements& elements);
  Lifted lift_product(const Elements& elements);
  Lifted lift_sum(const recurrence::Reduce& reduce, const Elements& elements);
  Lifted lift_sum_inside(const recurrence::Reduce& reduce, const Elements& elements);
  Lifted lift_several_sums(const recurrence::Reduce& reduce, const Elements& elements);
  Lifted by_kernel(const Elements& elements, const std::string& reason);
  Lifted smallest(const std::vector<KernelUse>& uses);
  Lifted fail(Span span, std::string reason);

  const std::vector<TileGroup>& groups_;
  const IndexOrder& order_;
  Failure failure_;
};

} // namespace cyclotron::lower
