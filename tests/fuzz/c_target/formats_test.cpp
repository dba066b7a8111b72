// SPDX-License-Identifier: MIT
// Sums, products and copies of matrices in every combination of formats of operands and result.
#include "contest.hpp"
#include "fuzz/property.hpp"
#include "random_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

const std::vector<std::string> formats = {"{dense, dense}", "csr", "csc", "coo", "dcsr"};

std::vector<std::string> programs() {
  const std::vector<std::string> of_one = {"X(i,j) = B(i,j)", "X(j,i) = B(i,j)", "X(i,j) = B(i,j) + B(j,i)",
                                           "X(i,j) = B(i,k) * B(k,j)"};
  const std::vector<std::string> of_two = {"X(i,j) = B(i,k) * C(k,j)", "X(i,j) = B(i,j) + C(i,j)",
                                           "X(i,j) = B(i,j) * C(i,j)"};
  std::vector<std::string> list;
  for (const std::string& x : formats)
    for (const std::string& b : formats) {
      const std::string tensors = fmt::format("tensor X(n,n): {}\ntensor B(n,n): {}\n", x, b);
      for (const std::string& equation : of_one) list.push_back(tensors + equation + "\n");
      for (const std::string& c : formats)
        for (const std::string& equation : of_two)
          list.push_back(fmt::format("{}tensor C(n,n): {}\n{}\n", tensors, c, equation));
    }
  return list;
}

TEST(CFormats, EveryCombinationAgrees) {
  const std::vector<std::string> all = programs();
  ASSERT_EQ(all.size(), 475u);
  const std::size_t step = nightly() ? 1 : 11;
  for (std::size_t k = 0; k < all.size(); k += step) {
    Contest contest(all[k], {"-O1"});
    ASSERT_EQ(contest.start().kind, Verdict::Kind::agrees) << all[k] << contest.start().what;
    for (const std::int64_t n : {0, 1, 5}) {
      const Verdict v = contest.run({{"n", n}}, some_inputs(contest.program(), {{"n", n}}, {}, k + 1));
      EXPECT_EQ(v.kind, Verdict::Kind::agrees) << all[k] << "n = " << n << "\n" << v.what;
    }
  }
}

} // namespace
} // namespace cyclotron::fuzz
