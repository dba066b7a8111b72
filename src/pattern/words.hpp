// SPDX-License-Identifier: MIT
// The words of the text form, for the printer, the parser and the verifier; and how tightly operators bind.
//
// Nearly all words may be names, too: what they mean shows in what stands behind them. So no name of a user's program
// is in the way.
#pragma once

#include "pattern/ir.hpp"

#include <array>
#include <string_view>

namespace cyclotron::pattern {

// Letters, figures and `_`, and no figure first.
bool is_word(std::string_view text);
// A word that is not one of the few which mean something wherever they stand: `and`, `or`, `not`, `true`, `false`,
// `inf`, `nan`.
bool is_name(std::string_view text);

constexpr std::array<std::string_view, 3> array_words{"positions", "coordinates", "values"};          // as ArrayKind
constexpr std::array<std::string_view, 5> memory_words{"sram", "sparse sram", "fifo", "reg", "bits"}; // as MemoryKind
constexpr std::string_view word_of(ArrayKind kind) { return array_words[static_cast<std::size_t>(kind)]; }
constexpr std::string_view word_of(MemoryKind kind) { return memory_words[static_cast<std::size_t>(kind)]; }

constexpr std::string_view type_hint = "types are f64, f32, i64, i32 and bool";

// How tightly an expression holds together, loosest first.
enum Level {
  level_or = 1,
  level_and,
  level_not,
  level_comparison,
  level_sum,
  level_product,
  level_unary,
  level_primary,
};
Level level_of(recurrence::BinaryOp op);

// How many arguments a function takes.
struct Arity {
  std::size_t least, most;
  std::string_view form; // behind its name
};
Arity arity_of(recurrence::Function function);
// "2 or more arguments".
std::string text_of(const Arity& arity);

} // namespace cyclotron::pattern
