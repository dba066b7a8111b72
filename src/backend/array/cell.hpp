// SPDX-License-Identifier: MIT
// One PE of the simulated array: a process of the engine that runs the code of its role, and what its steps cost.
#pragma once

#include "backend/array/activity.hpp"
#include "backend/array/machine.hpp"
#include "backend/array/statistics.hpp"
#include "engine/barrier.hpp"
#include "engine/channel.hpp"
#include "pe/execute.hpp"
#include "support/progress.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace cyclotron::array {

struct Cell;

// What all PEs of a run share.
struct Array {
  const Machine& machine;
  const SimulationSettings& settings;
  pe::MemoryImage& memory;
  engine::Simulation& simulation;
  engine::Barrier barrier;
  ActivityCount activity = {};
  Progress* progress = nullptr; // is told the steps of all PEs
  std::uint64_t steps = 0;
  Cell* failed = nullptr; // the run ends there

  void count(std::uint64_t done) {
    steps += done;
    if (progress) progress->advance_to(static_cast<std::int64_t>(steps));
  }
};

struct alignas(64) Cell {
  Cell(Array& in, engine::Process& process) : array(in), self(process), records(in.settings.records) {}

  // --- what pe::execute asks of a runtime ---

  bool receive(int port, pe::Word& to) {
    auto* channel = static_cast<engine::Channel<pe::Word>*>(inputs[port]);
    if (!channel || channel->empty()) return false;
    to = channel->take();
    return true;
  }

  bool send(int port, const pe::Word& from) {
    auto* channel = static_cast<engine::Channel<pe::Word>*>(outputs[port]);
    if (!channel || !channel->has_room()) return false;
    channel->put(from);
    return true;
  }

  bool receive(int port, pe::TileRef& to);
  bool send(int port, const pe::TileRef& from);

  pe::Fetch load(const pe::MemoryAccess& access, pe::Word& to) {
    const pe::Word* element = array.memory.element(access, state.frame);
    if (!element) return pe::Fetch::outside;
    to = *element;
    loaded(access);
    return pe::Fetch::there;
  }
  bool store(const pe::MemoryAccess& access, const pe::Word& from) {
    pe::Word* element = array.memory.element(access, state.frame);
    if (!element) return false;
    *element = from;
    ++rest->stores;
    return true;
  }
  pe::Fetch load(const pe::MemoryAccess& access, pe::TileRef& to);
  bool store(const pe::MemoryAccess& access, const pe::TileRef& from);
  bool compute(const pe::Instruction& instruction);
  void finish(); // all but the last cycle of the step

  bool end_step(const pe::Instruction& instruction) {
    Time cost = instruction.a;
    if (work_of(instruction) != pe::StepWork::computes_numbers) cost = other_cost(instruction);
    if (cost == 1) array.activity.add(self.now());
    else if (!spend_long(instruction, cost)) return false;
    self.work(cost);
    end = self.now();
    if (steps++ == 0) begin_first(cost);
    if (records) record(instruction, cost);
    return false;
  }

  void loaded(const pe::MemoryAccess& access); // the time it took

  static pe::StepWork work_of(const pe::Instruction& end_step) { return static_cast<pe::StepWork>(end_step.b); }
  Time other_cost(const pe::Instruction& instruction); // of a step that does not compute numbers
  // A step that takes no cycle, or several: false where it takes none.
  bool spend_long(const pe::Instruction& instruction, Time& cost);
  void begin_first(Time cost);
  void record(const pe::Instruction& instruction, Time cost);
  PeStatistics statistics() const;

  // What few steps need.
  struct Rest {
    std::uint64_t loads = 0, stores = 0;
    Time moving = 0; // cycles of steps that compute nothing
    Time pass_start = 0;
    Time port_cycle = 0; // the last cycle in which the port at the boundary loaded, and how often
    std::int64_t port_loads = 0;
    Time begin = 0, waited_to_receive = 0, waited_to_send = 0; // when the first step began, and what was before it
    std::vector<pe::TileRef> tiles;
    std::vector<std::uint64_t> tile_numbers; // sent, per output
    std::vector<StepRecord> steps;
  };

  // What every step needs stands together: two lines of the cache, and the ports, words and frame behind them.
  Array& array;
  engine::Process& self;
  pe::State state;
  engine::ChannelBase** inputs = nullptr; // one per port of the code; null where there is no partner
  engine::ChannelBase** outputs = nullptr;
  Time kernel_cycles = 0; // of the kernels that the step has called
  bool records = false;
  std::uint64_t steps = 0;
  Time end = 0; // of the last step
  std::unique_ptr<Rest> rest = std::make_unique<Rest>();
};

// A PE at these coordinates: with its ports, words and frame behind it in one block of memory, so that they can be
// fetched together.
struct FreeCell {
  void operator()(Cell* cell) const;
};
using CellRef = std::unique_ptr<Cell, FreeCell>;
CellRef make_cell(Array& array, engine::Process& process, const pe::Code& code, const std::vector<std::int64_t>& at);

engine::Body run(Cell& cell);

} // namespace cyclotron::array
