// SPDX-License-Identifier: MIT
#include "api/device.hpp"

#include "api/inspect.hpp"
#include "api/layout.hpp"
#include "api/raise.hpp"
#include "tensor/capacity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron {

namespace {

using backend::cuda::Machine;
using detail::DeviceTensorState;

// Does it on the machine while nobody else has its turn, and throws what was reported.
template <class F> void in_turn(Machine& machine, F f) {
  const Sources sources;
  Diagnostics diagnostics(sources);
  {
    const Machine::Turn turn(machine);
    if (machine.is_usable(diagnostics) && f(diagnostics)) machine.wait("copying data", diagnostics);
  }
  api::raise_if_failed(diagnostics);
}

std::int64_t checked_count(const std::vector<std::int64_t>& dims, tensor::ValueType type, const std::string& what) {
  for (const std::int64_t d : dims)
    if (d < 0) api::raise(fmt::format("{} has a dimension of {}", what, d));
  const std::int64_t count = tensor::element_count(dims);
  if (tensor::saturating_product(count, tensor::size_of(type)) == tensor::too_many)
    api::raise(fmt::format("{} is larger than any memory: {}", what, tensor::describe(dims)));
  return count;
}

// A view of the caller's memory that can be copied as it is; the number of its elements.
std::int64_t checked_plain(const View::Data& view) {
  const std::string what = "the view";
  if (view.on_device)
    api::raise("the view is in the memory of a device", "copies are between a device and your own arrays");
  const auto rank = static_cast<int>(view.dims.size());
  const auto format = api::internal(view.format, rank);
  const tensor::Format plain = tensor::dense_format(rank);
  if (!format || format->levels != plain.levels || format->order != plain.order)
    api::raise(fmt::format("tensors on a device are dense, in row-major order, and the view is {}", view.format.text()),
               "give a dense array; kernels convert sparse views of your own memory themselves");
  const std::int64_t count = checked_count(view.dims, api::internal(view.type), what);
  if (const api::Inspected seen = api::inspect(view, plain, false); !seen.problem.empty())
    api::raise(fmt::format("{}: {}", what, seen.problem));
  return count;
}

void check_same(const DeviceTensorState& tensor, const View::Data& view) {
  const std::int64_t count = checked_plain(view);
  if (api::internal(view.type) != tensor.type)
    api::raise(fmt::format("the tensor on the device holds {}, and the view {}", tensor::name_of(tensor.type),
                           name_of(view.type)));
  if (count != tensor.count)
    api::raise(fmt::format("the tensor on the device has {} elements, and the view {}", tensor.count, count));
}

} // namespace

void* DeviceTensorState::data() const { return reinterpret_cast<void*>(static_cast<std::uintptr_t>(memory.address())); }

std::shared_ptr<Machine> api::open_machine(bool emulate, int gpu) {
  const Sources sources;
  Diagnostics diagnostics(sources);
  backend::cuda::MachineOptions options;
  options.emulate = emulate;
  options.number = gpu;
  auto machine = backend::cuda::open_machine(options, diagnostics);
  raise_if_failed(diagnostics);
  return machine;
}

std::shared_ptr<const DeviceTensorState> api::allocate_on(const std::shared_ptr<Machine>& machine,
                                                          const std::vector<std::int64_t>& dims, tensor::ValueType type,
                                                          const std::string& what) {
  auto state = std::make_shared<DeviceTensorState>();
  state->machine = machine;
  state->dims = dims;
  state->type = type;
  state->count = checked_count(dims, type, what);
  in_turn(*machine, [&](Diagnostics& diagnostics) {
    const auto address = machine->allocate(state->bytes(), diagnostics);
    if (address) state->memory = backend::cuda::DeviceMemory(*machine, *address);
    return address.has_value();
  });
  return state;
}

void api::copy_in(Machine& machine, const void* to, const void* from, std::int64_t bytes) {
  if (bytes == 0) return;
  in_turn(machine, [&](Diagnostics& diagnostics) { return machine.copy_in(address_of(to), from, bytes, diagnostics); });
}

void api::copy_out(Machine& machine, void* to, const void* from, std::int64_t bytes) {
  if (bytes == 0) return;
  in_turn(machine,
          [&](Diagnostics& diagnostics) { return machine.copy_out(to, address_of(from), bytes, diagnostics); });
}

void api::clear(Machine& machine, const void* memory, std::int64_t bytes) {
  if (bytes == 0) return;
  in_turn(machine, [&](Diagnostics& diagnostics) { return machine.fill(address_of(memory), 0, bytes, diagnostics); });
}

// --- the interface ---

Device Device::gpu(int number) {
  return Device(std::make_shared<const detail::DeviceState>(detail::DeviceState{api::open_machine(false, number)}));
}

Device Device::emulated() {
  return Device(std::make_shared<const detail::DeviceState>(detail::DeviceState{api::open_machine(true, 0)}));
}

std::string Device::name() const { return api::held(state_, "device")->machine->properties().name; }

DeviceTensor Device::zeros(const std::vector<std::int64_t>& dims, Type type) const {
  auto state =
      api::allocate_on(api::held(state_, "device")->machine, dims, api::internal(type), "a tensor for the device");
  api::clear(*state->machine, state->data(), state->bytes());
  return DeviceTensor(std::move(state));
}

DeviceTensor Device::upload(const View& tensor) const {
  const View::Data& view = tensor.data();
  checked_plain(view);
  auto state = api::allocate_on(api::held(state_, "device")->machine, view.dims, api::internal(view.type),
                                "a tensor for the device");
  api::copy_in(*state->machine, state->data(), view.values.data, state->bytes());
  return DeviceTensor(std::move(state));
}

Type DeviceTensor::type() const { return api::external(api::held(state_, "tensor")->type); }
const std::vector<std::int64_t>& DeviceTensor::dims() const { return api::held(state_, "tensor")->dims; }
std::int64_t DeviceTensor::count() const { return api::held(state_, "tensor")->count; }

Device DeviceTensor::device() const {
  return Device(std::make_shared<const detail::DeviceState>(detail::DeviceState{api::held(state_, "tensor")->machine}));
}

void DeviceTensor::upload(const View& from) {
  check_same(*api::held(state_, "tensor"), from.data());
  api::copy_in(*state_->machine, state_->data(), from.data().values.data, state_->bytes());
}

void DeviceTensor::download(const View& into) const {
  check_same(*api::held(state_, "tensor"), into.data());
  if (into.data().read_only) api::raise("values are to go to an array of const", "give an array that can be written");
  api::copy_out(*state_->machine, const_cast<void*>(into.data().values.data), state_->data(), state_->bytes());
}

void* DeviceTensor::address_as(Type wanted) const {
  if (wanted != type())
    api::raise(fmt::format("the tensor on the device holds {}, not {}", name_of(type()), name_of(wanted)));
  return state_->data();
}

View DeviceTensor::view() const {
  const DeviceTensorState& tensor = *api::held(state_, "tensor");
  View::Data data{tensor.dims, dense, type(), false, 0, {}, {tensor.data(), tensor.count}};
  data.on_device = true;
  data.memory = state_;
  return View(std::move(data));
}

} // namespace cyclotron
