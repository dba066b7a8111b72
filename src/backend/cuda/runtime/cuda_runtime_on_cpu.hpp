// SPDX-License-Identifier: MIT
// What a host program calls of the CUDA runtime, on a CPU: memory is memory, a launch runs the kernel at once. For the
// self-tests that Cyclotron writes out; with `nvcc` the same program uses the real one.
#pragma once

#include "cuda_on_cpu.hpp"

enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2, cudaErrorLaunchFailure = 719 };
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
typedef void* cudaStream_t;

namespace emulation {

static emulated_memory allocated[most_memories];
static int allocated_count = 0;
static bool launch_failed = false;

} // namespace emulation

template <class T> static cudaError_t cudaMalloc(T** memory, size_t bytes) {
  using namespace emulation;
  *memory = (T*)malloc(bytes ? bytes : 1);
  if (!*memory || allocated_count == most_memories) return cudaErrorMemoryAllocation;
  memset((void*)*memory, 0xa5, bytes); // nobody may count on zeros
  allocated[allocated_count++] = emulated_memory{*memory, (long long)bytes, "an array"};
  return cudaSuccess;
}
static inline cudaError_t cudaFree(void* memory) {
  using namespace emulation;
  for (int i = 0; i < allocated_count; ++i)
    if (allocated[i].begin == memory) allocated[i] = allocated[--allocated_count];
  free(memory);
  return cudaSuccess;
}
static inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  memcpy(to, from, bytes);
  return cudaSuccess;
}
static inline cudaError_t cudaMemset(void* memory, int value, size_t bytes) {
  memset(memory, value, bytes);
  return cudaSuccess;
}
static inline cudaError_t cudaDeviceSynchronize() {
  return emulation::launch_failed ? cudaErrorLaunchFailure : cudaSuccess;
}
static inline cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
static inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 2; // few, so that blocks take turns
  return cudaSuccess;
}
template <class Kernel>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Kernel, int, size_t) {
  *blocks = 2;
  return cudaSuccess;
}
template <class Kernel> static cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int) { return cudaSuccess; }
static inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : error == cudaErrorMemoryAllocation ? "out of memory" : "a kernel failed";
}

template <class... Parameters>
static cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 blocks, dim3 threads, void** arguments, size_t,
                                    cudaStream_t) {
  using namespace emulation;
  static void (*running)(Parameters...); // of kernels with these parameters
  running = kernel;
  const emulated_launch what = {blocks.x, threads.x, arguments, allocated, allocated_count, nullptr, 0};
  if (run(
          "of this program", [] { call(running, launch->arguments); }, &what) == 0)
    return cudaSuccess;
  launch_failed = true;
  return cudaErrorLaunchFailure;
}
