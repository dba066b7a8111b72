// SPDX-License-Identifier: MIT
// Illegal arguments: the code that ours ends with is ScaLAPACK's. The program's own Cblacs_abort and pxerbla_ stand
// before those of the library, and write down what they are called with instead of ending the job.
#include "backend/mpi/scalapack/grid.hpp"
#include "backend/mpi/scalapack/routines.hpp"
#include "blacs_grid.hpp"
#include "gathering_engine.hpp"
#include "routine_table.hpp"

#include <gtest/gtest.h>

namespace {
int told_code = 0;
}

extern "C" {
void Cblacs_abort(int, int error) { told_code = error; }
void pxerbla_(const int*, const char*, const int* parameter, int) { told_code = -*parameter; }
}

namespace cyclotron::mpi::scalapack {
namespace {

// A call as the tests spoil it. Every entry of every descriptor, and every other argument.
struct Call {
  char letters[4];
  int m, n, k;
  int row[3], column[3];
  int descriptor[3][9];
};

struct Spoiled {
  const char* how;
  std::function<void(Call&)> spoil;
};

class Arguments : public testing::Test {
protected:
  Arguments() {
    int rank = 0, size = 0;
    Cblacs_pinfo(&rank, &size);
    Cblacs_get(-1, 0, &context);
    std::vector<int> order;
    for (int r = 0; r < size; ++r) order.push_back(r);
    Cblacs_gridmap(&context, order.data(), 1, 1, size);
    memory.assign(3, std::vector<double>(40 * 40, 1.0));
  }
  ~Arguments() override { Cblacs_gridexit(context); }

  // Every rank of up to ten has columns, so that a leading extent that is too small is one for all.
  Call legal(const std::string& letters) const {
    Call call{{}, 10, 11, 12, {1, 1, 1}, {1, 1, 1}, {}};
    std::copy(letters.begin(), letters.end(), call.letters);
    for (auto& descriptor : call.descriptor) {
      const int entries[9] = {1, context, 20, 40, 4, 4, 0, 0, 20};
      std::copy(entries, entries + 9, descriptor);
    }
    return call;
  }

  // The code that a call ends with; what it says is kept.
  int code_of(const std::function<void(const Call&)>& routine, const Call& call) {
    told_code = 0;
    testing::internal::CaptureStderr();
    routine(call);
    words = testing::internal::GetCapturedStderr();
    return told_code;
  }

  // Ways to spoil operand `x`, whose letter is `name`.
  static std::vector<Spoiled> spoil_operand(int x) {
    return {{"row 0", [=](Call& c) { c.row[x] = 0; }},
            {"row too far", [=](Call& c) { c.row[x] = 15; }},
            {"row out of the matrix", [=](Call& c) { c.row[x] = 21; }},
            {"column 0", [=](Call& c) { c.column[x] = 0; }},
            {"column too far", [=](Call& c) { c.column[x] = 35; }},
            {"column out of the matrix", [=](Call& c) { c.column[x] = 41; }},
            {"type", [=](Call& c) { c.descriptor[x][0] = 502; }},
            {"context", [=](Call& c) { c.descriptor[x][1] = 77; }},
            {"rows", [=](Call& c) { c.descriptor[x][2] = -1; }},
            {"no rows", [=](Call& c) { c.descriptor[x][2] = 0; }},
            {"columns", [=](Call& c) { c.descriptor[x][3] = -1; }},
            {"row block", [=](Call& c) { c.descriptor[x][4] = 0; }},
            {"column block", [=](Call& c) { c.descriptor[x][5] = -4; }},
            {"row source", [=](Call& c) { c.descriptor[x][6] = 1; }},
            {"column source", [=](Call& c) { c.descriptor[x][7] = world_size(); }},
            {"leading", [=](Call& c) { c.descriptor[x][8] = 19; }},
            {"no leading", [=](Call& c) { c.descriptor[x][8] = 0; }},
            {"two at once", [=](Call& c) { c.descriptor[x][4] = c.column[x] = 0; }}};
  }

  static std::vector<Spoiled> spoil_all(int letters, int operands) {
    std::vector<Spoiled> ways{
        {"m", [](Call& c) { c.m = -1; }},
        {"n", [](Call& c) { c.n = -2; }},
        {"k", [](Call& c) { c.k = -3; }},
        {"m too large", [](Call& c) { c.m = 25; }},
        {"m 0 and n negative", [](Call& c) { c.m = 0, c.n = -1; }},
        {"nothing, which may be anywhere", [](Call& c) { c.m = c.n = 0, c.row[0] = 50; }},
        {"nothing, without a leading extent", [](Call& c) { c.m = c.n = 0, c.row[0] = 50, c.descriptor[0][8] = 0; }}};
    for (int x = 0; x < letters; ++x) ways.push_back({"letter", [=](Call& c) { c.letters[x] = 'X'; }});
    for (int x = 0; x < operands; ++x)
      for (Spoiled& way : spoil_operand(x)) ways.push_back(std::move(way));
    return ways;
  }

  void compare(const char* legal_letters, int letters, int operands, const std::function<void(const Call&)>& our,
               const std::function<void(const Call&)>& their) {
    for (const Spoiled& way : spoil_all(letters, operands)) {
      Call call = legal(legal_letters);
      way.spoil(call);
      const int our_code = code_of(our, call), their_code = code_of(their, call);
      EXPECT_EQ(our_code, their_code) << way.how;
      codes += their_code != 0;
    }
  }

  In in(const Call& c, int x) const {
    return {memory[static_cast<std::size_t>(x)].data(), c.row[x], c.column[x], c.descriptor[x]};
  }
  InOut in_out(const Call& c, int x) {
    return {memory[static_cast<std::size_t>(x)].data(), c.row[x], c.column[x], c.descriptor[x]};
  }

  int context = -1;
  int codes = 0; // so many illegal calls were refused
  std::string words;
  std::vector<std::vector<double>> memory;
};

TEST_F(Arguments, Pdgemm) {
  const double one = 1;
  compare(
      "NT", 2, 3,
      [&](const Call& c) {
        pdgemm(c.letters[0], c.letters[1], c.m, c.n, c.k, 1, in(c, 0), in(c, 1), 1, in_out(c, 2), gathering_engine);
      },
      [&](const Call& c) {
        pdgemm_(&c.letters[0], &c.letters[1], &c.m, &c.n, &c.k, &one, memory[0].data(), &c.row[0], &c.column[0],
                c.descriptor[0], memory[1].data(), &c.row[1], &c.column[1], c.descriptor[1], &one, memory[2].data(),
                &c.row[2], &c.column[2], c.descriptor[2]);
      });
  EXPECT_EQ(codes, 62);
}

TEST_F(Arguments, WordsNameTheParameter) {
  const auto words_of = [&](const std::function<void(Call&)>& spoil) {
    Call call = legal("NN");
    spoil(call);
    code_of(
        [&](const Call& c) {
          pdgemm(c.letters[0], c.letters[1], c.m, c.n, c.k, 1, in(c, 0), in(c, 1), 1, in_out(c, 2), gathering_engine);
        },
        call);
    return words;
  };
  const std::string place = "{0," + std::to_string(world_rank()) + "}: PDGEMM: ";
  EXPECT_EQ(words_of([](Call& c) { c.letters[1] = 'X'; }),
            place + "parameter number 2 (`TRANSB`) has an illegal value\n");
  EXPECT_EQ(words_of([](Call& c) { c.row[0] = 15; }), place + "parameter number 8 (`IA`) has an illegal value\n");
  EXPECT_EQ(words_of([](Call& c) { c.descriptor[2][8] = 0; }),
            place + "entry 11 of parameter number 19 (`DESCC`) has an illegal value\n");
  EXPECT_EQ(words_of([](Call& c) { c.descriptor[0][1] = 77; }).substr(0, 16), "{-1,-1}: PDGEMM:");
  EXPECT_EQ(words_of([](Call&) {}), "");
}

TEST_F(Arguments, Pdtrsm) {
  const double one = 1;
  compare(
      "LLNN", 4, 2,
      [&](const Call& c) {
        pdtrsm(c.letters[0], c.letters[1], c.letters[2], c.letters[3], c.m, c.n, 1, in(c, 0), in_out(c, 1),
               gathering_engine);
      },
      [&](const Call& c) {
        pdtrsm_(&c.letters[0], &c.letters[1], &c.letters[2], &c.letters[3], &c.m, &c.n, &one, memory[0].data(),
                &c.row[0], &c.column[0], c.descriptor[0], memory[1].data(), &c.row[1], &c.column[1], c.descriptor[1]);
      });
  EXPECT_EQ(codes, 45);
}

// ScaLAPACK does not notice; its ranks wait for each other, or compute something else.
TEST_F(Arguments, RanksThatDoNotAgreeArePointedAt) {
  const bool odd_one = world_rank() == world_size() - 1 && world_size() > 1;
  struct Case {
    std::function<void(Call&, double& alpha)> spoil;
    int code;
  };
  const Case cases[] = {{[](Call& c, double&) { c.letters[0] = 'T'; }, -1},
                        {[](Call& c, double&) { c.m += 1; }, -3},
                        {[](Call&, double& alpha) { alpha = 0; }, -6},
                        {[](Call& c, double&) { c.row[1] = 2; }, -12},
                        {[](Call& c, double&) { c.descriptor[2][4] = 3; }, -1905},
                        {[](Call& c, double&) { c.descriptor[2][8] += 1; }, 0}};
  for (const Case& one : cases) {
    Call call = legal("NT");
    double alpha = 1;
    if (odd_one) one.spoil(call, alpha);
    EXPECT_EQ(code_of(
                  [&](const Call& c) {
                    pdgemm(c.letters[0], c.letters[1], c.m, c.n, c.k, alpha, in(c, 0), in(c, 1), 0, in_out(c, 2),
                           gathering_engine);
                  },
                  call),
              world_size() > 1 ? one.code : 0);
  }
}

TEST_F(Arguments, Pdpotrf) {
  std::fill(memory[0].begin(), memory[0].end(), 0.0);
  int info = 0;
  const auto our = [&](const Call& c) { info = pdpotrf(c.letters[0], c.n, in_out(c, 0), gathering_engine); };
  const auto their = [&](const Call& c) {
    pdpotrf_(&c.letters[0], &c.n, memory[0].data(), &c.row[0], &c.column[0], c.descriptor[0], &info);
  };
  std::vector<Spoiled> ways = spoil_all(1, 1);
  ways.push_back({"row within a block", [](Call& c) { c.row[0] = 3; }});
  ways.push_back({"column within a block", [](Call& c) { c.column[0] = 4; }});
  ways.push_back({"blocks that are not square", [](Call& c) { c.descriptor[0][5] = 5; }});
  ways.push_back({"ranks do not agree on n", [](Call& c) { c.n -= world_rank() != 0; }});
  ways.push_back({"ranks do not agree on uplo", [](Call& c) { c.letters[0] = world_rank() ? 'L' : 'U'; }});
  ways.push_back({"ranks do not agree on the rows", [](Call& c) { c.descriptor[0][2] += world_rank() != 0; }});
  for (const Spoiled& way : ways) {
    Call call = legal("L");
    way.spoil(call);
    const int our_code = code_of(our, call), our_info = info, their_code = code_of(their, call), their_info = info;
    EXPECT_EQ(our_code, their_code) << way.how;
    EXPECT_EQ(our_info, their_info) << way.how;
  }
}

} // namespace
} // namespace cyclotron::mpi::scalapack
