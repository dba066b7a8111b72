// SPDX-License-Identifier: MIT
// A process of a simulation: a coroutine with a clock of its own.
//
// There is no global clock and no queue of events. A process runs until it must wait for an element or for room in a
// channel; the time at which things happen travels with the elements. So the result does not depend on the order in
// which processes are resumed.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace cyclotron::engine {

using Time = std::int64_t; // in cycles

class Barrier;
class Body;
class ChannelBase;
class Simulation;

// What a process was doing; the rest of the time, before it began, at barriers and after it ended, it was idle.
enum class Activity : std::uint8_t { computes, waits_to_receive, waits_to_send };

struct Interval {
  Activity activity = Activity::computes;
  Time begin = 0, end = 0;
  const ChannelBase* channel = nullptr; // that it waited on, where it was one
};

// A process as seen from outside: its clock and what it waits for.
class alignas(64) Process {
public:
  const std::string& name() const { return name_; }
  Time now() const { return now_; }
  bool ended() const { return ended_; }

  // It works for so many cycles.
  void work(Time cycles) { spend(Activity::computes, now_ + cycles); }
  // It waits for something that comes through no channel.
  void wait_to_receive(Time until) { spend(Activity::waits_to_receive, until); }

  // Where the data begins that its body works with most.
  void set_data(const void* data) { data_ = data; }

  Time computing() const { return spent_[0]; }
  Time waiting_to_receive() const { return spent_[1]; }
  Time waiting_to_send() const { return spent_[2]; }

  // In order, without gaps but those at barriers; only where the simulation records.
  const std::vector<Interval>& intervals() const { return intervals_; }

private:
  friend class Barrier;
  friend class Body;
  friend class ChannelBase;
  friend class Clock;
  friend class Simulation;
  template <class T> friend class Channel;

  Process(Simulation& simulation, std::string name, bool records)
      : simulation_(&simulation), records_(records), name_(std::move(name)) {}

  void spend(Activity activity, Time until, const ChannelBase* channel = nullptr) {
    if (until <= now_) return;
    spent_[static_cast<int>(activity)] += until - now_;
    if (records_) record(activity, until, channel);
    now_ = until;
  }
  void record(Activity activity, Time until, const ChannelBase* channel);
  void add_near(const ChannelBase& channel) {
    for (const ChannelBase*& place : near_)
      if (!place) {
        place = &channel;
        return;
      }
  }
  void fetch_itself() const {
    __builtin_prefetch(this);
    __builtin_prefetch(reinterpret_cast<const char*>(this) + 64);
  }
  void fetch_surroundings() const;
  void resume() {
    waits_on_ = nullptr;
    body_.resume();
  }

  // What every element needs stands together.
  Time now_ = 0;
  Time spent_[3] = {};
  Simulation* simulation_;
  const ChannelBase* waits_on_ = nullptr;
  const Barrier* waits_at_ = nullptr;
  bool waits_to_send_ = false; // else to receive
  bool started_ = false, ended_ = false;
  bool records_;
  // What it will need when it goes on, to be fetched while others run.
  static constexpr std::size_t most_near = 6;
  std::coroutine_handle<> body_;
  const void* data_ = nullptr;
  const ChannelBase* near_[most_near] = {};

  std::string name_;
  std::vector<ChannelBase*> outgoing_;
  std::vector<Interval> intervals_;
};

// The body of a process: `Body cell(Process& self, Channel<double>& in, …) { … co_await in.receive(); … }`.
class Body {
public:
  struct promise_type {
    Body get_return_object() { return Body(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct End {
        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<promise_type> own) noexcept { own.promise().end(); }
        void await_resume() noexcept {}
      };
      return End{};
    }
    void return_void() {}
    void unhandled_exception() { problem = std::current_exception(); }

    void end() noexcept;

    Process* process = nullptr;
    std::exception_ptr problem;
  };

  Body(Body&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Body& operator=(Body&&) = delete;
  ~Body() {
    if (handle_) handle_.destroy();
  }

private:
  friend class Simulation;
  explicit Body(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

} // namespace cyclotron::engine
