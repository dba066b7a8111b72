// SPDX-License-Identifier: MIT
// Applies rules until they find nothing new: the smallest structures that satisfy all of them.
//
// A relation is the structure of one tensor. Relations that need each other form a group, which is run after the groups
// that it needs. A group is run
//   once, where nothing in it needs itself: row by row of the result, from the storage of what it needs where that is
//     in the right order (structure_rows.cpp);
//   in order, where a dimension of each relation can be found that only ever grows from what is needed to what
//     follows: fiber by fiber along it, each from complete ones (structure_ordered.cpp);
//   fact by fact, else (structure_worklist.cpp).
#pragma once

#include "recurrence/structure_join.hpp"

#include <memory>

namespace cyclotron::recurrence::structure {

// What a tensor stores, in storage order, and the tensor of zeros that stores so.
std::vector<Key> keys_of(const tensor::Tensor& tensor, const Packing& packing);
std::optional<tensor::Tensor> tensor_of(std::vector<Key> keys, const Packing& packing, const SparseTensor& like,
                                        Diagnostics& diagnostics);
// Whether there is memory for the levels above the entries, and then for this many entries, in a nested format.
bool has_room_for_parents(const SparseTensor& like, Diagnostics& diagnostics);
bool has_room_for_entries(const SparseTensor& like, std::int64_t count, Diagnostics& diagnostics);

// Facts of all relations found so far, and ways to look them up, made when they are first asked for.
class Store {
public:
  explicit Store(const std::vector<SparseTensor>& relations);

  const std::vector<SparseTensor>& relations() const { return relations_; }
  const SparseTensor& relation(int number) const { return relations_[static_cast<std::size_t>(number)]; }
  const Facts& facts(int relation);                 // sorted as it is stored, or as the input was
  void set(int relation, std::vector<Key> keys);    // complete; sorted in storage order, each once
  void set(int relation, tensor::Tensor made);      // complete
  const tensor::Tensor* stored(int relation) const; // an input or one that was set; else null
  std::optional<tensor::Tensor> take_made(int relation) { return std::move(made_[static_cast<std::size_t>(relation)]); }
  std::vector<Key> take(int relation) { return std::move(facts_[static_cast<std::size_t>(relation)].keys); }
  Packing packing(int relation) const { return facts_[static_cast<std::size_t>(relation)].packing; }
  PlanSource source(); // of complete relations

private:
  const Index* index(int relation, const std::vector<int>& bound, const std::vector<int>& free);
  void load(int relation);

  const std::vector<SparseTensor>& relations_;
  std::vector<Facts> facts_;
  std::vector<std::optional<tensor::Tensor>> made_;
  std::vector<bool> loaded_;
  std::vector<std::vector<std::unique_ptr<Index>>> indexes_;
};

using Group = std::vector<int>; // relations that need each other

// Rules with a head in the group.
std::vector<const Rule*> rules_of(const Group& group, const std::vector<Rule>& rules);
bool contains(const Group& group, int relation);

// False where the group cannot be run this way.
bool run_in_order(const Group& group, const std::vector<const Rule*>& rules, IslContext& context, Store& store);
void run_fact_by_fact(const Group& group, const std::vector<const Rule*>& rules, Store& store);

// Completes the facts of all outputs. False where an error was reported.
bool solve(Rules& rules, IslContext& context, Store& store, Diagnostics& diagnostics);

// isl can show that the conditions never hold together, for values of these many variables.
bool never_together(IslContext& context, std::size_t variables, const std::vector<LinearCondition>& conditions);

} // namespace cyclotron::recurrence::structure
