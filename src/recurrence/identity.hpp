// SPDX-License-Identifier: MIT
// What a reduction of nothing gives, and what an element that is not stored holds.
#pragma once

#include "recurrence/ir.hpp"
#include "tensor/word.hpp"

namespace cyclotron::recurrence {

tensor::Word zero_of(tensor::ValueType type);

tensor::Word identity_of(Reducer reducer, tensor::ValueType type);

} // namespace cyclotron::recurrence
