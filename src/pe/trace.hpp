// SPDX-License-Identifier: MIT
// Follows every value of a run from where it is made to all PEs that need it, before anything is computed.
//
// PEs mostly pass on what they receive. A cluster, where several PEs share a machine, need not pass it on. It is enough
// to know, for each receive and load of each PE, which value that will be. So all programs are run on the names of
// values instead of numbers: a receive gives the name that was sent, a load the name of an element or tile of a tensor,
// a computation a new name. No condition in a program depends on a number, so the real run will do the same.
#pragma once

#include "pe/executable.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace cyclotron::pe {

// A number or tile that is made once and never changed.
struct Value {
  int element = -1;         // that makes it; -1: it is part of an input
  int tensor = -1;          // of an input: which one
  std::int64_t part = -1;   // and which part of it
  std::int64_t numbers = 1; // how many it holds
  ValueType type = ValueType::f64;
  bool is_tile = false;

  std::int64_t bytes() const { return numbers * tensor::size_of(type); }
};

// What a send or store leaves behind.
struct Made {
  int value = -1; // the value that leaves the PE here for the first time; -1: one that others have already
  int store = -1; // of a store: which one
};

// A kernel with the extents of its arguments.
struct KernelCall {
  const recurrence::Kernel* kernel = nullptr;
  std::vector<std::vector<std::int64_t>> extents;
  auto operator<=>(const KernelCall&) const = default;
};

// What a step computes; steps of the same kind take the same time.
struct StepKind {
  std::vector<KernelCall> calls;
  std::int64_t elementwise = 0; // numbers of tiles that are computed one by one
  std::int64_t numbers = 0;     // operations on numbers
  auto operator<=>(const StepKind&) const = default;

  double work() const; // multiplications and additions
};

struct TracedStep {
  int needs = 0, makes = 0; // those of the element up to the end of this step
  int kind = 0;             // into Trace::kinds
  double level = 0;         // work on the longest way from the start of this step to the end of the run
};

struct TracedElement {
  std::vector<int> needs; // the value of each receive and load, in the order of the run; -1: not used by this PE
  std::vector<std::int64_t> received; // bytes, of each of them; 0 of a load
  std::vector<Made> makes;            // of each send and store
  std::vector<TracedStep> steps;
};

struct TracedStore {
  int tensor = 0;
  std::int64_t part = 0;
  int element = 0;
  int value = -1; // that is stored
};

struct Trace {
  std::vector<Value> values;
  std::vector<TracedElement> elements; // as in Executable
  std::vector<TracedStore> stores;
  std::vector<StepKind> kinds;
  std::uint64_t messages = 0, bytes = 0; // from PE to PE, those passed on too
  double work = 0;
  std::string problem; // why the program cannot run to its end; empty where it can
};

// Receives, sends, loads and stores that are followed before we give up.
constexpr std::int64_t most_events = 200'000'000;

Trace trace(const Executable& executable, std::int64_t limit = most_events);

} // namespace cyclotron::pe
