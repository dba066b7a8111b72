// SPDX-License-Identifier: MIT
// A bench for single blocks: streams go in as text with their cycles, and come out so.
#pragma once

#include "backend/sam/blocks.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace cyclotron::sam {

class Bench {
public:
  explicit Bench(const engine::SimulationOptions& options = {}) : simulation_(options) {}

  Unit& add(const std::string& label, std::size_t inputs, std::size_t outputs);
  void start(Unit& unit, Body body) { simulation_.start(unit.self, std::move(body)); }

  // "0 1 S0 D": one token a cycle from cycle 0 on; "5@3": not before cycle 3. A number with a point is a value.
  void feed(Unit& unit, std::size_t port, const std::string& tokens);
  void wire(Unit& from, std::size_t output, Unit& to, std::size_t input, const engine::ChannelOptions& options = {});
  template <class T> engine::Channel<T>& at_once(Unit& from, Unit& to) {
    engine::ChannelOptions options;
    options.latency = 0;
    return simulation_.connect<T>(from.self, to.self, options);
  }
  template <class T> engine::Channel<T>& later(Unit& from, Unit& to) { // by a cycle
    return simulation_.connect<T>(from.self, to.self, {});
  }
  void collect(Unit& unit, std::size_t port); // all outputs that have no wire must be collected

  engine::Simulation& simulation() { return simulation_; }
  engine::Outcome run() { return simulation_.run(); }
  // "0:5 1:S0 2:D": the cycle in which each left the block.
  std::string seen(const Unit& unit, std::size_t port, bool values = false) const;

private:
  engine::Simulation simulation_;
  std::deque<Unit> units_;
  std::map<std::pair<const Unit*, std::size_t>, std::vector<TimedToken>> collected_;
};

std::string spell(const Token& token, bool is_value);
std::string spell(const std::vector<TimedToken>& tokens, bool are_values = false); // "0:5 1:S0 2:D"

// One block that is one unit: feeds its inputs, and gives what comes out of each output.
template <class Start>
std::vector<std::string> through(const std::vector<std::string>& inputs, const std::string& outputs, Start start) {
  Bench bench;
  Unit& unit = bench.add("block", inputs.size(), outputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) bench.feed(unit, i, inputs[i]);
  for (std::size_t o = 0; o < outputs.size(); ++o) bench.collect(unit, o);
  bench.start(unit, start(unit));
  bench.run();
  std::vector<std::string> seen;
  for (std::size_t o = 0; o < outputs.size(); ++o) seen.push_back(bench.seen(unit, o, outputs[o] == 'v'));
  return seen;
}

using Texts = std::vector<std::string>;

} // namespace cyclotron::sam
