// SPDX-License-Identifier: MIT
// What must hold for all sizes before anything runs: types, one definition per element, reads in bounds, an order.
#pragma once

#include "frontend/unit.hpp"
#include "recurrence/domains.hpp"
#include "recurrence/types.hpp"

#include <memory>

namespace cyclotron::frontend {

// `proven`: there is an order in which every element is computed before it is needed, for all sizes.
// `undecided`: it found none, and no cycle shows at small sizes; the interpreter decides at run time.
enum class Order { proven, undecided };

struct Checked {
  std::shared_ptr<const Unit> unit;
  recurrence::Types types;
  recurrence::Domains domains;
  Order order = Order::undecided;

  const recurrence::Program& program() const { return unit->program; }
};

// Types and shapes, then domains.
Checked infer(const Unit& unit, Diagnostics& diagnostics);

// Each element is defined at most once; dimensions are never negative; an equation that defines nothing is
// worth a warning.
Checked check_definitions(const Checked& checked, Diagnostics& diagnostics);

// Every read is inside its tensor and of a step that is defined.
Checked check_bounds(const Checked& checked, Diagnostics& diagnostics);

// Some order of computation exists.
Checked check_order(const Checked& checked, Diagnostics& diagnostics);

// The checks of schedules against the names of the program.
Checked check_schedules(const Checked& checked, Diagnostics& diagnostics);

} // namespace cyclotron::frontend
