// SPDX-License-Identifier: MIT
#include "driver/targets.hpp"

#include "driver/simulate_sam.hpp"
#include "support/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::driver {

namespace {

std::vector<Target> native_targets() {
  return {
      {.name = "c",
       .meaning = "native code: the program as C, compiled by the system's compiler and called",
       .takes = "loops",
       .started = "in this process, on the cores of this machine",
       .refuses = "recurrences that no loop nest computes in order, and tiles of sparse tensors",
       .files = {".loops"},
       .run = run_on_c,
       .compile = compile_folder},
      {.name = "simd",
       .meaning = "a linear array in the lanes of vector registers: compiled by the system's compiler and called",
       .takes = "lanes",
       .started = "in this process; on all cores where the schedule has `threads` or `blocks`",
       .refuses = "arrays of two axes, tiles, values that are needed before they can be there, and `--all-steps`",
       .files = {},
       .run = run_on_simd,
       .compile = compile_simd_folder,
       .explore = explore_on_simd},
      {.name = "cuda",
       .meaning = "that array in the warps of an NVIDIA GPU: compiled and launched by its driver",
       .takes = "lanes",
       .started = "on the GPU, by its driver and NVRTC, which are looked for when they are needed",
       .refuses = "what `simd` refuses",
       .files = {},
       .run = run_on_cuda,
       .compile = compile_cuda_folder,
       .explore = explore_on_cuda},
  };
}

std::vector<Target> other_targets() {
  return {
      {.name = "array",
       .meaning = "an array of processing elements, simulated cycle by cycle",
       .takes = "pe",
       .started = "in this process; every element is a process of the simulation engine",
       .refuses = "`--all-steps`, and elements whose places only the data says, as in `x(p(i))`",
       .files = {".pe", ".dataflow"},
       .run = run_on_array,
       .simulate = simulate_on_array,
       .explore = explore},
      {.name = "mpi",
       .meaning = "that array on the ranks of a cluster; `simulate` says how long it would take there",
       .takes = "pe",
       .started = "by `mpirun`, which starts the runtime `cyclotron-mpi` on every rank",
       .refuses = "what an array refuses",
       .files = {".pe"},
       .run = run_on_mpi,
       .simulate = simulate_on_ranks},
      {.name = "sam",
       .meaning = "a graph of blocks that exchange streams (the sparse abstract machine), simulated cycle by cycle",
       .takes = "stream",
       .started = "in this process; every block is a process of the simulation engine",
       .refuses = "recurrences, steps and tensors of tiles",
       .files = {".gv", ".dot"},
       .run = run_on_sam,
       .simulate = simulate_sam},
      {.name = "interpret",
       .meaning = "the equations as they stand, one element at a time: what every other target is compared with",
       .takes = "recurrence",
       .started = "in this process",
       .refuses = "schedules",
       .files = {".loops"},
       .run = run_on_interpreter},
  };
}

} // namespace

const std::vector<Target>& target_table() {
  static const std::vector<Target> table = [] {
    std::vector<Target> all = native_targets();
    for (Target& t : other_targets()) all.push_back(std::move(t));
    return all;
  }();
  return table;
}

std::string_view name_of(Verb verb) {
  switch (verb) {
  case Verb::run: return "run";
  case Verb::simulate: return "simulate";
  case Verb::compile: return "compile";
  case Verb::explore: return "explore";
  }
  bug("unknown verb");
}

bool has(const Target& target, Verb verb) {
  switch (verb) {
  case Verb::run: return target.run != nullptr;
  case Verb::simulate: return target.simulate != nullptr;
  case Verb::compile: return target.compile != nullptr;
  case Verb::explore: return target.explore != nullptr;
  }
  bug("unknown verb");
}

const Target* target_named(std::string_view name) {
  for (const Target& t : target_table())
    if (t.name == name) return &t;
  return nullptr;
}

std::vector<std::string> targets_with(Verb verb) {
  std::vector<std::string> names;
  for (const Target& t : target_table())
    if (has(t, verb)) names.emplace_back(t.name);
  return names;
}

namespace {

bool is_file_of(const Target& target, std::string_view path) {
  return std::any_of(target.files.begin(), target.files.end(),
                     [&](std::string_view ending) { return path.ends_with(ending); });
}

std::string quoted(std::vector<std::string> names) {
  for (std::string& name : names) name = "`" + name + "`";
  return join_names(names);
}

// Files of a target that is simulated are what its simulator reads; those of others are run.
Verb verb_of_files(const Target& target) { return target.simulate ? Verb::simulate : Verb::run; }

std::string choices(Verb verb) {
  const std::vector<std::string> names = targets_with(verb);
  return names.size() == 1 ? fmt::format("the target of `{}` is {}", name_of(verb), quoted(names))
                           : fmt::format("the targets of `{}` are {}", name_of(verb), quoted(names));
}

} // namespace

std::string target_of_file(std::string_view path) {
  for (const Target& t : target_table())
    if (is_file_of(t, path)) return std::string(t.name);
  return "";
}

const Target* find_target(std::string_view name, Verb verb, std::string_view file, Diagnostics& diagnostics) {
  const Target* target = target_named(name);
  if (!target) {
    const std::string near = did_you_mean(name, targets_with(verb));
    diagnostics.error(fmt::format("there is no target `{}`", name))
        .with_hint(near.empty() ? choices(verb) + "; `cyclotron list targets` says what they are" : near);
    return nullptr;
  }
  const Target* owner = target_named(target_of_file(file));
  if (owner && verb != verb_of_files(*owner)) {
    diagnostics.error(fmt::format("`{}` is no program, but what the compiler made of one", file))
        .with_hint(fmt::format("write `cyclotron {} {}`", name_of(verb_of_files(*owner)), file));
    return nullptr;
  }
  if (!has(*target, verb)) {
    diagnostics.error(fmt::format("`{}` does not take the target `{}`", name_of(verb), name)).with_hint(choices(verb));
    return nullptr;
  }
  if (owner && !is_file_of(*target, file)) {
    diagnostics.error(fmt::format("`{}` is a file of the target `{}`, not of `{}`", file, owner->name, name))
        .with_hint(fmt::format("write `--target={}`", owner->name));
    return nullptr;
  }
  return target;
}

} // namespace cyclotron::driver
