// SPDX-License-Identifier: MIT
// The equations of a program as an array sees them: a superscript is an index like the others, split indices are
// replaced by their parts, and every equation is a list of cases, each with a domain of its own.
//
//   Z(c,q) = select(q == 0, 0, Z(c,q-1)) + X(c,q) : ...   -->   Z(c,q) = 0 + X(c,q)         where q == 0
//                                                               Z(c,q) = Z(c,q-1) + X(c,q)  elsewhere
#pragma once

#include "dataflow/ir.hpp"
#include "frontend/check.hpp"
#include "lower/mapping.hpp"

#include <functional>

namespace cyclotron::lower {

using recurrence::Affine;
using recurrence::Expr;
using recurrence::Point;

// One case of an expression: what it is on a part of a domain.
struct Case {
  isl::set domain;
  Expr expr;
};

struct ArrayEquation {
  const recurrence::Equation* source = nullptr;
  std::string tensor;
  std::vector<std::string> variables;
  isl::set domain;                     // { [variables] }
  isl::map defines;                    // { [variables] -> [element] }
  Point target;                        // the element that it defines
  std::map<std::string, Affine> split; // names of the program that have been replaced: i -> 4*io + ii
  bool constant = false;               // reads nothing: an element is a formula in its indices

  // A reduction of it, over its variables and those of reductions around it.
  struct Sum {
    Expr expr;                       // the Reduce
    std::vector<std::string> outer;  // variables around it
    std::vector<std::string> own;    // its own
    isl::set domain;                 // { [outer, own] }
    std::vector<std::string> padded; // own ones that run over whole tiles, past the domain
  };
  std::vector<Sum> sums;

  const Sum& sum(const Expr& reduce) const;
};

struct ArrayEquations {
  std::shared_ptr<const recurrence::Program> program;
  std::shared_ptr<recurrence::IslContext> context;
  const frontend::Checked* checked = nullptr;
  std::vector<ArrayEquation> equations;
  std::map<std::string, Affine> last_step; // of stepped tensors, where all is read without a step
  std::map<std::string, std::vector<std::string>> dimension_names; // per tensor that is computed: what they are called

  bool is_computed(const std::string& tensor) const { return program->is_output(tensor); }

  // The element that an access reads, superscript first, in the variables of the equation.
  Point element_of(const recurrence::Access& access, const ArrayEquation& equation) const;
};

std::optional<ArrayEquations> array_equations(const frontend::Checked& checked, const Mapping& mapping,
                                              Diagnostics& diagnostics);

// All index variables, in the order of their first appearance: those of left-hand sides, then those of reductions.
std::vector<std::string> variables_of(const ArrayEquations& equations);

// Takes selects with affine conditions apart. `names` are the variables in scope.
std::vector<Case> cases_of(const ArrayEquations& all, const ArrayEquation& equation,
                           const std::vector<std::string>& names, const Case& whole);

// The largest value of one dimension of a set as a formula of the others; nothing where it is not one formula.
std::optional<Affine> last_of(const isl::set& set, std::size_t dimension, const std::vector<std::string>& names,
                              const recurrence::Program& program);

} // namespace cyclotron::lower
