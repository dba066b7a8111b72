// SPDX-License-Identifier: MIT
// What stands behind Device and DeviceTensor, and the copies between a device and the caller. All throw Error.
#pragma once

#include "backend/cuda/machine.hpp"
#include "cyclotron/device.hpp"
#include "tensor/format.hpp"

namespace cyclotron::detail {

struct DeviceState {
  std::shared_ptr<backend::cuda::Machine> machine;
};

struct DeviceTensorState {
  std::shared_ptr<backend::cuda::Machine> machine; // outlives the memory
  backend::cuda::DeviceMemory memory;
  std::vector<std::int64_t> dims;
  tensor::ValueType type = tensor::ValueType::f64;
  std::int64_t count = 0;

  std::int64_t bytes() const { return count * tensor::size_of(type); }
  void* data() const;
};

} // namespace cyclotron::detail

namespace cyclotron::api {

std::shared_ptr<backend::cuda::Machine> open_machine(bool emulate, int gpu);

// Memory on the machine, with nothing in it yet. Of `what` in an error.
std::shared_ptr<const detail::DeviceTensorState> allocate_on(const std::shared_ptr<backend::cuda::Machine>& machine,
                                                             const std::vector<std::int64_t>& dims,
                                                             tensor::ValueType type, const std::string& what);

void copy_in(backend::cuda::Machine& machine, const void* to, const void* from, std::int64_t bytes);
void copy_out(backend::cuda::Machine& machine, void* to, const void* from, std::int64_t bytes);
void clear(backend::cuda::Machine& machine, const void* memory, std::int64_t bytes);

// Addresses of a device are pointers nobody here follows.
inline backend::cuda::Address address_of(const void* data) {
  return static_cast<backend::cuda::Address>(reinterpret_cast<std::uintptr_t>(data));
}

} // namespace cyclotron::api
