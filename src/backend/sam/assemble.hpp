// SPDX-License-Identifier: MIT
// Makes a tensor of what the writers of a graph have collected.
#pragma once

#include "backend/sam/machine.hpp"

namespace cyclotron::sam {

std::optional<tensor::Tensor> assemble(const stream::Graph& graph, const Machine& machine,
                                       const std::vector<std::int64_t>& dims, Diagnostics& diagnostics);

} // namespace cyclotron::sam
