// SPDX-License-Identifier: MIT
// What the host does for a GPU, with a driver of our own in place of NVIDIA's (fake_cuda.cpp): the way through, and
// every error on it.
#include "backend/cuda/runtime_compiler.hpp"
#include "run.hpp"

#include "support/temporary_folder.hpp"

#include <filesystem>
#include <fstream>

namespace cyclotron::backend::cuda {

namespace {

namespace fs = std::filesystem;

constexpr const char* twice = R"(kernel twice lanes 32
sizes n
in x: f32
out z: f32
workers b = 0 .. n // 32
  fail 4 if n == 64
  store z[b * 32 : 1] = x[b * 32 : 1] * lanes(2.0f)
)";

// The library is one of its own for each test: what goes wrong when it is loaded goes wrong once.
class FakeGpu : public testing::Test {
protected:
  FakeGpu() {
    ::setenv("FAKE_CUDA_FOLDER", folder_.file("").c_str(), 1);
    const std::string library = folder_.file("libcuda.so");
    fs::copy_file(FAKE_CUDA_FILE, library);
    options_.machine.driver_library = options_.machine.compiler_library = library;
    options_.machine.build.cache_folder = folder_.file("cache");
  }
  ~FakeGpu() override { ::unsetenv("FAKE_CUDA"); }

  static void let_fail(const char* what) { ::setenv("FAKE_CUDA", what, 1); }
  static void let_work() { ::unsetenv("FAKE_CUDA"); }

  std::string trouble_of_twice(std::int64_t n = 96) {
    std::vector<float> x(static_cast<std::size_t>(n)), z(x);
    return trouble({kernel_of(twice)}, {{"n", n}}, {{"x", host(x)}, {"z", host(z)}}, options_);
  }

  TemporaryFolder folder_{"fake-gpu"};
  KernelOptions options_;
};

TEST_F(FakeGpu, ComputesAndMeasures) {
  Sources sources;
  Diagnostics diagnostics(sources);
  auto x = some_numbers(96);
  std::vector<float> z(96), wanted;
  for (const float v : x) wanted.push_back(2 * v);
  Figures figures;
  const auto kernel = Kernel::make({kernel_of(twice)}, options_, diagnostics);
  ASSERT_TRUE(kernel) << diagnostics.render(false);
  HostMemory result = host(z);
  result.zero = true;
  EXPECT_EQ(kernel->call({{"n", 96}}, {{"x", host(x)}, {"z", result}}, diagnostics, &figures), 0);
  EXPECT_EQ(z, wanted);
  EXPECT_EQ(figures.in_bytes, 4 * 96);
  EXPECT_EQ(figures.out_bytes, 4 * 96);
  EXPECT_EQ(figures.touched_bytes, 2 * 4 * 96);
  EXPECT_EQ(figures.seconds_each.size(), 1u);
  EXPECT_FLOAT_EQ(static_cast<float>(figures.kernel_seconds), 1e-3f); // by the clock of the fake
  EXPECT_FLOAT_EQ(static_cast<float>(figures.copy_fraction), 2 * 4 * 96 / 1e-3f / 2e12f);
  EXPECT_FALSE(figures.from_cache);
  std::ifstream options(folder_.file("options"));
  std::string first;
  std::getline(options, first);
  EXPECT_EQ(first, "--gpu-architecture=sm_90");
}

TEST_F(FakeGpu, KernelsAreFoundAgain) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto is_cached = [&](const char* text) {
    std::vector<float> x(96), z(96);
    Figures figures;
    const auto kernel = Kernel::make({kernel_of(text)}, options_, diagnostics);
    EXPECT_TRUE(kernel && kernel->call({{"n", 96}}, {{"x", host(x)}, {"z", host(z)}}, diagnostics, &figures));
    return figures.from_cache;
  };
  EXPECT_FALSE(is_cached(twice));
  EXPECT_TRUE(is_cached(twice));
  std::string other = twice;
  other.replace(other.find("2.0f"), 4, "3.0f");
  EXPECT_FALSE(is_cached(other.c_str()));
  // A damaged entry is made again, and so is one that is whole and that the driver does not take.
  for (const auto& entry : fs::directory_iterator(folder_.file("cache/cuda"))) {
    std::ofstream out(entry.path(), std::ios::app);
    out << "more";
  }
  EXPECT_FALSE(is_cached(twice));
  EXPECT_TRUE(is_cached(twice));
  for (const auto& entry : fs::directory_iterator(folder_.file("")))
    if (entry.path().filename().string().starts_with("kernel")) fs::remove(entry.path());
  EXPECT_FALSE(is_cached(twice));
  EXPECT_TRUE(is_cached(twice));
  options_.machine.build.use_cache = false;
  EXPECT_FALSE(is_cached(twice));
}

TEST_F(FakeGpu, OnMemoryOfTheDevice) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const auto kernel = Kernel::make({kernel_of(twice)}, options_, diagnostics);
  ASSERT_TRUE(kernel);
  Machine& gpu = kernel->machine();
  auto x = some_numbers(128);
  std::vector<float> z(128);
  const DeviceMemory at_x(gpu, *gpu.allocate(512, diagnostics)), at_z(gpu, *gpu.allocate(512, diagnostics));
  ASSERT_TRUE(gpu.copy_in(at_x.address(), x.data(), 512, diagnostics));
  const std::map<std::string, DeviceArray> memories = {{"x", {at_x.address(), 512}}, {"z", {at_z.address(), 512}}};
  EXPECT_EQ(kernel->call_on_device({{"n", 128}}, memories, diagnostics), 0);
  EXPECT_EQ(kernel->call_on_device({{"n", 64}}, memories, diagnostics), 4); // its own failure
  ASSERT_TRUE(gpu.copy_out(z.data(), at_z.address(), 512, diagnostics));
  for (std::size_t i = 0; i < 128; ++i) EXPECT_EQ(z[i], 2 * x[i]);
}

TEST_F(FakeGpu, NewerThanItsCompiler) {
  let_fail("new device");
  std::vector<float> x(96), z(96);
  run({kernel_of(twice)}, {{"n", 96}}, {{"x", host(x)}, {"z", host(z)}}, options_);
  std::ifstream options(folder_.file("options"));
  std::string first;
  std::getline(options, first);
  EXPECT_EQ(first, "--gpu-architecture=compute_90");
}

TEST_F(FakeGpu, NoDriver) {
  options_.machine.driver_library = "libno_such_library.so.7";
  EXPECT_EQ(trouble_of_twice(),
            "error: there is no CUDA driver on this machine\n"
            "note: libno_such_library.so.7: cannot open shared object file: No such file or directory\n"
            "hint: the driver of an NVIDIA GPU brings libcuda.so.1; `--target=simd` computes the same on the CPU\n");
}

TEST_F(FakeGpu, DriverWithoutWhatWeCall) {
  options_.machine.driver_library = "libm.so.6";
  EXPECT_EQ(trouble_of_twice(), "error: the CUDA driver `libm.so.6` is too old: it has no `cuInit`\n"
                                "hint: install one for CUDA 11 or newer\n");
}

TEST_F(FakeGpu, NoDevice) {
  let_fail("no device");
  EXPECT_EQ(trouble_of_twice(), "error: there is no GPU that the CUDA driver can use\n"
                                "note: CUDA_ERROR_NO_DEVICE (some words)\n"
                                "hint: see what `nvidia-smi` says, and whether CUDA_VISIBLE_DEVICES hides it; "
                                "`--target=simd` computes the same on the CPU\n");
  let_work(); // and one that comes back is used
  std::vector<float> x(96), z(96);
  run({kernel_of(twice)}, {{"n", 96}}, {{"x", host(x)}, {"z", host(z)}}, options_);
}

TEST_F(FakeGpu, NoDevicesAtAll) {
  let_fail("no devices");
  EXPECT_EQ(trouble_of_twice(), "error: there is no GPU that the CUDA driver can use\n");
}

TEST_F(FakeGpu, NoDeviceOfThatNumber) {
  options_.machine.number = 2;
  EXPECT_EQ(trouble_of_twice(), "error: there is no GPU 2: they are numbered from 0 to 1\n");
}

TEST_F(FakeGpu, StubOfADriver) {
  let_fail("stub");
  EXPECT_EQ(trouble_of_twice(), "error: the CUDA driver that was found is a stub to link against, and drives no GPU\n"
                                "hint: take the folder `stubs` out of LD_LIBRARY_PATH\n");
}

TEST_F(FakeGpu, DriverThatDoesNotStart) {
  let_fail("unknown");
  EXPECT_EQ(trouble_of_twice(), "error: the CUDA driver does not start: error 999\n"
                                "hint: `--target=simd` computes the same on the CPU\n");
}

TEST_F(FakeGpu, DriverOlderThanTheCompiler) {
  let_fail("old driver");
  EXPECT_EQ(trouble_of_twice(),
            "error: the CUDA driver is too old: it is for CUDA 11.8, and what NVRTC 12.4 makes wants 12.0 or newer\n"
            "hint: install a newer driver, or NVRTC 11; CYCLOTRON_LIBNVRTC may name its file\n");
}

TEST_F(FakeGpu, NoCompiler) {
  options_.machine.compiler_library = "libno_such_compiler.so.7";
  EXPECT_EQ(trouble_of_twice(),
            "error: there is no CUDA runtime compiler on this machine: libnvrtc was not found\n"
            "note: libno_such_compiler.so.7: cannot open shared object file: No such file or directory\n"
            "hint: it is part of NVIDIA's CUDA toolkit, and of Debian's package `libnvrtc12` or `libnvrtc11.2`; "
            "CYCLOTRON_LIBNVRTC may name its file; `--target=simd` computes the same on the CPU\n");
}

TEST_F(FakeGpu, CompilerWithoutWhatWeCall) {
  options_.machine.compiler_library = "libm.so.6";
  EXPECT_EQ(trouble_of_twice(),
            "error: the CUDA runtime compiler `libm.so.6` is too old: it has no `nvrtcGetErrorString`\n"
            "hint: install NVRTC 11.2 or newer\n");
}

TEST_F(FakeGpu, OlderThanItsCompiler) {
  let_fail("old device");
  EXPECT_EQ(trouble_of_twice(),
            "error: NVRTC 12.4 compiles for capability 7.0 and newer, and the GPU `Fake GPU` has 5.0\n"
            "hint: CYCLOTRON_LIBNVRTC may name an older NVRTC\n");
}

TEST_F(FakeGpu, TextThatDoesNotCompile) {
  let_fail("bad text");
  EXPECT_EQ(trouble_of_twice(),
            "error: NVRTC 12.4 did not compile our CUDA text for sm_90: NVRTC_ERROR_COMPILATION\n"
            "note: kernel.cu(3): error: expected a `;`\n"
            "hint: this should not happen: please report it, with the text, which `--emit=cuda` shows\n");
}

TEST_F(FakeGpu, CodeThatDoesNotLoad) {
  let_fail("bad image");
  EXPECT_EQ(trouble_of_twice(),
            "error: the GPU does not take what NVRTC 12.4 made: CUDA_ERROR_INVALID_IMAGE (some words)\n");
}

TEST_F(FakeGpu, TooLittleMemory) {
  let_fail("little memory");
  EXPECT_EQ(trouble_of_twice(960),
            "error: the GPU has too little memory: 7.7 kB are needed, and 1.0 kB of `Fake GPU` are free\n"
            "hint: `--target=simd` computes the same on the CPU\n");
}

TEST_F(FakeGpu, MemoryThatIsGoneInBetween) {
  let_fail("no allocation");
  EXPECT_EQ(trouble_of_twice(),
            "error: the GPU has too little memory: 384 bytes more are needed, and 1.1 GB of 1.1 GB are free\n");
}

TEST_F(FakeGpu, BlockThatDoesNotFit) {
  let_fail("no room");
  EXPECT_EQ(trouble_of_twice(),
            "unsupported: a block of kernel `twice`, with 256 threads and 0 bytes of shared memory, "
            "does not fit a multiprocessor of `Fake GPU`\n");
}

TEST_F(FakeGpu, MoreSharedMemoryThanThereIs) {
  const auto kernel = kernel_of(R"(kernel wide lanes 32
out z: f64
shared t: f64[16384]
blocks o = 0 .. 1
  workers w = 0 .. 1
    store t[0 : 1] = lanes(1.0)
)");
  std::vector<double> z(1);
  EXPECT_EQ(trouble({kernel}, {}, {{"z", host(z)}}, options_),
            "unsupported: kernel `wide` shares 131.1 kB in a block, and a block of `Fake GPU` has at most 101.4 kB\n");
}

TEST_F(FakeGpu, LaunchThatIsRefused) {
  let_fail("no launch");
  EXPECT_EQ(trouble_of_twice(), "error: kernel `twice_kernel` was not started: error 701\n");
}

// After that the GPU is lost to the process, and the next call says so.
TEST_F(FakeGpu, KernelThatFails) {
  Sources sources;
  Diagnostics diagnostics(sources);
  std::vector<float> x(96), z(96);
  const auto kernel = Kernel::make({kernel_of(twice)}, options_, diagnostics);
  ASSERT_TRUE(kernel);
  let_fail("bad kernel");
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(kernel->call({{"n", 96}}, {{"x", host(x)}, {"z", host(z)}}, diagnostics));
  const std::string error = "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)\n"
                            "note: after such an error this process cannot use the GPU any more\n";
  EXPECT_EQ(diagnostics.render(false),
            "error: kernel `twice` failed on the GPU: " + error + "\nerror: the GPU cannot be used: " + error);
}

TEST_F(FakeGpu, CopyThatFails) {
  let_fail("no copy");
  EXPECT_EQ(trouble_of_twice(), "error: data was not copied to the GPU: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory "
                                "access was encountered)\n"
                                "note: after such an error this process cannot use the GPU any more\n");
}

TEST_F(FakeGpu, MoreLanesThanAWarpHas) {
  const auto kernel = kernel_of(twice, 32);
  code::Kernel wide = kernel;
  wide.lanes = 64;
  std::vector<float> x(64), z(64);
  EXPECT_EQ(trouble({wide}, {{"n", 64}}, {{"x", host(x)}, {"z", host(z)}}, options_),
            "unsupported: kernel `twice` has 64 lanes, and on a GPU there are at most 32: each is a thread, and those "
            "of a vector are in one warp\n"
            "hint: ask for 32 lanes or less, or use `--target=simd`\n");
}

// With NVIDIA's own compiler, on machines that have it; it needs no GPU.
TEST(RealCompiler, TakesWhatWePrint) {
  Sources sources;
  Diagnostics unheard(sources), diagnostics(sources);
  const RuntimeCompiler* compiler = RuntimeCompiler::load("", unheard);
  if (!compiler) GTEST_SKIP() << "no libnvrtc on this machine";
  const auto kernel = kernel_of(R"(kernel all lanes 8
sizes n, m
in x: f32
in at: i32
in on: bool
out z: f64
out k: i64
scratch s: i16[max(m // 3, 4) + 16]
shared t: f32[64]
blocks o = 0 .. n
  workers w = 0 .. m
    var live: bool lanes = on[w * 8 : 1]
    var v: f32 lanes = x[at[w * 8 : 1] if live]
    v = sqrt(abs(shift(v, -3, v))) + exp(v) * pow(v, lanes(2.0f)) / log(max(v, lanes(inff)))
    store t[w * 8 : 1] = v if live
    store s[0 : 1] = i16(lane) * lanes(3i16) // lanes(2i16)
    fail 3 if any(v == lanes(nanf)) and n == 0
    store k[w] = (i64(extract(s[0 : 1], w % 8)) ^ n) & 255
  barrier
  workers w = 0 .. m
    store z[o * m * 8 + w * 8 : 1] = f64(t[63 : -1]) * lanes(-0.5)
)",
                                8);
  for (const char* architecture : {"sm_90", "compute_90"}) {
    const auto image = compiler->compile(print_cuda(std::vector{kernel}), "all.cu", architecture, diagnostics);
    EXPECT_TRUE(image) << diagnostics.render(false);
  }
}

} // namespace

} // namespace cyclotron::backend::cuda
