// SPDX-License-Identifier: MIT
// Writes checkpoints of a run into a folder, and goes on from them. Every rank writes a file of its own; together they
// are a set with a number. A set is valid once the file `latest` names it. This file is written last and in one go, so
// that the set it names is complete whenever a run is killed. The set before is deleted when the next is there.
#pragma once

#include "backend/mpi/checkpoint_file.hpp"
#include "backend/mpi/context.hpp"
#include "backend/mpi/rendezvous.hpp"
#include "backend/mpi/run_identity.hpp"

#include <functional>
#include <optional>
#include <string>

namespace cyclotron::mpi {

class Checkpoints {
public:
  // Collective. `every`: seconds from one to the next; 0: after every step of rank 0.
  Checkpoints(std::string folder, double every, Context& context);

  // Collective. Looks for a set to go on from. What is wrong with it, the same words on every rank.
  std::string open(const RunIdentity& run);
  bool goes_on() const { return state_.has_value(); }
  std::string describe() const; // of rank 0: from where
  CheckpointReader& state() { return *state_; }
  void close_state() { state_.reset(); }

  // Whether it is time for one: often asked, so rarely looked at.
  bool is_wanted() {
    constexpr int calls_per_look = 16;
    if (!is_wanted_ && ++calls_ % calls_per_look == 0) look();
    return is_wanted_;
  }
  bool is_wanted_after_step() {
    if (every_ == 0 && is_first()) want();
    return is_wanted();
  }
  // All ranks stand still from here to the end of `keep`; false where a rank has failed.
  bool meet(Alarm& alarm) { return rendezvous_.meet(alarm); }
  // Collective. `problem`: why this rank cannot be saved. A set that cannot be made is no reason to end the run.
  void keep(const std::string& problem, std::uint64_t steps, const std::function<void(CheckpointWriter&)>& save);
  // The rank is done: whether all are.
  bool may_leave() { return rendezvous_.may_leave(); }

  // Collective: the run has succeeded, and nothing needs to be kept.
  void clear();

private:
  // What `latest` says.
  struct Set {
    std::int64_t number = 0, steps = 0;
    std::int64_t made = 0; // nanoseconds: no two sets have the same
  };

  bool is_first() const { return context_.rank() == 0; }
  void look();
  void want();
  std::string find_latest();
  std::string write_latest(const Set& set) const;
  std::string save_own(const Set& set, const std::function<void(CheckpointWriter&)>& save) const;
  std::string open_own();
  void remove_own(std::int64_t except) const;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string own_path(std::int64_t number) const;

  std::string folder_;
  double every_;
  Context& context_;
  Rendezvous rendezvous_;
  RunIdentity run_;
  Set latest_;
  std::optional<CheckpointReader> state_;
  bool is_wanted_ = false;
  unsigned calls_ = 0;
  double next_ = 0; // when rank 0 wants the next one
};

} // namespace cyclotron::mpi
