// SPDX-License-Identifier: MIT
// What people bring along from other languages (C, Fortran, Julia, NumPy, mathematics), and what is written here
// instead.
#pragma once

#include <string_view>

namespace cyclotron::frontend {

struct ForeignSymbol {
  std::string_view written;
  std::string_view meant; // the symbol or word of the language that says the same, or "" where none does
  std::string_view hint;
};

// The longest foreign symbol that `text` begins with, or none.
const ForeignSymbol* foreign_symbol_at(std::string_view text);

// What opens a comment elsewhere, where `line` begins with it; "" where it does not.
std::string_view foreign_comment_at(std::string_view line);

// Each gives what to write instead, or "" where the word is not known from anywhere.
std::string_view hint_for_foreign_statement(std::string_view first_word); // `for i in …`
std::string_view hint_for_foreign_word(std::string_view word);            // `… where …`
std::string_view hint_for_foreign_function(std::string_view name);        // `tanh(…)`
std::string_view hint_for_foreign_reduction(std::string_view name);       // `argmax[i](…)`

} // namespace cyclotron::frontend
