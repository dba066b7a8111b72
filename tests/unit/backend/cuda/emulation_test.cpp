// SPDX-License-Identifier: MIT
// What the emulation finds in kernels that are wrong: each of these may well work on a GPU, on a good day.
#include "backend/cuda/embedded.hpp"
#include "run.hpp"

namespace cyclotron::backend::cuda {

namespace {

// A kernel as CUDA text, of one block; what is reported, or "".
std::string report_of(const std::string& body, std::int64_t threads, std::vector<const char*> flags = {}) {
  Sources sources;
  Diagnostics diagnostics(sources);
  MachineOptions options;
  options.emulate = true;
  options.build.flags.assign(flags.begin(), flags.end());
  const auto machine = open_machine(options, diagnostics);
  const std::string text = std::string(prelude_text) +
                           "\nextern \"C\" __global__ void __launch_bounds__(256)\ntried_kernel(i32 *x) {\n" + body +
                           "}\n";
  const auto module = machine->load(text, {"tried_kernel"}, options.build, diagnostics);
  EXPECT_TRUE(module) << diagnostics.render(false);
  if (!module) return "";
  const DeviceMemory memory(*machine, *machine->allocate(4 * 64, diagnostics));
  Address address = memory.address();
  EXPECT_TRUE(machine->fill(address, 0, 4 * 64, diagnostics));
  Launch launch{"tried_kernel", 1, threads, 0, {&address}, {{address, "x"}}};
  const bool done = machine->launch(*module, launch, diagnostics);
  EXPECT_EQ(done, !diagnostics.failed());
  return diagnostics.render(false);
}

std::string told(const std::string& where_and_what) {
  return "error: kernel tried_kernel, " + where_and_what + " (run on the CPU in place of a GPU)\n";
}

TEST(Emulation, NothingIsWrong) {
  EXPECT_EQ(report_of("store(x, threadIdx.x, __shfl_sync(0xffffffffu, 1, 3, 32));\n__syncthreads();", 64), "");
}

TEST(Emulation, AccessOutside) {
  EXPECT_EQ(report_of("store(x, threadIdx.x + 30, 1);", 64),
            told("block 0, thread 34: element 64 of `x`, which has 64"));
  EXPECT_EQ(report_of("store(x, 0, load(x, (i64)threadIdx.x - 3));", 64),
            told("block 0, thread 0: element -3 of `x`, which has 64"));
}

TEST(Emulation, AccessOutsideOfSharedMemory) {
  const char* text = R"(  extern __shared__ __align__(64) unsigned char shared_memory[];
  i32 *t = (i32 *)(shared_memory + 64);
  OWN_MEMORY(t, 40);
  store(t, threadIdx.x, 1);
)";
  EXPECT_EQ(report_of(text, 64), told("block 0, thread 40: element 40 of `t`, which has 40"));
}

TEST(Emulation, ExchangeThatSomeLeaveOut) {
  EXPECT_EQ(report_of("if (threadIdx.x != 5) store(x, 0, __shfl_sync(0xffffffffu, 1, 3, 32));", 32),
            told("block 0, thread 0: it is waiting at an exchange of values that thread 5 does not come to, which is "
                 "finished"));
}

TEST(Emulation, ExchangeWithAnother) {
  EXPECT_EQ(report_of("if (threadIdx.x < 16) store(x, 0, __shfl_sync(0xffffffffu, 1, 3, 32));\n"
                      "else store(x, 1, __any_sync(0xffffffffu, 1));",
                      32),
            told("block 0, thread 0: it is waiting at an exchange of values that thread 16 does not come to, which is "
                 "waiting at a vote"));
}

TEST(Emulation, ExchangeOfTwoGroupsWithDifferentMasks) {
  EXPECT_EQ(report_of("store(x, 0, __shfl_sync(threadIdx.x < 8 ? 0xffffu : 0xffffffffu, 1, 3, 32));", 32),
            told("block 0, thread 0: it is waiting at an exchange of values that thread 8 does not come to, which is "
                 "waiting at an exchange of values of other threads"));
}

TEST(Emulation, ExchangeOutsideOfTheMask) {
  EXPECT_EQ(report_of("store(x, 0, __shfl_sync(0xffffu, 1, 3, 32));", 32),
            told("block 0, thread 16: an exchange without the thread that asks for it"));
  EXPECT_EQ(report_of("if (threadIdx.x < 16) store(x, 0, __shfl_sync(0xffffu, 1, 20, 32));", 32),
            told("block 0, thread 15: an exchange of values reads a thread that takes no part in it"));
}

TEST(Emulation, BarrierThatSomeLeaveOut) {
  EXPECT_EQ(report_of("if (threadIdx.x < 40) __syncthreads();", 64),
            told("block 0, thread 0: it is waiting at a barrier that thread 40 does not come to, which is finished"));
}

// A thread runs as far as it can before the next: what one puts into memory the others have not seen yet.
TEST(Emulation, ThreadsAreFarApart) {
  EXPECT_EQ(report_of("store(x, threadIdx.x, 1);\nif (load(x, 31) != 0 && threadIdx.x == 0) store(x, 99, 0);", 32), "");
  EXPECT_EQ(report_of("store(x, threadIdx.x, 1);\n__syncwarp();\n"
                      "if (load(x, 31) != 0 && threadIdx.x == 0) store(x, 99, 0);",
                      32),
            told("block 0, thread 0: element 99 of `x`, which has 64"));
}

// The same by the means of other machines, and with a sanitizer that follows the stacks.
TEST(Emulation, OtherWaysFromStackToStack) {
  const char* text = "i32 sum = threadIdx.x;\n"
                     "for (int d = 1; d < 32; d *= 2) sum += __shfl_sync(0xffffffffu, sum, threadIdx.x ^ d, 32);\n"
                     "__syncthreads();\n"
                     "if (sum % 1024 != 496) store(x, 99, 0);";
  EXPECT_EQ(report_of(text, 64), report_of(text, 64, {"-DEMULATION_BY_UCONTEXT"}));
  EXPECT_EQ(report_of(text, 32), "");
  EXPECT_EQ(report_of(text, 32, {"-DEMULATION_BY_UCONTEXT"}), "");
}

TEST(Emulation, WhatTheKernelsOfTheCodeIrReport) {
  const auto kernel = kernel_of(R"(kernel beyond lanes 4
sizes n
in x: f32
out z: f32
workers b = 0 .. n
  store z[b * 4 : 1] = x[b * 4 + 1 : 1]
)");
  std::vector<float> x(8), z(8);
  EXPECT_EQ(trouble({kernel}, {{"n", 2}}, {{"x", host(x)}, {"z", host(z)}}),
            "error: kernel beyond_kernel, block 0, thread 7: element 8 of `x`, which has 8 "
            "(run on the CPU in place of a GPU)\n");
}

} // namespace

} // namespace cyclotron::backend::cuda
