// SPDX-License-Identifier: MIT
// From a loop nest to parallel patterns over explicit memories (Stardust, sections 6 and 8): what each loop runs over
// together, which memory each array of a tensor is in, and where it is moved there.
//
//   forall i                              sram B2_pos: i64[m + 1]; load B2_pos …
//     forall j                            foreach i = 0 .. m
//       tx(i) += B(i,j) * c(j)     -->      fifo B2_crd: i64[16]; load B2_crd …
//     x(i) = tx(i)                          reg tx: f64 = 0.0
//                                           reduce tx by sum over p = 0 .. B2_end - B2_first
//                                             let j: i64 = deq(B2_crd) …
#pragma once

#include "frontend/check.hpp"
#include "loops/ir.hpp"
#include "pattern/ir.hpp"

#include <map>
#include <optional>
#include <string>

namespace cyclotron::lower {

struct LoweredPattern {
  pattern::Program program;
  std::map<std::string, tensor::Format> stored; // how the machine stores tensors, where not as they are declared
};

// Reports what patterns cannot do: loops whose iterations need each other, steps, tiles.
std::optional<LoweredPattern> loops_to_pattern(const std::string& name, const frontend::Checked& checked,
                                               const loops::Nest& nest, Diagnostics& diagnostics);

} // namespace cyclotron::lower
