// SPDX-License-Identifier: MIT
#include "bench.hpp"

#include <fmt/format.h>

#include <sstream>

namespace cyclotron::sam {
namespace {

TimedToken parse(const std::string& text) {
  const std::size_t at = text.find('@');
  const std::string what = text.substr(0, at);
  const engine::Time time = at == std::string::npos ? 0 : std::stoll(text.substr(at + 1));
  if (what == "D") return {time, done()};
  if (what == "N") return {time, empty()};
  if (what[0] == 'S') { // `S1h1`: hollow
    const std::size_t hollow = what.find('h');
    return {time,
            stop(std::stoi(what.substr(1)), hollow == std::string::npos ? 0 : std::stoi(what.substr(hollow + 1)))};
  }
  if (what.find('.') != std::string::npos) return {time, value({.real = std::stod(what)})};
  return {time, data(std::stoll(what))};
}

Body send(Unit& unit, std::vector<TimedToken> tokens) {
  for (const TimedToken& t : tokens) {
    unit.self.wait_to_receive(t.time);
    unit.out[0].put(t.token);
    unit.self.work(1);
  }
  co_return;
}

Body keep(Unit& unit, std::vector<TimedToken>& tokens) {
  for (bool ended = false; !ended;) {
    co_await unit.input(0).until_element();
    const engine::Time time = unit.input(0).arrival();
    tokens.push_back({time - 1, unit.input(0).take()}); // it left the block a cycle earlier
    ended = tokens.back().token.is_done();
  }
}

} // namespace

Unit& Bench::add(const std::string& label, std::size_t inputs, std::size_t outputs) {
  units_.push_back(
      {simulation_.add(label), label, 0, std::vector<Input*>(inputs), std::deque<Output>(outputs), 1, -1, 0});
  return units_.back();
}

void Bench::wire(Unit& from, std::size_t output, Unit& to, std::size_t input, const engine::ChannelOptions& options) {
  Input& made = simulation_.connect<Token>(from.self, to.self, options);
  from.out[output].add(made);
  to.in[input] = &made;
}

void Bench::feed(Unit& unit, std::size_t port, const std::string& tokens) {
  Unit& feeder = add(fmt::format("feed {}", port), 0, 1);
  engine::ChannelOptions options;
  options.latency = 0;
  wire(feeder, 0, unit, port, options);
  std::vector<TimedToken> list;
  std::istringstream text(tokens);
  for (std::string token; text >> token;) list.push_back(parse(token));
  start(feeder, send(feeder, std::move(list)));
}

void Bench::collect(Unit& unit, std::size_t port) {
  Unit& collector = add(fmt::format("collect {}", port), 1, 0);
  wire(unit, port, collector, 0);
  start(collector, keep(collector, collected_[{&unit, port}]));
}

std::string Bench::seen(const Unit& unit, std::size_t port, bool values) const {
  return spell(collected_.at({&unit, port}), values);
}

std::string spell(const std::vector<TimedToken>& tokens, bool are_values) {
  std::string text;
  for (const TimedToken& t : tokens)
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", t.time, spell(t.token, are_values));
  return text;
}

std::string spell(const Token& token, bool is_value) {
  if (token.is_done()) return "D";
  if (token.is_empty()) return "N";
  if (token.is_stop())
    return token.hollow() == 0 ? fmt::format("S{}", token.level())
                               : fmt::format("S{}h{}", token.level(), token.hollow());
  return is_value ? fmt::format("{}", token.payload.real) : fmt::format("{}", token.payload.whole);
}

} // namespace cyclotron::sam
