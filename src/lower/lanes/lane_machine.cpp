// SPDX-License-Identifier: MIT
#include "lower/lanes/lane_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cyclotron::lower {

using schedule::Command;

namespace {

constexpr std::array lane_commands = {"vectorize", "unroll", "blocks", "threads", "place"};

bool is_lane_command(const Command& command) {
  return std::find(lane_commands.begin(), lane_commands.end(), command.name) != lane_commands.end();
}

class MachineReader {
public:
  MachineReader(LaneMachine machine, Diagnostics& diagnostics)
      : machine_(std::move(machine)), diagnostics_(diagnostics) {}

  std::optional<LaneMachine> run(const schedule::Schedule& schedule) {
    const int before = diagnostics_.errors();
    for (const Command& c : schedule.commands) find_steps(c);
    for (const Command& c : schedule.commands) take(c);
    if (diagnostics_.errors() != before) return std::nullopt;
    return std::move(machine_);
  }

private:
  void take(const Command& c) {
    if (c.name == "vectorize") take_vectors(c);
    else if (c.name == "unroll") take_unrolled(c);
    else if (c.name == "blocks" || c.name == "threads") take_workers(c);
    else if (c.name == "spacetime") machine_.times_are_given = true;
    else if (c.name == "stream") machine_.streamed.insert(c.names("tensor").at(0));
    else if (c.name == "place") take_placed(c);
    else if (c.name == "tile" && !c.find("parts"))
      diagnostics_.unsupported(c.span, "lanes hold numbers, and this makes a program over tiles")
          .with_hint("name the parts to split a loop: `tile i by 4 -> io, ii`");
    else if (c.name == "prefetch" || c.name == "fold" || c.name == "distribute")
      diagnostics_.unsupported(c.span, fmt::format("lanes have no use for `{}`", c.name))
          .with_hint("leave it out; `--target=array` takes it");
  }

  static std::optional<std::int64_t> number_in(const Command& c, std::string_view role) {
    const schedule::Argument* argument = c.find(role);
    if (!argument) return std::nullopt;
    return std::get<std::vector<std::int64_t>>(argument->value).at(0);
  }

  void take_vectors(const Command& c) {
    if (vectorized_) return twice(c);
    vectorized_ = true;
    take_axis(c);
    const std::int64_t lanes = number_in(c, "width").value_or(machine_.lanes);
    if ((lanes & (lanes - 1)) != 0)
      diagnostics_.error(c.span, fmt::format("a vector has a power of two of lanes, not {}", lanes))
          .with_hint(fmt::format("this machine has {}", machine_.lanes));
    machine_.lanes = lanes;
  }

  // What the schedule calls steps: all that it has time for, and the rows of a matrix below the first.
  void find_steps(const Command& c) {
    if (c.name == "time")
      for (const std::string& name : c.names("indices")) steps_.insert(name);
    if (c.name != "spacetime") return;
    const std::vector<std::string> rows = c.names("axes"), indices = c.names("indices");
    steps_.insert(rows.begin() + 1, rows.end());
    const auto& matrix = std::get<schedule::Matrix>(c.find("matrix")->value);
    if (matrix.entries.size() != rows.size() * indices.size()) return; // said where the map is read
    for (std::size_t r = 0; r < rows.size(); ++r) {
      recurrence::Affine formula;
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const schedule::Entry& entry = matrix.entries[r * indices.size() + i];
        if (!entry.sizes.empty()) return; // such a row is taken apart
        if (entry.factor != 0) formula.terms[indices[i]] = entry.factor;
      }
      machine_.rows[rows[r]] = recurrence::print(formula);
    }
  }

  // Elements of the axis, or iterations of a step.
  void take_unrolled(const Command& c) {
    const std::string name = c.names("index").at(0);
    if (!steps_.count(name)) return take_elements(c);
    machine_.unrolled.push_back({name, number_in(c, "factor"), c.span});
  }

  void take_elements(const Command& c) {
    if (machine_.per_lane) return twice(c);
    take_axis(c);
    machine_.per_lane = number_in(c, "factor");
    if (!machine_.per_lane)
      diagnostics_.error(c.span, "`unroll` gives a lane several elements of the axis, and does not say how many")
          .with_hint(fmt::format("write `unroll {} by 4`", c.names("index").at(0)));
  }

  void take_axis(const Command& c) {
    const std::string axis = c.names("index").at(0);
    if (!machine_.axis.empty() && machine_.axis != axis)
      diagnostics_
          .error(c.span, fmt::format("`{}` names `{}`, but the lanes are along `{}`", c.name, axis, machine_.axis))
          .with_hint("`vectorize` and `unroll` are about the axis of the array, which is one");
    machine_.axis = axis;
    machine_.axis_span = c.span;
  }

  void take_workers(const Command& c) {
    const auto workers = c.name == "blocks" ? lanes::Workers::blocks : lanes::Workers::threads;
    for (const std::string& name : c.names("indices")) {
      const auto known = std::find_if(machine_.workers.begin(), machine_.workers.end(),
                                      [&](const WorkerLoop& w) { return w.name == name; });
      if (known != machine_.workers.end())
        diagnostics_.error(c.span, fmt::format("`{}` is given to workers twice", name)).note(known->span, "first here");
      machine_.workers.push_back({name, workers, c.span});
    }
  }

  void take_placed(const Command& c) {
    const std::string tensor = c.names("tensor").at(0);
    const auto known = std::find_if(machine_.placed.begin(), machine_.placed.end(),
                                    [&](const PlacedInput& p) { return p.placed.tensor == tensor; });
    if (known != machine_.placed.end())
      diagnostics_.error(c.span, fmt::format("`{}` is placed twice", tensor))
          .note(known->span, "first here")
          .with_hint("an input is in one memory of the device, or in none");
    const bool shared = c.names("memory").at(0) == "shared";
    machine_.placed.push_back({{tensor, shared ? lanes::Memory::shared : lanes::Memory::registers}, c.span});
  }

  void twice(const Command& c) {
    diagnostics_.error(c.span, fmt::format("`{}` is given twice", c.name)).with_hint("lanes are along one axis");
  }

  LaneMachine machine_;
  std::set<std::string> steps_;
  bool vectorized_ = false;
  Diagnostics& diagnostics_;
};

} // namespace

std::optional<LaneMachine> lane_machine_of(const schedule::Schedule* schedule, Diagnostics& diagnostics,
                                           LaneMachine machine) {
  if (!schedule) return machine;
  return MachineReader(std::move(machine), diagnostics).run(*schedule);
}

schedule::Schedule without_lane_commands(const schedule::Schedule& schedule) {
  schedule::Schedule rest = schedule;
  std::erase_if(rest.commands, is_lane_command);
  return rest;
}

} // namespace cyclotron::lower
