// SPDX-License-Identifier: MIT
// What one rank does: its PEs, the parts of tensors that it keeps, the values that it gets from other ranks and those
// that it gives to them. Every rank makes the plan of its own from the same trace, so that both ends of every transfer
// know of it, and nothing has to be asked during the run.
#pragma once

#include "pe/placement.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cyclotron::pe {

// To another rank, once.
struct Delivery {
  int rank = 0;
  int mailbox = 0; // the number of this value among all that the other rank gets
  int tag = 0;     // and among those it gets from this rank
};

// A value that this rank makes for others, or that its PEs need.
struct Cargo {
  int value = -1;
  int uses = 0;     // by PEs of this rank
  int source = -1;  // the rank it comes from; -1: it is made or kept here
  int mailbox = -1; // where it comes from another rank
  int tag = -1;
  int part = -1;          // the part of this rank that it is, where it is an input
  std::vector<int> fills; // parts of this rank that it becomes when it comes from another
  std::vector<Delivery> deliveries;
};

// A part of a tensor that this rank keeps.
struct OwnedPart {
  int tensor = 0;
  std::int64_t part = 0;
};

// Of a send or store.
struct Parting {
  int cargo = -1; // that is there from now on; -1: nobody waits for it
  int part = -1;  // of a store: the part of this rank that it fills; -1: it goes elsewhere, or is no store
};

// Of a receive or load.
struct Need {
  int cargo = -1;         // -1: this PE does not use it
  std::int64_t bytes = 0; // of a receive
};

struct PlannedElement {
  int element = 0;
  std::vector<Need> needs;
  std::vector<Parting> makes;
  std::vector<TracedStep> steps;
};

struct RankPlan {
  int rank = 0;
  std::vector<PlannedElement> elements; // those that do something
  std::vector<Cargo> cargo;
  std::vector<OwnedPart> parts;
  int mailboxes = 0;
  std::int64_t kept_bytes = 0;                   // of its parts
  std::uint64_t messages_out = 0, bytes_out = 0; // to other ranks
  std::uint64_t messages_in = 0, bytes_in = 0;
};

RankPlan plan(const Executable& executable, const Trace& trace, const Placement& placement, const Ownership& ownership,
              int rank);

} // namespace cyclotron::pe
