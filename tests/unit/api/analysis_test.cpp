// SPDX-License-Identifier: MIT
// Two phases: the structure once, the values many times; from several threads; without copies.
#include "allocations.hpp"
#include "matrices.hpp"

#include <atomic>
#include <thread>

namespace cyclotron::test {

namespace {

class AnalysisTest : public testing::Test {
protected:
  const Kernel kernel = Program::from_text(cholesky_text).compile(quick());
  Sparse<std::int32_t> a = arrow<std::int32_t>(6);
};

TEST_F(AnalysisTest, OnceForManyValues) {
  Analysis analysis = kernel.analyse({{"A", a.view()}});
  EXPECT_EQ(analysis.size("n"), 6);
  EXPECT_EQ(analysis["L"].stored(), 21);
  EXPECT_EQ(message_of([&] { analysis["L"].values<double>(); }), "`L` has no values yet");
  const Output factor = analysis["L"];
  for (const double scale : {1.0, 2.0, 0.5}) {
    Sparse<std::int32_t> scaled = a;
    for (double& v : scaled.values) v *= scale;
    kernel.compute({{"A", scaled.view()}}, analysis);
    expect_factor(scaled, factor);
  }
}

TEST_F(AnalysisTest, IntoArraysOfTheCaller) {
  const Analysis analysis = kernel.analyse({{"A", a.view()}});
  const Output factor = analysis["L"];
  std::vector<double> values(static_cast<std::size_t>(factor.stored()), -1);
  kernel.compute({{"A", a.view()}}, analysis, {{"L", factor.view(values)}});
  EXPECT_EQ(values[0], std::sqrt(6.0));
  // The same structure in other arrays will do, in `run` as well.
  std::vector<std::int32_t> pos(factor.positions<std::int32_t>(1).begin(), factor.positions<std::int32_t>(1).end());
  std::vector<std::int32_t> crd(factor.coordinates<std::int32_t>(1).begin(), factor.coordinates<std::int32_t>(1).end());
  std::vector<double> again(values.size());
  kernel.compute({{"A", a.view()}}, analysis, {{"L", csr_view(6, 6, pos, crd, again)}});
  EXPECT_EQ(again, values);
  again.assign(again.size(), 0);
  kernel.run({{"A", a.view()}}, {{"L", csr_view(6, 6, pos, crd, again)}});
  EXPECT_EQ(again, values);
}

TEST_F(AnalysisTest, OutputsOfAnotherStructure) {
  const Output factor = kernel.analyse({{"A", a.view()}})["L"];
  std::vector<std::int32_t> pos(factor.positions<std::int32_t>(1).begin(), factor.positions<std::int32_t>(1).end());
  std::vector<std::int32_t> crd(factor.coordinates<std::int32_t>(1).begin(), factor.coordinates<std::int32_t>(1).end());
  std::vector<double> values(crd.size(), -1), before = values;
  const auto refused = [&](const View& view) {
    const std::string message = message_of([&] { kernel.run({{"A", a.view()}}, {{"L", view}}); });
    EXPECT_EQ(values, before);
    return message;
  };
  const std::string differs = "the view of output `L` has another structure than the result: its ";
  EXPECT_EQ(refused(a.view()), differs + "positions of level 2 differ");
  ++crd[2];
  EXPECT_EQ(refused(csr_view(6, 6, pos, crd, values)), differs + "coordinates of level 2 differ");
  --crd[2];
  values.pop_back();
  before.pop_back();
  EXPECT_EQ(refused(csr_view(6, 6, pos, crd, values)), "the view of `L`: 20 values, but there must be 21");
  const std::vector<std::int64_t> wide_pos(pos.begin(), pos.end()), wide_crd(crd.begin(), crd.end());
  EXPECT_EQ(refused(csr_view(6, 6, wide_pos, wide_crd, values)),
            "the index arrays of `L` have 64 bits, but those of this call have 32");
}

TEST_F(AnalysisTest, InputsOfAnotherStructure) {
  Analysis analysis = kernel.analyse({{"A", a.view()}});
  const auto refused = [&](Sparse<std::int32_t> other) {
    return message_of([&] { kernel.compute({{"A", other.view()}}, analysis); });
  };
  EXPECT_EQ(refused(arrow<std::int32_t>(5)), "`A` is 5 x 5, but 6 x 6 was analysed");
  Sparse<std::int32_t> moved = a;
  moved.coordinates[7] = 3; // of row 1: within it, sorted, and somewhere else
  EXPECT_EQ(refused(moved), "`A` stores other elements than those that were analysed");
  Sparse<std::int32_t> more = compressed<std::int32_t>(std::vector<std::vector<double>>(6, std::vector<double>(6, 1)));
  EXPECT_EQ(refused(more), "`A` stores 36 values, but 16 were analysed");
  Sparse<std::int64_t> wide = arrow<std::int64_t>(6);
  EXPECT_EQ(message_of([&] {
              kernel.compute({{"A", wide.view()}}, analysis);
            }),
            "the index arrays have 64 bits, but 32 were analysed");
  EXPECT_EQ(message_of([&] {
              kernel.compute({{"A", a.view()}, {"n", 7}}, analysis);
            }),
            "the size `n` is 7, but 6 was analysed");
  const Kernel other = Program::from_text(cholesky_text).compile(quick());
  EXPECT_EQ(message_of([&] {
              other.compute({{"A", a.view()}}, analysis);
            }),
            "this analysis was made by another kernel");
  Analysis taken = std::move(analysis);
  EXPECT_EQ(message_of([&] { kernel.compute({{"A", a.view()}}, analysis); }), "this analysis was moved from");
  EXPECT_NO_THROW(kernel.compute({{"A", a.view()}}, taken));
}

TEST(Analysis, WidthWhereNoInputIsSparse) {
  const Program program = Program::from_text("tensor a(n)\ntensor X(n, n): csr\nX(i,i) = a(i)\n");
  const std::vector<double> a{1, 2};
  EXPECT_EQ(program.compile(quick())({{"a", a}})["X"].index_bits(), 32);
  Options wide = quick();
  wide.index_bits = 64;
  EXPECT_EQ(program.compile(wide)({{"a", a}})["X"].index_bits(), 64);
  const std::vector<std::int64_t> pos{0, 1, 2}, crd{0, 1};
  std::vector<double> x(2);
  program.compile(quick()).run({{"a", a}}, {{"X", csr_view(2, 2, pos, crd, x)}}); // the outputs themselves say it
  EXPECT_EQ(x, a);
  wide.index_bits = 16;
  EXPECT_EQ(message_of([&] { program.compile(wide); }), "index arrays have 32 or 64 bits, not 16");
}

TEST_F(AnalysisTest, CopiesHaveValuesOfTheirOwn) {
  Analysis one = kernel.analyse({{"A", a.view()}});
  kernel.compute({{"A", a.view()}}, one);
  Analysis two = one;
  Sparse<std::int32_t> larger = a;
  for (double& v : larger.values) v *= 4;
  kernel.compute({{"A", larger.view()}}, two);
  EXPECT_EQ(2 * one["L"].at(0, 0), two["L"].at(0, 0));
  EXPECT_EQ(one["L"].coordinates<std::int32_t>(1).data(), two["L"].coordinates<std::int32_t>(1).data());
}

TEST_F(AnalysisTest, OutputsAreInputsOfOthers) {
  const Kernel solve = Program::from_text("tensor L(n, n): csr\ntensor b(n)\ntensor x(n)\n"
                                          "x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) : j < i\n")
                           .compile(quick());
  const Result factor = kernel({{"A", a.view()}});
  const std::vector<double> ones(6, 1);
  EXPECT_EQ(solve({{"L", factor["L"].view()}, {"b", ones}})["x"].at(0), 1 / std::sqrt(6.0));
}

TEST_F(AnalysisTest, AsksForTheRightType) {
  const Result r = kernel({{"A", a.view()}});
  EXPECT_EQ(message_of([&] { r["L"].values<float>(); }), "the values of `L` are f64, not f32");
  EXPECT_EQ(message_of([&] { r["L"].positions<std::int64_t>(1); }), "the positions of `L` have 32 bits, not 64");
  EXPECT_EQ(message_of([&] { r["L"].positions(0); }), "level 0 of `L` is dense: it has no positions");
  EXPECT_EQ(message_of([&] { r["L"].coordinates(2); }), "`L` has 2 levels; level 2 does not exist");
  EXPECT_EQ(message_of([&] { r["L"].bits(1); }), "level 1 of `L` has no bits");
  EXPECT_EQ(message_of([&] { r["L"].at(6, 0); }), "index 1 of `L` is 6, outside 0 … 5");
  EXPECT_EQ(message_of([&] { r["L"].at(1); }), "`L` has 2 dimensions, but 1 indices are given");
  EXPECT_EQ(message_of([&] { r["M"]; }), "the program has no output `M`");
  EXPECT_EQ(message_of([&] { r.size("k"); }), "the program has no size `k`");
}

TEST(NoCopy, OutputsAreWrittenInPlace) {
  const Kernel kernel = Program::from_text("tensor a(n)\ntensor y(n)\ny(i) = 2 * a(i)\n").compile(quick());
  std::vector<double> memory(8, -1);
  kernel.run({{"a", view(memory.data(), {3})}}, {{"y", view(memory.data() + 4, {3})}});
  EXPECT_EQ(memory, (std::vector<double>{-1, -1, -1, -1, -2, -2, -2, -1}));
}

// A copy of one of these arrays would need more memory than a call may take here.
TEST(NoCopy, NothingLargeIsAllocated) {
  const Kernel kernel = Program::from_text(product_text).compile(quick());
  constexpr std::int64_t n = 100000;
  const auto check = [&]<class I>(I) {
    std::vector<I> positions, coordinates;
    for (I i = 0; i < n; ++i) {
      positions.push_back(i);
      coordinates.push_back(i);
    }
    positions.push_back(n);
    const std::vector<double> values(n, 2), c(n, 3);
    std::vector<double> x(n);
    const Arguments inputs{{"B", csr_view(n, n, positions, coordinates, values)}, {"c", c}};
    const Analysis analysis = kernel.analyse(inputs);
    kernel.run(inputs, {{"x", x}}); // compiles the form with these indices
    allocated() = 0;
    kernel.compute(inputs, analysis, {{"x", x}});
    kernel.run(inputs, {{"x", x}});
    EXPECT_LT(allocated(), n); // bytes
    EXPECT_EQ(x[n - 1], 6);
  };
  check(std::int32_t{});
  check(std::int64_t{});
}

TEST(Threads, OneKernelManyCalls) {
  const Kernel factor = Program::from_text(cholesky_text).compile(quick());
  // Steps are found with isl, which knows no threads.
  const Kernel steps =
      Program::from_text("tensor u(n)\nu^0(i) = i\nu^t(i) = u^(t-1)(i) + 1 : 1 <= t, t <= T\n").compile(quick());
  Sparse<std::int32_t> shared_input = arrow<std::int32_t>(8);
  const Analysis shared = factor.analyse({{"A", shared_input.view()}});
  std::atomic<int> failures = 0;
  const auto work = [&](int number) {
    for (int round = 0; round < 20; ++round) {
      const int n = 3 + (number + round) % 6;
      Sparse<std::int32_t> narrow = arrow<std::int32_t>(n);
      Sparse<std::int64_t> wide = arrow<std::int64_t>(n);
      const double pivot = std::sqrt(static_cast<double>(n));
      if (factor({{"A", narrow.view()}})["L"].at(0, 0) != pivot) ++failures;
      if (factor({{"A", wide.view()}})["L"].at(0, 0) != pivot) ++failures;
      std::vector<double> values(static_cast<std::size_t>(shared["L"].stored()));
      factor.compute({{"A", shared_input.view()}}, shared, {{"L", shared["L"].view(values)}});
      if (values[0] != std::sqrt(8.0)) ++failures;
      if (steps({{"n", n}, {"T", number}})["u"].at(2) != 2 + number) ++failures;
    }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(work, t);
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(failures, 0);
}

TEST(Threads, OneProgramManyKernels) {
  const Program program = Program::from_text(product_text);
  std::atomic<int> failures = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const Kernel kernel = program.compile(quick());
      Sparse<std::int32_t> b = compressed<std::int32_t>({{2}});
      const std::vector<double> c{3};
      if (kernel({{"B", b.view()}, {"c", c}})["x"].at(0) != 6) ++failures;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(failures, 0);
}

} // namespace

} // namespace cyclotron::test
