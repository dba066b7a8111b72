// SPDX-License-Identifier: MIT
// Equations as rules over structure: `L(i,j) <= L(i,k), L(j,k) : k < j < i` says that L(i,j) can be other than zero
// wherever both others can. Values are gone, sizes are numbers, sums are alternatives, products are conjunctions.
#pragma once

#include "recurrence/code.hpp"
#include "recurrence/interpret.hpp"

namespace cyclotron::recurrence::structure {

inline std::size_t as_size(std::int64_t i) { return static_cast<std::size_t>(i); }

// A tensor whose structure matters: all that are not dense. Steps are left out: one structure serves all of them.
struct SparseTensor {
  const TensorDecl* decl = nullptr;
  std::vector<std::int64_t> dims;
  const tensor::Tensor* input = nullptr; // null for an output
};

struct Atom {
  int relation = 0;
  std::vector<LinearForm> at;
};

struct Rule {
  Atom head;
  std::vector<Atom> body;
  std::vector<LinearCondition> conditions;
  std::vector<std::pair<std::int64_t, std::int64_t>> range; // per variable: first and last value
};

struct Rules {
  std::vector<SparseTensor> relations;
  std::vector<Rule> rules;
};

bool same(const LinearForm& a, const LinearForm& b);
bool same(const Atom& a, const Atom& b);
bool same(const LinearCondition& a, const LinearCondition& b);

// The rules of all outputs that are not dense. Terms are kept in order of their variables, so that equal forms
// look equal. Reports tiles, which have no structure of their own.
std::optional<Rules> make_rules(const Program& program, const Domains& domains, const Bindings& bindings,
                                Diagnostics& diagnostics);

} // namespace cyclotron::recurrence::structure
