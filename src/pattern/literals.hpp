// SPDX-License-Identifier: MIT
// Numbers as text, each of its type.
#pragma once

#include "pattern/ir.hpp"

namespace cyclotron::pattern {

// `3`, `2.5`, `f32(2.5)`, `i32(3)`, `true`; reads back as the same number.
std::string text_of(const Number& number);

// `f32(2.5)` and `i32(3)` as the one number that they are; nothing where it is not exactly one of this type, or where
// the conversion is of something else.
std::optional<Number> folded(const Convert& convert);

bool has_literal(ValueType type); // a number of this type is written without a conversion

} // namespace cyclotron::pattern
