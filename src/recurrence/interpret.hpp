// SPDX-License-Identifier: MIT
// The meaning of a program: its equations evaluated as they stand. Every backend is compared with this.
//
// Each element that an equation defines is computed when it is first needed, from the values it reads. Nothing is
// reordered, nothing is skipped because it is zero, every step of a stepped tensor is kept.
#pragma once

#include "recurrence/domains.hpp"
#include "recurrence/types.hpp"
#include "tensor/tensor.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace cyclotron::recurrence {

// What a run starts from: every size, every input.
struct Bindings {
  std::map<std::string, std::int64_t> sizes;
  std::map<std::string, tensor::Tensor> tensors;
};

struct InterpretOptions {
  std::set<std::string> all_steps; // stepped tensors of which every step is wanted, as a first dimension
};

// Outputs by name, in their declared formats; the last step of stepped ones. Nothing where an error was reported:
// a cycle (named), an integer that overflows, more memory than there is.
std::optional<std::map<std::string, tensor::Tensor>> interpret(const Program& program, const Types& types,
                                                               const Domains& domains, const Bindings& bindings,
                                                               const InterpretOptions& options,
                                                               Diagnostics& diagnostics);

} // namespace cyclotron::recurrence
