// SPDX-License-Identifier: MIT
#include "backend/array/report_fault.hpp"

#include "pe/report_fault.hpp"
#include "support/memory.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::array {

namespace {

std::string place_of(const Cell& cell, const std::vector<std::string>& spaces) {
  const std::string step = pe::step_at(cell.state, spaces);
  return step.empty() ? fmt::format("on {}, in cycle {}", cell.self.name(), cell.self.now())
                      : fmt::format("on {}, in cycle {}, in step {}", cell.self.name(), cell.self.now(), step);
}

void report_no_partner(const pe::Program& program, const Cell& cell, Diagnostics& diagnostics) {
  const pe::Instruction& at = *cell.state.at;
  const bool sends = at.op == pe::Opcode::send || at.op == pe::Opcode::send_tile;
  const auto& ports = sends ? cell.state.code->outputs : cell.state.code->inputs;
  const int channel = ports[static_cast<std::size_t>(at.a)].channel;
  diagnostics.error(fmt::format(
      "{} {} `{}`, but no PE at the other end {}", cell.self.name(), sends ? "sends into" : "receives from",
      program.channels[static_cast<std::size_t>(channel)].name, sends ? "receives from it" : "sends into it"));
}

} // namespace

void report_registers(const pe::Program& program, const pe::Code& code, const std::string& pe, std::int64_t limit,
                      Diagnostics& diagnostics) {
  Diagnostic& d = diagnostics.error(fmt::format("{} needs {} of registers, but the machine has {}", pe,
                                                describe_bytes(static_cast<double>(code.register_bytes)),
                                                describe_bytes(static_cast<double>(limit))));
  for (const std::string& name : code.registers) {
    const pe::Register& r = *program.find_register(name);
    std::int64_t bytes = tensor::size_of(r.type);
    for (const pe::Register::Extent& e : r.table) bytes *= e.count;
    for (std::int64_t extent : r.tile) bytes *= extent;
    d.note(fmt::format("`{}` takes {}", name, describe_bytes(static_cast<double>(bytes))));
  }
}

void report_broadcast(const pe::Program& program, const pe::Code& code, const std::string& pe,
                      Diagnostics& diagnostics) {
  const auto load = std::find_if(code.accesses.begin(), code.accesses.end(),
                                 [](const pe::MemoryAccess& a) { return a.supply == pe::Supply::broadcast; });
  diagnostics
      .error(fmt::format("{} gets `{}` by broadcast, but the machine has no broadcast network", pe,
                         program.tensors[static_cast<std::size_t>(load->tensor)].name))
      .with_hint("stream it from PE to PE instead, or simulate a machine that has one");
}

void report_fault(const pe::Program& program, const Cell& cell, const std::vector<std::string>& spaces,
                  Diagnostics& diagnostics) {
  if (cell.state.fault == pe::Fault::none) report_no_partner(program, cell, diagnostics);
  else pe::report_fault(program, cell.state, cell.self.name(), spaces, diagnostics);
  diagnostics.last().note(place_of(cell, spaces));
}

void report_deadlock(const engine::Deadlock& deadlock, Time cycle, Diagnostics& diagnostics) {
  Diagnostic& d = diagnostics.error(fmt::format("the array stands still from cycle {} on: {} {} cannot go on", cycle,
                                                deadlock.stuck, deadlock.stuck == 1 ? "PE" : "PEs"));
  for (const std::string& line : deadlock.lines()) d.note(line);
  const bool full =
      std::any_of(deadlock.chain.begin(), deadlock.chain.end(), [](const engine::Waiting& w) { return w.to_send; });
  if (full) d.with_hint("deeper FIFOs may resolve it");
}

void report_leftover(const engine::ChannelBase& channel, Diagnostics& diagnostics) {
  diagnostics.error(fmt::format("{} sends {} elements into `{}`, but {} receives only {}", channel.sender().name(),
                                channel.sent(), channel.name(), channel.receiver().name(), channel.received()));
}

} // namespace cyclotron::array
