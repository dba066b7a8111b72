// SPDX-License-Identifier: MIT
// The driver of the GPU, libcuda, loaded when it is first wanted: the build needs nothing of CUDA, and a machine
// without it gets an error where a GPU is asked for. Declared here is what we call, as cuda.h has it.
#pragma once

#include "support/diagnostics.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace cyclotron::backend::cuda {

using CudaResult = int; // CUresult; 0 where all went well
using DeviceNumber = int;
using Address = unsigned long long; // of memory of the device
using Handle = void*;               // of a context, stream, event, module or function

constexpr CudaResult cuda_success = 0, cuda_out_of_memory = 2, cuda_stub_library = 34, cuda_no_device = 100,
                     cuda_invalid_device = 101;

// Members are in the order of driver.cpp, where their names in the library are.
struct Driver {
  CudaResult (*init)(unsigned flags) = nullptr;
  CudaResult (*driver_version)(int* version) = nullptr;
  CudaResult (*error_name)(CudaResult error, const char** text) = nullptr;
  CudaResult (*error_string)(CudaResult error, const char** text) = nullptr;
  CudaResult (*device_count)(int* count) = nullptr;
  CudaResult (*device)(DeviceNumber* device, int ordinal) = nullptr;
  CudaResult (*device_name)(char* name, int bytes, DeviceNumber device) = nullptr;
  CudaResult (*device_attribute)(int* value, int attribute, DeviceNumber device) = nullptr;
  CudaResult (*retain_context)(Handle* context, DeviceNumber device) = nullptr;
  CudaResult (*release_context)(DeviceNumber device) = nullptr;
  CudaResult (*use_context)(Handle context) = nullptr;
  CudaResult (*current_context)(Handle* context) = nullptr;
  CudaResult (*memory_info)(std::size_t* free, std::size_t* total) = nullptr;
  CudaResult (*pointer_attribute)(void* value, int attribute, Address memory) = nullptr;
  CudaResult (*allocate)(Address* memory, std::size_t bytes) = nullptr;
  CudaResult (*release)(Address memory) = nullptr;
  CudaResult (*copy_in)(Address to, const void* from, std::size_t bytes, Handle stream) = nullptr;
  CudaResult (*copy_out)(void* to, Address from, std::size_t bytes, Handle stream) = nullptr;
  CudaResult (*copy)(Address to, Address from, std::size_t bytes, Handle stream) = nullptr;
  CudaResult (*fill)(Address memory, unsigned char value, std::size_t bytes, Handle stream) = nullptr;
  CudaResult (*load_module)(Handle* module, const void* image) = nullptr;
  CudaResult (*unload_module)(Handle module) = nullptr;
  CudaResult (*find_function)(Handle* function, Handle module, const char* name) = nullptr;
  CudaResult (*function_attribute)(int* value, int attribute, Handle function) = nullptr;
  CudaResult (*set_function_attribute)(Handle function, int attribute, int value) = nullptr;
  CudaResult (*resident_blocks)(int* blocks, Handle function, int threads, std::size_t shared_bytes) = nullptr;
  CudaResult (*launch)(Handle function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,
                       unsigned threads_y, unsigned threads_z, unsigned shared_bytes, Handle stream, void** arguments,
                       void** extra) = nullptr;
  CudaResult (*create_stream)(Handle* stream, unsigned flags) = nullptr;
  CudaResult (*destroy_stream)(Handle stream) = nullptr;
  CudaResult (*wait_for_stream)(Handle stream) = nullptr;
  CudaResult (*create_event)(Handle* event, unsigned flags) = nullptr;
  CudaResult (*destroy_event)(Handle event) = nullptr;
  CudaResult (*record_event)(Handle event, Handle stream) = nullptr;
  CudaResult (*elapsed)(float* milliseconds, Handle first, Handle second) = nullptr;

  int version = 0; // 13000 is 13.0

  // "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
  std::string describe(CudaResult result) const;
};

// `library`: its file; "": $CYCLOTRON_LIBCUDA, or libcuda.so.1 where the system finds it. Loaded and started once. Null
// where an error was reported.
const Driver* load_driver(const std::string& library, Diagnostics& diagnostics);

// "13.0" for 13000.
std::string version_text(int version);

// A library, loaded for as long as this process lives. Null, and `problem` says why, where the system finds none.
void* load_library(const std::string& file, std::string& problem);

// What follows an error about a missing part of CUDA.
inline constexpr const char* without_gpu_hint = "`--target=simd` computes the same on the CPU";

} // namespace cyclotron::backend::cuda
