// SPDX-License-Identifier: MIT
// The stream IR: a graph of dataflow blocks that exchange streams of tokens (the sparse abstract machine).
//
// A stream carries the fibers of one level of a tensor, one after the other: data, a stop at the end of each fiber
// (`S0`; `S1` where the fiber above ends there, too, and so on), `N` where there is nothing, and `D` at its end. The
// number of stop levels of a stream is its depth: 0 for a root, which carries one reference and `D`.
//
// Blocks have the names of the published tools (Graphviz files travel both ways); those that the published tools lack
// have names of ours. `ports.hpp` says what ports each has.
//
// Invariants (verify.cpp):
//   - every input port has exactly one edge, or is fed by the root; every output port has any number;
//   - an edge joins ports of the same type; coordinates may serve as references (of a dense level, or as numbers);
//   - where a block needs streams of equal depth, or of depths one apart, they are;
//   - the graph has no cycle but those through inputs for skip wires, which lead back;
//   - the levels of a written tensor are complete, and there is one writer of its values.
#pragma once

#include "recurrence/ir.hpp"
#include "tensor/format.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cyclotron::stream {

enum class Block {
  fiberlookup,   // level scanner: references of fibers to their coordinates and references
  repsiggen,     // coordinates to repeat signals
  repeat,        // a reference once per repeat signal
  intersect,     // coordinates that all sides have
  unite,         // `union`: coordinates that some side has
  locate,        // coordinates to references, by looking them up in a level
  arrayvals,     // references to values
  alu,           // `mul`, `add` and all other operations on values
  reduce,        // a fiber of values to one value
  spaccumulator, // points to fibers of points with values summed: reducer of order 1 and more
  crddrop,       // drops coordinates whose fiber below is empty
  crdhold,       // a coordinate once per coordinate of the fiber below it
  fiberwrite,    // level writer, values writer
  pointwrite,    // writes points in any order
  bvconvert,     // coordinates to words of bits
  bvexpand,      // words of bits to coordinates
  bvintersect,
  bvunion,
  bvdrop,      // `crddrop` on words of bits
  split,       // one level of coordinates to two: quotient and remainder
  flatten,     // and back
  parallelize, // one stream to several copies of what is behind it
  serialize,   // and back
  crdvals,     // coordinates as values
  crdmask,     // keeps the coordinates that satisfy an affine condition
  crdplace,    // coordinates to the place that an affine formula says
  lookup,      // references to those of the elements at such places; `N` where there is none
  buffer,      // references pass when their fiber, with all below it, lies in a finite memory
};

constexpr Block last_block = Block::buffer;

enum class Wire { crd, ref, val, bv, repsig, skip };

// What an ALU does. The first ones have two operands, one of which may be a constant.
enum class Operation {
  add,
  sub,
  mul,
  div,
  min,
  max,
  pow,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  negate,
  logical_not,
  sqrt,
  abs,
  exp,
  log,    // one operand
  select, // three
};

// A number that stands at one place of an ALU's operands.
struct Constant {
  int operand = 0; // its place
  double value = 0;
  std::int64_t integer = 0; // used where the ALU computes with whole numbers
  bool operator==(const Constant&) const = default;
};

// Which of the fields count depends on the block; the others keep their defaults.
struct Node {
  Block block = Block::fiberlookup;
  std::string index;   // the variable whose level it works on
  std::string operand; // fiberlookup, repeat, arrayvals, locate, lookup: the access of the expression that it serves,
                       // `B`, `B_1`
  std::string
      tensor;    // fiberlookup, locate, lookup, arrayvals, fiberwrite, pointwrite; empty: all coordinates of the index
  int mode = -1; // fiberlookup, locate, lookup, fiberwrite: the dimension; -1: values
  tensor::LevelKind format = tensor::LevelKind::compressed; // fiberlookup, locate, lookup, fiberwrite
  bool root = false;                                        // its `ref` input is fed by the root
  bool skips = false;                                       // fiberlookup, intersect: with skip wires
  std::vector<int> widths;              // intersect, unite, locate: how many references each side brings
  Operation operation = Operation::mul; // alu
  std::vector<Constant> constants;      // alu
  recurrence::Reducer reducer = recurrence::Reducer::sum; // reduce, spaccumulator
  // reduce: an empty fiber gives the reducer's identity, else nothing; unite: a fiber that no side has is `N`, else it
  // is empty; fiberlookup: the fiber of an `N` is `N`, else it is empty
  bool keeps_empty = true;
  int outer = 0,
      order = 0; // spaccumulator: levels above the reduction, levels that it gathers; pointwrite: order levels;
                 // serialize: order levels below the one that was spread over copies
  bool on_values = false; // crddrop: the inner stream has values, and zeros count as nothing
  std::int64_t width = 0; // bvconvert: bits of a word; split, flatten: the factor; parallelize, serialize: copies
  int vector = 1;         // tokens that its wires carry side by side
  tensor::ValueType type = tensor::ValueType::f64; // arrayvals, alu, reduce, spaccumulator, crdvals: of its values
  std::string outer_index, inner_index;            // crddrop, crdhold, split, flatten; `inner` may be "vals"
  Wire wire = Wire::crd;                           // parallelize, serialize: what they pass on
  // crdmask: keeps a coordinate c where factor * c + offset + the sum of factors * others is related to 0 so.
  // crdplace, lookup: the place is offset + the sum of factors * others.
  std::vector<std::int64_t> others; // factors of the coordinates of other levels, held down to this one
  std::int64_t factor = 0, offset = 0;
  recurrence::Relation relation = recurrence::Relation::less;
  // buffer: its size, bytes that it reads in a cycle, and cycles until the first; `order`: levels of the fiber
  std::int64_t bytes = 0, rate = 0, latency = 0;
  bool operator==(const Node&) const = default;
};

struct Edge {
  int from = 0, from_port = 0, to = 0, to_port = 0; // nodes, and ports by their places in ports.hpp
  bool operator==(const Edge&) const = default;
};

// An access of the expression: which tensor, and the index of each of its dimensions.
struct Operand {
  std::string name;
  std::string tensor;
  std::vector<std::string> indices;
  tensor::Format format;
  bool operator==(const Operand&) const = default;
};

// One phase: its result is complete in memory when it ends.
struct Graph {
  std::string title;              // the equation
  std::vector<std::string> order; // of the loops, outermost first
  std::vector<Operand> operands;
  Operand result;
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  bool operator==(const Graph&) const = default;

  int add(Node node);
  void connect(int from, int from_port, int to, int to_port);
  const Operand* operand(std::string_view name) const;
};

bool reads_tensor(Block block); // scanners, locators, arrays

std::string_view name_of(Block block); // as in a DOT file's `type`
std::optional<Block> block_named(std::string_view name);
std::string_view name_of(Wire wire);
std::optional<Wire> wire_named(std::string_view name);
std::string_view name_of(Operation operation);
std::optional<Operation> operation_named(std::string_view name);
int operands_of(Operation operation); // 1, 2, 3

// A short name that is the same in pictures, statistics and messages: `Bi` scanner, `intersect j`. Unique in the graph.
std::vector<std::string> labels_of(const Graph& graph);

} // namespace cyclotron::stream
