// SPDX-License-Identifier: MIT
// One outcome for all ranks: an error that any of them found is the error of all.
#pragma once

#include "support/diagnostics.hpp"

#include <mpi.h>

namespace cyclotron::mpi {

int rank_of(MPI_Comm comm);
int ranks_of(MPI_Comm comm);

// Collective. True where no rank has an error in `mine`; else every rank gets the first error of the lowest rank that
// has one. `more`, where given, becomes true on all ranks where it is true on any.
bool agree(const Diagnostics& mine, Diagnostics& agreed, MPI_Comm comm, bool* more = nullptr);

// Collective: the words of the lowest rank that has some; empty where none has.
std::string agreed_words(MPI_Comm comm, const std::string& own);

// Collective: every rank gets what `root` has.
void broadcast(std::string& bytes, int root, MPI_Comm comm);

// Collective: reports in `mine` on each rank that finds something else than rank 0 does. `what` names the thing.
void expect_same(const std::string& what, const std::string& found, Diagnostics& mine, MPI_Comm comm);

} // namespace cyclotron::mpi
