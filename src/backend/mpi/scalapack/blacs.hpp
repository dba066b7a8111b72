// SPDX-License-Identifier: MIT
// What we call of the BLACS and of ScaLAPACK's tools. They come without headers, and from whichever ScaLAPACK the
// program is linked with: our library does not bring one.
#pragma once

#include <mpi.h>

extern "C" {
void Cblacs_abort(int context, int error);
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
MPI_Comm Cblacs2sys_handle(int handle);
void pxerbla_(const int* context, const char* routine, const int* parameter, int routine_length);
}
