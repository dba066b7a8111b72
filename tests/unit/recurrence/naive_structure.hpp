// SPDX-License-Identifier: MIT
// Structure found the slow way: every element of every equation asked again and again until nothing new appears.
#pragma once

#include "recurrence/interpret.hpp"

namespace cyclotron::recurrence {

// Per tensor that is not dense, which elements can be other than zero, in row-major order.
using Presence = std::map<std::string, std::vector<bool>>;

Presence naive_structure(const Program& program, const Domains& domains, const Bindings& bindings);

// Where a tensor stores something, in row-major order.
std::vector<bool> stored_elements(const tensor::Tensor& tensor);

} // namespace cyclotron::recurrence
