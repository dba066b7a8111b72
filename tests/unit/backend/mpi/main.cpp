// SPDX-License-Identifier: MIT
// Runs GoogleTest on every rank at once. Rank 0 prints; a failure on any rank is a failure of the test.
#include "world.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>

namespace cyclotron::mpi {
namespace {

// Keeps the failures of the test that runs, and hands them to rank 0 at its end.
class FailureGatherer : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo&) override { failures_.clear(); }

  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::ostringstream out;
    out << "rank " << world_rank() << ": " << (result.file_name() ? result.file_name() : "?") << ":"
        << result.line_number() << "\n"
        << result.message() << "\n";
    failures_ += out.str();
  }

  void OnTestEnd(const ::testing::TestInfo&) override {
    const std::string mine = failures_;
    for (int rank = 1; rank < world_size(); ++rank) {
      const std::string theirs = from_rank(rank, mine);
      if (world_rank() == 0 && !theirs.empty()) ADD_FAILURE() << theirs;
    }
  }

  std::string failures_;
};

} // namespace
} // namespace cyclotron::mpi

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (::testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  MPI_Init(&argc, &argv);
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  if (cyclotron::mpi::world_rank() != 0) delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new cyclotron::mpi::FailureGatherer);
  const int status = RUN_ALL_TESTS();
  MPI_Finalize();
  return status;
}
