// SPDX-License-Identifier: MIT
#include "pattern/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace cyclotron::pattern {

namespace {

constexpr std::array<std::string_view, 7> own_words{"and", "or", "not", "true", "false", "inf", "nan"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_figure(char c) { return c >= '0' && c <= '9'; }

} // namespace

bool is_word(std::string_view text) {
  return !text.empty() && is_letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_letter(c) || is_figure(c); });
}

bool is_name(std::string_view text) {
  return is_word(text) && std::count(own_words.begin(), own_words.end(), text) == 0;
}

Level level_of(recurrence::BinaryOp op) {
  using recurrence::BinaryOp;
  if (op == BinaryOp::logical_or) return level_or;
  if (op == BinaryOp::logical_and) return level_and;
  if (recurrence::is_comparison(op)) return level_comparison;
  return op == BinaryOp::add || op == BinaryOp::sub ? level_sum : level_product;
}

Arity arity_of(recurrence::Function function) {
  using recurrence::Function;
  if (function == Function::min || function == Function::max)
    return {2, std::numeric_limits<std::size_t>::max(), "(x, y)"};
  if (function == Function::pow) return {2, 2, "(x, y)"};
  return {1, 1, "(x)"};
}

std::string text_of(const Arity& arity) {
  if (arity.most > arity.least) return fmt::format("{} or more arguments", arity.least);
  return fmt::format("{} argument{}", arity.least, arity.least == 1 ? "" : "s");
}

} // namespace cyclotron::pattern
