// SPDX-License-Identifier: MIT
// Runs the checks of this folder under mpirun, on several numbers of ranks.
#include "support/program.hpp"

#include <gtest/gtest.h>

namespace cyclotron {
namespace {

ProgramRun checks_on(int ranks) {
  return run_program({CYCLOTRON_MPIRUN, "-np", std::to_string(ranks), "--oversubscribe", CYCLOTRON_SCALAPACK_CHECKS},
                     {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                      {"OMPI_MCA_btl_base_warn_component_unused", "0"},
                      {"OMP_NUM_THREADS", "1"},
                      {"OPENBLAS_NUM_THREADS", "1"},
                      {"ASAN_OPTIONS", "detect_leaks=0"}}, // MPI's own
                     300);
}

class UnderMpirun : public testing::TestWithParam<int> {};

TEST_P(UnderMpirun, ChecksPass) {
  const ProgramRun run = checks_on(GetParam());
  EXPECT_TRUE(run.succeeded()) << "mpirun " << describe_end(run) << "\n" << run.output;
}

INSTANTIATE_TEST_SUITE_P(Ranks, UnderMpirun, testing::Values(1, 2, 3, 4, 6));

} // namespace
} // namespace cyclotron
