// SPDX-License-Identifier: MIT
#include "pattern/value.hpp"

#include <cmath>
#include <limits>

namespace cyclotron::pattern {

using recurrence::BinaryOp;
using recurrence::Function;
using recurrence::UnaryOp;

namespace {

Value real_value(double number, ValueType type) {
  if (type == ValueType::f32) number = static_cast<float>(number);
  return {type, tensor::real_word(number)};
}

Value checked(bool overflow, std::int64_t number, ValueType type) {
  if (overflow || (type == ValueType::i32 && (number < std::numeric_limits<std::int32_t>::min() ||
                                              number > std::numeric_limits<std::int32_t>::max())))
    throw Undefined{"a whole number does not fit its type"};
  return {type, tensor::whole_word(number)};
}

// The smaller or the larger; a NaN on either side gives NaN.
double extreme(bool least, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  return (a < b) == least ? a : b;
}

Value extreme(bool least, Value a, Value b) {
  if (tensor::is_float(a.type)) return real_value(extreme(least, a.real(), b.real()), a.type);
  return (a.whole() < b.whole()) == least ? a : b;
}

Value whole_operation(BinaryOp op, Value a, Value b) {
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
  case BinaryOp::add: overflow = __builtin_add_overflow(a.whole(), b.whole(), &result); break;
  case BinaryOp::sub: overflow = __builtin_sub_overflow(a.whole(), b.whole(), &result); break;
  default: overflow = __builtin_mul_overflow(a.whole(), b.whole(), &result);
  }
  return checked(overflow, result, a.type);
}

Value real_operation(BinaryOp op, Value a, Value b) {
  const double x = a.real(), y = b.real();
  switch (op) {
  case BinaryOp::add: return real_value(x + y, a.type);
  case BinaryOp::sub: return real_value(x - y, a.type);
  case BinaryOp::mul: return real_value(x * y, a.type);
  default:
    if (y == 0) throw Undefined{"something is divided by zero"};
    return real_value(x / y, a.type);
  }
}

bool compare(BinaryOp op, Value a, Value b) {
  const bool real = tensor::is_float(a.type);
  const bool less = real ? a.real() < b.real() : a.whole() < b.whole();
  const bool equal = real ? a.real() == b.real() : a.whole() == b.whole();
  const bool greater = real ? a.real() > b.real() : a.whole() > b.whole();
  switch (op) {
  case BinaryOp::less: return less;
  case BinaryOp::less_equal: return less || equal;
  case BinaryOp::greater: return greater;
  case BinaryOp::greater_equal: return greater || equal;
  case BinaryOp::equal: return equal;
  default: return !equal;
  }
}

double real_function(Function function, double x, double y) {
  switch (function) {
  case Function::sqrt:
    if (x < 0) throw Undefined{"the root of a negative number"};
    return std::sqrt(x);
  case Function::exp: return std::exp(x);
  case Function::log:
    if (x < 0) throw Undefined{"the logarithm of a negative number"};
    return std::log(x);
  default: return std::pow(x, y);
  }
}

} // namespace

Value whole_value(std::int64_t number) { return {ValueType::i64, tensor::whole_word(number)}; }
Value truth_value(bool truth) { return {ValueType::boolean, tensor::whole_word(truth ? 1 : 0)}; }

Value value_of(const Number& number) {
  return {number.type,
          tensor::is_float(number.type) ? tensor::real_word(number.real) : tensor::whole_word(number.whole)};
}

Value compute(UnaryOp op, Value a) {
  if (op == UnaryOp::logical_not) return truth_value(!a.truth());
  if (tensor::is_float(a.type)) return real_value(-a.real(), a.type);
  std::int64_t result = 0;
  const bool overflow = __builtin_sub_overflow(std::int64_t{0}, a.whole(), &result);
  return checked(overflow, result, a.type);
}

Value compute(BinaryOp op, Value a, Value b) {
  if (op == BinaryOp::logical_and) return truth_value(a.truth() && b.truth());
  if (op == BinaryOp::logical_or) return truth_value(a.truth() || b.truth());
  if (recurrence::is_comparison(op)) return truth_value(compare(op, a, b));
  if (op == BinaryOp::div && !tensor::is_float(a.type)) // as in the language
    return real_operation(op, convert(a, ValueType::f64), convert(b, ValueType::f64));
  return tensor::is_float(a.type) ? real_operation(op, a, b) : whole_operation(op, a, b);
}

Value compute(Function function, const std::vector<Value>& arguments) {
  Value result = arguments[0];
  if (function == Function::min || function == Function::max) {
    for (std::size_t i = 1; i < arguments.size(); ++i)
      result = extreme(function == Function::min, result, arguments[i]);
    return result;
  }
  if (function == Function::abs) {
    if (tensor::is_float(result.type)) return real_value(std::fabs(result.real()), result.type);
    return result.whole() < 0 ? compute(UnaryOp::negate, result) : result;
  }
  const double second = arguments.size() > 1 ? arguments[1].real() : 0;
  return real_value(real_function(function, result.real(), second), result.type);
}

Value combine(Reducer reducer, Value a, Value b) {
  switch (reducer) {
  case Reducer::sum: return compute(BinaryOp::add, a, b);
  case Reducer::prod: return compute(BinaryOp::mul, a, b);
  case Reducer::min: return extreme(true, a, b);
  case Reducer::max: return extreme(false, a, b);
  case Reducer::any: return truth_value(a.truth() || b.truth());
  case Reducer::all: return truth_value(a.truth() && b.truth());
  }
  bug("unknown reducer");
}

Value convert(Value a, ValueType to) {
  if (to == a.type) return a;
  if (tensor::is_float(to)) return real_value(a.real(), to);
  if (to == ValueType::boolean) return truth_value(tensor::is_float(a.type) ? a.real() != 0 : a.whole() != 0);
  if (!tensor::is_float(a.type)) return checked(false, a.whole(), to);
  const double cut = std::trunc(a.real());
  if (!(cut >= -0x1p63 && cut < 0x1p63)) throw Undefined{"a number does not fit a whole type"};
  return checked(false, static_cast<std::int64_t>(cut), to);
}

} // namespace cyclotron::pattern
