// SPDX-License-Identifier: MIT
#include "backend/mpi/scalapack/grid.hpp"

#include "backend/mpi/scalapack/blacs.hpp"

namespace cyclotron::mpi::scalapack {

namespace {

// Called when the BLACS free the communicator that ours hangs on, at the end of the context or of MPI.
int free_attached(MPI_Comm, int, void* attached, void*) {
  MPI_Comm ours = MPI_Comm_f2c(static_cast<MPI_Fint>(reinterpret_cast<MPI_Aint>(attached)));
  return MPI_Comm_free(&ours);
}

int attachment() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_attached, &made, nullptr);
    return made;
  }();
  return key;
}

} // namespace

GridPlace grid_place(int context) {
  GridPlace place{-1, -1, -1, -1};
  Cblacs_gridinfo(context, &place.rows, &place.columns, &place.row, &place.column);
  return place;
}

MPI_Comm grid_communicator(int context, const GridPlace& place) {
  constexpr int system_handle = 10; // the communicator that the context is made of
  int handle = 0, size = 0, found = 0;
  Cblacs_get(context, system_handle, &handle);
  MPI_Comm theirs = Cblacs2sys_handle(handle), ours = MPI_COMM_NULL;
  MPI_Comm_size(theirs, &size);
  if (size != place.rows * place.columns) return MPI_COMM_NULL;
  void* attached = nullptr;
  MPI_Comm_get_attr(theirs, attachment(), &attached, &found);
  if (found) return MPI_Comm_f2c(static_cast<MPI_Fint>(reinterpret_cast<MPI_Aint>(attached)));
  MPI_Comm_split(theirs, 0, place.row * place.columns + place.column, &ours);
  MPI_Comm_set_attr(theirs, attachment(), reinterpret_cast<void*>(static_cast<MPI_Aint>(MPI_Comm_c2f(ours))));
  return ours;
}

} // namespace cyclotron::mpi::scalapack
