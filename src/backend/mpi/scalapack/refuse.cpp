// SPDX-License-Identifier: MIT
#include "backend/mpi/scalapack/refuse.hpp"

#include "backend/mpi/scalapack/blacs.hpp"
#include "backend/mpi/scalapack/grid.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace cyclotron::mpi::scalapack {

namespace {

void abort_with(const char* routine, int context, int info, const std::string& why) {
  const GridPlace place = grid_place(context);
  fmt::print(stderr, "{{{},{}}}: {}: {}\n", place.row, place.column, routine, why);
  std::fflush(stderr);
  Cblacs_abort(context, info);
}

} // namespace

void refuse_parameter(const char* routine, const char* const* names, int context, int info, const char* why) {
  const int parameter = -info < 100 ? -info : -info / 100;
  std::string what = fmt::format("parameter number {} (`{}`)", parameter, names[parameter - 1]);
  if (-info >= 100) what = fmt::format("entry {} of {}", -info % 100, what);
  abort_with(routine, context, info, fmt::format("{} {}", what, why));
}

void refuse(const char* routine, int context, const std::string& why) { abort_with(routine, context, 1, why); }

} // namespace cyclotron::mpi::scalapack
