// SPDX-License-Identifier: MIT
// Data in the memory of a GPU, for kernels of the target `cuda`: brought there once and used by many calls. Nothing of
// CUDA is needed to compile this.
#pragma once

#include "cyclotron/view.hpp"

#include <cstdint>
#include <memory>
#include <ranges>
#include <string>
#include <vector>

namespace cyclotron {

namespace detail {

struct DeviceState;

} // namespace detail

class DeviceTensor;

// A GPU, or this CPU in its place. Copies are the same device. Its functions may be called from several threads.
class Device {
public:
  // Throws Error where there is no driver, or no such GPU.
  static Device gpu(int number = 0);
  static Device emulated();

  std::string name() const; // "NVIDIA H200", …

  // Dense tensors in its memory, in row-major order. The second form is for a tensor of one dimension.
  DeviceTensor upload(const View& tensor) const;
  template <class R>
  requires(std::ranges::contiguous_range<R>) DeviceTensor upload(const R& values)
  const;
  DeviceTensor zeros(const std::vector<std::int64_t>& dims, Type type = f64) const;

  // For the library itself.
  explicit Device(std::shared_ptr<const detail::DeviceState> state) : state_(std::move(state)) {}
  const detail::DeviceState& state() const { return *state_; }

private:
  std::shared_ptr<const detail::DeviceState> state_;
};

// A tensor in the memory of a device, as an argument of a kernel: `{"A", a}`. Copies are the same memory, which is
// given back with the last of them.
class DeviceTensor {
public:
  Type type() const;
  const std::vector<std::int64_t>& dims() const;
  std::int64_t count() const; // of elements
  Device device() const;

  // Values of the same type, and as many, to the device or back. They are dense and in row-major order.
  void upload(const View& from);
  void download(const View& into) const;
  template <class R>
  requires(std::ranges::contiguous_range<R>) void upload(const R& from) { upload(cyclotron::view(from)); }
  template <class R>
  requires(std::ranges::contiguous_range<R>) void download(R&& into) const { download(cyclotron::view(into)); }

  // A copy of the values.
  template <class T> std::vector<T> values() const {
    static_assert(!std::is_same_v<T, bool>, "a vector of bool has no array: ask for `unsigned char`");
    std::vector<T> list(static_cast<std::size_t>(count()));
    download(list);
    return list;
  }

  // Where it lies, for kernels of your own. Throws Error where T is not the type of the values.
  template <class T> T* pointer() const { return static_cast<T*>(address_as(detail::type_for<T>())); }

  View view() const;
  operator Argument() const { return view(); }

  // For the library itself.
  explicit DeviceTensor(std::shared_ptr<const detail::DeviceTensorState> state) : state_(std::move(state)) {}

private:
  void* address_as(Type type) const;

  std::shared_ptr<const detail::DeviceTensorState> state_;
};

template <class R>
requires(std::ranges::contiguous_range<R>) DeviceTensor Device::upload(const R& values)
const { return upload(cyclotron::view(values)); }

// An array of yours in the memory of the GPU, dense and in row-major order: what `cudaMalloc` has given, or a place
// inside of it. All that you have begun with it must have ended when it is used. With an emulated device it is an array
// of this process.
template <class T> View device_view(T* pointer, std::vector<std::int64_t> dims) {
  View::Data data{std::move(dims), dense, detail::type_for<T>(), std::is_const_v<T>, 0, {}, {pointer, -1}};
  data.on_device = true;
  return View(std::move(data));
}

} // namespace cyclotron
