// SPDX-License-Identifier: MIT
// What operators and conversions do with numbers of one lane, for what computes kernels here: the interpreter.
//
//   apply(BinaryOp::add, Scalar::i16, {32767}, {1})   -->   {-32768}
#pragma once

#include "code/ir.hpp"

#include <string>

namespace cyclotron::code {

// A number: `whole` of whole numbers and truth values, `real` of the others, rounded to their type.
struct Word {
  std::int64_t whole = 0;
  double real = 0;
};

// Thrown where the header of the IR says that something must not be: a divisor of 0, a number that does not fit.
struct Undefined {
  std::string message;
};

Word word_of(const Number& number);
Word apply(UnaryOp op, Scalar scalar, Word a);
Word apply(BinaryOp op, Scalar scalar, Word a, Word b); // the answer of a comparison is a truth value
Word convert(Word a, Scalar from, Scalar to);

// Elements in memory.
Word read_word(const std::byte* at, Scalar scalar);
void write_word(std::byte* at, Scalar scalar, Word word);

} // namespace cyclotron::code
