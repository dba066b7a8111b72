// SPDX-License-Identifier: MIT
// The accesses of a loop nest as patterns see them: level by level, in the order in which the tensor is stored.
//
//   C(k,i) of a tensor that is stored by columns   -->   level 1 at i, level 2 at k
#pragma once

#include "loops/ir.hpp"
#include "pattern/ir.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace cyclotron::lower {

struct Operand {
  std::string key; // the access, as printed
  std::string tensor;
  tensor::ValueType type = tensor::ValueType::f64;
  tensor::Format format;                  // as the machine stores it
  std::vector<recurrence::Affine> index;  // of each level
  std::vector<recurrence::Affine> extent; // of each level
  std::vector<std::string> path;          // the loops around it, outermost first
  int equation = 0;

  std::size_t rank() const { return index.size(); }
  bool compressed(std::size_t level) const { return !tensor::is_full(format.levels[level]); }
  bool sparse() const;                                          // some level is
  bool walks(std::size_t level, const std::string& loop) const; // its index is that variable alone

  // Where the dense levels begin that end at `depth`: behind the last compressed one.
  std::size_t first_dense(std::size_t depth) const;

  // An array of levels 0 … depth-1 is loaded in chunks of its last levels, from this one on: as small as they can be
  // while each is a piece of the array, and the loops inside of it run over no other piece.
  std::size_t chunk(std::size_t depth) const;
};

// The indices in a formula: what is no size.
std::set<std::string> indices_in(const recurrence::Affine& formula, const recurrence::Program& program);

// How the machine stores a tensor of this format: lists of coordinates and bit vectors become trees.
tensor::Format stored_format(tensor::Format format);

Operand operand_of(const recurrence::Expr& access, const tensor::Format& stored, const recurrence::Program& program,
                   std::vector<std::string> path);

} // namespace cyclotron::lower
