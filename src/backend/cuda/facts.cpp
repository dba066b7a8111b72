// SPDX-License-Identifier: MIT
// What is known of a kernel before it is printed: names that the text can have, and what its variables are.
#include "backend/c/names.hpp"
#include "backend/cuda/printer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace cyclotron::backend::cuda {

namespace {

// Beside the words of C and C++: what CUDA and the text itself have. Words of the code IR are no names there, so the
// text may use them.
constexpr std::array<std::string_view, 65> taken_words{"absolute",
                                                       "add",
                                                       "Adjacent",
                                                       "load_adjacent",
                                                       "store_adjacent",
                                                       "answer",
                                                       "any_lane",
                                                       "arguments",
                                                       "asm",
                                                       "atomicMin",
                                                       "blockDim",
                                                       "blockIdx",
                                                       "CHECK_ACCESS",
                                                       "device",
                                                       "dim3",
                                                       "divide",
                                                       "double2",
                                                       "ended",
                                                       "exp",
                                                       "expf",
                                                       "extract",
                                                       "f32",
                                                       "f64",
                                                       "fabs",
                                                       "fabsf",
                                                       "fail",
                                                       "failed",
                                                       "float2",
                                                       "float4",
                                                       "floor_divide",
                                                       "from_lane",
                                                       "gridDim",
                                                       "group",
                                                       "group_in_block",
                                                       "group_mask",
                                                       "groups",
                                                       "groups_in_block",
                                                       "i16",
                                                       "i32",
                                                       "i64",
                                                       "int2",
                                                       "int4",
                                                       "load",
                                                       "log",
                                                       "logf",
                                                       "maximum",
                                                       "minimum",
                                                       "modulo",
                                                       "multiply",
                                                       "multiprocessors",
                                                       "negative",
                                                       "OWN_MEMORY",
                                                       "padded",
                                                       "pow",
                                                       "powf",
                                                       "resident",
                                                       "scratch_bytes",
                                                       "shared_memory",
                                                       "shift",
                                                       "sqrt",
                                                       "sqrtf",
                                                       "store",
                                                       "subtract",
                                                       "threadIdx",
                                                       "warpSize"};

using code::each_statement;

// Names that begin so are made by the text or by the headers that it may be read with.
bool begins_taken(const std::string& name) {
  return name.starts_with("__") || name.starts_with("exchanged_") || name.starts_with("stored_") ||
         name.starts_with("stores_") || name.starts_with("place_") || name.starts_with("adjacent_") ||
         name.starts_with("emulat") || name.starts_with("cuda");
}

bool is_taken(const std::string& name) {
  return std::count(taken_words.begin(), taken_words.end(), name) || c::is_reserved(name) || name.ends_with("_end");
}

} // namespace

Names::Names(const code::Kernel& kernel) {
  for (const std::string& size : kernel.sizes) add(size);
  for (const code::Memory& m : kernel.memories) add(m.name);
  each_statement(kernel.body, [&](const code::Statement& s) {
    if (const auto* d = std::get_if<code::Declare>(&s.kind)) add(d->name);
    if (const auto* f = std::get_if<code::For>(&s.kind)) add(f->variable);
  });
}

void Names::add(const std::string& name) {
  if (names_.count(name)) return; // of another scope
  // What an underscore does not set free begins like a name that is taken.
  std::string free = begins_taken(name) || c::is_reserved(name + "_") ? "own_" + name : name;
  const auto in_use = [&] {
    return is_taken(free) ||
           std::any_of(names_.begin(), names_.end(), [&](const auto& entry) { return entry.second == free; });
  };
  while (in_use()) free += "_";
  names_[name] = free;
}

void Facts::note_stores(const code::Body& body, bool in_loop) {
  for (const code::Statement& s : body) {
    if (const auto* store = std::get_if<code::Store>(&s.kind))
      if (!stored.insert(store->memory).second || in_loop) stored_again.insert(store->memory);
    if (const auto* f = std::get_if<code::For>(&s.kind)) note_stores(f->body, in_loop || f->run == code::Run::serial);
    if (const auto* i = std::get_if<code::If>(&s.kind)) note_stores(i->body, in_loop);
  }
}

Facts::Facts(const code::Kernel& kernel) {
  note_stores(kernel.body, false);
  for (const code::Memory& m : kernel.memories)
    if (m.once) stored_again.erase(m.name);
  each_statement(kernel.body, [&](const code::Statement& s) {
    if (const auto* a = std::get_if<code::Assign>(&s.kind)) assigned.insert(a->name);
  });
  loaded = code::loaded_memories(kernel.body);
  bounded.insert(kernel.sizes.begin(), kernel.sizes.end());
  // In the order of the text, where a variable is declared before it is read. One name may be declared in several
  // scopes: it is bounded where all of them are.
  std::set<std::string> unbounded = assigned;
  each_statement(kernel.body, [&](const code::Statement& s) {
    const auto* d = std::get_if<code::Declare>(&s.kind);
    const auto* f = std::get_if<code::For>(&s.kind);
    const std::string& name = d ? d->name : f ? f->variable : "";
    if (name.empty()) return;
    const bool is = f ? is_bounded(f->first, bounded) && is_bounded(f->end, bounded)
                      : d->type.scalar == code::Scalar::i64 && (!d->value || is_bounded(d->value, bounded));
    if (is && !unbounded.count(name)) {
      bounded.insert(name);
    } else {
      unbounded.insert(name);
      bounded.erase(name);
    }
  });
}

} // namespace cyclotron::backend::cuda
