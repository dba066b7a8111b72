// SPDX-License-Identifier: MIT
// How far apart the points are that need each other, for all sizes: a dependence is uniform where that is one vector e.
// The place and the time of the space turn e into links (P.e) and steps (s.e).
//
//   (c, q)_z <- (c, q-1)_z : 1 <= q            e = (0, 1)
//   at place (c+q), time (q)           -->     P.e = (1), s.e = (1)
//
// A value may have several dependences, on disjoint parts of its points, as a chain that turns a corner does. Inputs
// have none, but a kernel: the vectors along which their points load the same element again.
#pragma once

#include "dataflow/ir.hpp"
#include "recurrence/integer_kernel.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::dataflow {

// Of one read of a rule, on a part of its points; what a point reads of itself is none. Vectors are the reader's less
// the producer's, each component a number or a formula in the sizes.
struct Dependence {
  std::size_t rule = 0;
  Reference producer; // in the coordinates of the reader
  isl::set readers;
  std::optional<Point> e;       // where both are in one space, and at one distance
  std::optional<Point> links;   // P.e: per axis
  std::optional<Point> steps;   // s.e: per component of time
  std::optional<Affine> cycles; // by the timing, where there is one for both spaces
  // Two readers whose producers are not equally far: their coordinates, those of the second with a prime.
  std::optional<recurrence::Witness> not_uniform;
};

// An element that several points of a rule load: they are apart by multiples of e, later ones less earlier ones.
struct Reuse {
  std::size_t rule = 0;
  std::string tensor;
  Point element;
  recurrence::Vector e, links, steps;
};

struct Dependences {
  std::vector<Dependence> dependences;
  std::vector<Reuse> reuses;
};
Dependences dependences_of(const Program& program);

// As text, space by space.
std::string print(const Dependences& dependences, const Program& program);

} // namespace cyclotron::dataflow
