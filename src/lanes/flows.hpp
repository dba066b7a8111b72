// SPDX-License-Identifier: MIT
// What every rule reads, and how far away that is in time and place.
#pragma once

#include "dataflow/ir.hpp"

#include <optional>
#include <vector>

namespace cyclotron::lanes {

struct Flow {
  std::size_t rule = 0;
  dataflow::Reference what;
  isl::set domain;                                // of the rule, in its coordinates
  std::vector<recurrence::Affine> later;          // reader's time - producer's time, in the reader's coordinates
  recurrence::Affine beyond;                      // reader's place - producer's place
  std::vector<std::optional<std::int64_t>> steps; // `later` where it is one number
  std::optional<std::int64_t> places;             // `beyond` where it is one number
  bool own = false;                               // the reader's own point

  bool same_time() const;
};

// Every read of every rule, each value at each distance once per rule.
std::vector<Flow> flows_of(const dataflow::Program& program);

// The points at which the reader, all elements being in step, is not later than the producer: those that break the
// third invariant.
isl::set out_of_step(const dataflow::Program& program, const Flow& flow);

// The value of a formula on a set, where that is one number.
std::optional<std::int64_t> one_value(const dataflow::Program& program, const std::vector<std::string>& names,
                                      const isl::set& domain, const recurrence::Affine& formula);

// The points of the domain where all conditions hold.
isl::set part_where(const dataflow::Program& program, const Flow& flow,
                    const std::vector<recurrence::Condition>& conditions);

} // namespace cyclotron::lanes
