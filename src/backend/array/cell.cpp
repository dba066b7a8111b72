// SPDX-License-Identifier: MIT
#include "backend/array/cell.hpp"

#include "backend/array/cost.hpp"

namespace cyclotron::array {

using pe::Stop;

bool Cell::send(int port, const pe::TileRef& from) {
  auto* channel = static_cast<engine::Channel<pe::TileRef>*>(outputs[port]);
  if (!channel || !channel->has_room()) return false;
  tile_numbers[static_cast<std::size_t>(port)] += from->values.size();
  channel->put(from);
  return true;
}

void Cell::called(const pe::KernelCode& kernel, const std::vector<recurrence::Tile>& arguments) {
  kernel_cycles += cycles_of(*kernel.kernel, arguments, array.machine);
}

void Cell::finish() {
  if (kernel_cycles <= 1) return;
  array.activity.add(self.now(), kernel_cycles - 1);
  self.work(kernel_cycles - 1);
  kernel_cycles = 1;
}

// Addresses are known ahead: elements come one after another, the first after the latency.
void Cell::wait_for_memory(pe::Supply supply) {
  const Machine& m = array.machine;
  const bool boundary = supply == pe::Supply::boundary;
  Time there = std::max(self.now(), pass_start + (boundary ? m.memory_latency : m.broadcast_latency));
  if (boundary && m.loads_per_cycle > 0) {
    if (there > port_cycle) {
      port_cycle = there;
      port_loads = 0;
    } else if (port_loads == m.loads_per_cycle) {
      ++port_cycle;
      port_loads = 0;
    }
    ++port_loads;
    there = port_cycle;
  }
  self.wait_to_receive(there);
}

void Cell::begin_first(Time cost) {
  begin = self.now() - cost;
  waited_to_receive = self.waiting_to_receive();
  waited_to_send = self.waiting_to_send();
}

void Cell::record(const pe::Instruction& instruction, Time cost) {
  const pe::StepCode& step = state.code->steps[static_cast<std::size_t>(instruction.c)];
  step_records.push_back({self.now() - cost, self.now(), step.space});
}

PeStatistics Cell::statistics() const {
  PeStatistics s;
  s.computing = self.computing();
  s.steps = steps;
  s.loads = loads;
  s.stores = stores;
  s.memory_bytes = static_cast<std::uint64_t>(state.code->register_bytes);
  if (steps == 0) return s;
  s.receiving = self.waiting_to_receive() - waited_to_receive;
  s.sending = self.waiting_to_send() - waited_to_send;
  s.begin = begin;
  s.end = end;
  s.step_records = step_records;
  for (const engine::Interval& i : self.intervals())
    if (i.end > begin) s.intervals.push_back(i);
  return s;
}

engine::Body run(Cell& cell) {
  const auto is_tile = [&] {
    return cell.state.at->op == pe::Opcode::receive_tile || cell.state.at->op == pe::Opcode::send_tile;
  };
  for (;;) {
    const Stop stop = pe::execute(cell.state, cell);
    const int operand = cell.state.at->a;
    if (stop == Stop::ended) co_return;
    if (stop == Stop::at_pass) {
      const pe::PassCode& pass = cell.state.code->passes[static_cast<std::size_t>(operand)];
      engine::Barrier::Round round;
      for (const pe::Linear& l : pass.at) round.push_back(l.evaluate(cell.state.frame));
      co_await cell.array.barrier.arrive(cell.self, std::move(round), pass.cycles);
      cell.pass_start = cell.self.now();
      ++cell.state.at;
      continue;
    }
    engine::ChannelBase* channel = stop == Stop::waits_to_receive ? cell.inputs[operand]
                                   : stop == Stop::waits_to_send  ? cell.outputs[operand]
                                                                  : nullptr;
    if (!channel) {
      cell.array.failed = &cell;
      cell.array.simulation.stop();
      co_return;
    }
    if (stop == Stop::waits_to_receive) {
      if (is_tile()) co_await static_cast<engine::Channel<pe::TileRef>*>(channel)->until_element();
      else co_await static_cast<engine::Channel<pe::Word>*>(channel)->until_element();
    } else {
      if (is_tile()) co_await static_cast<engine::Channel<pe::TileRef>*>(channel)->until_room();
      else co_await static_cast<engine::Channel<pe::Word>*>(channel)->until_room();
    }
  }
}

} // namespace cyclotron::array
