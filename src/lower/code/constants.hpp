// SPDX-License-Identifier: MIT
// Elements that are formulas of their indices: a kernel that computes and stores them before all others.
//
//   H(i,0) <- gap*i : 0 <= i < n   -->   workers i = 0 .. n
//                                          store H[i * m] = …
#pragma once

#include "dataflow/ir.hpp"
#include "lower/code/isl_to_code.hpp"
#include "lower/code/names.hpp"

#include <map>
#include <optional>

namespace cyclotron::lower {

// What names of the program are called in its kernels, and the shapes of tensors there.
struct KernelNames {
  std::map<std::string, std::string> memories, sizes;
  std::map<std::string, std::vector<code::Expr>> extents; // of tensors
  std::map<std::string, code::Scalar> scalars;            // of tensors, as they lie in memory
  Meanings meanings;                                      // of sizes, by isl's names
};

// Nothing where there are none. Needs memories and sizes of `kernel`, which has no body yet.
std::optional<code::Kernel> constants_kernel(const dataflow::Program& program, const KernelNames& called,
                                             code::Kernel kernel, FreshNames names);

} // namespace cyclotron::lower
