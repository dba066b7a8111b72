// SPDX-License-Identifier: MIT
// How ranks in the middle of a run come to stand still together. Rank 0 asks; the others hear of it between two steps,
// or while they have nothing to do. A rank that is done stays until all are, so that it, too, can be asked.
#pragma once

#include "backend/mpi/alarm.hpp"

#include <vector>

namespace cyclotron::mpi {

class Rendezvous {
public:
  explicit Rendezvous(MPI_Comm comm); // collective
  ~Rendezvous();                      // collective
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  void ask();      // rank 0, which then meets the others
  bool is_asked(); // the others: then this rank is to meet them
  // Until all are there: from then on, all do the same. False where one cannot come, as it has failed.
  bool meet(Alarm& alarm);

  // This rank is done: whether all are.
  bool may_leave();

private:
  enum Word { none, stop, all_stopped, all_done, stopped, done }; // the first ones from rank 0, the others to it
  void tell(int rank, Word word);
  void tell_all(Word word);
  void listen();
  Word heard();

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 1;
  MPI_Request listening_ = MPI_REQUEST_NULL;
  int heard_ = none;
  std::vector<MPI_Request> told_;
  int stopped_ = 0, done_ = 0; // of rank 0: how many others
  bool is_asked_ = false, said_done_ = false, all_done_ = false;
};

} // namespace cyclotron::mpi
