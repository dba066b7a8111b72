// SPDX-License-Identifier: MIT
// The lanes IR: a linear array of processing elements over a vector of lanes, all in step (Rong et al., "Systolic
// Computing on GPUs for Productive Performance"). It is a dataflow program with one axis, and what was decided about
// it:
//
//   lanes 16 of 2 striped       # 16 lanes, each with two elements of the array
//   strips parallel from 0      # the array is longer than a vector: strips of 32 elements, independent of each other
//   time oc worker, t           # every oc by itself; t one after the other, all elements at once
//   place w registers           # what is read of the input w is loaded before the loops, not in them
//
//   space Z(oc, cc, q) : ...    # the dataflow program
//
// A point is computed at its time, in lexicographic order of all components, and at its element. Element p of strip b
// is at place `from + lanes * per_lane * b + p`. `striped`: lane l has the elements l, l + lanes, …; `neighbours`: lane
// l has per_lane elements that are next to each other.
//
// The loops, outermost first: the components that are done by workers; the strips, in their order; the other
// components. So a strip begins with its own first time: what a phase loads for a strip is loaded before that strip,
// not before all of them. Only strips `inside` are the innermost loop.
//
// `unrolled`: the iterations of a component are written out one after the other within a step, and each of them has
// registers of its own. So a lane can do a small tile of the work in every step.
//
// `place`: an input is in a memory of the device (placed.hpp). `registers`: what the innermost loop reads of it does
// not change in that loop, and is loaded before it. `shared`: what a block reads of it is copied before the block
// begins, into memory that the workers of the block share.
//
// What follows from these decisions (reads.hpp): how each value that a rule reads comes to it. By its place it stays,
// or moves by so many lanes; by its time it waits in so many registers; from another strip it comes through memory.
//
// Invariants (verify.cpp):
//   - the dataflow program is right; it has one axis at most, and numbers, not tiles;
//   - two points of a space differ in time or place;
//   - what a rule reads was computed at an earlier time, or at the same time and element (lock step), and the rules of
//     one time can be ordered so that each finds what it needs;
//   - components that are done by workers lead, and nothing comes from another worker;
//   - components that are unrolled have a fixed number of iterations, and no loop is inside of them;
//   - values that are no copies of inputs come from the same strip, or from one that is done before;
//   - no element is before the first strip, nor, where there is one, behind it;
//   - what is placed is an input that a rule reads, and is placed once; what is in registers does not change in the
//     innermost loop; what a block reads of a tensor that is shared fits a box, so many elements at all sizes.
#pragma once

#include "dataflow/ir.hpp"

#include <optional>
#include <string>
#include <vector>

namespace cyclotron::lanes {

enum class Layout { striped, neighbours };

struct Shape {
  std::int64_t lanes = 16;
  std::int64_t per_lane = 1;
  Layout layout = Layout::striped;
  std::int64_t elements() const { return lanes * per_lane; }
};

// `one`: the array fits. `parallel`: in any order, at once. `rising`, `falling`: one after the other, as values move.
// `inside`: at every time all strips; then values wait in memory.
enum class Strips { one, parallel, rising, falling, inside };

// Which workers do the iterations of a component, where the schedule says so: blocks of threads, or the threads of a
// block.
enum class Workers { any, blocks, threads };

// A component of the time of all points.
struct Component {
  std::string name;               // the formula of the largest space where it is no number; `phase` where there is none
  bool constant = false;          // a number in each space: no loop, but one space after the other
  bool worker = false;            // iterations do not need each other: they run at once
  Workers workers = Workers::any; // of a worker
  bool unrolled = false;          // written out: values have registers for each of its iterations
};

// `x(c+q)`: the element of an input that a value is a copy of, in the coordinates of its space.
struct Copy {
  std::string tensor;
  recurrence::Point element;
};

// A memory of the device, and an input that is placed there.
enum class Memory { registers, shared };
struct Placed {
  std::string tensor;
  Memory memory = Memory::registers;
};

struct Program {
  std::string name;
  dataflow::Program flow;
  Shape shape;
  Strips strips = Strips::one;
  recurrence::Affine from;
  std::vector<Component> time;
  std::vector<std::optional<Copy>> copies; // as flow.values
  std::vector<Placed> placed;
};

std::string_view name_of(Layout layout);
std::string_view name_of(Strips strips);
std::string_view name_of(Workers workers);
std::string_view name_of(Memory memory);

// The components that the spaces of a program have, none of them done by workers.
std::vector<Component> components_of(const dataflow::Program& program);

// The text form: the decisions, then the dataflow program. print(parse(print(x))) == print(x).
std::string print(const Program& program);

// The file must be in `diagnostics.sources()`. Reports what is no lanes program, and what breaks the invariants.
std::optional<Program> parse(std::int32_t file, Diagnostics& diagnostics);

// Empty where the invariants hold, else what is broken.
std::string problem_of(const Program& program);

} // namespace cyclotron::lanes
