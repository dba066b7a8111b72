// SPDX-License-Identifier: MIT
#include "backend/mpi/blas_threads.hpp"

#include <dlfcn.h>

#include <initializer_list>

namespace cyclotron::mpi {

void use_one_blas_thread() {
  using SetThreads = void (*)(int);
  // Looked up while running: which BLAS a shared name stands for is often decided after linking.
  for (const char* name : {"openblas_set_num_threads", "MKL_Set_Num_Threads"})
    if (void* found = dlsym(RTLD_DEFAULT, name)) reinterpret_cast<SetThreads>(found)(1);
}

} // namespace cyclotron::mpi
