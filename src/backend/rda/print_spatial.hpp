// SPDX-License-Identifier: MIT
// Pattern programs as Spatial, the language of parallel patterns in which the array machine is programmed: text to read
// and to compare with what others write by hand. To check what it computes, it also compiles with plain Scala, together
// with runtime/Spatial.scala:
//
//   scalac spmv.scala Spatial.scala
//   scala spmv FOLDER
//
// In the folder, `sizes.csv` has the program's sizes in their order, and `NAME.csv` the numbers of each dram that is
// `in`, one to a line (`inf`, `-inf`, `nan`; truth values are 0 and 1). What is `out` comes back in the same form. A
// program that is stopped, because it reads a queue that is empty or a number does not fit, writes nothing.
#pragma once

#include "pattern/ir.hpp"

#include <string>
#include <string_view>

namespace cyclotron::backend::rda {

// A whole file. The program must be verified.
std::string print_spatial(const pattern::Program& program);

// The name of the object that has `main`: the program's, except where Scala has no such name.
std::string object_name(const pattern::Program& program);

// runtime/Spatial.scala: what each construct of the text means, one iteration after the other.
std::string_view spatial_runtime();

} // namespace cyclotron::backend::rda
