// SPDX-License-Identifier: MIT
#include "backend/array/cell.hpp"

#include "backend/array/cost.hpp"

#include <algorithm>
#include <cstddef>
#include <new>

namespace cyclotron::array {

using pe::Stop;

bool Cell::receive(int port, pe::TileRef& to) {
  auto* channel = static_cast<engine::Channel<pe::TileRef>*>(inputs[port]);
  if (!channel || channel->empty()) return false;
  to = channel->take();
  return true;
}

bool Cell::send(int port, const pe::TileRef& from) {
  auto* channel = static_cast<engine::Channel<pe::TileRef>*>(outputs[port]);
  if (!channel || !channel->has_room()) return false;
  rest->tile_numbers[static_cast<std::size_t>(port)] += from->values.size();
  channel->put(from);
  return true;
}

pe::Fetch Cell::load(const pe::MemoryAccess& access, pe::TileRef& to) {
  pe::TileRef tile = array.memory.tile(access, state.frame);
  if (!tile) return pe::Fetch::outside;
  to = std::move(tile);
  loaded(access);
  return pe::Fetch::there;
}

bool Cell::store(const pe::MemoryAccess& access, const pe::TileRef& from) {
  if (!array.memory.store(access, state.frame, *from)) return false;
  ++rest->stores;
  return true;
}

bool Cell::compute(const pe::Instruction& i) {
  const bool adds = i.op == pe::Opcode::add_kernel || i.op == pe::Opcode::sub_kernel;
  if (!adds && i.op != pe::Opcode::kernel) return pe::compute_tile(state, i);
  const pe::KernelCode& called = state.code->kernels[static_cast<std::size_t>(i.b)];
  const std::vector<recurrence::Tile> arguments = pe::arguments_of(called, state);
  kernel_cycles += cycles_of(*called.kernel, arguments, array.machine);
  pe::TileRef made = std::make_shared<recurrence::Tile>(called.kernel->compute(arguments, &state.failure));
  if (state.failure != recurrence::Failure::none) {
    state.fault = pe::Fault::arithmetic;
    return false;
  }
  if (adds) made = pe::sum_of(*state.tiles[i.c], *made, i.op == pe::Opcode::sub_kernel);
  if (!made) state.fault = pe::Fault::unlike_tiles;
  state.tiles[i.a] = std::move(made);
  return state.tiles[i.a] != nullptr;
}

void Cell::finish() {
  if (kernel_cycles <= 1) return;
  array.activity.add(self.now(), kernel_cycles - 1);
  self.work(kernel_cycles - 1);
  kernel_cycles = 1;
}

Time Cell::other_cost(const pe::Instruction& instruction) {
  if (work_of(instruction) == pe::StepWork::calls_kernels) return std::exchange(kernel_cycles, 0);
  rest->moving += instruction.a;
  return instruction.a;
}

bool Cell::spend_long(const pe::Instruction& instruction, Time& cost) {
  if (work_of(instruction) == pe::StepWork::calls_kernels) cost = std::max<Time>(cost, 1);
  array.activity.add(self.now(), cost);
  return cost > 0;
}

// Addresses are known ahead: elements come one after another, the first after the latency.
void Cell::loaded(const pe::MemoryAccess& access) {
  ++rest->loads;
  if (access.supply == pe::Supply::direct) return;
  const Machine& m = array.machine;
  const bool boundary = access.supply == pe::Supply::boundary;
  Time there = std::max(self.now(), rest->pass_start + (boundary ? m.memory_latency : m.broadcast_latency));
  if (boundary && m.loads_per_cycle > 0) {
    if (there > rest->port_cycle) {
      rest->port_cycle = there;
      rest->port_loads = 0;
    } else if (rest->port_loads == m.loads_per_cycle) {
      ++rest->port_cycle;
      rest->port_loads = 0;
    }
    ++rest->port_loads;
    there = rest->port_cycle;
  }
  self.wait_to_receive(there);
}

void Cell::begin_first(Time cost) {
  rest->begin = self.now() - cost;
  rest->waited_to_receive = self.waiting_to_receive();
  rest->waited_to_send = self.waiting_to_send();
}

void Cell::record(const pe::Instruction& instruction, Time cost) {
  const pe::StepCode& step = state.code->steps[static_cast<std::size_t>(instruction.c)];
  rest->steps.push_back({self.now() - cost, self.now(), step.space});
}

PeStatistics Cell::statistics() const {
  PeStatistics s;
  s.computing = self.computing();
  s.operating = s.computing - rest->moving;
  s.steps = steps;
  s.loads = rest->loads;
  s.stores = rest->stores;
  s.memory_bytes = static_cast<std::uint64_t>(state.code->register_bytes);
  if (steps == 0) return s;
  s.receiving = self.waiting_to_receive() - rest->waited_to_receive;
  s.sending = self.waiting_to_send() - rest->waited_to_send;
  s.begin = rest->begin;
  s.end = end;
  s.step_records = rest->steps;
  for (const engine::Interval& i : self.intervals())
    if (i.end > rest->begin) s.intervals.push_back(i);
  return s;
}

void FreeCell::operator()(Cell* cell) const {
  cell->~Cell();
  ::operator delete(static_cast<void*>(cell), std::align_val_t(alignof(Cell)));
}

CellRef make_cell(Array& array, engine::Process& process, const pe::Code& code, const std::vector<std::int64_t>& at) {
  static const pe::TileRef zero = std::make_shared<recurrence::Tile>(recurrence::Tile{{}, {0.0}});
  using Channel = engine::ChannelBase*;
  const std::size_t inputs = code.inputs.size(), outputs = code.outputs.size();
  const auto words = static_cast<std::size_t>(code.words), frame = static_cast<std::size_t>(code.frame_size);
  const std::size_t size =
      sizeof(Cell) + (inputs + outputs) * sizeof(Channel) + words * sizeof(pe::Word) + frame * sizeof(std::int64_t);
  CellRef made(new (::operator new(size, std::align_val_t(alignof(Cell)))) Cell(array, process));
  Cell& cell = *made;
  auto* next = reinterpret_cast<std::byte*>(made.get() + 1);
  const auto place = [&]<class T>(T*& list, std::size_t count) {
    list = reinterpret_cast<T*>(next);
    std::uninitialized_value_construct_n(list, count);
    next += count * sizeof(T);
  };
  place(cell.inputs, inputs);
  place(cell.outputs, outputs);
  place(cell.state.words, words);
  place(cell.state.frame, frame);
  cell.rest->tiles.assign(static_cast<std::size_t>(code.tiles), zero);
  cell.rest->tile_numbers.assign(outputs, 0);
  cell.state.code = &code;
  cell.state.at = code.instructions.data();
  cell.state.tiles = cell.rest->tiles.data();
  std::copy(at.begin(), at.end(), cell.state.frame);
  for (const auto& [word, value] : code.constants) cell.state.words[word] = value;
  process.set_data(&cell);
  return made;
}

engine::Body run(Cell& cell) {
  const auto is_tile = [&] {
    return cell.state.at->op == pe::Opcode::receive_tile || cell.state.at->op == pe::Opcode::send_tile;
  };
  for (;;) {
    const std::uint64_t before = cell.steps;
    const Stop stop = pe::execute(cell.state, cell);
    cell.array.count(cell.steps - before);
    const int operand = cell.state.at->a;
    if (stop == Stop::ended) co_return;
    if (stop == Stop::at_pass) {
      const pe::PassCode& pass = cell.state.code->passes[static_cast<std::size_t>(operand)];
      engine::Barrier::Round round;
      for (const pe::Linear& l : pass.at) round.push_back(l.evaluate(cell.state.frame));
      co_await cell.array.barrier.arrive(cell.self, std::move(round), pass.cycles);
      cell.rest->pass_start = cell.self.now();
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
