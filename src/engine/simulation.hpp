// SPDX-License-Identifier: MIT
// Processes joined by channels, run to their end on one thread.
#pragma once

#include "engine/process.hpp"
#include "support/progress.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cyclotron::engine {

struct ChannelOptions;
template <class T> class Channel;

// One process that cannot go on, and the channel or barrier that it waits on.
struct Waiting {
  const Process* process = nullptr;
  const ChannelBase* channel = nullptr; // null: at a barrier
  bool to_send = false;                 // for room; else for an element
  const Process* other = nullptr;       // that it waits for
};

// Each waits for the next: the last for the first, or for a process that has ended.
struct Deadlock {
  std::vector<Waiting> chain;
  bool circle = false;
  std::size_t stuck = 0; // processes that have not ended

  std::vector<std::string> lines() const; // who waits for whom, one by one
  std::string describe() const;           // in several lines
};

struct Outcome {
  Time cycles = 0;                  // when the last process ended, or stopped
  std::optional<Deadlock> deadlock; // where not all of them ended
};

struct SimulationOptions {
  bool records = false;      // what every process did when
  std::uint64_t shuffle = 0; // 0: the fastest order of resuming processes; else a random one, for tests
};

class Simulation {
  struct Patient {
    Process* process;
    const ChannelBase* channels[2];
    bool idle;
  };

public:
  explicit Simulation(const SimulationOptions& options = {});
  ~Simulation();
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // First the processes, then the channels between them, then what each does.
  Process& add(std::string name);
  template <class T>
  Channel<T>& connect(Process& sender, Process& receiver, const ChannelOptions& options, std::string name = {});
  void start(Process& process, Body body);
  // At most one; it must live as long as the simulation.
  void set_barrier(Barrier& barrier) { barrier_ = &barrier; }

  // For a process to which it matters that an element is not there yet: `co_await simulation.turn(self, a, b, idle)`.
  // It goes on when nothing more can be sent, to anyone, before its clock; an idle one, when one of its two channels
  // has an element, of whatever time.
  auto turn(Process& self, const ChannelBase& a, const ChannelBase& b, bool idle) {
    struct Turn {
      Simulation& simulation;
      Patient patient;
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<>) { simulation.wait_for_turn(patient); }
      void await_resume() {}
    };
    return Turn{*this, {&self, {&a, &b}, idle}};
  }

  // Until all processes have ended or none can go on. An exception that leaves a body leaves this.
  // `progress` is told how many cycles a process has come to.
  Outcome run(Progress* progress = nullptr);
  // By a process: nothing more is to be done. The outcome counts for nothing then.
  void stop() { stopped_ = true; }

  const std::deque<std::unique_ptr<Process>>& processes() const { return processes_; }
  const std::deque<std::unique_ptr<ChannelBase>>& channels() const { return channels_; }

private:
  friend class Barrier;
  friend class ChannelBase;
  friend struct Body::promise_type;

  void add(std::unique_ptr<ChannelBase> channel);
  void wait_for_turn(const Patient& patient);
  bool take_turn(); // of the patient one whose clock is first; whether there is any
  void make_ready(Process& process);
  void run_rounds(Progress* progress);
  void run_shuffled();
  bool widen_windows(); // of channels whose sender waits; whether there are any
  void end(Process& process, std::exception_ptr problem);
  Waiting waiting(const Process& process) const;
  Deadlock find_deadlock() const;

  SimulationOptions options_;
  std::uint64_t random_;
  std::deque<std::unique_ptr<Process>> processes_;
  std::deque<std::unique_ptr<ChannelBase>> channels_;
  std::vector<Body> bodies_;
  std::vector<Process*> ready_, round_;
  std::vector<Patient> patients_;
  std::exception_ptr problem_;
  Barrier* barrier_ = nullptr;
  bool stopped_ = false;
  Time latest_ = 0; // that was seen
};

// An element was asked for after the last one.
[[noreturn]] void fail_at_end(const ChannelBase& channel);

} // namespace cyclotron::engine
