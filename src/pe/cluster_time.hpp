// SPDX-License-Identifier: MIT
// How long a program takes on a cluster, without running it: every rank does its steps one after the other, that with
// the most work behind it first, as the runtime does; a value arrives after a latency and the time its bytes take, one
// after the other through the link of a rank.
#pragma once

#include "pe/placement.hpp"

#include <functional>
#include <vector>

namespace cyclotron::pe {

// Times in seconds, bandwidths in bytes per second.
struct Link {
  double latency = 0;
  double bandwidth = 0; // 0: any number of bytes at once
};

struct ClusterModel {
  std::function<double(const StepKind&)> step_seconds;
  Link within_node, between_nodes;
  double message_seconds = 0; // that giving or taking a value costs a rank itself
  int ranks_per_node = 0;     // 0: all on one node
};

struct RankTime {
  double computing = 0, end = 0;
};

struct ClusterTime {
  double seconds = 0;
  std::vector<RankTime> ranks;
  std::uint64_t messages = 0, bytes = 0; // between ranks
  double critical_path = 0;              // seconds: with as many ranks as one likes, and no time for messages
};

ClusterTime cluster_time(const Trace& trace, const Placement& placement, const Ownership& ownership,
                         const ClusterModel& model);

} // namespace cyclotron::pe
