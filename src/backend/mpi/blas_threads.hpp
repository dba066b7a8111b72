// SPDX-License-Identifier: MIT
// Every rank is given one core, so the BLAS must not start threads of its own: they would take the cores of others.
#pragma once

namespace cyclotron::mpi {

// From now on the BLAS of this process computes in the calling thread. OpenBLAS and MKL are told so; of another BLAS
// we know no way, and its own environment variable must say it.
void use_one_blas_thread();

} // namespace cyclotron::mpi
