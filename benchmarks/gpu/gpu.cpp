// SPDX-License-Identifier: MIT
#include "gpu.hpp"

#include "driver/lanes_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

namespace cyclotron::bench::gpu {

namespace {

constexpr int rounds = 15;

std::string text_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Unavailable("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

double median(std::vector<double> list) {
  const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
  std::nth_element(list.begin(), middle, list.end());
  return *middle;
}

} // namespace

// --- the machine ---

Gpu::Gpu(const Options& options) : options_(options) {
  machine_ = cuda::open_gpu({}, diagnostics_);
  if (!machine_) fail();
  plain_ = machine_->load(text_of_file(options.folder + "/plain.cu"),
                          {"fill_random", "difference", "conv1d", "conv2d", "linear_recurrence", "alignment"}, {},
                          diagnostics_);
  if (!plain_) fail();
}

void Gpu::fail() {
  const std::string text = diagnostics_.render(false);
  throw Unavailable(text.substr(0, text.find('\n')));
}

cuda::DeviceArray Gpu::array(std::int64_t bytes) {
  const auto address = machine_->allocate(bytes, diagnostics_);
  if (!address) fail();
  owned_.emplace_back(*machine_, *address);
  return {*address, bytes};
}

cuda::DeviceArray Gpu::random(std::int64_t floats, unsigned seed) {
  const cuda::DeviceArray made = array(floats * 4);
  plain("fill_random", 4096, 256, {static_cast<std::int64_t>(made.address), floats, seed})();
  return made;
}

cuda::DeviceArray Gpu::copy_of(const std::vector<std::int32_t>& data) {
  const cuda::DeviceArray made = array(static_cast<std::int64_t>(data.size() * sizeof(data[0])));
  if (!machine_->copy_in(made.address, data.data(), made.bytes, diagnostics_) ||
      !machine_->wait("copying", diagnostics_))
    fail();
  return made;
}

std::vector<std::int32_t> Gpu::numbers(const cuda::DeviceArray& from) {
  std::vector<std::int32_t> data(static_cast<std::size_t>(from.bytes) / sizeof(std::int32_t));
  if (!machine_->copy_out(data.data(), from.address, from.bytes, diagnostics_) ||
      !machine_->wait("copying", diagnostics_))
    fail();
  return data;
}

void Gpu::forget(const cuda::DeviceArray& array) {
  if (!machine_->fill(array.address, 0xff, array.bytes, diagnostics_)) fail();
}

void Gpu::release_all() { owned_.clear(); }

Seconds Gpu::plain(const std::string& function, std::int64_t blocks, std::int64_t threads,
                   const std::vector<std::int64_t>& arguments) {
  return [=, this, own = arguments]() mutable {
    cuda::Launch launch{function, blocks, threads, 0, {}, {}};
    if (function == "alignment") launch.shared_bytes = 3 * 4 * (threads + 1);
    for (std::int64_t& a : own) launch.arguments.push_back(&a);
    if (!machine_->mark(0, diagnostics_) || !machine_->launch(*plain_, launch, diagnostics_) ||
        !machine_->mark(1, diagnostics_) || !machine_->wait(function, diagnostics_))
      fail();
    return machine_->seconds_between(0, 1);
  };
}

Seconds Gpu::copy(const cuda::DeviceArray& to, const cuda::DeviceArray& from, std::int64_t bytes) {
  return [=, this] {
    if (!machine_->mark(0, diagnostics_) || !machine_->copy_within(to.address, from.address, bytes, diagnostics_) ||
        !machine_->mark(1, diagnostics_) || !machine_->wait("a copy", diagnostics_))
      fail();
    return machine_->seconds_between(0, 1);
  };
}

double Gpu::difference(const cuda::DeviceArray& a, const cuda::DeviceArray& b, std::int64_t floats, std::int64_t row,
                       std::int64_t valid) {
  const auto largest = machine_->allocate(4, diagnostics_);
  if (!largest) fail();
  const cuda::DeviceMemory own(*machine_, *largest);
  std::int32_t bits = 0;
  if (!machine_->copy_in(*largest, &bits, 4, diagnostics_)) fail();
  plain("difference", 4096, 256,
        {static_cast<std::int64_t>(a.address), static_cast<std::int64_t>(b.address), floats, row, valid,
         static_cast<std::int64_t>(*largest)})();
  if (!machine_->copy_out(&bits, *largest, 4, diagnostics_) || !machine_->wait("copying", diagnostics_)) fail();
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// --- programs ---

Program::Program(Gpu& gpu, const std::string& name, const std::string& commands, const recurrence::Bindings& bindings,
                 const std::set<std::string>& unwanted, lanes::Layout layout)
    : gpu_(gpu) {
  const std::string path = fmt::format("{}/programs/{}.cyc", gpu.options().folder, name);
  const auto fail = [&] {
    const std::string text = diagnostics_.render(false);
    throw Unavailable(text.substr(0, text.find('\n')));
  };
  const std::string text = fmt::format("{}\nschedule measured {{\n{}\n}}\n", text_of_file(path), commands);
  front_end_ = driver::run_front_end(sources_.add(path, text), {}, diagnostics_);
  if (!front_end_.checked) fail();
  driver::ArrayRequest request{
      &*front_end_.checked, &front_end_.checked->unit->schedules.back(), {}, bindings.sizes, {name, {}, unwanted}, {}};
  driver::LaneTarget target = driver::cuda_target();
  target.layout = layout;
  auto made = driver::make_lanes_code(std::move(request), target, &bindings, diagnostics_);
  if (!made) fail();
  memories_ = made->code.memories;
  narrow_ = made->code.narrow;
  for (const auto& [size, called] : made->code.sizes) sizes_[called] = bindings.sizes.at(size);
  kernel_ = cuda::Kernel::make(std::move(made->code.kernels), {}, diagnostics_);
  if (!kernel_) fail();
}

Seconds Program::on(const std::map<std::string, cuda::DeviceArray>& tensors) {
  std::map<std::string, cuda::DeviceArray> memories;
  for (const auto& [tensor, array] : tensors) memories[memories_.at(tensor)] = array;
  return [this, memories] {
    cuda::Figures figures;
    const auto answer = kernel_->call_on_device(sizes_, memories, diagnostics_, &figures);
    if (!answer) throw Unavailable(diagnostics_.render(false));
    if (*answer != 0) throw Unavailable("the kernel noticed that a number does not fit");
    return figures.kernel_seconds;
  };
}

// --- rows ---

bool Bench::wants(const std::string& name) const {
  return !gpu_.options().only || std::regex_search(name, *gpu_.options().only);
}

void Bench::measure(Row row, const Seconds& ours, const Seconds& plain, const Seconds& copy,
                    const std::function<double()>& difference) {
  ours();
  plain();
  row.difference = difference();
  if (!(row.difference <= row.tolerance)) {
    row.problem = fmt::format("WRONG: differs from the plain kernel by {:.3g}", row.difference);
    return add(std::move(row));
  }
  std::vector<double> times[3];
  const Seconds* sides[3] = {&ours, &plain, &copy};
  for (int round = -2; round < (gpu_.options().quick ? 3 : rounds); ++round)
    for (int side = 0; side < 3; ++side) {
      const double seconds = *sides[side] ? (*sides[side])() : 0;
      if (round >= 0) times[side].push_back(seconds);
    }
  row.ours = median(times[0]);
  row.plain = median(times[1]);
  row.copy = median(times[2]);
  add(std::move(row));
}

void Bench::add(Row row) {
  fmt::print("{}\n", text_of(row));
  std::fflush(stdout);
  rows_.push_back(std::move(row));
}

void Bench::attempt(const Row& row, const std::function<void()>& body) {
  if (!wants(row.name)) return;
  try {
    body();
  } catch (const Unavailable& e) {
    Row missing = row;
    missing.problem = e.what();
    add(std::move(missing));
  }
}

} // namespace cyclotron::bench::gpu
