// SPDX-License-Identifier: MIT
// Every schedule command, once.
#include "schedule/ir.hpp"

#include <algorithm>

namespace cyclotron::schedule {

namespace {

Slot word(std::string_view w, int group = 0) { return {SlotKind::word, w, {w}, group}; }
Slot indices(std::string_view role = "indices") { return {SlotKind::indices, role, {}, 0}; }
Slot index(std::string_view role = "index") { return {SlotKind::indices, role, {}, 0}; }
Slot tensor_slot() { return {SlotKind::tensor, "tensor", {}, 0}; }
Slot integers(std::string_view role, int group = 0) { return {SlotKind::integers, role, {}, group}; }
Slot name(std::string_view role) { return {SlotKind::name, role, {}, 0}; }
Slot choice(std::string_view role, std::vector<std::string_view> words) {
  return {SlotKind::choice, role, std::move(words), 0};
}

// The targets that several rows share. What takes a map of indices to processors and steps: arrays, and whatever else
// has places and times.
using Targets = std::vector<std::string_view>;
const Targets on_arrays{"array", "mpi"}, in_lanes{"simd", "cuda"}, mapped{"array", "mpi", "simd", "cuda"};

} // namespace

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> table = {
      {"order", "order i, j, k", "the order of the loops, outermost first", {indices()}, {"c", "sam"}},
      {"tile",
       "tile i by 64",
       "split loops; with several sizes or `-> names`, name the parts",
       {indices(), word("by"), integers("sizes"), word("->", 1), {SlotKind::new_indices, "parts", {}, 1}},
       {"c", "array", "mpi", "sam", "simd", "cuda"}},
      {"parallel",
       "parallel i",
       "run the iterations of a loop on several cores; for streams, `parallel i by 4`: in so many copies",
       {indices(), word("by", 1), integers("copies", 1)},
       {"c", "sam"}},
      {"vectorize",
       "vectorize j by 8",
       "run the iterations of a loop in vectors",
       {index(), word("by", 1), integers("width", 1)},
       {"c", "sam", "simd", "cuda"}},
      {"unroll",
       "unroll k by 4",
       "write out several iterations in a row",
       {index(), word("by", 1), integers("factor", 1)},
       {"c", "simd", "cuda"}},
      {"wavefront", "wavefront i, j", "run loops that both carry dependences along anti-diagonals", {indices()}, {"c"}},
      {"mask",
       "mask L csr",
       "the nonzeros of a result are known ahead, in this format",
       {tensor_slot(), {SlotKind::format, "format", {}, 0}},
       {"c"}},
      {"marching",
       "marching L along i",
       "keep a pointer per row or column that only moves forward",
       {tensor_slot(), word("along"), index()},
       {"c"}},
      {"precompute",
       "precompute A(i,k)*x(k) over i into ws",
       "compute an expression into a workspace first",
       {{SlotKind::expression, "expression", {}, 0},
        word("over"),
        indices(),
        word("into"),
        {SlotKind::new_name, "workspace", {}, 0}},
       {"c"}},
      {"map",
       "map S to f",
       "run a statement with a function of the backend",
       {name("statement"), word("to"), name("function")},
       {}},
      {"accelerate",
       "accelerate S with f",
       "replace a statement by a function of the backend, data placed to fit",
       {name("statement"), word("with"), name("function")},
       {}},
      {"environment",
       "environment v = 16",
       "set a variable of the backend",
       {name("variable"), word("="), {SlotKind::value, "value", {}, 0}},
       {}},
      {"space", "space i, j", "these dimensions are processors", {indices()}, mapped},
      {"time", "time k", "these dimensions are steps", {indices()}, mapped},
      {"stream",
       "stream A along j",
       "pass a value from neighbour to neighbour",
       {tensor_slot(), word("along"), index()},
       mapped},
      {"broadcast",
       "broadcast B along i",
       "give a value to all processors of a line at once",
       {tensor_slot(), word("along"), index()},
       mapped},
      {"prefetch",
       "prefetch L along i",
       "load a value into its processor ahead of time",
       {tensor_slot(), word("along"), index()},
       on_arrays},
      {"fold",
       "fold i cyclic 4",
       "many logical processors on few",
       {index(), choice("how", {"cyclic", "block"}), integers("count")},
       on_arrays},
      {"distribute",
       "distribute A block(i, k)",
       "which processor owns which part of a tensor",
       {tensor_slot(), choice("how", {"block", "cyclic"}), word("("), indices(), word(")")},
       on_arrays},
      {"spacetime",
       "spacetime (c, q) -> (s, t) = [1 1; 0 1]",
       "a linear map from indices to processors and steps",
       {word("("),
        indices(),
        word(")"),
        word("->"),
        word("("),
        {SlotKind::new_indices, "axes", {}, 0},
        word(")"),
        word("="),
        {SlotKind::matrix, "matrix", {}, 0}},
       mapped},
      {"locate",
       "locate B along i",
       "streams look coordinates up in a tensor instead of walking through its level",
       {tensor_slot(), word("along"), index()},
       {"sam"}},
      {"buffer",
       "buffer A along i bytes 65536 rate 64 latency 100",
       "streams read fibers of a tensor, whole, into a memory of so many bytes; so many bytes a cycle (64) after the "
       "latency (1)",
       {tensor_slot(), word("along"), index(), word("bytes"), integers("bytes"), word("rate", 1), integers("rate", 1),
        word("latency", 2), integers("latency", 2)},
       {"sam"}},
      {"skip",
       "skip i",
       "scanners of streams skip coordinates that an intersecter does not need",
       {indices()},
       {"sam"}},
      {"scatter",
       "scatter A",
       "streams write the points of a result in any order, and sum those that meet",
       {tensor_slot()},
       {"sam"}},
      {"explicit_zeros",
       "explicit_zeros A",
       "streams store zeros where a reduction finds nothing, instead of dropping coordinates",
       {tensor_slot()},
       {"sam"}},
      {"blocks", "blocks oc", "these loops are thread blocks", {indices()}, in_lanes},
      {"threads", "threads cc", "these loops are threads", {indices()}, in_lanes},
      {"place",
       "place x in shared",
       "where a tensor lives on the device",
       {tensor_slot(), word("in"), choice("memory", {"shared", "registers"})},
       in_lanes},
  };
  return table;
}

const CommandRow* command_named(std::string_view name) {
  for (const CommandRow& row : command_table())
    if (row.name == name) return &row;
  return nullptr;
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const CommandRow& row : command_table()) names.emplace_back(row.name);
  return names;
}

const Argument* Command::find(std::string_view role) const {
  const auto at = std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.role == role; });
  return at == arguments.end() ? nullptr : &*at;
}

std::vector<std::string> Command::names(std::string_view role) const {
  std::vector<std::string> list;
  if (const Argument* a = find(role))
    for (const Binder& b : std::get<std::vector<Binder>>(a->value)) list.push_back(b.name);
  return list;
}

} // namespace cyclotron::schedule
