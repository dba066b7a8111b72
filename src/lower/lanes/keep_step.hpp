// SPDX-License-Identifier: MIT
// A time at which all elements of an array do their steps together.
//
//   place i, time j, H(i,j) needs H(i-1,j)   -->   time i + j: the neighbour is a step ahead
#pragma once

#include "lanes/ir.hpp"
#include "lower/dataflow/find_timing.hpp"
#include "lower/lanes/lane_machine.hpp"

#include <optional>

namespace cyclotron::lower {

// The program at the times of its spaces or, where a value would be late by them, with each element some steps after
// its neighbour, by its timing, or with the elements of a space in turns. What is only carried along is fetched where
// it is used, unless the schedule or the equations have it travel. Shape, strips and workers are not set. Reports what
// keeps no step.
std::optional<lanes::Program> keep_step(const dataflow::Program& program, const LaneMachine& machine,
                                        const std::optional<TimingSearch>& timing, Diagnostics& diagnostics);

} // namespace cyclotron::lower
