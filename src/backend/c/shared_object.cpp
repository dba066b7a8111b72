// SPDX-License-Identifier: MIT
#include "backend/c/shared_object.hpp"

#include <dlfcn.h>

namespace cyclotron::backend::c {

std::shared_ptr<const SharedObject> SharedObject::load(const std::string& path, bool with_threads,
                                                       std::string& problem) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* reason = ::dlerror();
    problem = reason ? reason : "unknown reason";
    return nullptr;
  }
  if (with_threads) // whichever of them came with the kernel
    for (const char* name : {"libgomp.so.1", "libomp.so.5", "libomp.so", "libiomp5.so"})
      if (void* pinned = ::dlopen(name, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE)) ::dlclose(pinned);
  return std::shared_ptr<const SharedObject>(new SharedObject(handle, path));
}

SharedObject::~SharedObject() { ::dlclose(handle_); }

void* SharedObject::symbol(const std::string& name) const { return ::dlsym(handle_, name.c_str()); }

} // namespace cyclotron::backend::c
