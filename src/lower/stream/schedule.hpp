// SPDX-License-Identifier: MIT
// What a schedule says about stream graphs.
#pragma once

#include "lower/stream/buffers.hpp"
#include "lower/stream/builder.hpp"
#include "lower/stream/order.hpp"
#include "lower/stream/tiles.hpp"
#include "schedule/ir.hpp"

namespace cyclotron::lower {

struct StreamCommands {
  StreamOrder order;
  StreamChoices choices;
  std::set<std::string> explicit_zeros; // tensors
  std::set<std::string> scatters;
  std::vector<StreamTile> tiles;
  std::vector<StreamBuffer> buffers;
  // What each command must do somewhere, by the words for it that the builder uses.
  struct Effect {
    std::string words;
    std::string without; // why it has none
    Span span;
  };
  std::vector<Effect> effects;
};

// Refuses commands that are for other targets, by name.
std::optional<StreamCommands> read_stream_schedule(const schedule::Schedule* schedule, Diagnostics& diagnostics);

} // namespace cyclotron::lower
