// SPDX-License-Identifier: MIT
#include "pe/rehearse.hpp"

#include "pe/walk.hpp"
#include "support/progress.hpp"

#include <algorithm>
#include <deque>

namespace cyclotron::pe {

namespace {

// First in, first out, in a ring that grows.
class Times {
public:
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }
  void push(std::int64_t time) {
    if (count_ == ring_.size()) grow();
    ring_[(first_ + count_++) & (ring_.size() - 1)] = time;
  }
  std::int64_t pop() {
    const std::int64_t time = ring_[first_];
    first_ = (first_ + 1) & (ring_.size() - 1);
    --count_;
    return time;
  }

private:
  void grow() {
    std::vector<std::int64_t> larger(std::max<std::size_t>(4, 2 * ring_.size()));
    for (std::size_t i = 0; i < count_; ++i) larger[i] = ring_[(first_ + i) & (ring_.size() - 1)];
    ring_ = std::move(larger);
    first_ = 0;
  }

  std::vector<std::int64_t> ring_;
  std::size_t first_ = 0, count_ = 0;
};

// A channel between two PEs.
struct Link {
  Times arrivals; // of what is in it
  Times free;     // since when the room of what was received can be used again, where the depth is bounded
  std::int64_t sent = 0;
  int receiver_waits = -1, sender_waits = -1; // the PEs, while they do
};

struct Runner {
  const Walk* walk = nullptr; // none: it does nothing
  Walk::Cursor cursor;
  std::int64_t now = 0;
  std::size_t done = 0; // of the present step: receives, forwards, its computation, sends
  bool in_step = false;
  bool ended = false;
  bool at_pass = false;
  PassNumber pass; // where it is at one
  Stuck waits;     // where it is at a channel
};

class Rehearsing {
public:
  Rehearsing(const Program& program, const RehearsalOptions& options)
      : program_(program), options_(options), work_(options.most_work), grid_(program),
        links_(program.channels.size() * static_cast<std::size_t>(grid_.size())) {
    for (const Role& role : program.roles) walks_.emplace_back(role, program);
    for (const Walk& walk : walks_) {
      costs_.emplace_back();
      for (const StepShape& step : walk.steps()) costs_.back().push_back(cost_of(step));
    }
    for (const Channel& c : program.channels) latency_.push_back(options.latency * grid_.hops(c));
    for (const Element& e : grid_.elements()) {
      Runner runner;
      runner.ended = e.role < 0;
      if (e.role >= 0) {
        runner.walk = &walks_[static_cast<std::size_t>(e.role)];
        runner.cursor = runner.walk->begin(e);
        ready_.push_back(static_cast<int>(runners_.size()));
        ++running_;
      }
      runners_.push_back(std::move(runner));
    }
  }

  std::optional<Rehearsal> run() {
    for (;;) {
      while (!ready_.empty()) {
        const int element = ready_.front();
        ready_.pop_front();
        if (!go_on(element)) return std::nullopt;
      }
      if (!release_pass()) break;
    }
    finish();
    return std::move(result_);
  }

private:
  std::int64_t cost_of(const StepShape& step) const {
    std::int64_t cost = 0;
    for (const std::string& kernel : step.kernels) cost += options_.kernel_cycles ? options_.kernel_cycles(kernel) : 1;
    return std::max<std::int64_t>(cost, step.takes_time ? 1 : 0);
  }

  Runner& runner(int element) { return runners_[static_cast<std::size_t>(element)]; }

  Link& link(int channel, int receiver) {
    return links_[static_cast<std::size_t>(channel) * runners_.size() + static_cast<std::size_t>(receiver)];
  }

  // --- one PE ---

  // Until it waits or ends, or others should have their turn, so that channels do not fill up without need. False where
  // there is too much work.
  bool go_on(int element) {
    constexpr int turn = 64;
    Runner& r = runner(element);
    for (int steps = 0; steps < turn; ++steps) {
      if (!r.in_step) {
        const Walk::Stop stop = r.walk->advance(r.cursor, work_);
        if (stop == Walk::Stop::tired) return false;
        if (stop != Walk::Stop::step) {
          arrive(r, stop == Walk::Stop::pass);
          return true;
        }
        r.in_step = true;
        r.done = 0;
      }
      if (!take_step(element)) return true;
      r.in_step = false;
    }
    ready_.push_back(element);
    return true;
  }

  // At a pass or at the end.
  void arrive(Runner& r, bool pass) {
    --running_;
    latest_ = std::max(latest_, r.now);
    r.at_pass = pass;
    r.ended = !pass;
    if (pass) r.pass = r.walk->pass(r.cursor);
  }

  // From where it waited on. False where it waits again.
  bool take_step(int element) {
    Runner& r = runner(element);
    const StepShape& step = r.walk->step(r.cursor);
    const std::size_t receives = step.receives.size(), forwards = receives + step.forwards.size();
    for (; r.done < receives; ++r.done)
      if (!receive(element, step.receives[r.done])) return false;
    for (; r.done < forwards; ++r.done)
      if (!send(element, step.forwards[r.done - receives])) return false;
    if (r.done == forwards) {
      r.now += cost_at(r) - 1; // to the last of its cycles
      ++r.done;
    }
    for (; r.done < forwards + 1 + step.sends.size(); ++r.done)
      if (!send(element, step.sends[r.done - forwards - 1])) return false;
    r.now += 1;
    return true;
  }

  std::int64_t cost_at(const Runner& r) const {
    return costs_[static_cast<std::size_t>(r.walk - walks_.data())][static_cast<std::size_t>(r.cursor.reached)];
  }

  bool receive(int element, int channel) {
    Runner& r = runner(element);
    Link& l = link(channel, element);
    if (l.arrivals.empty()) {
      r.waits = {Stuck::On::receive, element, channel, grid_.source(element, channel_at(channel))};
      l.receiver_waits = element;
      return false;
    }
    r.now = std::max(r.now, l.arrivals.pop());
    if (options_.depth > 0) l.free.push(r.now + options_.response);
    wake(l.sender_waits);
    return true;
  }

  bool send(int element, int channel) {
    Runner& r = runner(element);
    const int to = grid_.target(element, channel_at(channel));
    if (to < 0) return true; // it leaves the grid
    Link& l = link(channel, to);
    if (options_.depth > 0 && static_cast<std::int64_t>(l.arrivals.size()) >= options_.depth) {
      r.waits = {Stuck::On::send, element, channel, to};
      l.sender_waits = element;
      return false;
    }
    if (options_.depth > 0 && l.sent >= options_.depth) r.now = std::max(r.now, l.free.pop());
    ++l.sent;
    l.arrivals.push(r.now + latency_[static_cast<std::size_t>(channel)]);
    result_.most_waiting = std::max<std::uint64_t>(result_.most_waiting, l.arrivals.size());
    wake(l.receiver_waits);
    return true;
  }

  void wake(int& who) {
    if (who < 0) return;
    ready_.push_back(who);
    who = -1;
  }

  const Channel& channel_at(int channel) const { return program_.channels[static_cast<std::size_t>(channel)]; }

  // --- all PEs ---

  // Lets those at the earliest pass go on, once all that have not ended are at one.
  bool release_pass() {
    if (running_ > 0) return false;
    const std::vector<std::int64_t>* earliest = nullptr;
    for (const Runner& r : runners_)
      if (r.at_pass && (!earliest || r.pass.at < *earliest)) earliest = &r.pass.at;
    if (!earliest) return false;
    const std::vector<std::int64_t> at = *earliest;
    latest_ = std::max(latest_, least_end());
    pass_starts_.push_back(latest_);
    pass_least_ = 0;
    for (std::size_t e = 0; e < runners_.size(); ++e) {
      Runner& r = runners_[e];
      if (!r.at_pass || r.pass.at != at) continue;
      pass_least_ = std::max(pass_least_, r.pass.cycles);
      r.at_pass = false;
      r.now = latest_;
      ++running_;
      ready_.push_back(static_cast<int>(e));
    }
    return true;
  }

  std::int64_t least_end() const { return pass_starts_.empty() ? 0 : pass_starts_.back() + pass_least_; }

  void finish() {
    result_.cycles = std::max(latest_, least_end());
    for (const Runner& r : runners_) result_.cycles = std::max(result_.cycles, r.now);
    for (std::size_t p = 0; p < pass_starts_.size(); ++p)
      result_.pass_cycles.push_back((p + 1 < pass_starts_.size() ? pass_starts_[p + 1] : result_.cycles) -
                                    pass_starts_[p]);
    for (const Runner& r : runners_) result_.stuck += !r.ended;
    if (result_.stuck > 0) find_chain();
  }

  // Everyone who is stuck waits for one other: following them from anywhere leads into a circle or to an end.
  void find_chain() {
    for (std::size_t e = 0; e < runners_.size() && blocks_pass_ < 0; ++e)
      if (!runners_[e].ended && !runners_[e].at_pass) blocks_pass_ = static_cast<int>(e);
    std::vector<int> place(runners_.size(), -1); // in its chain
    for (std::size_t first = 0; first < runners_.size() && !result_.circle; ++first) {
      std::vector<Stuck> chain;
      int at = static_cast<int>(first);
      for (; at >= 0 && !runner(at).ended && place[static_cast<std::size_t>(at)] < 0; at = chain.back().other) {
        place[static_cast<std::size_t>(at)] = static_cast<int>(chain.size());
        chain.push_back(stuck_at(at));
      }
      if (chain.empty()) continue;
      if (at >= 0 && !runner(at).ended) {
        const auto begin = static_cast<std::size_t>(place[static_cast<std::size_t>(at)]);
        result_.circle = begin < chain.size() && chain[begin].element == at;
        if (!result_.circle) continue; // it leads into a chain that ends
        chain.erase(chain.begin(), chain.begin() + static_cast<std::ptrdiff_t>(begin));
      }
      if (result_.circle || result_.chain.empty()) result_.chain = std::move(chain);
    }
  }

  // At a pass it waits for one that is not.
  Stuck stuck_at(int element) {
    if (runner(element).at_pass) return {Stuck::On::pass, element, -1, blocks_pass_};
    return runner(element).waits;
  }

  const Program& program_;
  const RehearsalOptions& options_;
  std::int64_t work_;
  Grid grid_;
  std::vector<Link> links_; // by channel and receiver
  std::vector<Walk> walks_;
  std::vector<std::vector<std::int64_t>> costs_; // of steps, by role
  std::vector<std::int64_t> latency_;            // by channel
  std::vector<Runner> runners_;
  std::deque<int> ready_;
  int running_ = 0;         // neither ended nor at a pass
  std::int64_t latest_ = 0; // clock of those that ended or came to a pass
  std::vector<std::int64_t> pass_starts_;
  std::int64_t pass_least_ = 0; // cycles of the present pass
  int blocks_pass_ = -1;        // the first that is stuck elsewhere
  Rehearsal result_;
};

} // namespace

std::optional<Rehearsal> rehearse(const Program& program, const RehearsalOptions& options) {
  if (program.elements() * static_cast<std::int64_t>(program.channels.size() + 1) > most_links) return std::nullopt;
  const Progress progress("rehearsing without values");
  return Rehearsing(program, options).run();
}

} // namespace cyclotron::pe
