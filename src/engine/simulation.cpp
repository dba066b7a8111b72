// SPDX-License-Identifier: MIT
#include "engine/simulation.hpp"

#include "engine/barrier.hpp"
#include "engine/channel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace cyclotron::engine {

void Process::record(Activity activity, Time until, const ChannelBase* channel) {
  Interval* last = intervals_.empty() ? nullptr : &intervals_.back();
  if (last && last->activity == activity && last->channel == channel && last->end == now_) last->end = until;
  else intervals_.push_back({activity, now_, until, channel});
}

void Body::promise_type::end() noexcept { process->simulation_->end(*process, problem); }

Simulation::Simulation(const SimulationOptions& options) : options_(options), random_(options.shuffle) {}
Simulation::~Simulation() = default;

Process& Simulation::add(std::string name) {
  processes_.push_back(std::unique_ptr<Process>(new Process(*this, std::move(name), options_.records)));
  return *processes_.back();
}

void Simulation::add(std::unique_ptr<ChannelBase> channel) {
  if (channel->about_->name.empty()) channel->about_->name = fmt::format("channel {}", channels_.size());
  channel->sender_->outgoing_.push_back(channel.get());
  channel->sender_->add_near(*channel);
  channel->receiver_->add_near(*channel);
  channels_.push_back(std::move(channel));
}

void Simulation::start(Process& process, Body body) {
  body.handle_.promise().process = &process;
  process.started_ = true;
  process.body_ = body.handle_;
  make_ready(process);
  bodies_.push_back(std::move(body));
}

void Simulation::make_ready(Process& process) { ready_.push_back(&process); }

// In rounds: those that become ready in one run in the next. So each finds as much as its channels hold when its turn
// comes, and works it off at one go.
void Simulation::run_rounds(Progress* progress) {
  constexpr std::size_t soon = 2, later = 6; // turns ahead
  while (!ready_.empty()) {
    round_.swap(ready_);
    const std::size_t count = round_.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (i + later < count) round_[i + later]->fetch_itself();
      if (i + soon < count) round_[i + soon]->fetch_surroundings();
      round_[i]->resume();
      if (problem_ || stopped_) return;
    }
    latest_ = std::max(latest_, round_.front()->now_);
    if (progress) progress->advance_to(latest_);
    round_.clear();
  }
}

void Simulation::run_shuffled() {
  while (!ready_.empty() && !problem_ && !stopped_) {
    random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
    std::swap(ready_[(random_ >> 33) % ready_.size()], ready_.back());
    Process* const next = ready_.back();
    ready_.pop_back();
    next->resume();
  }
}

bool Simulation::widen_windows() {
  bool any = false;
  for (const auto& channel : channels_) {
    if (!channel->widen()) continue;
    channel->sender_waits_ = false;
    make_ready(*channel->sender_);
    any = true;
  }
  return any;
}

void Simulation::wait_for_turn(const Patient& patient) {
  patient.process->waits_on_ = patient.channels[0];
  patient.process->waits_to_send_ = false;
  patients_.push_back(patient);
}

// All others wait for elements that only patient ones can make come, at their clocks or later.
bool Simulation::take_turn() {
  Patient* first = nullptr;
  for (Patient& p : patients_) {
    const auto empty = [](const ChannelBase* c) { return c->sent() == c->received(); };
    if (p.idle && empty(p.channels[0]) && empty(p.channels[1])) continue;
    if (!first || p.process->now_ < first->process->now_) first = &p;
  }
  if (!first) return false;
  make_ready(*first->process);
  *first = patients_.back();
  patients_.pop_back();
  return true;
}

// In a large simulation most of the time would go into waiting for memory.
void Process::fetch_surroundings() const {
  constexpr int line = 64;
  const auto fetch = [](const void* at, int lines) {
    for (int i = 0; i < lines; ++i) __builtin_prefetch(static_cast<const char*>(at) + i * line);
  };
  fetch(body_.address(), 2);
  if (data_) fetch(data_, 5);
  for (const ChannelBase* channel : near_)
    if (channel) fetch(channel, 3);
}

void Simulation::end(Process& process, std::exception_ptr problem) {
  process.ended_ = true;
  if (problem && !problem_) problem_ = problem;
  for (ChannelBase* channel : process.outgoing_)
    ChannelBase::wake(process, *channel->receiver_, channel->receiver_waits_);
  if (barrier_) barrier_->leave(process);
}

Outcome Simulation::run(Progress* progress) {
  do {
    if (options_.shuffle != 0) run_shuffled();
    else run_rounds(progress);
  } while (!problem_ && !stopped_ && (widen_windows() || take_turn()));
  if (problem_) std::rethrow_exception(problem_);
  Outcome outcome;
  bool stuck = false;
  for (const auto& p : processes_) {
    outcome.cycles = std::max(outcome.cycles, p->now_);
    stuck |= p->started_ && !p->ended_;
  }
  if (stuck && !stopped_) outcome.deadlock = find_deadlock();
  return outcome;
}

Waiting Simulation::waiting(const Process& p) const {
  if (p.waits_at_) return {&p, nullptr, false, p.waits_at_->missing()};
  return {&p, p.waits_on_, p.waits_to_send_, p.waits_to_send_ ? &p.waits_on_->receiver() : &p.waits_on_->sender()};
}

Deadlock Simulation::find_deadlock() const {
  Deadlock found;
  const auto waits = [](const Process* p) { return p->waits_on_ || p->waits_at_; };
  const Process* first = nullptr;
  for (const auto& p : processes_) {
    if (!waits(p.get())) continue;
    ++found.stuck;
    if (!first) first = p.get();
  }
  // Everyone who waits waits for one other: following them from anywhere leads into a circle or to an end.
  std::vector<const Process*> seen;
  const Process* at = first;
  while (waits(at) && std::find(seen.begin(), seen.end(), at) == seen.end()) {
    seen.push_back(at);
    found.chain.push_back(waiting(*at));
    at = found.chain.back().other;
  }
  const auto begin = std::find(seen.begin(), seen.end(), at);
  found.circle = begin != seen.end();
  if (found.circle) found.chain.erase(found.chain.begin(), found.chain.begin() + (begin - seen.begin()));
  return found;
}

namespace {

std::string describe(const Waiting& w) {
  if (!w.channel) return fmt::format("{} waits at a barrier for {}", w.process->name(), w.other->name());
  if (!w.to_send)
    return fmt::format("{} waits for an element of `{}` from {}", w.process->name(), w.channel->name(),
                       w.other->name());
  return fmt::format("{} waits for room in `{}` to {}, which is full ({} of {})", w.process->name(), w.channel->name(),
                     w.other->name(), w.channel->sent() - w.channel->received(), w.channel->options().capacity);
}

} // namespace

std::vector<std::string> Deadlock::lines() const {
  constexpr std::size_t most_lines = 20;
  std::vector<std::string> list;
  for (std::size_t i = 0; i < chain.size() && i < most_lines; ++i) {
    list.push_back(engine::describe(chain[i]));
    if (i + 1 == chain.size())
      list.back() += circle ? "; that closes the circle" : fmt::format("; {} has ended", chain[i].other->name());
  }
  if (chain.size() > most_lines) list.push_back(fmt::format("… and {} more", chain.size() - most_lines));
  return list;
}

std::string Deadlock::describe() const {
  std::string text = fmt::format("{} process{} cannot go on:", stuck, stuck == 1 ? "" : "es");
  for (const std::string& line : lines()) text += "\n  " + line;
  return text;
}

void fail_at_end(const ChannelBase& channel) {
  throw std::runtime_error(fmt::format("{} expects one more element of `{}`, but {} has ended after {}",
                                       channel.receiver().name(), channel.name(), channel.sender().name(),
                                       channel.sent()));
}

} // namespace cyclotron::engine
