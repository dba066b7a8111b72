// SPDX-License-Identifier: MIT
// One design of lanes from its schedule, as text: what it is worth before anything runs, and how fast it is here.
#pragma once

#include "driver/explore_sweep.hpp"
#include "driver/lanes_code.hpp"
#include "explore/points.hpp"

namespace cyclotron::driver {

namespace lane_parameter {
inline constexpr const char *schedule = "schedule", *tensors = "tensors", *strips = "strips", *registers = "registers",
                            *outturn = "outturn", *seconds = "seconds", *elements = "elements of a lane";
} // namespace lane_parameter

// The commands of a schedule, with inputs that travel from element to element where the map allows it. Nothing where
// none can.
std::optional<std::string> with_inputs_that_travel(const ExploreSweep& sweep, const LaneTarget& target,
                                                   const std::string& commands, const std::vector<std::string>& along);

// Steps are in `cycles`, elements in `pes`; the family is the design's letters, such as `SBM`.
explore::Point lane_design(const ExploreSweep& sweep, const LaneTarget& target, const std::string& commands);

// The design, compiled for this machine's vector registers with so many elements for each lane, run and compared with
// what the interpreter found. Nothing where it cannot have so many.
std::optional<double> seconds_of_design(const ExploreSweep& sweep, const std::string& commands, const std::string& axis,
                                        std::int64_t elements, const std::map<std::string, tensor::Tensor>& expected,
                                        std::string& problem);

} // namespace cyclotron::driver
