// SPDX-License-Identifier: MIT
// Which elements of the sparse outputs can be other than zero: the recurrence run over structure only.
//
// No value is looked at. A sum can be other than zero where one of its terms can, a product where all of its factors
// can; dense tensors can be everywhere. What cancels, by chance or by design, is counted as present.
#pragma once

#include "recurrence/interpret.hpp"

namespace cyclotron::recurrence {

// Per output whose format is not dense, a tensor in its declared format that stores exactly those elements, all
// zero. The steps of a stepped tensor share one structure. Nothing where an error was reported: tiles, or more memory
// than there is.
std::optional<std::map<std::string, tensor::Tensor>> find_structure(const Program& program, const Types& types,
                                                                    const Domains& domains, const Bindings& bindings,
                                                                    Diagnostics& diagnostics);

} // namespace cyclotron::recurrence
