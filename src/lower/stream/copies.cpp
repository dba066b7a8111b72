// SPDX-License-Identifier: MIT
// Parallel copies: the coordinates of a loop are dealt out to copies of all that stands inside it, and what these put
// out is put in order again, before reductions and droppers see it.
#include "lower/stream/builder.hpp"

#include <algorithm>

namespace cyclotron::lower {

using stream::Block;
using stream::Node;
using stream::Wire;

std::vector<StreamBuilder::Source> StreamBuilder::parallelized(Source stream, Wire wire, const std::string& variable) {
  Node node;
  node.block = Block::parallelize;
  node.index = variable;
  node.wire = wire;
  node.width = choices_.copies;
  const int made = add(node);
  connect(stream, made, 0);
  std::vector<Source> copies;
  for (int copy = 0; copy < choices_.copies; ++copy) copies.push_back({made, copy});
  return copies;
}

StreamBuilder::Source StreamBuilder::serialized(const std::vector<Source>& copies, Wire wire,
                                                const std::string& variable, int below) {
  Node node;
  node.block = Block::serialize;
  node.index = variable;
  node.wire = wire;
  node.width = choices_.copies;
  node.order = below;
  const int made = add(node);
  for (std::size_t copy = 0; copy < copies.size(); ++copy) connect(copies[copy], made, static_cast<int>(copy));
  return {made, 0};
}

// The loops inside `variable`, which stands at `place` of the order, once for each copy; the values of all.
StreamBuilder::Source StreamBuilder::fork(const std::string& variable, std::size_t place) {
  effects_.insert("parallel " + variable);
  const CopyState before{ref_, may_be_absent_, scopes_, repeat_signals_};
  const std::size_t level = scopes_[0].levels.size() - 1;
  const std::vector<Source> crds = parallelized(scopes_[0].levels[level].crd, Wire::crd, variable);
  std::map<Source, std::vector<Source>> refs;
  for (const int operand : operands_in(*spine_body_)) {
    const Source ref = ref_[static_cast<std::size_t>(operand)];
    if (!refs.count(ref)) refs[ref] = parallelized(ref, Wire::ref, variable);
  }
  std::vector<std::vector<Level>> levels;
  std::vector<Source> values;
  for (std::size_t copy = 0; copy < static_cast<std::size_t>(choices_.copies); ++copy) {
    ref_ = before.ref;
    may_be_absent_ = before.may_be_absent;
    scopes_ = before.scopes;
    repeat_signals_ = before.repeat_signals;
    scopes_[0].levels[level].crd = crds[copy];
    for (const int operand : operands_in(*spine_body_))
      ref_[static_cast<std::size_t>(operand)] = refs.at(before.ref[static_cast<std::size_t>(operand)])[copy];
    values.push_back(open_loops(place + 1));
    levels.push_back(scopes_[0].levels);
  }
  scopes_[0].levels[level].crd = before.scopes[0].levels[level].crd;
  const auto all = [&](std::size_t l) {
    std::vector<Source> streams;
    for (const std::vector<Level>& own : levels) streams.push_back(own[l].crd);
    return streams;
  };
  for (std::size_t l = level + 1; l < scopes_[0].levels.size(); ++l)
    scopes_[0].levels[l].crd = serialized(all(l), Wire::crd, variable, static_cast<int>(l - level));
  return serialized(values, Wire::val, variable, static_cast<int>(scopes_[0].levels.size() - 1 - level));
}

} // namespace cyclotron::lower
