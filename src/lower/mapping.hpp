// SPDX-License-Identifier: MIT
// What a schedule says about an array: which indices are processors, which are steps, how values travel.
#pragma once

#include "frontend/check.hpp"
#include "schedule/ir.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::lower {

enum class Travel { stream, broadcast, prefetch };

// `stream A along j`.
struct Way {
  std::string tensor;
  Travel travel = Travel::stream;
  std::string along;
  Span span;
};

// `fold i cyclic 4`: many logical processors of an axis on few.
struct Fold {
  std::string axis;
  bool cyclic = false;
  std::int64_t count = 1;
  std::int64_t block = 1; // of a block-cyclic one
  Span span;
};

// `tile i by 4 -> io, ii`: i = 4*io + ii.
struct SplitIndex {
  std::string index, outer, inner;
  std::int64_t size = 1;
  Span span;
};

// `tile i, j, k by 4`: the equations are lifted to tiles.
struct Lift {
  std::map<std::string, std::int64_t> extents;
  Span span;
};

// `distribute A block(i, k)`: which rank owns which part.
struct Owners {
  std::string tensor;
  bool cyclic = false;
  std::vector<std::string> indices;
  Span span;
};

// `spacetime (c, q) -> (s, t) = [1 1; 0 1]`: axes first, then steps.
struct SpaceTime {
  std::vector<std::string> indices;
  std::vector<std::string> axes;
  schedule::Matrix matrix;
  Span span;

  // Of an entry that is a number: all are, where unfold_steps.hpp has been.
  std::int64_t factor(std::size_t row, std::size_t column) const {
    return matrix.entries[row * indices.size() + column].factor;
  }
};

struct Mapping {
  std::vector<std::string> space; // axes of the array, as index variables
  std::vector<std::string> time;  // steps, outermost first
  bool space_given = false, time_given = false;
  Span space_span, time_span;
  std::vector<Way> ways;
  std::vector<Fold> folds;
  std::vector<Owners> owners;
  std::vector<SplitIndex> splits;
  std::optional<Lift> lift;
  std::optional<SpaceTime> spacetime;
  // Whether inputs that the schedule does not mention are kept and passed on where that is possible. Otherwise every
  // point reads them from memory: lanes have caches in front of theirs.
  bool inputs_travel = true;
  // In lanes each level of time is a loop, so that no step may count several loops at once. And what an element
  // computes in a step it can use in the same step.
  bool steps_are_loops = false;
};

// Leading steps that are tiles of an axis: the array does one tile after the other.
std::size_t passes_of(const Mapping& mapping);

// Takes the commands about arrays; refuses those that the target does not take. Commands that the target takes and an
// array does not are for others to read. `schedule` may be null.
std::optional<Mapping> mapping_of(const schedule::Schedule* schedule, std::string_view target,
                                  Diagnostics& diagnostics);

// The commands of a mapping, as one would write them.
std::string print(const SpaceTime& matrix);
std::string print(const Mapping& mapping);

} // namespace cyclotron::lower
