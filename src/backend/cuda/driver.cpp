// SPDX-License-Identifier: MIT
#include "backend/cuda/driver.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <mutex>

#include <dlfcn.h>

namespace cyclotron::backend::cuda {

namespace {

template <class Function> bool find(void* library, const char* name, Function*& function, std::string& missing) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  if (!function) missing = name;
  return function != nullptr;
}

// Names with a number are those that cuda.h means by the name without: their arguments have been of 64 bits since then.
bool find_all(void* library, Driver& d, std::string& missing) {
  const auto get = [&](const char* name, auto& function) { return find(library, name, function, missing); };
  return get("cuInit", d.init) && get("cuDriverGetVersion", d.driver_version) && get("cuGetErrorName", d.error_name) &&
         get("cuGetErrorString", d.error_string) && get("cuDeviceGetCount", d.device_count) &&
         get("cuDeviceGet", d.device) && get("cuDeviceGetName", d.device_name) &&
         get("cuDeviceGetAttribute", d.device_attribute) && get("cuDevicePrimaryCtxRetain", d.retain_context) &&
         get("cuDevicePrimaryCtxRelease_v2", d.release_context) && get("cuCtxSetCurrent", d.use_context) &&
         get("cuCtxGetCurrent", d.current_context) && get("cuMemGetInfo_v2", d.memory_info) &&
         get("cuPointerGetAttribute", d.pointer_attribute) && get("cuMemAlloc_v2", d.allocate) &&
         get("cuMemFree_v2", d.release) && get("cuMemcpyHtoDAsync_v2", d.copy_in) &&
         get("cuMemcpyDtoHAsync_v2", d.copy_out) && get("cuMemcpyDtoDAsync_v2", d.copy) &&
         get("cuMemsetD8Async", d.fill) && get("cuModuleLoadData", d.load_module) &&
         get("cuModuleUnload", d.unload_module) && get("cuModuleGetFunction", d.find_function) &&
         get("cuFuncGetAttribute", d.function_attribute) && get("cuFuncSetAttribute", d.set_function_attribute) &&
         get("cuOccupancyMaxActiveBlocksPerMultiprocessor", d.resident_blocks) && get("cuLaunchKernel", d.launch) &&
         get("cuStreamCreate", d.create_stream) && get("cuStreamDestroy_v2", d.destroy_stream) &&
         get("cuStreamSynchronize", d.wait_for_stream) && get("cuEventCreate", d.create_event) &&
         get("cuEventDestroy_v2", d.destroy_event) && get("cuEventRecord", d.record_event) &&
         get("cuEventElapsedTime", d.elapsed);
}

void report_start(const Driver& driver, CudaResult result, Diagnostics& diagnostics) {
  if (result == cuda_no_device)
    diagnostics.error("there is no GPU that the CUDA driver can use")
        .note(driver.describe(result))
        .with_hint(std::string("see what `nvidia-smi` says, and whether CUDA_VISIBLE_DEVICES hides it; ") +
                   without_gpu_hint);
  else if (result == cuda_stub_library)
    diagnostics.error("the CUDA driver that was found is a stub to link against, and drives no GPU")
        .with_hint("take the folder `stubs` out of LD_LIBRARY_PATH");
  else diagnostics.error("the CUDA driver does not start: " + driver.describe(result)).with_hint(without_gpu_hint);
}

// By file. A driver that does not start is asked again: a GPU may come back.
struct Loaded {
  std::mutex mutex;
  std::map<std::string, Driver> drivers;
};
Loaded& loaded() {
  static Loaded all;
  return all;
}

} // namespace

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

void* load_library(const std::string& file, std::string& problem) {
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = ::dlerror();
    problem = reason ? reason : "unknown reason";
  }
  return library;
}

std::string Driver::describe(CudaResult result) const {
  const char *name = nullptr, *text = nullptr;
  if (error_name(result, &name) != cuda_success || !name) return fmt::format("error {}", result);
  if (error_string(result, &text) != cuda_success || !text) return name;
  return fmt::format("{} ({})", name, text);
}

const Driver* load_driver(const std::string& wanted, Diagnostics& diagnostics) {
  const char* variable = std::getenv("CYCLOTRON_LIBCUDA");
  const std::string file = !wanted.empty() ? wanted : variable && *variable ? variable : "libcuda.so.1";
  const std::lock_guard lock(loaded().mutex);
  if (const auto known = loaded().drivers.find(file); known != loaded().drivers.end()) return &known->second;
  std::string problem;
  void* library = load_library(file, problem);
  if (!library) {
    diagnostics.error("there is no CUDA driver on this machine")
        .note(problem)
        .with_hint(std::string("the driver of an NVIDIA GPU brings libcuda.so.1; ") + without_gpu_hint);
    return nullptr;
  }
  Driver driver;
  if (!find_all(library, driver, problem)) {
    diagnostics.error(fmt::format("the CUDA driver `{}` is too old: it has no `{}`", file, problem))
        .with_hint("install one for CUDA 11 or newer");
    return nullptr;
  }
  if (const CudaResult result = driver.init(0); result != cuda_success) {
    report_start(driver, result, diagnostics);
    return nullptr;
  }
  if (driver.driver_version(&driver.version) != cuda_success) driver.version = 0;
  return &loaded().drivers.emplace(file, driver).first->second;
}

} // namespace cyclotron::backend::cuda
