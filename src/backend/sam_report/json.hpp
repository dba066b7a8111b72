// SPDX-License-Identifier: MIT
// The statistics of a run of streams as JSON. All keys are always there; times are in cycles, `phase` counts from 0.
//
//   cycles, tokens   of all phases together
//   phases           [{title, order, cycles, tokens, utilisation, deadlock: null or lines of text}]
//   blocks           [{phase, node, label, type, units, busy, receiving, sending, utilisation, end,
//                      path_cycles, intervals: [[activity, begin, end]]}]
//                    busy, receiving, sending: of all units together; intervals are empty unless recorded, activity is
//                    computes, waits_to_receive or waits_to_send
//   streams          [{phase, node, port, name, type, data, stop, empty, done, idle (a share), most_waiting}]
//   critical_path    [{phase, node, begin, end}], empty unless recorded
#pragma once

#include "backend/sam_report/figures.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace cyclotron::sam {

nlohmann::ordered_json to_json(const Phases& phases);

// The same as text: a key per line, a block or stream per line.
std::string json(const Phases& phases);

} // namespace cyclotron::sam
