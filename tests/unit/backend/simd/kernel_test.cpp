// SPDX-License-Identifier: MIT
// Kernels that are compiled, found again, and called.
#include "backend/simd/kernel.hpp"

#include "backend/simd/registers.hpp"
#include "support/temporary_folder.hpp"
#include "unit/backend/simd/agreement.hpp"

#include <limits>
#include <thread>

namespace cyclotron::backend::simd {
namespace {

const std::string doubled = R"(kernel doubled lanes 8
sizes n
in x: f32
out y: f32
workers b = 0 .. n // 8
  store y[b * 8 : 1] = x[b * 8 : 1] * lanes(2.0f)
fail 4 if n % 8 != 0
)";
const std::string squared = R"(kernel squared lanes 4
sizes n
in y: f32
out z: f32
scratch s: f32[n]
workers b = 0 .. n // 4
  store s[0 : 1] = y[b * 4 : 1] * y[b * 4 : 1]
  store z[b * 4 : 1] = s[0 : 1]
fail 3 if n == 12
)";

struct Report {
  Sources sources;
  Diagnostics diagnostics{sources};
  std::string text() const { return diagnostics.render(false); }
};

class SimdKernel : public ::testing::Test {
protected:
  std::shared_ptr<const Kernel> make(std::int64_t threads = 1) {
    KernelOptions options;
    options.threads = threads;
    options.build.cache_folder = folder_.file("cache");
    const auto kernel = Kernel::make({kernel_of(doubled), kernel_of(squared)}, options, report_.diagnostics);
    EXPECT_TRUE(kernel) << report_.text();
    return kernel;
  }

  std::optional<std::int64_t> call(const Kernel& kernel, std::int64_t n) {
    x_.assign(static_cast<std::size_t>(n), 3);
    y_.assign(x_.size(), -1);
    z_.assign(x_.size(), -1);
    return kernel.call({{"n", n}}, {{"x", x_.data()}, {"y", y_.data()}, {"z", z_.data()}}, report_.diagnostics);
  }

  TemporaryFolder folder_{"simd-kernel"};
  Report report_;
  std::vector<float> x_, y_, z_;
};

TEST_F(SimdKernel, OneAfterTheOther) {
  for (const std::int64_t threads : {1, 2, 0}) {
    const auto kernel = make(threads);
    EXPECT_EQ(call(*kernel, 16), 0);
    EXPECT_EQ(y_, std::vector<float>(16, 6));
    EXPECT_EQ(z_, std::vector<float>(16, 36));
    EXPECT_EQ(call(*kernel, 0), 0);
  }
}

TEST_F(SimdKernel, TheSmallestFailureOfAll) {
  const auto kernel = make();
  EXPECT_EQ(call(*kernel, 4), 4);
  EXPECT_EQ(call(*kernel, 12), 3); // the first says 4, the second 3
}

TEST_F(SimdKernel, FoundAgain) {
  EXPECT_FALSE(make()->from_cache());
  EXPECT_TRUE(make()->from_cache());
  EXPECT_FALSE(make(2)->from_cache()); // other C
}

TEST_F(SimdKernel, SourceIsWhatIsCompiled) {
  KernelOptions options;
  EXPECT_EQ(make()->source(), source_of({kernel_of(doubled), kernel_of(squared)}, options));
  options.register_bytes = 16;
  EXPECT_NE(source_of({kernel_of(doubled)}, options).find("f32x4_store(&y[b * 8 + 4], "), std::string::npos);
  options.register_bytes = 32;
  EXPECT_NE(
      source_of({kernel_of(doubled)}, options).find("f32x8_store(&y[b * 8], f32x8_load(&x[b * 8]) * f32x8_all(2.0f));"),
      std::string::npos);
  EXPECT_TRUE(register_bytes() == 16 || register_bytes() == 32 || register_bytes() == 64);
}

TEST_F(SimdKernel, NotEnoughMemory) {
  KernelOptions options;
  options.threads = 2;
  options.build.cache_folder = folder_.file("cache");
  const auto kernel = Kernel::make({kernel_of(squared)}, options, report_.diagnostics);
  ASSERT_TRUE(kernel) << report_.text();
  const auto said = [&](std::int64_t n) {
    Report own;
    EXPECT_FALSE(kernel->call({{"n", n}}, {{"y", nullptr}, {"z", nullptr}}, own.diagnostics));
    return own.text();
  };
  EXPECT_EQ(said(std::int64_t{1} << 50),
            "error: there is not enough memory for the kernel's workspaces: 4.0 PiB for each of 2 threads\n"
            "hint: run it with smaller sizes or fewer threads\n");
  EXPECT_EQ(said(std::numeric_limits<std::int64_t>::max()),
            "error: there is not enough memory for the kernel's workspaces: more than fits any machine for each of 2 "
            "threads\n"
            "hint: run it with smaller sizes or fewer threads\n");
}

TEST_F(SimdKernel, FromManyThreads) {
  const auto kernel = make();
  std::vector<std::thread> callers;
  std::vector<int> wrong(4);
  for (std::size_t c = 0; c < wrong.size(); ++c)
    callers.emplace_back([&, c] {
      Report own;
      for (int round = 0; round < 50; ++round) {
        std::vector<float> x(64, static_cast<float>(c)), y(64), z(64);
        kernel->call({{"n", 64}}, {{"x", x.data()}, {"y", y.data()}, {"z", z.data()}}, own.diagnostics);
        if (z != std::vector<float>(64, static_cast<float>(4 * c * c))) ++wrong[c];
      }
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(wrong, std::vector<int>(4));
}

TEST_F(SimdKernel, ACompilerThatIsNotThere) {
  KernelOptions options;
  options.build.compiler = "no-such-compiler";
  EXPECT_FALSE(Kernel::make({kernel_of(doubled)}, options, report_.diagnostics));
  EXPECT_NE(report_.text().find("the C compiler `no-such-compiler` was not found"), std::string::npos)
      << report_.text();
}

} // namespace
} // namespace cyclotron::backend::simd
