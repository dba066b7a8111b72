// SPDX-License-Identifier: MIT
// What a process does between two waits, as an ordinary function, for speed.
//
// The variables of a coroutine are in memory, those of an ordinary function can be in registers. So the classes here
// copy what every element needs from the process and from its channels, and write it back when they are destroyed.
#pragma once

#include "engine/channel.hpp"

namespace cyclotron::engine {

class Clock {
public:
  explicit Clock(Process& process) : process_(process), records_(process.records_) { load(); }
  ~Clock() { store(); }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  // Around what works with the process itself.
  void store() {
    process_.now_ = now_;
    process_.spent_[0] = computing_;
    process_.spent_[1] = receiving_;
  }
  void load() {
    now_ = process_.now_;
    computing_ = process_.spent_[0];
    receiving_ = process_.spent_[1];
  }

  Time now() const { return now_; }
  void work(Time cycles) {
    if (records_ && cycles > 0) record(Activity::computes, now_ + cycles, nullptr);
    computing_ += cycles;
    now_ += cycles;
  }
  void wait_to_receive(Time until, const ChannelBase& channel) {
    if (until <= now_) return;
    if (records_) record(Activity::waits_to_receive, until, &channel);
    receiving_ += until - now_;
    now_ = until;
  }

private:
  void record(Activity activity, Time until, const ChannelBase* channel) {
    process_.now_ = now_;
    process_.record(activity, until, channel);
  }

  Process& process_;
  bool records_;
  Time now_ = 0, computing_ = 0, receiving_ = 0;
};

// The elements that are there, for their receiver.
template <class T> class Taking {
public:
  explicit Taking(Channel<T>& channel) : channel_(channel) { load(); }
  ~Taking() { store(); }
  Taking(Taking&&) = default; // before anything is taken
  Taking& operator=(const Taking&) = delete;

  // For one that outlives the function: at its begin and end.
  void load() {
    slots_ = channel_.slots_;
    mask_ = channel_.mask_;
    latency_ = channel_.latency_;
    response_latency_ = channel_.response_latency_;
    counts_ = channel_.counts_waiting_;
    sent_ = channel_.sent_;
    received_ = channel_.received_;
    seen_ = channel_.seen_;
    most_waiting_ = channel_.most_waiting_;
  }
  void store() {
    if (received_ == channel_.received_) return;
    channel_.received_ = received_;
    channel_.seen_ = seen_;
    channel_.most_waiting_ = most_waiting_;
    channel_.wake_sender();
  }

  bool empty() const { return received_ == sent_; }
  Channel<T>& channel() const { return channel_; }
  // One of those behind the next, where there are so many.
  const T* ahead(std::uint64_t places) const {
    return received_ + places < sent_ ? &slots_[(received_ + places) & mask_].value : nullptr;
  }
  // As those of the channel. What is taken stays where it is until `store`.
  const T& look(Clock& clock) { return arrived(clock).value; }
  const T& take(Clock& clock) {
    auto& slot = arrived(clock);
    const Time now = clock.now();
    slot.time = now + response_latency_;
    if (counts_) {
      seen_ = std::max(seen_, received_ + 1);
      while (seen_ < sent_ && slots_[seen_ & mask_].time < now + latency_) ++seen_;
      most_waiting_ = std::max(most_waiting_, seen_ - received_);
    }
    ++received_;
    return slot.value;
  }

private:
  auto& arrived(Clock& clock) {
    auto& slot = slots_[received_ & mask_];
    clock.wait_to_receive(slot.time, channel_);
    return slot;
  }

  Channel<T>& channel_;
  typename Channel<T>::Slot* slots_ = nullptr;
  std::uint64_t mask_ = 0;
  Time latency_ = 0, response_latency_ = 0;
  bool counts_ = true;
  std::uint64_t sent_ = 0, received_ = 0, seen_ = 0, most_waiting_ = 0;
};

// Room for elements, for the sender to several channels at once. Where the time of sending does not depend on the
// channels, elements are put into the first and copied to the others in one go.
template <class T> class Putting {
public:
  explicit Putting(const std::vector<Channel<T>*>& channels) : channels_(channels) {
    for (const Channel<T>* c : channels_) one_by_one_ |= c->capacity_ != unlimited || c->interval_ > 0;
    one_by_one_ |= channels_.empty();
    load();
  }
  ~Putting() { store(); }
  Putting(Putting&&) = default; // before anything is put
  Putting& operator=(const Putting&) = delete;

  // For one that outlives the function: at its begin and end.
  void load() {
    if (one_by_one_) return;
    first_ = channels_.front();
    latency_ = first_->latency_;
    received_ = first_->received_;
    load_first();
    begin_ = sent_;
    std::uint64_t room = unlimited - begin_;
    for (const Channel<T>* c : channels_)
      room = std::min(room, c->window_ - std::min(c->window_, c->sent_ - c->received_));
    end_ = begin_ + room;
  }
  void store() {
    if (sent_ == begin_) return;
    store_first();
    for (Channel<T>* c : channels_) {
      if (c != first_) copy_to(*c);
      c->wake_receiver();
    }
    begin_ = sent_;
  }

  bool has_room() const { return one_by_one_ ? all_have_room() : sent_ != end_; }
  void put(T value, Clock& clock) {
    if (one_by_one_) [[unlikely]]
      return put_one(value, clock);
    if (gone_ < received_ || sent_ - gone_ > mask_) [[unlikely]]
      prepare(clock.now());
    auto& slot = slots_[sent_ & mask_];
    slot.time = clock.now() + latency_;
    slot.value = value;
    ++sent_;
  }

private:
  static constexpr std::uint64_t unlimited = ~std::uint64_t{0};

  bool all_have_room() const {
    for (const Channel<T>* c : channels_)
      if (!c->has_room()) return false;
    return true;
  }
  void put_one(const T& value, Clock& clock) {
    clock.store();
    for (Channel<T>* c : channels_) c->put(value);
    clock.load();
  }
  void load_first() {
    slots_ = first_->slots_;
    mask_ = first_->mask_;
    sent_ = first_->sent_;
    gone_ = first_->counts_waiting_ ? first_->gone_ : received_;
  }
  void store_first() const {
    first_->sent_ = sent_;
    first_->gone_ = gone_;
  }
  void prepare(Time now) {
    store_first();
    first_->prepare(now);
    load_first();
  }
  void copy_to(Channel<T>& channel) const {
    for (std::uint64_t i = begin_; i != sent_; ++i) {
      const auto& slot = slots_[i & mask_];
      channel.put_at(slot.time - latency_, slot.value);
    }
  }

  const std::vector<Channel<T>*>& channels_;
  bool one_by_one_ = false;
  Channel<T>* first_ = nullptr;
  Time latency_ = 0;
  std::uint64_t received_ = 0, begin_ = 0, end_ = 0;
  typename Channel<T>::Slot* slots_ = nullptr;
  std::uint64_t mask_ = 0, sent_ = 0, gone_ = 0;
};

} // namespace cyclotron::engine
