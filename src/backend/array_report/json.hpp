// SPDX-License-Identifier: MIT
// The statistics of a run as JSON. All keys are always there; times are in cycles.
//
//   program, schedule           texts
//   grid                        {axes: names, extents: numbers}
//   cycles                      of the whole run
//   closed_form                 null, or {text, cycles, equal}: equal where the simulated cycles are the predicted ones
//   utilisation                 of all PEs over all cycles, from 0 to 1: the part spent in steps
//   operating                   the same for steps that compute an operation of the program; others only move values
//   totals                      over all PEs {computing, operating, receiving, sending, idle, steps, loads, stores},
//                               over all links {messages, bytes}; memory_bytes: of the PE that needs most
//   spaces, roles               names
//   values                      per value that flows [{value, links, messages, bytes, most_waiting}]
//   activity                    {cycles_per_bin, active}: cycles of computing of all PEs in each bin
//   pes                         row-major over the grid [{at, role (name or null), computing, operating, receiving,
//                               sending, idle, utilisation, begin, end, steps, loads, stores, received, sent,
//                               memory_bytes, intervals: [[activity, begin, end]],
//                               step_records: [[space, begin, end]]}]
//                               the last two are empty unless recorded; activity is computes, waits_to_receive or
//                               waits_to_send, space a name
//   links                       [{channel, value, from, to (coordinates), messages, bytes, most_waiting}]
//   simulation                  {seconds, channel_operations}
#pragma once

#include "backend/array/statistics.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cyclotron::array_report {

nlohmann::ordered_json to_json(const array::Statistics& statistics);

// The same as text: a key per line, a PE or link per line.
std::string json(const array::Statistics& statistics);

} // namespace cyclotron::array_report
