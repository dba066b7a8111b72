// SPDX-License-Identifier: MIT
// An equation as streams see it: operations on values, and operands, each of which walks through the levels of a
// tensor.
//
//   x(i) = alpha * b(i) - sum[j](C(i,j) * d(j))   -->   sub(mul(alpha, b(i)), reduce j (mul(C(i,j), d(j))))
//
// Refused, with the reason, is what a stream of coordinates cannot do: steps, tiles.
#pragma once

#include "frontend/check.hpp"
#include "lower/stream/phases.hpp"
#include "stream/ir.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::lower {

// What walks: an access, a number of the program that is no literal, or an index that is used as a value.
struct StreamOperand {
  enum class Kind { access, size, index, constant } kind = Kind::access;
  stream::Operand at; // its name is unique in the equation
  tensor::ValueType type = tensor::ValueType::f64;
  double value = 0;         // of a constant that nothing is combined with
  std::int64_t integer = 0; // the same as a whole number
  // Of an access at a computed place, such as x(i+1) or A(i,i): the place in each dimension, and whether its level is
  // walked through along an index, else looked up. Both are empty where all levels are walked through.
  std::vector<recurrence::Affine> places;
  std::vector<bool> walked;
  Span span;

  bool has(const std::string& variable) const;                 // walks through a level along it
  std::size_t dimension_of(const std::string& variable) const; // that of this level
  bool uses(const std::string& variable) const;                // its value depends on it
};

// How a tensor of this format is stored for a graph: a coordinate list repeats coordinates, so that it becomes a tree.
tensor::Format walked_format(tensor::Format format);

struct StreamTerm {
  enum class Kind { operand, constant, apply, reduce } kind = Kind::operand;
  int operand = -1;         // its place in the equation's operands
  double value = 0;         // constant
  std::int64_t integer = 0; // the same as a whole number
  stream::Operation operation = stream::Operation::mul;
  recurrence::Reducer reducer = recurrence::Reducer::sum;
  std::vector<std::string> variables; // reduce
  bool may_be_empty = false;          // reduce: there may be nothing to reduce
  std::vector<StreamTerm> children;
  tensor::ValueType type = tensor::ValueType::f64; // in which it computes
  Span span;

  bool is(stream::Operation o) const { return kind == Kind::apply && operation == o; }
};

// offset + the sum of factors is related to 0 so.
struct StreamCondition {
  recurrence::Affine left;
  recurrence::Relation relation = recurrence::Relation::less;
  Span span;
  bool at_end = false; // only coordinates beyond the end of a dimension fail it, which no tensor stores
};

struct StreamEquation {
  std::string title;
  stream::Operand result;
  std::vector<std::string> outputs;                // the indices that the left-hand side binds
  std::vector<recurrence::Affine> result_places;   // of each dimension; empty where these are the outputs themselves
  tensor::ValueType type = tensor::ValueType::f64; // of the result
  std::vector<StreamOperand> operands;
  StreamTerm value;
  std::vector<StreamCondition> conditions;
  // `sum[j](A(i,j)) + sum[j](B(i,j))` has two loops: the second is `j_1`, which is here a `j` of the program.
  std::map<std::string, std::string> written_as;
  std::map<std::string, recurrence::Affine> extents; // of all indices, which count from 0
  Span span;

  // The outputs, then those of reductions, as they appear.
  std::vector<std::string> variables() const;
};

// Nothing where it was refused.
std::optional<StreamEquation> stream_equation(const recurrence::Equation& equation, const frontend::Checked& checked,
                                              const std::map<std::string, std::int64_t>& sizes,
                                              const StreamReads& reads, Diagnostics& diagnostics);

// What runs a program that streams cannot.
extern const char* const other_targets;

// The places of all operands in a term.
std::vector<int> operands_in(const StreamTerm& term);

} // namespace cyclotron::lower
