// SPDX-License-Identifier: MIT
// Numbers as pattern programs compute with them, in the words of the interpreter of equations: f32 is rounded after
// every operation, and whole numbers that do not fit are noticed.
#pragma once

#include "pattern/ir.hpp"
#include "tensor/word.hpp"

#include <string>
#include <vector>

namespace cyclotron::pattern {

using tensor::Word;

struct Value {
  ValueType type = ValueType::i64;
  Word word = tensor::whole_word(0);

  double real() const { return tensor::is_float(type) ? word.real : static_cast<double>(word.whole); }
  std::int64_t whole() const { return word.whole; } // of whole numbers and truth values
  bool truth() const { return word.whole != 0; }
};

Value whole_value(std::int64_t number);
Value truth_value(bool truth);
Value value_of(const Number& number);

// Thrown where a number is not defined or does not fit.
struct Undefined {
  std::string message;
};

Value compute(recurrence::UnaryOp op, Value a);
Value compute(recurrence::BinaryOp op, Value a, Value b);
Value compute(recurrence::Function function, const std::vector<Value>& arguments);
Value combine(Reducer reducer, Value a, Value b);
Value convert(Value a, ValueType to);

} // namespace cyclotron::pattern
