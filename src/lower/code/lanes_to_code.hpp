// SPDX-License-Identifier: MIT
// From lanes to loops over vectors of lanes: the code that computes a program, strip by strip and step by step.
//
//   lanes 16, strips parallel            -->   workers b = 0 .. (m + 15) // 16
//   space z(c, q) at place c, time q             for q = 0 .. r
//     z(c, q) <- z(c, q-1) + x(c+q) * w(q)         z = z + x[b * 16 + q : 1] * lanes(w[q])
//   z(c) <- z(c, r-1)                            store z_out[b * 16 : 1] = z
//
// Strips of which only some elements take part have masks; the others have none.
#pragma once

#include "code/ir.hpp"
#include "lanes/ir.hpp"
#include "lower/code/code_for.hpp"
#include "lower/code/operations.hpp"

#include <map>
#include <string>
#include <vector>

namespace cyclotron::lower {

struct LanesCode {
  std::vector<code::Kernel> kernels;           // one after the other; each has all memories and sizes
  std::map<std::string, std::string> memories; // of tensors: what they are called in the kernels
  std::map<std::string, std::string> sizes;
  bool narrow = false; // inputs of type i32 are in memory as i16
};

// The answer of a kernel: 0, overflow_code or undefined_code (operations.hpp).
LanesCode lanes_to_code(const lanes::Program& program, const Arithmetic& arithmetic = {},
                        CodeFor code_for = CodeFor::core);

} // namespace cyclotron::lower
