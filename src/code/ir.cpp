// SPDX-License-Identifier: MIT
#include "code/ir.hpp"

#include "code/operators.hpp"

#include <algorithm>
#include <cctype>

namespace cyclotron::code {

namespace {

struct ScalarRow {
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<ScalarRow, 6> scalar_rows{
    {{"bool", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}, {"f32", 4}, {"f64", 8}}};

// What the text form means by itself.
constexpr std::array<std::string_view, 28> own_words{
    "kernel", "sizes", "in",      "out",  "scratch", "shared", "var",   "store",  "for",   "workers",
    "blocks", "if",    "barrier", "fail", "and",     "or",     "not",   "select", "shift", "extract",
    "any",    "lanes", "lane",    "step", "unroll",  "true",   "false", "inf"};
constexpr std::array<std::string_view, 3> further_words{"inff", "nan", "nanf"};

bool is_own_word(std::string_view text) {
  const auto is = [&](const auto& row) { return row.text == text; };
  return std::count(own_words.begin(), own_words.end(), text) ||
         std::count(further_words.begin(), further_words.end(), text) || scalar_named(text) ||
         std::any_of(binary_rows.begin(), binary_rows.end(), is) ||
         std::any_of(unary_rows.begin(), unary_rows.end(), is);
}

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }

} // namespace

std::string_view name_of(Scalar scalar) { return scalar_rows[static_cast<std::size_t>(scalar)].name; }

std::string name_of(Type type) { return std::string(name_of(type.scalar)) + (type.lanes ? " lanes" : ""); }

std::optional<Scalar> scalar_named(std::string_view name) {
  for (std::size_t s = 0; s < scalar_rows.size(); ++s)
    if (scalar_rows[s].name == name) return static_cast<Scalar>(s);
  return std::nullopt;
}

std::int64_t bytes_of(Scalar scalar) { return scalar_rows[static_cast<std::size_t>(scalar)].bytes; }

bool is_float(Scalar scalar) { return scalar == Scalar::f32 || scalar == Scalar::f64; }

bool is_whole(Scalar scalar) { return !is_float(scalar) && scalar != Scalar::boolean; }

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); }) &&
         !is_own_word(text);
}

std::string name_from(const std::string& wanted) { return is_own_word(wanted) ? wanted + "_" : wanted; }

} // namespace cyclotron::code
