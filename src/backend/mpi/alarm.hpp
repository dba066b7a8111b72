// SPDX-License-Identifier: MIT
// How a rank that cannot go on tells the others, so that none waits for it for ever.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

namespace cyclotron::mpi {

class Alarm {
public:
  explicit Alarm(MPI_Comm comm); // collective
  ~Alarm();                      // collective
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  void ring();
  bool is_ringing(); // whether some rank rang

  // Collective, at the end of the run: the words of the lowest rank that has some; empty where none has.
  std::string agree(const std::string& own);

private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  MPI_Request listening_ = MPI_REQUEST_NULL;
  std::vector<MPI_Request> rung_;
  int heard_ = 0;
  bool is_ringing_ = false;
};

} // namespace cyclotron::mpi
