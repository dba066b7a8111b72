// SPDX-License-Identifier: MIT
#include "code/arithmetic.hpp"

#include "code/operators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace cyclotron::code {

namespace {

// The lowest bits, read as a number with a sign.
std::int64_t wrapped(std::uint64_t bits, Scalar scalar) {
  switch (scalar) {
  case Scalar::boolean: return bits != 0;
  case Scalar::i16: return static_cast<std::int16_t>(bits);
  case Scalar::i32: return static_cast<std::int32_t>(bits);
  default: return static_cast<std::int64_t>(bits);
  }
}

Word truth_word(bool value) { return {value ? 1 : 0, 0}; }

std::int64_t quotient_of(BinaryOp op, Scalar scalar, std::int64_t a, std::int64_t b) {
  const std::string_view text = row_of(op).text;
  if (b == 0) throw Undefined{fmt::format("a divisor of `{}` is 0", text)};
  if (op == BinaryOp::div) return b == -1 ? wrapped(0 - static_cast<std::uint64_t>(a), scalar) : a / b;
  if (b < 0) throw Undefined{fmt::format("a divisor of `{}` is {}, and not positive", text, b)};
  const std::int64_t remainder = a % b + (a % b < 0 ? b : 0);
  return op == BinaryOp::mod ? remainder : (a - a % b) / b - (a % b < 0 ? 1 : 0);
}

Word apply_whole(BinaryOp op, Scalar scalar, std::int64_t a, std::int64_t b) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  switch (op) {
  case BinaryOp::add: return {wrapped(x + y, scalar), 0};
  case BinaryOp::sub: return {wrapped(x - y, scalar), 0};
  case BinaryOp::mul: return {wrapped(x * y, scalar), 0};
  case BinaryOp::div:
  case BinaryOp::floor_div:
  case BinaryOp::mod: return {quotient_of(op, scalar, a, b), 0};
  case BinaryOp::min: return {std::min(a, b), 0};
  case BinaryOp::max: return {std::max(a, b), 0};
  case BinaryOp::less: return truth_word(a < b);
  case BinaryOp::less_equal: return truth_word(a <= b);
  case BinaryOp::equal: return truth_word(a == b);
  case BinaryOp::not_equal: return truth_word(a != b);
  case BinaryOp::logical_and:
  case BinaryOp::bit_and: return {a & b, 0};
  case BinaryOp::logical_or:
  case BinaryOp::bit_or: return {a | b, 0};
  case BinaryOp::bit_xor: return {a ^ b, 0};
  case BinaryOp::pow: break;
  }
  bug("an operator that whole numbers do not have");
}

// In the type itself, so that it is rounded once.
template <class Real> Word apply_real(BinaryOp op, Real a, Real b) {
  switch (op) {
  case BinaryOp::add: return {0, a + b};
  case BinaryOp::sub: return {0, a - b};
  case BinaryOp::mul: return {0, a * b};
  case BinaryOp::div: return {0, a / b};
  case BinaryOp::min: return {0, std::isnan(a) || a < b ? a : b};
  case BinaryOp::max: return {0, std::isnan(a) || b < a ? a : b};
  case BinaryOp::pow: return {0, std::pow(a, b)};
  case BinaryOp::less: return truth_word(a < b);
  case BinaryOp::less_equal: return truth_word(a <= b);
  case BinaryOp::equal: return truth_word(a == b);
  case BinaryOp::not_equal: return truth_word(a != b);
  default: bug("an operator that only whole numbers have");
  }
}

template <class Real> Word apply_real(UnaryOp op, Real a) {
  switch (op) {
  case UnaryOp::negate: return {0, -a};
  case UnaryOp::absolute: return {0, std::abs(a)};
  case UnaryOp::sqrt: return {0, std::sqrt(a)};
  case UnaryOp::exp: return {0, std::exp(a)};
  case UnaryOp::log: return {0, std::log(a)};
  case UnaryOp::logical_not: break;
  }
  bug("an operator of truth values");
}

template <class Element> Element element_at(const std::byte* at) {
  Element element;
  std::memcpy(&element, at, sizeof element);
  return element;
}

template <class Element> void put_element(std::byte* at, Element element) { std::memcpy(at, &element, sizeof element); }

} // namespace

Word word_of(const Number& n) {
  return {n.whole, n.scalar == Scalar::f32 ? static_cast<double>(static_cast<float>(n.real)) : n.real};
}

Word apply(UnaryOp op, Scalar scalar, Word a) {
  if (scalar == Scalar::f64) return apply_real(op, a.real);
  if (scalar == Scalar::f32) return apply_real(op, static_cast<float>(a.real));
  if (op == UnaryOp::logical_not) return truth_word(a.whole == 0);
  const bool turns = op == UnaryOp::negate || a.whole < 0;
  return {turns ? wrapped(0 - static_cast<std::uint64_t>(a.whole), scalar) : a.whole, 0};
}

Word apply(BinaryOp op, Scalar scalar, Word a, Word b) {
  if (scalar == Scalar::f64) return apply_real(op, a.real, b.real);
  if (scalar == Scalar::f32) return apply_real(op, static_cast<float>(a.real), static_cast<float>(b.real));
  return apply_whole(op, scalar, a.whole, b.whole);
}

Word convert(Word a, Scalar from, Scalar to) {
  if (to == Scalar::boolean) return truth_word(is_float(from) ? a.real != 0 : a.whole != 0);
  if (is_float(from)) {
    if (is_float(to)) return {0, to == Scalar::f32 ? static_cast<double>(static_cast<float>(a.real)) : a.real};
    const double cut = std::trunc(a.real), beyond = std::ldexp(1, 8 * static_cast<int>(bytes_of(to)) - 1);
    if (!(cut >= -beyond && cut < beyond)) throw Undefined{fmt::format("{} does not fit {}", a.real, name_of(to))};
    return {static_cast<std::int64_t>(cut), 0};
  }
  if (to == Scalar::f32) return {0, static_cast<double>(static_cast<float>(a.whole))};
  if (to == Scalar::f64) return {0, static_cast<double>(a.whole)};
  return {wrapped(static_cast<std::uint64_t>(a.whole), to), 0};
}

Word read_word(const std::byte* at, Scalar scalar) {
  switch (scalar) {
  case Scalar::boolean: return truth_word(element_at<std::uint8_t>(at) != 0);
  case Scalar::i16: return {element_at<std::int16_t>(at), 0};
  case Scalar::i32: return {element_at<std::int32_t>(at), 0};
  case Scalar::i64: return {element_at<std::int64_t>(at), 0};
  case Scalar::f32: return {0, static_cast<double>(element_at<float>(at))};
  case Scalar::f64: return {0, element_at<double>(at)};
  }
  bug("unknown type");
}

void write_word(std::byte* at, Scalar scalar, Word word) {
  switch (scalar) {
  case Scalar::boolean: return put_element(at, static_cast<std::uint8_t>(word.whole));
  case Scalar::i16: return put_element(at, static_cast<std::int16_t>(word.whole));
  case Scalar::i32: return put_element(at, static_cast<std::int32_t>(word.whole));
  case Scalar::i64: return put_element(at, word.whole);
  case Scalar::f32: return put_element(at, static_cast<float>(word.real));
  case Scalar::f64: return put_element(at, word.real);
  }
}

} // namespace cyclotron::code
