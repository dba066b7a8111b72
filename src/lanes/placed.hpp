// SPDX-License-Identifier: MIT
// What it means that an input is placed in a memory of the device, and how much of it that takes.
//
//   place w registers, w(q) with q unrolled, 0 <= q <= 4   -->   5 vectors, loaded before the loop around q
//   place x shared, x(64*oc+ccc+q) with oc blocks          -->   a box of 68 elements, from x(64*oc)
#pragma once

#include "lanes/ir.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::lanes {

// Why an input cannot be there: the equation that reads it, and what to do.
struct PlacedProblem {
  std::string message;
  std::string hint = {};
  Span span = {};
};
std::optional<PlacedProblem> problem_of_placed(const Program& program, const Placed& placed);

// Where a rule reads an element of an input: an expression of its own.
struct InputRead {
  std::size_t rule = 0;
  recurrence::Point indices; // in the coordinates of the rule's space
};
std::vector<InputRead> reads_of_input(const Program& program, const std::string& tensor);

// --- registers ---

// Why what is read of a tensor cannot stay in registers.
std::optional<PlacedProblem> problem_of_registers(const Program& program, const std::string& tensor);

// Whether a worker reads several elements there, one after the other: in steps that are loops, or in strips.
bool changes_in_worker(const Program& program, const InputRead& read);

// The vectors that all inputs take that are placed in registers: elements that are the same for all lanes take one, the
// others one for each element that a lane has.
std::int64_t registers_of_placed(const Program& program);

// --- shared memory ---

// What a block reads of a tensor: by dimension, from where on, and so many elements at most. The formulas are of sizes,
// and of the components of time whose iterations are blocks, by the names of time_names.
struct Box {
  recurrence::Point corner;
  std::vector<std::int64_t> extents;
  std::int64_t elements() const; // the largest number where it is more than fits
};

// Components of time whose iterations are blocks.
std::vector<std::size_t> block_components(const Program& program);

// Nothing where there is no such box: an extent depends on sizes, or the corner is no formula.
std::optional<Box> box_of_block(const Program& program, const std::string& tensor);

std::optional<PlacedProblem> problem_of_shared(const Program& program, const std::string& tensor);

} // namespace cyclotron::lanes
