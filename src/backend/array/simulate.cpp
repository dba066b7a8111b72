// SPDX-License-Identifier: MIT
#include "backend/array/simulate.hpp"

#include "backend/array/cell.hpp"
#include "backend/array/grid.hpp"
#include "backend/array/report_fault.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

namespace cyclotron::array {

namespace {

class Simulator {
public:
  Simulator(const pe::Program& program, pe::MemoryImage& memory, const Machine& machine,
            const SimulationSettings& settings, Diagnostics& diagnostics)
      : program_(program), machine_(machine), diagnostics_(diagnostics), grid_(program),
        simulation_({.records = settings.records, .shuffle = settings.shuffle}), array_{machine, settings, memory,
                                                                                        simulation_,
                                                                                        engine::Barrier(simulation_)} {}

  std::optional<Statistics> run() {
    const auto start = std::chrono::steady_clock::now();
    if (!machine_suffices() || !run_host()) return std::nullopt;
    make_cells();
    connect();
    for (const CellRef& c : cells_)
      if (c) simulation_.start(c->self, array::run(*c));
    const auto expected = static_cast<std::int64_t>(array_.settings.expected_steps);
    Progress progress("simulating the array", {expected, expected > 0 ? "" : "steps"});
    array_.progress = &progress;
    const std::optional<Time> cycles = run_array();
    array_.progress = nullptr;
    if (!cycles) return std::nullopt;
    Statistics s = statistics(*cycles);
    s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return s;
  }

private:
  bool machine_suffices() {
    for (int p = 0; p < grid_.size(); ++p) {
      const pe::Code* code = grid_.code(p);
      if (!code) continue;
      if (machine_.register_bytes > 0 && code->register_bytes > machine_.register_bytes) {
        report_registers(program_, *code, grid_.name(p), machine_.register_bytes, diagnostics_);
        return false;
      }
      if (code->loads_broadcasts && !machine_.broadcast_network) {
        report_broadcast(program_, *code, grid_.name(p), diagnostics_);
        return false;
      }
    }
    return true;
  }

  // Elements that need no array are stored before it starts.
  bool run_host() {
    if (program_.host.empty()) return true;
    const pe::Code code = pe::compile(program_.host, program_, grid_.spaces());
    engine::Simulation alone;
    SimulationSettings quiet;
    Array host{machine_, quiet, array_.memory, alone, engine::Barrier(alone)};
    const CellRef cell = make_cell(host, alone.add("the host"), code, {});
    alone.start(cell->self, array::run(*cell));
    alone.run();
    if (host.failed) report_fault(program_, *host.failed, grid_.spaces(), diagnostics_);
    return !host.failed;
  }

  void make_cells() {
    for (int p = 0; p < grid_.size(); ++p) {
      const pe::Code* code = grid_.code(p);
      cells_.push_back(code ? make_cell(array_, simulation_.add(grid_.name(p)), *code, grid_.coordinates(p)) : nullptr);
    }
  }

  struct Link {
    int channel, from, to, output;
    engine::ChannelBase* made;
  };

  void connect() {
    for (int p = 0; p < grid_.size(); ++p) {
      const pe::Code* code = grid_.code(p);
      if (!code) continue;
      for (std::size_t o = 0; o < code->outputs.size(); ++o) connect(p, static_cast<int>(o), code->outputs[o]);
    }
  }

  // Where there is no one at the other end who receives, the port stays null: sending there is an error.
  void connect(int from, int output, const pe::Port& port) {
    const pe::Channel& channel = program_.channels[static_cast<std::size_t>(port.channel)];
    const int to = grid_.target(from, channel);
    const pe::Code* receiver = to < 0 ? nullptr : grid_.code(to);
    if (!receiver) return;
    const auto input = std::find_if(receiver->inputs.begin(), receiver->inputs.end(),
                                    [&](const pe::Port& i) { return i.channel == port.channel; });
    if (input == receiver->inputs.end()) return;
    Cell& sender = *cells_[static_cast<std::size_t>(from)];
    Cell& other = *cells_[static_cast<std::size_t>(to)];
    const engine::ChannelOptions options = options_of(channel);
    engine::ChannelBase* made;
    if (port.is_tile) made = &simulation_.connect<pe::TileRef>(sender.self, other.self, options, channel.name);
    else made = &simulation_.connect<pe::Word>(sender.self, other.self, options, channel.name);
    sender.outputs[output] = made;
    other.inputs[input - receiver->inputs.begin()] = made;
    links_.push_back({port.channel, from, to, output, made});
  }

  engine::ChannelOptions options_of(const pe::Channel& channel) const {
    std::int64_t bytes = tensor::size_of(channel.type);
    for (std::int64_t d : channel.tile) bytes *= d;
    const std::int64_t rate = machine_.link_bytes_per_cycle;
    const Time transfer = rate > 0 ? std::max<Time>((bytes + rate - 1) / rate, 1) : 1;
    const Time latency = machine_.link_latency * grid_.hops(channel) + transfer - 1;
    const Time interval = std::max(machine_.link_interval, rate > 0 ? transfer : 0);
    return {machine_.fifo_depth, latency, machine_.response_latency, interval};
  }

  std::optional<Time> run_array() {
    try {
      const engine::Outcome outcome = simulation_.run();
      if (array_.failed) {
        report_fault(program_, *array_.failed, grid_.spaces(), diagnostics_);
        return std::nullopt;
      }
      if (outcome.deadlock) {
        report_deadlock(*outcome.deadlock, outcome.cycles, diagnostics_);
        return std::nullopt;
      }
      for (const Link& l : links_)
        if (l.made->sent() != l.made->received()) {
          report_leftover(*l.made, diagnostics_);
          return std::nullopt;
        }
      return std::max(outcome.cycles, array_.barrier.end());
    } catch (const std::runtime_error& e) { // one expects more elements than are sent
      diagnostics_.error(e.what());
      return std::nullopt;
    }
  }

  Statistics statistics(Time cycles) const {
    Statistics s;
    s.program = program_.name;
    for (const pe::Axis& a : program_.axes) s.axes.push_back(a.name);
    s.extents = grid_.extents();
    s.spaces = grid_.spaces();
    for (const pe::Role& r : program_.roles) s.roles.push_back(r.name);
    s.cycles = cycles;
    s.closed_form = program_.closed_form;
    s.predicted = program_.predicted_cycles;
    s.link_latency = machine_.link_latency;
    for (int p = 0; p < grid_.size(); ++p) {
      const Cell* cell = cells_[static_cast<std::size_t>(p)].get();
      s.pes.push_back(cell ? cell->statistics() : PeStatistics{});
      s.pes.back().at = grid_.coordinates(p);
      s.pes.back().role = grid_.role(p);
    }
    for (const Link& l : links_) add_link(s, l);
    s.active = array_.activity.bins(cycles);
    s.cycles_per_bin = array_.activity.cycles_per_bin();
    return s;
  }

  void add_link(Statistics& s, const Link& l) const {
    const pe::Channel& channel = program_.channels[static_cast<std::size_t>(l.channel)];
    const std::uint64_t sent = l.made->sent();
    s.pes[static_cast<std::size_t>(l.from)].sent += sent;
    s.pes[static_cast<std::size_t>(l.to)].received += sent;
    s.channel_operations += 2 * sent;
    if (sent == 0) return;
    const auto numbers =
        channel.tile.empty()
            ? sent
            : cells_[static_cast<std::size_t>(l.from)]->rest->tile_numbers[static_cast<std::size_t>(l.output)];
    s.links.push_back({channel.name, channel.value, l.from, l.to, sent,
                       numbers * static_cast<std::uint64_t>(tensor::size_of(channel.type)), l.made->most_waiting()});
  }

  const pe::Program& program_;
  const Machine& machine_;
  Diagnostics& diagnostics_;
  Grid grid_;
  engine::Simulation simulation_;
  Array array_;
  std::vector<CellRef> cells_; // per PE; null where it plays no role
  std::vector<Link> links_;
};

} // namespace

std::optional<Result> simulate(const pe::Program& program, const std::map<std::string, tensor::Tensor>& inputs,
                               const Machine& machine, const SimulationSettings& settings, Diagnostics& diagnostics) {
  auto memory = pe::MemoryImage::make(program, inputs, diagnostics);
  if (!memory) return std::nullopt;
  auto statistics = Simulator(program, *memory, machine, settings, diagnostics).run();
  if (!statistics) return std::nullopt;
  auto outputs = memory->outputs(program, diagnostics);
  if (!outputs) return std::nullopt;
  return Result{std::move(*outputs), std::move(*statistics)};
}

} // namespace cyclotron::array
