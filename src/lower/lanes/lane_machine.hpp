// SPDX-License-Identifier: MIT
// What the vectors of a machine are like, and what a schedule says about them.
//
//   vectorize s by 16; unroll s by 4; blocks oc; stream x along c   -->   16 lanes of 4 elements, oc by blocks; x
//   travels
#pragma once

#include "lanes/ir.hpp"
#include "schedule/ir.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cyclotron::lower {

// `blocks oc`: a loop around the lanes, whose iterations run at once.
struct WorkerLoop {
  std::string name;
  lanes::Workers workers = lanes::Workers::any;
  Span span;
};

// `unroll q`: a loop that is written out, of so many iterations where the schedule says so.
struct UnrolledLoop {
  std::string name;
  std::optional<std::int64_t> iterations;
  Span span;
};

// `place x in shared`.
struct PlacedInput {
  lanes::Placed placed;
  Span span;
};

struct LaneMachine {
  std::int64_t lanes = 16;
  std::int64_t registers = 32;          // vectors that a core, or a warp, has room for
  std::optional<std::int64_t> per_lane; // as many elements as the schedule asks for; else as many as do well
  lanes::Layout layout = lanes::Layout::striped;
  std::set<std::string> streamed; // inputs that travel from element to element, because the schedule says so
  bool times_are_given = false;   // by `spacetime`: they stay as they are
  std::vector<WorkerLoop> workers;
  std::vector<UnrolledLoop> unrolled;
  std::vector<PlacedInput> placed;
  std::int64_t shared_bytes =
      48 * 1024; // that a block has to itself: what every GPU gives it, and a core's cache holds
  std::map<std::string, std::string> rows; // of a `spacetime`: the formula of each
  std::string axis;                        // whose elements the lanes are, where the schedule names it
  Span axis_span;

  // A step is known by its formula; a schedule may call it by the name of a row.
  std::string loop_named(const std::string& name) const {
    const auto row = rows.find(name);
    return row == rows.end() ? name : row->second;
  }
};

// The machine as the schedule wants it (null: as it is). Reports commands that contradict each other, and those that
// are about something that lanes do not have.
std::optional<LaneMachine> lane_machine_of(const schedule::Schedule* schedule, Diagnostics& diagnostics,
                                           LaneMachine machine = {});

// The commands that are not about lanes, but about the array behind them: what mapping_of reads.
schedule::Schedule without_lane_commands(const schedule::Schedule& schedule);

} // namespace cyclotron::lower
