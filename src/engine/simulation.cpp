// SPDX-License-Identifier: MIT
#include "engine/simulation.hpp"

#include "engine/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace cyclotron::engine {

void Process::record(Activity activity, Time until) {
  if (!intervals_.empty() && intervals_.back().activity == activity && intervals_.back().end == now_)
    intervals_.back().end = until;
  else intervals_.push_back({activity, now_, until});
}

void Body::promise_type::end() noexcept { process->simulation_->end(*process, problem); }

Simulation::~Simulation() = default;

Process& Simulation::add(std::string name) {
  processes_.push_back(std::unique_ptr<Process>(new Process(*this, std::move(name), options_.records)));
  return *processes_.back();
}

void Simulation::add(std::unique_ptr<ChannelBase> channel) {
  if (channel->name_.empty()) channel->name_ = fmt::format("channel {}", channels_.size());
  channel->sender_->outgoing_.push_back(channel.get());
  channels_.push_back(std::move(channel));
}

void Simulation::start(Process& process, Body body) {
  body.handle_.promise().process = &process;
  process.started_ = true;
  ready_.push_back(body.handle_);
  bodies_.push_back(std::move(body));
}

std::coroutine_handle<> Simulation::next_at_random() {
  random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
  std::swap(ready_[(random_ >> 33) % ready_.size()], ready_.back());
  const std::coroutine_handle<> at = ready_.back();
  ready_.pop_back();
  return at;
}

void Simulation::end(Process& process, std::exception_ptr problem) {
  process.ended_ = true;
  if (problem && !problem_) problem_ = problem;
  for (ChannelBase* channel : process.outgoing_) channel->wake(*channel->receiver_, channel->receiver_at_);
}

Outcome Simulation::run() {
  // What was started first runs first.
  std::reverse(ready_.begin(), ready_.end());
  while (!ready_.empty() && !problem_) next().resume();
  if (problem_) std::rethrow_exception(problem_);
  Outcome outcome;
  bool stuck = false;
  for (const auto& p : processes_) {
    outcome.cycles = std::max(outcome.cycles, p->now_);
    stuck |= p->started_ && !p->ended_;
  }
  if (stuck) outcome.deadlock = find_deadlock();
  return outcome;
}

Deadlock Simulation::find_deadlock() const {
  Deadlock found;
  const Process* first = nullptr;
  for (const auto& p : processes_) {
    if (!p->waits_on_) continue;
    ++found.stuck;
    if (!first) first = p.get();
  }
  // Everyone who waits waits for one other: following them from anywhere leads into a circle or to an end.
  std::vector<const Process*> seen;
  const Process* at = first;
  while (at->waits_on_ && std::find(seen.begin(), seen.end(), at) == seen.end()) {
    seen.push_back(at);
    found.chain.push_back({at, at->waits_on_, at->waits_to_send_});
    at = at->waits_to_send_ ? &at->waits_on_->receiver() : &at->waits_on_->sender();
  }
  const auto begin = std::find(seen.begin(), seen.end(), at);
  found.circle = begin != seen.end();
  if (found.circle) found.chain.erase(found.chain.begin(), found.chain.begin() + (begin - seen.begin()));
  return found;
}

std::string Deadlock::describe() const {
  constexpr std::size_t most_lines = 20;
  std::string text = fmt::format("{} process{} cannot go on:", stuck, stuck == 1 ? "" : "es");
  for (std::size_t i = 0; i < chain.size(); ++i) {
    if (i == most_lines) {
      text += fmt::format("\n  … and {} more", chain.size() - most_lines);
      break;
    }
    const Waiting& w = chain[i];
    const Process& other = w.to_send ? w.channel->receiver() : w.channel->sender();
    text +=
        fmt::format("\n  {} waits {} `{}` {} {}", w.process->name(), w.to_send ? "for room in" : "for an element of",
                    w.channel->name(), w.to_send ? "to" : "from", other.name());
    if (w.to_send)
      text += fmt::format(", which is full ({} of {})", w.channel->sent() - w.channel->received(),
                          w.channel->options().capacity);
    if (i + 1 == chain.size())
      text += circle ? "; that closes the circle" : fmt::format("; {} has ended", other.name());
  }
  return text;
}

void fail_at_end(const ChannelBase& channel) {
  throw std::runtime_error(fmt::format("{} expects one more element of `{}`, but {} has ended after {}",
                                       channel.receiver().name(), channel.name(), channel.sender().name(),
                                       channel.sent()));
}

} // namespace cyclotron::engine
