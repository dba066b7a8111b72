// SPDX-License-Identifier: MIT
// A barrier for all processes of a simulation: each comes to rounds in lexicographic order, and may leave rounds out.
#pragma once

#include "engine/simulation.hpp"

#include <vector>

namespace cyclotron::engine {

// A process that comes to a round goes on when all others have come to a round at least as late, or have ended. Its
// clock is then the latest of all clocks, and no earlier than the end of the round before.
class Barrier {
public:
  using Round = std::vector<std::int64_t>;

  explicit Barrier(Simulation& simulation) : simulation_(simulation) { simulation.set_barrier(*this); }
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  // `co_await barrier.arrive(self, {1, 0}, 12)`: the round lasts 12 cycles at least.
  auto arrive(Process& self, Round round, Time least) {
    struct Arrive {
      Barrier& barrier;
      Process& self;
      Round round;
      Time least;
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<>) { barrier.wait({&self, std::move(round), least}); }
      void await_resume() {}
    };
    return Arrive{*this, self, std::move(round), least};
  }

  Time start() const { return start_; }                      // of the present round
  Time end() const { return rounds_ ? start_ + least_ : 0; } // of the present round, at least
  const Process* missing() const;                            // one that has neither come nor ended

private:
  friend class Simulation;

  struct Guest {
    Process* process;
    Round round;
    Time least;
  };

  void wait(Guest guest);
  void leave(const Process& process); // it has ended
  void release();                     // those at the earliest round, once all are here

  Simulation& simulation_;
  std::vector<Guest> guests_;
  std::size_t ended_ = 0, rounds_ = 0;
  Time latest_ = 0; // of the clocks of all that came or ended
  Time start_ = 0, least_ = 0;
};

} // namespace cyclotron::engine
