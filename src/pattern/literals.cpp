// SPDX-License-Identifier: MIT
#include "pattern/literals.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>

namespace cyclotron::pattern {

namespace {

// Always with something that says it is no whole number.
std::string real_text(std::string digits) {
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits;
}

// The shortest digits that read back as the same number.
std::string f64_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  return real_text(fmt::format("{}", value));
}

// Read as an f64 and then rounded, the shortest digits of one f32 become its neighbour: 7.038531e-26. It is written as
// the f64 that it is.
std::string f32_text(double value) {
  const float narrow = static_cast<float>(value);
  if (!std::isfinite(narrow)) return f64_text(narrow);
  const std::string text = real_text(fmt::format("{}", narrow));
  return static_cast<float>(std::strtod(text.c_str(), nullptr)) == narrow ? text : f64_text(narrow);
}

bool fits_i32(std::int64_t whole) {
  return whole >= std::numeric_limits<std::int32_t>::min() && whole <= std::numeric_limits<std::int32_t>::max();
}

std::optional<Number> as_i32(const Number& number) {
  const bool real = number.type == ValueType::f64;
  if (real && !(std::trunc(number.real) == number.real && std::abs(number.real) < 4e9)) return std::nullopt;
  const std::int64_t whole = real ? static_cast<std::int64_t>(number.real) : number.whole;
  if (!fits_i32(whole)) return std::nullopt;
  return Number{ValueType::i32, whole, 0};
}

} // namespace

std::string text_of(const Number& number) {
  switch (number.type) {
  case ValueType::boolean: return number.whole ? "true" : "false";
  case ValueType::i64: return fmt::format("{}", number.whole);
  case ValueType::i32: return fmt::format("i32({})", number.whole);
  case ValueType::f64: return f64_text(number.real);
  case ValueType::f32: return fmt::format("f32({})", f32_text(number.real));
  }
  bug("unknown value type");
}

std::optional<Number> folded(const Convert& convert) {
  const Number* number = ir::as<Number>(convert.operand);
  if (!number || !has_literal(number->type) || number->type == ValueType::boolean) return std::nullopt;
  if (convert.to == ValueType::i32) return as_i32(*number);
  if (convert.to != ValueType::f32) return std::nullopt;
  const float value =
      number->type == ValueType::f64 ? static_cast<float>(number->real) : static_cast<float>(number->whole);
  return Number{ValueType::f32, 0, value};
}

bool has_literal(ValueType type) { return type != ValueType::f32 && type != ValueType::i32; }

} // namespace cyclotron::pattern
