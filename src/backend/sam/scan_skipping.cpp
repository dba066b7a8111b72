// SPDX-License-Identifier: MIT
// A level scanner to which an intersecter says how far it may skip ahead.
//
// For all other blocks it matters only which tokens come. For this one it also matters when they come, because a
// message to skip may come too late to have an effect. So it runs in every cycle, after everything that can arrive
// by that cycle has arrived.
#include "backend/sam/blocks.hpp"

#include <algorithm>
#include <deque>
#include <optional>

namespace cyclotron::sam {
namespace {

class SkippingScanner {
public:
  SkippingScanner(Unit& unit, const tensor::Level& level)
      : parents(unit.input(0)), skips(unit.input(1)), unit_(unit), level_(level) {}

  bool idle() const { return idle_; }
  bool is_here(const Input& in) const { return !in.empty() && in.arrival() <= unit_.self.now(); }
  // The first that is still to come; there is one.
  Time next_arrival() const {
    if (parents.empty()) return skips.arrival();
    return skips.empty() ? parents.arrival() : std::min(parents.arrival(), skips.arrival());
  }
  void go_on() { idle_ = false; }

  // One cycle: coordinate and reference, or nothing.
  std::optional<std::pair<Token, Token>> step() {
    while (is_here(skips)) queue(skips.take());
    look_at_skip();
    put_.reset();
    advance();
    if (put_ && put_->first.is_stop()) ++stops_;
    if (pending_fiber_ < stops_) pending_.reset();
    if (put_ && put_->first.is_data()) last_ = put_->first.payload.whole;
    idle_ = !put_ && (queue_.empty() || pending_) && parents.empty();
    return put_;
  }

  Input& parents;
  Input& skips;

private:
  // A stop makes all that came since the last stop in the queue needless.
  void queue(Token skip) {
    if (skip.is_stop()) {
      const auto stop_before = std::find_if(queue_.rbegin(), queue_.rend(), [](Token t) { return t.is_stop(); });
      if (stop_before != queue_.rend()) queue_.erase(stop_before.base(), queue_.end());
    }
    queue_.push_back(skip);
  }

  // At most one a cycle; those of earlier fibers, and of coordinates that are past, are no use.
  void look_at_skip() {
    if (queue_.empty() || pending_) return;
    const Token skip = queue_.front();
    queue_.pop_front();
    const bool past = skipped_stops_ == stops_ && skip.is_data() && skip.payload.whole < last_;
    if (!past && skipped_stops_ >= stops_) {
      pending_ = skip;
      pending_fiber_ = skipped_stops_;
    }
    if (skip.is_stop()) ++skipped_stops_;
  }

  void advance() {
    if (closing_) {
      if (is_here(parents)) close();
    } else if (!in_fiber_) {
      if (is_here(parents)) begin(parents.take());
    } else if (at_ == end_ - 1) {
      close();
    } else if (is_here(parents) && !jump()) {
      ++at_;
      put_coordinate();
    }
  }

  void begin(Token parent) {
    if (parent.is_stop()) {
      put(stop(parent.level() + 1, parent.hollow() + 1));
    } else if (parent.is_done()) {
      put(parent);
    } else if (parent.is_empty()) {
      put(parent);
      closing_ = true;
    } else {
      const auto at = static_cast<std::size_t>(parent.payload.whole);
      if (at + 1 >= level_.positions.size()) fail(unit_, "was asked for a fiber that does not exist");
      begin_ = at_ = level_.positions[at];
      end_ = level_.positions[at + 1];
      in_fiber_ = true;
      if (at_ >= end_) close();
      else if (!pending_) put_coordinate();
      else if (!jump()) --at_; // a skip that is no use costs a cycle here
    }
  }

  // To the coordinate, else to the next one, else to the end. False where the skip is no use.
  bool jump() {
    if (!pending_) return false;
    const Token skip = *pending_;
    pending_.reset();
    if (skip.is_data() && skip.payload.whole <= last_) return false;
    const auto first = level_.coordinates.begin();
    const auto found =
        skip.is_data() ? std::lower_bound(first + begin_, first + end_, skip.payload.whole) : first + end_;
    if (found == first + end_) {
      close();
    } else {
      at_ = found - first;
      put_coordinate();
    }
    return true;
  }

  void close() {
    in_fiber_ = false;
    closing_ = !is_here(parents);
    if (closing_) return;
    const Token next = parents.look();
    if (next.is_stop()) parents.take();
    put(stop(next.is_stop() ? next.level() + 1 : 0));
  }

  void put_coordinate() { put_ = {data(level_.coordinates[static_cast<std::size_t>(at_)]), data(at_)}; }
  void put(Token both) { put_ = {both, both}; }

  Unit& unit_;
  const tensor::Level& level_;
  std::deque<Token> queue_;
  std::optional<Token> pending_; // the skip that is to be used next
  std::optional<std::pair<Token, Token>> put_;
  std::int64_t begin_ = 0, at_ = 0, end_ = 0, last_ = 0;
  std::int64_t stops_ = 0, skipped_stops_ = 0; // put out; seen among the skips
  std::int64_t pending_fiber_ = 0;             // the fiber that `pending_` is about
  bool in_fiber_ = false, closing_ = false, idle_ = false;
};

} // namespace

Body scan_skipping(Unit& unit, const tensor::Level& level, engine::Simulation& simulation) {
  SkippingScanner scan(unit, level);
  for (bool ended = false; !ended;) {
    co_await simulation.turn(unit.self, scan.parents, scan.skips, scan.idle());
    if (scan.idle() && !scan.is_here(scan.parents) && !scan.is_here(scan.skips)) {
      unit.self.wait_to_receive(scan.next_arrival());
      scan.go_on();
      continue;
    }
    if (const auto put = scan.step()) {
      for (std::size_t port = 0; port < 2; ++port)
        while (!unit.out[port].has_room()) co_await unit.out[port].until_room();
      unit.out[0].put(put->first);
      unit.out[1].put(put->second);
      ended = put->first.is_done();
    }
    unit.step();
  }
}

} // namespace cyclotron::sam
