// SPDX-License-Identifier: MIT
// What ranks keep from run to run: their communicators, and the memory of their tiles.
#pragma once

#include "backend/mpi/alarm.hpp"
#include "backend/mpi/arena.hpp"

namespace cyclotron::mpi {

// How values go from rank to rank on one node.
enum class Transport { shared, messages };

class Context {
public:
  // Collective. Uses a copy of the communicator, so that its messages never meet those of others.
  explicit Context(MPI_Comm comm, Transport transport = Transport::shared)
      : comm_(copy(comm)), alarm_(comm_), arena_(comm_, transport == Transport::shared) {
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &ranks_);
  }
  ~Context() { MPI_Comm_free(&comm_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  MPI_Comm comm() const { return comm_; }
  Alarm& alarm() { return alarm_; }
  Arena& arena() { return arena_; }
  int arena_nodes() const { return arena_.nodes(); }
  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

private:
  static MPI_Comm copy(MPI_Comm comm) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &made);
    return made;
  }

  MPI_Comm comm_;
  Alarm alarm_;
  Arena arena_;
  int rank_ = 0, ranks_ = 1;
};

} // namespace cyclotron::mpi
