// SPDX-License-Identifier: MIT
// A channel from one process to another: first in, first out, with room for some elements, and with latency.
#pragma once

#include "engine/simulation.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <optional>

namespace cyclotron::engine {

struct ChannelOptions {
  static constexpr std::size_t unbounded = 0;

  std::size_t capacity = unbounded; // elements on their way or waiting
  Time latency = 1;                 // from sending an element to when it can be received
  Time response_latency = 1;        // from receiving an element to when its room can be used again
  Time interval = 0;                // between two sends, at least: 2 is half an element a cycle; 0: any number a cycle
  // Of our memory, not of the simulated channel: with so many elements in it a sender lets others run, so that they
  // work off what there is. It grows where nobody else can run. Nothing that is simulated depends on it, but then
  // `most_waiting` is counted only up to some 65,000; beyond that there were so many at least.
  std::size_t window = unbounded;
  bool counts_waiting = true; // for `most_waiting`
};

class ChannelBase {
public:
  virtual ~ChannelBase() = default;
  const std::string& name() const { return about_->name; }
  const Process& sender() const { return *sender_; }
  const Process& receiver() const { return *receiver_; }
  const ChannelOptions& options() const { return about_->options; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }
  // In it at once, at most; 0 where that is not counted.
  std::uint64_t most_waiting() const { return counts_waiting_ ? std::max(most_waiting_, sent_ - received_) : 0; }

protected:
  friend class Simulation;

  // What no element needs.
  struct About {
    std::string name;
    ChannelOptions options;
  };

  ChannelBase(std::string name, Process& sender, Process& receiver, const ChannelOptions& options)
      : sender_(&sender), receiver_(&receiver),
        capacity_(options.capacity == ChannelOptions::unbounded ? ~std::uint64_t{0} : options.capacity),
        latency_(static_cast<std::int32_t>(options.latency)),
        response_latency_(static_cast<std::int32_t>(options.response_latency)),
        interval_(static_cast<std::int32_t>(options.interval)),
        window_(options.window == ChannelOptions::unbounded ? capacity_ : std::min(capacity_, options.window)),
        counts_waiting_(options.counts_waiting), about_(std::make_unique<About>(About{std::move(name), options})) {}

  bool closed() const { return sender_->ended_; }

  void stop(bool to_send) {
    Process& process = to_send ? *sender_ : *receiver_;
    (to_send ? sender_waits_ : receiver_waits_) = true;
    process.waits_on_ = this;
    process.waits_to_send_ = to_send;
  }
  // By a process that runs: the one that waits is not looked at, since it may be far away in memory.
  static void wake(const Process& running, Process& other, bool& waits) {
    if (!waits) return;
    waits = false;
    running.simulation_->make_ready(other);
  }
  // Waking for every element that leaves a window would be no better than to have a short one.
  bool worth_waking() const { return window_ == capacity_ || sent_ - received_ <= window_ / 2; }
  bool widen() {
    if (!sender_waits_ || window_ == capacity_) return false;
    window_ = window_ > capacity_ / 2 ? capacity_ : 2 * window_;
    return true;
  }

  // What every element needs stands together, in two lines of the cache, with the elements of a short channel behind
  // it.
  std::uint64_t sent_ = 0, received_ = 0;
  Process* sender_;
  Process* receiver_;
  std::uint64_t capacity_;
  std::uint32_t mask_ = 0; // the room there is now, less 1; it is a power of 2
  std::int32_t latency_, response_latency_, interval_;
  std::uint64_t window_;
  bool counts_waiting_, sender_waits_ = false, receiver_waits_ = false;
  Time last_send_ = 0;
  // How many are in it at once, in the time of the simulation. Sender and receiver run at different times of ours:
  // where the sender is behind, it counts those that will have been received only after it sends (all but the first
  // `gone_`); where the receiver is behind, it counts those that will have been sent before it receives (the first
  // `seen_`).
  std::uint64_t gone_ = 0, seen_ = 0, most_waiting_ = 0;
  std::unique_ptr<About> about_;
};

template <class T> class alignas(64) Channel final : public ChannelBase {
public:
  // `co_await channel.send(value)`, by the sender: waits for room.
  auto send(T value) {
    struct Send {
      Channel& channel;
      T value;
      bool await_ready() const { return channel.has_room(); }
      void await_suspend(std::coroutine_handle<>) { channel.stop(true); }
      void await_resume() { channel.put(std::move(value)); }
    };
    return Send{*this, std::move(value)};
  }

  // `co_await channel.receive()`, by the receiver: waits for an element, and is an error where none will come.
  auto receive() {
    struct Receive : Wait {
      T await_resume() {
        if (this->channel.empty()) fail_at_end(this->channel);
        return this->channel.take();
      }
    };
    return Receive{{*this}};
  }

  // The same, but nothing where the sender has ended and all is received.
  auto receive_or_end() {
    struct Receive : Wait {
      std::optional<T> await_resume() {
        if (this->channel.empty()) return std::nullopt;
        return this->channel.take();
      }
    };
    return Receive{{*this}};
  }

  // The next element, which stays where it is; null where none will come. The receiver's clock moves on to when it is
  // there.
  auto front() {
    struct Front : Wait {
      const T* await_resume() {
        if (this->channel.empty()) return nullptr;
        return &this->channel.arrived().value;
      }
    };
    return Front{{*this}};
  }

  // For a process that does many steps between two waits, as an ordinary function: look, and then take or put. Where it
  // finds nothing, its body waits: `co_await channel.until_element()`, which is an error where none will come.
  bool empty() const { return sent_ == received_; }
  Time arrival() const { return slots_[received_ & mask_].time; } // of the next element
  // The next element, which stays where it is; the receiver's clock moves on to when it is there.
  const T& look() { return arrived().value; }
  bool has_room() const { return sent_ - received_ < window_; }

  auto until_element() {
    struct Element : Wait {
      void await_resume() {
        if (this->channel.empty()) fail_at_end(this->channel);
      }
    };
    return Element{{*this}};
  }

  auto until_room() {
    struct Room {
      Channel& channel;
      bool await_ready() const { return channel.has_room(); }
      void await_suspend(std::coroutine_handle<>) { channel.stop(true); }
      void await_resume() {}
    };
    return Room{*this};
  }

  void put(T value) {
    Process& self = *sender_;
    if (sent_ >= capacity_) // the room is that of the element `capacity` sends ago
      self.spend(Activity::waits_to_send, slots_[(sent_ - capacity_) & mask_].time, this);
    if (interval_ > 0) {
      if (sent_ > 0) self.spend(Activity::waits_to_send, last_send_ + interval_, this);
      last_send_ = self.now_;
    }
    put_at(self.now_, std::move(value));
    wake_receiver();
  }

  T take() {
    Slot& slot = arrived();
    const Time now = receiver_->now_;
    slot.time = now + response_latency_;
    if (counts_waiting_) {
      seen_ = std::max(seen_, received_ + 1);
      while (seen_ < sent_ && slots_[seen_ & mask_].time < now + latency_) ++seen_;
      most_waiting_ = std::max(most_waiting_, seen_ - received_);
    }
    ++received_;
    T value = std::move(slot.value);
    wake_sender();
    return value;
  }

private:
  friend class Simulation;
  template <class> friend class Taking;
  template <class> friend class Putting;

  struct Slot {
    Time time = 0; // when the element arrives; once it is received, when its room can be used again
    T value{};
  };

  struct Wait {
    Channel& channel;
    bool await_ready() const { return !channel.empty() || channel.closed(); }
    void await_suspend(std::coroutine_handle<>) { channel.stop(false); }
  };

  static constexpr std::size_t own_slots = 4;
  static constexpr std::uint64_t most_counted = (1U << 16) - 1;

  Channel(std::string name, Process& sender, Process& receiver, const ChannelOptions& options)
      : ChannelBase(std::move(name), sender, receiver, options), slots_(own_) {
    mask_ = own_slots - 1;
    if (options.capacity > own_slots) make_room(std::bit_ceil(options.capacity));
  }

  Slot& arrived() {
    Slot& slot = slots_[received_ & mask_];
    receiver_->spend(Activity::waits_to_receive, slot.time, this);
    return slot;
  }

  void put_at(Time now, T value) {
    prepare(now);
    Slot& slot = slots_[sent_ & mask_];
    slot.time = now + latency_;
    slot.value = std::move(value);
    ++sent_;
  }
  // For one more element.
  void prepare(Time now) {
    if (!counts_waiting_) gone_ = received_;
    else if (gone_ < received_) count_gone(now + response_latency_);
    if (sent_ - gone_ > mask_) make_space();
  }
  void wake_receiver() { wake(*sender_, *receiver_, receiver_waits_); }
  void wake_sender() {
    if (sender_waits_ && worth_waking()) wake(*receiver_, *sender_, sender_waits_);
  }

  // Those that are received before now, in the sender's time, are no longer in it.
  [[gnu::noinline]] void count_gone(Time free) {
    if (slots_[(received_ - 1) & mask_].time <= free) {
      gone_ = received_;
      return;
    }
    while (slots_[gone_ & mask_].time <= free) ++gone_;
    most_waiting_ = std::max(most_waiting_, sent_ + 1 - gone_);
  }

  // With a window, memory is not spent on counting how many are in a channel that holds very many.
  [[gnu::noinline]] void make_space() {
    if (sent_ - gone_ > most_counted && window_ < capacity_) {
      most_waiting_ = std::max(most_waiting_, sent_ + 1 - gone_);
      gone_ = received_;
    }
    if (sent_ - gone_ > mask_) make_room(2 * (std::size_t{mask_} + 1));
  }

  [[gnu::noinline]] void make_room(std::size_t count) {
    auto larger = std::make_unique<Slot[]>(count);
    for (std::uint64_t i = gone_; i != sent_; ++i) larger[i & (count - 1)] = std::move(slots_[i & mask_]);
    more_ = std::move(larger);
    slots_ = more_.get();
    mask_ = static_cast<std::uint32_t>(count - 1);
  }

  Slot* slots_;
  Slot own_[own_slots];
  std::unique_ptr<Slot[]> more_; // where those are too few
};

template <class T>
Channel<T>& Simulation::connect(Process& sender, Process& receiver, const ChannelOptions& options, std::string name) {
  std::unique_ptr<Channel<T>> made(new Channel<T>(std::move(name), sender, receiver, options));
  Channel<T>& channel = *made;
  add(std::move(made));
  return channel;
}

} // namespace cyclotron::engine
