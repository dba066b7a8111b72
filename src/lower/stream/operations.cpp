// SPDX-License-Identifier: MIT
#include "lower/stream/operations.hpp"

#include <algorithm>
#include <cmath>

namespace cyclotron::lower {

using recurrence::BinaryOp;
using recurrence::Function;
using stream::Operation;

Operation operation_of(BinaryOp op) {
  switch (op) {
  case BinaryOp::add: return Operation::add;
  case BinaryOp::sub: return Operation::sub;
  case BinaryOp::mul: return Operation::mul;
  case BinaryOp::div: return Operation::div;
  case BinaryOp::less: return Operation::less;
  case BinaryOp::less_equal: return Operation::less_equal;
  case BinaryOp::greater: return Operation::greater;
  case BinaryOp::greater_equal: return Operation::greater_equal;
  case BinaryOp::equal: return Operation::equal;
  case BinaryOp::not_equal: return Operation::not_equal;
  case BinaryOp::logical_and: return Operation::logical_and;
  case BinaryOp::logical_or: return Operation::logical_or;
  }
  return Operation::add;
}

Operation operation_of(Function function) {
  switch (function) {
  case Function::min: return Operation::min;
  case Function::max: return Operation::max;
  case Function::sqrt: return Operation::sqrt;
  case Function::abs: return Operation::abs;
  case Function::exp: return Operation::exp;
  case Function::log: return Operation::log;
  case Function::pow: return Operation::pow;
  }
  return Operation::min;
}

double evaluate(Operation operation, const std::vector<double>& operands) {
  const auto at = [&](std::size_t i) { return operands[i]; };
  switch (operation) {
  case Operation::add: return at(0) + at(1);
  case Operation::sub: return at(0) - at(1);
  case Operation::mul: return at(0) * at(1);
  case Operation::div: return at(0) / at(1);
  case Operation::min: return std::min(at(0), at(1));
  case Operation::max: return std::max(at(0), at(1));
  case Operation::pow: return std::pow(at(0), at(1));
  case Operation::less: return at(0) < at(1);
  case Operation::less_equal: return at(0) <= at(1);
  case Operation::greater: return at(0) > at(1);
  case Operation::greater_equal: return at(0) >= at(1);
  case Operation::equal: return at(0) == at(1);
  case Operation::not_equal: return at(0) != at(1);
  case Operation::logical_and: return at(0) != 0 && at(1) != 0;
  case Operation::logical_or: return at(0) != 0 || at(1) != 0;
  case Operation::negate: return -at(0);
  case Operation::logical_not: return at(0) == 0;
  case Operation::sqrt: return std::sqrt(at(0));
  case Operation::abs: return std::abs(at(0));
  case Operation::exp: return std::exp(at(0));
  case Operation::log: return std::log(at(0));
  case Operation::select: return at(0) != 0 ? at(1) : at(2);
  }
  return 0;
}

} // namespace cyclotron::lower
