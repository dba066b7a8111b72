// SPDX-License-Identifier: MIT
#include "pe/machine_model.hpp"

#include <gtest/gtest.h>

namespace cyclotron::pe {
namespace {

MachineModel some_machine() {
  MachineModel m;
  m.kernels["GEMM"] = {40e9, 16};
  m.kernels["TRSM"] = {20e9, 64};
  m.between_nodes = {3e-6, 5e9};
  m.ranks_per_node = 4;
  return m;
}

StepKind call_of(const char* kernel, std::int64_t edge) {
  const recurrence::Kernel* k = recurrence::kernel_named(kernel);
  StepKind kind;
  kind.calls.push_back({k, std::vector<std::vector<std::int64_t>>(k->arguments.size(), {edge, edge})});
  return kind;
}

TEST(MachineModel, ReadsBackWhatItPrints) {
  const MachineModel m = some_machine();
  const auto read = parse_machine(print(m));
  ASSERT_TRUE(read);
  EXPECT_EQ(print(*read), print(m));
  EXPECT_EQ(read->kernels.at("TRSM").half_extent, 64);
  EXPECT_EQ(read->between_nodes.bandwidth, 5e9);
  EXPECT_EQ(read->ranks_per_node, 4);
}

TEST(MachineModel, RefusesOtherTexts) {
  EXPECT_FALSE(parse_machine(""));
  EXPECT_FALSE(parse_machine("cyclotron machine 1\n"));
  const std::string good = print(some_machine());
  EXPECT_FALSE(parse_machine(good + "weight 3\n"));
  EXPECT_FALSE(parse_machine(good + "kernel GEMM fast\n"));
  EXPECT_FALSE(parse_machine(good + "elementwise\n"));
}

TEST(MachineModel, AStepTakesTheTimeOfItsKernel) {
  const MachineModel m = some_machine();
  // 2 * 48^3 at 40e9 * 48 / (48 + 16); half as many at 20e9 * 48 / (48 + 64).
  EXPECT_NEAR(m.seconds(call_of("GEMM", 48)), m.step_seconds + 2.0 * 48 * 48 * 48 / 30e9, 1e-12);
  EXPECT_NEAR(m.seconds(call_of("TRSM", 48)), m.step_seconds + 1.0 * 48 * 48 * 48 / (20e9 * 48 / 112), 1e-12);
  // One that was not measured is like a product; one that is not all products slower on small tiles.
  EXPECT_NEAR(m.seconds(call_of("GEMM_NT", 48)), m.seconds(call_of("GEMM", 48)), 1e-12);
  EXPECT_NEAR(m.seconds(call_of("POTRF", 64)), m.step_seconds + 2.0 * 64 * 64 * 64 / 6 / (40e9 * 64 / 128), 1e-12);
}

} // namespace
} // namespace cyclotron::pe
