// SPDX-License-Identifier: MIT
// A channel from one process to another: first in, first out, with room for some elements, and with latency.
#pragma once

#include "engine/simulation.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace cyclotron::engine {

struct ChannelOptions {
  static constexpr std::size_t unbounded = 0;

  std::size_t capacity = unbounded; // elements on their way or waiting
  Time latency = 1;                 // from sending an element to when it can be received
  Time response_latency = 1;        // from receiving an element to when its room can be used again
  Time interval = 0;                // between two sends, at least: 2 is half an element a cycle; 0: any number a cycle
};

class ChannelBase {
public:
  virtual ~ChannelBase() = default;
  const std::string& name() const { return name_; }
  const Process& sender() const { return *sender_; }
  const Process& receiver() const { return *receiver_; }
  const ChannelOptions& options() const { return options_; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t received() const { return received_; }
  std::uint64_t most_waiting() const { return std::max(most_waiting_, sent_ - received_); } // in it at once, at most

protected:
  friend class Simulation;
  ChannelBase(std::string name, Process& sender, Process& receiver, const ChannelOptions& options)
      : sender_(&sender), receiver_(&receiver),
        capacity_(options.capacity == ChannelOptions::unbounded ? ~std::uint64_t{0} : options.capacity),
        options_(options), name_(std::move(name)) {}

  bool closed() const { return sender_->ended_; }

  void stop(Process& process, bool to_send, std::coroutine_handle<> at) {
    (to_send ? sender_at_ : receiver_at_) = at;
    process.waits_on_ = this;
    process.waits_to_send_ = to_send;
  }
  void wake(Process& process, std::coroutine_handle<>& at) {
    if (!at) return;
    process.waits_on_ = nullptr;
    process.simulation_->make_ready(std::exchange(at, nullptr));
  }

  // What every element needs stands together.
  std::uint64_t sent_ = 0, received_ = 0;
  std::coroutine_handle<> sender_at_, receiver_at_; // where they wait, where they do
  Process* sender_;
  Process* receiver_;
  std::uint64_t capacity_;
  ChannelOptions options_;
  Time last_send_ = 0;
  // How many are in it at once, in the time of the simulation. Sender and receiver run at different times of ours:
  // where the sender is behind, it counts those that will have been received only after it sends (all but the first
  // `gone_`); where the receiver is behind, it counts those that will have been sent before it receives (the first
  // `seen_`).
  std::uint64_t gone_ = 0, seen_ = 0, most_waiting_ = 0;
  std::string name_;
};

template <class T> class Channel final : public ChannelBase {
public:
  // `co_await channel.send(value)`, by the sender: waits for room.
  auto send(T value) {
    struct Send {
      Channel& channel;
      T value;
      bool await_ready() const { return channel.has_room(); }
      void await_suspend(std::coroutine_handle<> at) { channel.stop(*channel.sender_, true, at); }
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
  bool has_room() const { return sent_ - received_ < capacity_; }

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
      void await_suspend(std::coroutine_handle<> at) { channel.stop(*channel.sender_, true, at); }
      void await_resume() {}
    };
    return Room{*this};
  }

  void put(T value) {
    Process& self = *sender_;
    if (sent_ >= capacity_) // the room is that of the element `capacity` sends ago
      self.spend(Activity::waits_to_send, slots_[(sent_ - capacity_) & mask_].free_again);
    if (options_.interval > 0 && sent_ > 0) self.spend(Activity::waits_to_send, last_send_ + options_.interval);
    last_send_ = self.now_;
    while (gone_ < received_ && slots_[gone_ & mask_].free_again <= self.now_ + options_.response_latency) ++gone_;
    if (gone_ < received_) most_waiting_ = std::max(most_waiting_, sent_ + 1 - gone_);
    if (sent_ - gone_ > mask_) grow();
    Slot& slot = slots_[sent_ & mask_];
    slot.arrives = self.now_ + options_.latency;
    slot.value = std::move(value);
    ++sent_;
    wake(*receiver_, receiver_at_);
  }

  T take() {
    Slot& slot = arrived();
    const Time now = receiver_->now_;
    slot.free_again = now + options_.response_latency;
    seen_ = std::max(seen_, received_ + 1);
    while (seen_ < sent_ && slots_[seen_ & mask_].arrives < now + options_.latency) ++seen_;
    most_waiting_ = std::max(most_waiting_, seen_ - received_);
    ++received_;
    T value = std::move(slot.value);
    wake(*sender_, sender_at_);
    return value;
  }

private:
  friend class Simulation;

  // What an element and the room it takes need, side by side.
  struct Slot {
    Time arrives = 0;
    Time free_again = 0; // when it was received, and its sender can know
    T value{};
  };

  struct Wait {
    Channel& channel;
    bool await_ready() const { return !channel.empty() || channel.closed(); }
    void await_suspend(std::coroutine_handle<> at) { channel.stop(*channel.receiver_, false, at); }
  };

  Channel(std::string name, Process& sender, Process& receiver, const ChannelOptions& options)
      : ChannelBase(std::move(name), sender, receiver, options),
        slots_(std::bit_ceil(options.capacity == ChannelOptions::unbounded ? std::size_t{4} : options.capacity)),
        mask_(slots_.size() - 1) {}

  Slot& arrived() {
    Slot& slot = slots_[received_ & mask_];
    receiver_->spend(Activity::waits_to_receive, slot.arrives);
    return slot;
  }

  void grow() {
    std::vector<Slot> larger(2 * slots_.size());
    for (std::uint64_t i = gone_; i != sent_; ++i) larger[i & (larger.size() - 1)] = std::move(slots_[i & mask_]);
    slots_ = std::move(larger);
    mask_ = slots_.size() - 1;
  }

  std::vector<Slot> slots_;
  std::uint64_t mask_;
};

template <class T>
Channel<T>& Simulation::connect(Process& sender, Process& receiver, const ChannelOptions& options, std::string name) {
  std::unique_ptr<Channel<T>> made(new Channel<T>(std::move(name), sender, receiver, options));
  Channel<T>& channel = *made;
  add(std::move(made));
  return channel;
}

} // namespace cyclotron::engine
