// SPDX-License-Identifier: MIT
// How a call ends that cannot be done, the way programs know it from ScaLAPACK: the PBLAS take the whole job down.
#pragma once

#include "backend/mpi/scalapack/cyclic.hpp"

#include <string>

namespace cyclotron::mpi::scalapack {

// Names the parameter behind `info` on stderr and aborts with it; `names` are those of all parameters, in order.
void refuse_parameter(const char* routine, const char* const* names, int context, int info, const char* why);

constexpr const char* no_communicator = "these BLACS give no communicator of exactly the grid";

// Any other reason.
void refuse(const char* routine, int context, const std::string& why);

} // namespace cyclotron::mpi::scalapack
