// SPDX-License-Identifier: MIT
// How operators and functions are written, for the printer and the parser.
#pragma once

#include "code/ir.hpp"

#include <array>
#include <string_view>

namespace cyclotron::code {

// How tightly an expression holds together, loosest first.
enum Level {
  level_or = 1,
  level_and,
  level_not,
  level_comparison,
  level_bit_or,
  level_bit_xor,
  level_bit_and,
  level_sum,
  level_product,
  level_unary,
  level_primary,
};

struct BinaryRow {
  BinaryOp op;
  std::string_view text;
  int level; // level_primary: a function, `min(a, b)`
};
constexpr std::array<BinaryRow, 18> binary_rows{{
    {BinaryOp::add, "+", level_sum},
    {BinaryOp::sub, "-", level_sum},
    {BinaryOp::mul, "*", level_product},
    {BinaryOp::div, "/", level_product},
    {BinaryOp::floor_div, "//", level_product},
    {BinaryOp::mod, "%", level_product},
    {BinaryOp::min, "min", level_primary},
    {BinaryOp::max, "max", level_primary},
    {BinaryOp::pow, "pow", level_primary},
    {BinaryOp::less, "<", level_comparison},
    {BinaryOp::less_equal, "<=", level_comparison},
    {BinaryOp::equal, "==", level_comparison},
    {BinaryOp::not_equal, "!=", level_comparison},
    {BinaryOp::logical_and, "and", level_and},
    {BinaryOp::logical_or, "or", level_or},
    {BinaryOp::bit_and, "&", level_bit_and},
    {BinaryOp::bit_or, "|", level_bit_or},
    {BinaryOp::bit_xor, "^", level_bit_xor},
}};
constexpr const BinaryRow& row_of(BinaryOp op) { return binary_rows[static_cast<std::size_t>(op)]; }

struct UnaryRow {
  UnaryOp op;
  std::string_view text; // a function, but for `-` and `not`
};
constexpr std::array<UnaryRow, 6> unary_rows{{
    {UnaryOp::negate, "-"},
    {UnaryOp::logical_not, "not"},
    {UnaryOp::absolute, "abs"},
    {UnaryOp::sqrt, "sqrt"},
    {UnaryOp::exp, "exp"},
    {UnaryOp::log, "log"},
}};
constexpr const UnaryRow& row_of(UnaryOp op) { return unary_rows[static_cast<std::size_t>(op)]; }

constexpr std::array<std::string_view, 4> role_words{"in", "out", "scratch", "shared"}; // as in Role
constexpr std::array<std::string_view, 3> run_words{"for", "blocks", "workers"};        // as in Run

} // namespace cyclotron::code
