// SPDX-License-Identifier: MIT
// Data that stays in the memory of a device: an emulated one, and a GPU whose driver is one of our own
// (tests/unit/backend/cuda/fake_cuda.cpp).
#include "matrices.hpp"

#include "support/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>

namespace cyclotron::test {

namespace {

Options emulated() {
  Options options = quick("cuda");
  options.emulate = true;
  return options;
}

const char* const scale_text = "tensor s\ntensor x(n)\ntensor y(n)\ny(i) = s * x(i)\n";

Kernel scale(const Options& options) { return Program::from_text(scale_text).compile(options); }

TEST(DeviceTensors, GoThereAndBack) {
  const Device device = Device::emulated();
  EXPECT_EQ(device.name(), "a GPU emulated on the CPU");
  for (const std::size_t count : {0u, 1u, 101u}) {
    std::vector<float> x(count, 0.5F), back(count);
    DeviceTensor there = device.upload(x);
    EXPECT_EQ(there.type(), f32);
    EXPECT_EQ(there.dims(), (std::vector<std::int64_t>{static_cast<std::int64_t>(count)}));
    EXPECT_EQ(there.values<float>(), x);
    x.assign(count, 2);
    there.upload(x);
    there.download(back);
    EXPECT_EQ(back, x);
  }
  const DeviceTensor zeros = device.zeros({2, 3}, i64);
  EXPECT_EQ(zeros.count(), 6);
  EXPECT_EQ(zeros.values<std::int64_t>(), std::vector<std::int64_t>(6));
}

TEST(DeviceTensors, StayThereFromKernelToKernel) {
  const Kernel kernel = scale(emulated());
  const Device device = kernel.device();
  std::vector<double> values(37);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const DeviceTensor x = device.upload(values);
  DeviceTensor y = device.zeros({37}), z = device.zeros({37});
  kernel.run({{"s", 2}, {"x", x}}, {{"y", y}});
  kernel.run({{"s", 3}, {"x", y}}, {{"y", z}});
  EXPECT_EQ(z.values<double>()[36], 216);
  const Call call = kernel.bind({{"s", 5}, {"x", x}}, {{"y", z}});
  y = z = device.zeros({1}); // the call keeps what it works on
  call();
  const DeviceTensor of_another = scale(emulated()).device().zeros({37});
  kernel.run({{"s", 7}, {"x", x}}, {{"y", of_another}});
  EXPECT_EQ(of_another.values<double>()[2], 14);
}

TEST(DeviceTensors, BesideArraysOfTheCaller) {
  const Kernel kernel = scale(emulated());
  std::vector<double> values{1, 2, 3}, result(3);
  const DeviceTensor x = kernel.device().upload(values);
  kernel.run({{"s", 2}, {"x", x}}, {{"y", result}});
  EXPECT_EQ(result, (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(kernel({{"s", 3}, {"x", x}})["y"].at(2), 9);
  const DeviceTensor y = kernel.device().zeros({3});
  kernel.run({{"s", 4}, {"x", values}}, {{"y", y}});
  EXPECT_EQ(y.values<double>(), (std::vector<double>{4, 8, 12}));
}

TEST(DeviceTensors, MatricesAndOtherTypes) {
  const Kernel kernel =
      Program::from_text("tensor A(m, n): i32\ntensor r(m): i64\nr(i) = A(i,j)\n").compile(emulated());
  const std::vector<int> a{1, 2, 3, 4, 5, 6};
  const DeviceTensor there = kernel.device().upload(view(a, {3, 2})), rows = kernel.device().zeros({3}, i64);
  kernel.run({{"A", there}}, {{"r", rows}});
  EXPECT_EQ(rows.values<std::int64_t>(), (std::vector<std::int64_t>{3, 7, 11}));
}

TEST(DeviceTensors, SingleNumbers) {
  const Kernel kernel =
      Program::from_text("tensor s\ntensor x(n)\ntensor t\nt = s + sum[i](x(i))\n").compile(emulated());
  const Device device = kernel.device();
  const double five = 5;
  const DeviceTensor s = device.upload(view(&five, {})), t = device.zeros({});
  kernel.run({{"s", s}, {"x", std::vector<double>{1, 2, 3}}}, {{"t", t}});
  EXPECT_EQ(t.values<double>(), std::vector<double>{11});
}

// With an emulated device, all memory of the process is its memory.
TEST(DeviceViews, AddressesOfTheCaller) {
  const Kernel kernel = scale(emulated());
  const std::vector<double> x{1, 2, 3, 4};
  std::vector<double> y(4, -1);
  kernel.run({{"s", 2}, {"x", device_view(x.data() + 1, {3})}}, {{"y", device_view(y.data(), {3})}});
  EXPECT_EQ(y, (std::vector<double>{4, 6, 8, -1}));
  const DeviceTensor there = kernel.device().upload(x);
  kernel.run({{"s", 3}, {"x", device_view(there.pointer<double>() + 2, {2})}}, {{"y", device_view(y.data(), {2})}});
  EXPECT_EQ(y, (std::vector<double>{9, 12, 8, -1}));
  double* nowhere = nullptr;
  kernel.run({{"s", 3}, {"x", device_view(nowhere, {0})}}, {{"y", device_view(nowhere, {0})}}); // nothing lies there
}

TEST(DeviceViews, Failures) {
  const Kernel kernel =
      Program::from_text("tensor a(n): i32\ntensor x(n): i32\nx(i) = 2000000000 + a(i)\n").compile(emulated());
  const DeviceTensor a = kernel.device().upload(std::vector<int>{1, 2000000000}), x = kernel.device().zeros({2}, i32);
  EXPECT_EQ(message_of([&] { kernel.run({{"a", a}}, {{"x", x}}); }), "an integer overflows while computing `x(1)`");
}

TEST(DeviceErrors, Arguments) {
  const Kernel kernel = scale(emulated());
  const Device device = kernel.device();
  const DeviceTensor x = device.zeros({3}), wide = device.zeros({3}, f32), longer = device.zeros({4});
  const auto told = [&](const Argument& in, const Argument& out) {
    return message_of([&] { kernel.run({{"s", 1}, {"x", in}}, {{"y", out}}); });
  };
  double* nowhere = nullptr;
  const double constant[3] = {};
  EXPECT_EQ(told(wide, x), "`x` is declared as f64, but its view holds f32");
  EXPECT_EQ(told(device.zeros({3, 1}), x), "`x` has 1 dimension, but its view has 2");
  EXPECT_EQ(told(x, longer), "output `y` is 3, but its view is 4");
  EXPECT_EQ(told(x, x), "`y` and `x` share memory");
  EXPECT_EQ(told(device_view(nowhere, {3}), x), "the view of `x`: the array of values is missing");
  EXPECT_EQ(told(device_view(nowhere, {-3}), x), "the view of `x` has a dimension of -3");
  EXPECT_EQ(told(x, device_view(constant, {3})), "output `y` is given as an array of const");
  for (const char* target : {"c", "simd", "interpret"}) {
    const Kernel other = scale(quick(target));
    EXPECT_EQ(message_of([&] {
                other({{"s", 1}, {"x", x}});
              }),
              std::string("`x` is in the memory of a GPU, and a kernel of the target `") + target +
                  "` runs on the CPU");
    EXPECT_EQ(message_of([&] { other.device(); }),
              std::string("a kernel of the target `") + target + "` runs on no device");
  }
  const Kernel sparse = Program::from_text(product_text).compile(emulated());
  EXPECT_EQ(message_of([&] {
              sparse({{"B", device.zeros({2, 3})}, {"c", x}});
            }),
            "`B` is declared as csr, but its view is dense");
}

TEST(DeviceErrors, Copies) {
  const Device device = Device::emulated();
  DeviceTensor x = device.zeros({3});
  const std::vector<double> four(4);
  std::vector<float> floats(3);
  const std::vector<double> constant(3);
  Sparse<int> b = compressed<int>({{1, 0, 2}});
  EXPECT_EQ(message_of([&] { x.upload(four); }), "the tensor on the device has 3 elements, and the view 4");
  EXPECT_EQ(message_of([&] { x.download(floats); }), "the tensor on the device holds f64, and the view f32");
  EXPECT_EQ(message_of([&] { x.values<int>(); }), "the tensor on the device holds f64, and the view i32");
  EXPECT_EQ(message_of([&] { x.pointer<float>(); }), "the tensor on the device holds f64, not f32");
  EXPECT_EQ(message_of([&] { x.download(constant); }), "values are to go to an array of const");
  EXPECT_EQ(message_of([&] { device.upload(b.view()); }),
            "tensors on a device are dense, in row-major order, and the view is csr");
  EXPECT_EQ(message_of([&] { device.upload(x.view()); }), "the view is in the memory of a device");
  EXPECT_EQ(message_of([&] { device.zeros({3, -1}); }), "a tensor for the device has a dimension of -1");
  EXPECT_EQ(message_of([&] {
              device.zeros({1L << 40, 1L << 40});
            }),
            "a tensor for the device is larger than any memory: 1099511627776 x 1099511627776");
  EXPECT_EQ(message_of([&] { write("x.mtx", x.view()); }),
            "what is to be written to `x.mtx` is in the memory of a device");
  const DeviceTensor moved = std::move(x);
  EXPECT_EQ(message_of([&] { x.count(); }), "this tensor was moved from"); // NOLINT: that is what is tried
}

// With a driver that stands in for NVIDIA's; it is a library of its own for each test, as what goes wrong when it is
// loaded goes wrong once.
class Gpu : public testing::Test {
protected:
  Gpu() {
    ::setenv("FAKE_CUDA_FOLDER", folder_.file("").c_str(), 1);
    const std::string library = folder_.file("libcuda.so");
    std::filesystem::copy_file(FAKE_CUDA_FILE, library);
    ::setenv("CYCLOTRON_LIBCUDA", library.c_str(), 1);
    ::setenv("CYCLOTRON_LIBNVRTC", library.c_str(), 1);
    options_.cache_folder = folder_.file("cache");
  }
  ~Gpu() override {
    for (const char* name : {"FAKE_CUDA_FOLDER", "CYCLOTRON_LIBCUDA", "CYCLOTRON_LIBNVRTC"}) ::unsetenv(name);
  }

  TemporaryFolder folder_{"fake-gpu"};
  Options options_ = quick("cuda");
};

TEST_F(Gpu, KeepsData) {
  const Kernel kernel = scale(options_);
  const Device device = kernel.device();
  EXPECT_EQ(device.name(), "Fake GPU");
  const std::vector<double> values{1, 2, 3};
  const DeviceTensor x = device.upload(values), y = device.zeros({3});
  kernel.run({{"s", 2}, {"x", x}}, {{"y", y}});
  kernel.run({{"s", 2}, {"x", device_view(y.pointer<const double>(), {2})}},
             {{"y", device_view(x.pointer<double>(), {2})}});
  EXPECT_EQ(x.values<double>(), (std::vector<double>{4, 8, 3}));
  EXPECT_EQ(message_of([&] {
              kernel({{"s", 2}, {"x", device_view(values.data(), {3})}});
            }),
            "`x` is given by an address that is no memory of `Fake GPU`");
  EXPECT_EQ(message_of([&] {
              kernel({{"s", 2}, {"x", Device::emulated().upload(values)}});
            }),
            "`x` is in the memory of another device, `a GPU emulated on the CPU`: the kernel runs on `Fake GPU`");
}

// Who works on GPUs with other contexts, too, goes on with the one that he had.
TEST_F(Gpu, LeavesTheThreadItsContext) {
  void* library = ::dlopen(folder_.file("libcuda.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library);
  const auto set = reinterpret_cast<int (*)(void*)>(::dlsym(library, "cuCtxSetCurrent"));
  const auto get = reinterpret_cast<int (*)(void**)>(::dlsym(library, "cuCtxGetCurrent"));
  int theirs = 0;
  set(&theirs);
  void* now = nullptr;
  const auto is_theirs = [&] { return get(&now) == 0 && now == &theirs; };
  {
    const Kernel kernel = scale(options_);
    EXPECT_TRUE(is_theirs());
    const DeviceTensor x = kernel.device().zeros({3});
    EXPECT_TRUE(is_theirs());
    std::vector<double> y(3);
    kernel.run({{"s", 2}, {"x", device_view(x.pointer<double>(), {3})}}, {{"y", y}});
    EXPECT_TRUE(is_theirs());
  }
  EXPECT_TRUE(is_theirs());
  set(nullptr);
  ::dlclose(library);
}

TEST_F(Gpu, IsChosenByNumber) {
  options_.gpu = 7;
  EXPECT_EQ(message_of([&] { scale(options_); }), "there is no GPU 7: they are numbered from 0 to 1");
  EXPECT_EQ(message_of([&] { Device::gpu(-1); }), "there is no GPU -1: they are numbered from 0 to 1");
  const DeviceTensor x = Device::gpu(1).zeros({3});
  options_.gpu = 0;
  EXPECT_EQ(message_of([&] {
              scale(options_)({{"s", 2}, {"x", x}});
            }),
            "`x` is in the memory of another device, `Fake GPU`: the kernel runs on `Fake GPU`");
}

TEST_F(Gpu, ThatIsNotThere) {
  ::setenv("CYCLOTRON_LIBCUDA", "libno_such_library.so.7", 1);
  EXPECT_EQ(message_of([&] { scale(options_); }), "there is no CUDA driver on this machine");
  EXPECT_EQ(message_of([&] { Device::gpu(); }), "there is no CUDA driver on this machine");
}

TEST_F(Gpu, WithoutItsCompiler) {
  ::setenv("CYCLOTRON_LIBNVRTC", "libno_such_library.so.7", 1);
  try {
    scale(options_);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "there is no CUDA runtime compiler on this machine: libnvrtc was not found");
    EXPECT_NE(e.hint(), "");
  }
}

} // namespace
} // namespace cyclotron::test
