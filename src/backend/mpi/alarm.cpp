// SPDX-License-Identifier: MIT
#include "backend/mpi/alarm.hpp"

#include "backend/mpi/data/agree.hpp"

namespace cyclotron::mpi {

Alarm::Alarm(MPI_Comm comm) {
  MPI_Comm_dup(comm, &comm_);
  MPI_Irecv(&heard_, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm_, &listening_);
}

Alarm::~Alarm() {
  if (listening_ != MPI_REQUEST_NULL) {
    MPI_Cancel(&listening_);
    MPI_Wait(&listening_, MPI_STATUS_IGNORE);
  }
  MPI_Waitall(static_cast<int>(rung_.size()), rung_.data(), MPI_STATUSES_IGNORE); // small: buffered by MPI
  MPI_Comm_free(&comm_);
}

void Alarm::ring() {
  is_ringing_ = true;
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm_, &rank);
  MPI_Comm_size(comm_, &ranks);
  static const int word = 1;
  for (int r = 0; r < ranks; ++r) {
    if (r == rank) continue;
    rung_.emplace_back();
    MPI_Isend(&word, 1, MPI_INT, r, 0, comm_, &rung_.back());
  }
}

bool Alarm::is_ringing() {
  if (!is_ringing_ && listening_ != MPI_REQUEST_NULL) {
    int done = 0;
    MPI_Test(&listening_, &done, MPI_STATUS_IGNORE);
    is_ringing_ = done != 0;
  }
  return is_ringing_;
}

std::string Alarm::agree(const std::string& own) { return agreed_words(comm_, own); }

} // namespace cyclotron::mpi
