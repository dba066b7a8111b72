// SPDX-License-Identifier: MIT
// Loads of elements side by side come together, each element once, where several statements want them:
//
//   var a: f32 lanes = x[b : 4] * w              var x_0: f32 lanes = x[b : 4]
//   var c: f32 lanes = a + x[b + 1 : 4] * w      ...
//   ...                                    -->   var x_7: f32 lanes = x[b + 7 : 4]
//                                                var a: f32 lanes = x_0 * w
//                                                ...
//
// A thread then moves a whole stride of them at once (adjacent.hpp), and none of them again. Where lanes exchange
// values, single numbers are loaded before that, too: what is behind an exchange is not loaded while a thread waits for
// it.
#pragma once

#include "code/ir.hpp"

namespace cyclotron::backend::cuda {

code::Kernel load_together(const code::Kernel& kernel);

} // namespace cyclotron::backend::cuda
