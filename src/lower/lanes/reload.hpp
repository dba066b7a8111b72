// SPDX-License-Identifier: MIT
// Inputs that are carried from element to element, loaded where they are used instead.
//
//   (c, q)_z <- (c, q-1)_z + (c, q)_x * …    -->   (c, q)_z <- (c, q-1)_z + x(c+q) * …
#pragma once

#include "lanes/flows.hpp"
#include "lanes/ir.hpp"

#include <functional>

namespace cyclotron::lower {

// Replaces the reads of copies for which `which` holds by elements of the input. Then drops rules of values that nobody
// reads any more.
void reload(dataflow::Program& program, const std::vector<std::optional<lanes::Copy>>& copies,
            const std::function<bool(const lanes::Flow&)>& which);

// Rules of values that nobody reads, and these values.
void drop_what_nobody_reads(dataflow::Program& program);

} // namespace cyclotron::lower
