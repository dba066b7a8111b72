// SPDX-License-Identifier: MIT
// Numbers as the interpreter of the language computes them: f32 is rounded after every step, integers that overflow
// and numbers that are not defined are errors.
#pragma once

#include "recurrence/identity.hpp"
#include "stream/ir.hpp"
#include "tensor/word.hpp"

#include <string>

namespace cyclotron::sam {

using recurrence::zero_of;
using tensor::ValueType;
using tensor::Word;

// What an ALU does with its operands.
struct Calculation {
  stream::Operation operation = stream::Operation::mul;
  ValueType operands = ValueType::f64; // their type
  ValueType result = ValueType::f64;
  bool zero_by_zero_is_zero = false; // in a sparse result, where such elements need not be computed
};

struct Combination {
  recurrence::Reducer reducer = recurrence::Reducer::sum;
  ValueType type = ValueType::f64;
};

Word convert(Word value, ValueType from, ValueType to);
bool is_zero(Word value, ValueType type);

// Where the result is not defined, `problem` says why: a clause that follows the name of who computes.
Word calculate(const Calculation& calculation, const Word* operands, const char*& problem);
Word combine(const Combination& combination, Word a, Word b, const char*& problem);

} // namespace cyclotron::sam
