// SPDX-License-Identifier: MIT
#include "backend/mpi/rendezvous.hpp"

#include <sched.h>

#include <utility>

namespace cyclotron::mpi {

Rendezvous::Rendezvous(MPI_Comm comm) {
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &rank_);
  MPI_Comm_size(comm_, &ranks_);
  listen();
}

Rendezvous::~Rendezvous() {
  MPI_Cancel(&listening_);
  MPI_Wait(&listening_, MPI_STATUS_IGNORE);
  MPI_Waitall(static_cast<int>(told_.size()), told_.data(), MPI_STATUSES_IGNORE); // small: buffered by MPI
  MPI_Comm_free(&comm_);
}

void Rendezvous::listen() { MPI_Irecv(&heard_, 1, MPI_INT, rank_ == 0 ? MPI_ANY_SOURCE : 0, 0, comm_, &listening_); }

Rendezvous::Word Rendezvous::heard() {
  int is_there = 0;
  MPI_Test(&listening_, &is_there, MPI_STATUS_IGNORE);
  if (!is_there) return none;
  const auto word = static_cast<Word>(heard_);
  listen();
  return word;
}

void Rendezvous::tell(int rank, Word word) {
  static const int words[] = {none, stop, all_stopped, all_done, stopped, done}; // outlive the sending
  told_.emplace_back();
  MPI_Isend(&words[word], 1, MPI_INT, rank, 0, comm_, &told_.back());
}

void Rendezvous::tell_all(Word word) {
  MPI_Waitall(static_cast<int>(told_.size()), told_.data(), MPI_STATUSES_IGNORE);
  told_.clear();
  for (int r = 1; r < ranks_; ++r) tell(r, word);
}

void Rendezvous::ask() { tell_all(stop); }

bool Rendezvous::is_asked() {
  if (rank_ == 0 || all_done_) return false;
  if (!is_asked_) {
    const Word word = heard();
    is_asked_ = word == stop;
    all_done_ = word == all_done;
  }
  return is_asked_;
}

bool Rendezvous::meet(Alarm& alarm) {
  is_asked_ = false;
  if (rank_ != 0) tell(0, stopped);
  while (rank_ == 0 ? stopped_ < ranks_ - 1 : heard() != all_stopped) {
    if (rank_ == 0) {
      const Word word = heard();
      stopped_ += word == stopped;
      done_ += word == done;
    }
    if (alarm.is_ringing()) return false;
    sched_yield();
  }
  stopped_ = 0;
  if (rank_ == 0) tell_all(all_stopped);
  return true;
}

bool Rendezvous::may_leave() {
  if (all_done_) return true;
  if (!std::exchange(said_done_, true) && rank_ != 0) tell(0, done);
  if (rank_ == 0) {
    done_ += heard() == done;
    all_done_ = done_ == ranks_ - 1;
    if (all_done_) tell_all(all_done);
  }
  return all_done_; // the others hear of it where they are asked
}

} // namespace cyclotron::mpi
