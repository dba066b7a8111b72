// SPDX-License-Identifier: MIT
// What the formula for the cycles of an array says about a program of it, and whether the program keeps to it.
#pragma once

#include "lower/dataflow/closed_form.hpp"
#include "pe/ir.hpp"
#include "pe/rehearse.hpp"

namespace cyclotron::lower {

// Writes the formula, the cycles at these sizes and those of each pass into the program.
void set_predicted_cycles(pe::Program& program, const ClosedForm& form,
                          const std::map<std::string, std::int64_t>& sizes);

// By the timing a step may come later than it does, as when the dependences that hold it back are not there for all
// points or sizes. So a formula that the rehearsal contradicts is not told.
void drop_form_if_wrong(pe::Program& program, const pe::Rehearsal& rehearsal);

} // namespace cyclotron::lower
