// SPDX-License-Identifier: MIT
#include "backend/sam/arithmetic.hpp"

#include "support/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::sam {

using recurrence::Reducer;
using stream::Operation;
using tensor::is_float;

namespace {

constexpr const char* overflows = "makes a number that is too large for its type";

Word of(double value) { return tensor::real_word(value); }
Word of(std::int64_t value) { return tensor::whole_word(value); }

Word rounded(ValueType type, double value) {
  return of(type == ValueType::f32 ? static_cast<double>(static_cast<float>(value)) : value);
}

Word checked(ValueType type, bool overflow, std::int64_t value, const char*& problem) {
  using Narrow = std::numeric_limits<std::int32_t>;
  if (type == ValueType::i32) overflow |= value < Narrow::min() || value > Narrow::max();
  if (overflow) problem = overflows;
  return of(value);
}

// NaN wins, so that a bad value is never hidden.
double min_of(double a, double b) { return std::isnan(a) || a < b ? a : b; }
double max_of(double a, double b) { return std::isnan(a) || a > b ? a : b; }

template <class T> bool related(Operation relation, T a, T b) {
  switch (relation) {
  case Operation::less: return a < b;
  case Operation::less_equal: return a <= b;
  case Operation::greater: return a > b;
  case Operation::greater_equal: return a >= b;
  case Operation::equal: return a == b;
  default: return a != b;
  }
}

double divide(const Calculation& c, double a, double b, const char*& problem) {
  if (b != 0) return a / b;
  if (a == 0 && c.zero_by_zero_is_zero) return 0;
  problem = "divides by zero";
  return 0;
}

Word calculate_real(const Calculation& c, const Word* x, const char*& problem) {
  const auto result = [&](double value) { return rounded(c.result, value); };
  const double a = x[0].real;
  switch (c.operation) {
  case Operation::add: return result(a + x[1].real);
  case Operation::sub: return result(a - x[1].real);
  case Operation::mul: return result(a * x[1].real);
  case Operation::div: return result(divide(c, a, x[1].real, problem));
  case Operation::min: return result(min_of(x[1].real, a));
  case Operation::max: return result(max_of(x[1].real, a));
  case Operation::pow: return result(std::pow(a, x[1].real));
  case Operation::negate: return of(-a);
  case Operation::abs: return of(std::fabs(a));
  case Operation::exp: return result(std::exp(a));
  case Operation::sqrt:
    if (a < 0) problem = "takes the square root of a negative number";
    return result(std::sqrt(a));
  case Operation::log:
    if (a < 0) problem = "takes the logarithm of a negative number";
    return result(std::log(a));
  default: bug("not an operation on floating-point numbers");
  }
}

Word calculate_whole(const Calculation& c, const Word* x, const char*& problem) {
  const std::int64_t a = x[0].whole;
  std::int64_t result = 0;
  bool overflow = false;
  switch (c.operation) {
  case Operation::add: overflow = __builtin_add_overflow(a, x[1].whole, &result); break;
  case Operation::sub: overflow = __builtin_sub_overflow(a, x[1].whole, &result); break;
  case Operation::mul: overflow = __builtin_mul_overflow(a, x[1].whole, &result); break;
  case Operation::min: result = std::min(a, x[1].whole); break;
  case Operation::max: result = std::max(a, x[1].whole); break;
  case Operation::negate: overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result); break;
  case Operation::abs:
    if (a < 0) overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result);
    else result = a;
    break;
  default: problem = "does not work on whole numbers"; break;
  }
  return checked(c.result, overflow, result, problem);
}

} // namespace

bool is_zero(Word value, ValueType type) { return is_float(type) ? value.real == 0 : value.whole == 0; }

Word convert(Word value, ValueType from, ValueType to) {
  if (is_float(from)) return is_float(to) ? rounded(to, value.real) : of(static_cast<std::int64_t>(value.real));
  return is_float(to) ? rounded(to, static_cast<double>(value.whole)) : value;
}

Word calculate(const Calculation& c, const Word* x, const char*& problem) {
  const bool floating = is_float(c.operands);
  switch (c.operation) {
  case Operation::less:
  case Operation::less_equal:
  case Operation::greater:
  case Operation::greater_equal:
  case Operation::equal:
  case Operation::not_equal:
    return of(std::int64_t{floating ? related(c.operation, x[0].real, x[1].real)
                                    : related(c.operation, x[0].whole, x[1].whole)});
  case Operation::logical_and: return of(std::int64_t{x[0].whole != 0 && x[1].whole != 0});
  case Operation::logical_or: return of(std::int64_t{x[0].whole != 0 || x[1].whole != 0});
  case Operation::logical_not: return of(std::int64_t{x[0].whole == 0});
  case Operation::select: return x[0].whole != 0 ? x[1] : x[2];
  default: return floating ? calculate_real(c, x, problem) : calculate_whole(c, x, problem);
  }
}

Word combine(const Combination& c, Word a, Word b, const char*& problem) {
  if (is_float(c.type)) {
    switch (c.reducer) {
    case Reducer::sum: return rounded(c.type, a.real + b.real);
    case Reducer::prod: return rounded(c.type, a.real * b.real);
    case Reducer::min: return of(min_of(b.real, a.real));
    case Reducer::max: return of(max_of(b.real, a.real));
    default: problem = "reduces numbers as if they were conditions"; return a;
    }
  }
  std::int64_t result = 0;
  bool overflow = false;
  switch (c.reducer) {
  case Reducer::sum: overflow = __builtin_add_overflow(a.whole, b.whole, &result); break;
  case Reducer::prod: overflow = __builtin_mul_overflow(a.whole, b.whole, &result); break;
  case Reducer::min: result = std::min(a.whole, b.whole); break;
  case Reducer::max: result = std::max(a.whole, b.whole); break;
  case Reducer::any: result = a.whole | b.whole; break;
  case Reducer::all: result = a.whole & b.whole; break;
  }
  return checked(c.type, overflow, result, problem);
}

} // namespace cyclotron::sam
