// SPDX-License-Identifier: MIT
// Calls whose arguments are looked at once.
#include "allocations.hpp"
#include "matrices.hpp"

namespace cyclotron::test {

namespace {

TEST(BoundCall, SeesNewValuesAndAllocatesNothing) {
  const Kernel kernel = Program::from_text(product_text).compile(quick());
  Sparse<std::int32_t> b = compressed<std::int32_t>({{1, 0, 2}, {0, 3, 0}});
  std::vector<double> c{1, 10, 100}, x(2);
  const Call call = kernel.bind({{"B", b.view()}, {"c", c}}, {{"x", x}});
  EXPECT_EQ(x, std::vector<double>({0, 0}));
  call();
  EXPECT_EQ(x, std::vector<double>({201, 30}));
  b.values[1] = 4;
  c[1] = 20;
  allocated() = 0;
  call();
  EXPECT_EQ(allocated(), 0);
  EXPECT_EQ(x, std::vector<double>({401, 60}));
}

TEST(BoundCall, OutlivesItsKernelAndDropsWhatNobodyNames) {
  std::vector<double> y(3);
  const Call call = [&] {
    const Kernel kernel =
        Program::from_text("tensor s\ntensor x(n)\ntensor y(n)\nx(i) = s\ny(i) = x(i) + i\n").compile(quick());
    return kernel.bind({{"s", 0.5}, {"n", 3}}, {{"y", y}});
  }();
  call();
  EXPECT_EQ(y, std::vector<double>({0.5, 1.5, 2.5}));
}

TEST(BoundCall, WithAnAnalysis) {
  const Kernel kernel = Program::from_text(cholesky_text).compile(quick());
  Sparse<std::int32_t> a = arrow<std::int32_t>(6);
  const Analysis analysis = kernel.analyse({{"A", a.view()}});
  std::vector<double> once(static_cast<std::size_t>(analysis["L"].stored())), often = once;
  kernel.compute({{"A", a.view()}}, analysis, {{"L", analysis["L"].view(once)}});
  const Call call = kernel.bind({{"A", a.view()}}, analysis, {{"L", analysis["L"].view(often)}});
  for (int round = 0; round < 2; ++round) {
    call();
    EXPECT_EQ(often, once);
  }
}

TEST(BoundCall, RefusesWhenItIsBound) {
  const Kernel kernel = Program::from_text(product_text).compile(quick());
  Sparse<std::int32_t> b = compressed<std::int32_t>({{1, 0, 2}, {0, 3, 0}});
  std::vector<double> c{1, 10, 100}, x(2), small(1);
  EXPECT_EQ(message_of([&] { kernel.bind({{"B", b.view()}}, {{"x", x}}); }), "input `c` is not given");
  EXPECT_EQ(message_of([&] {
              kernel.bind({{"B", b.view()}, {"c", c}}, {{"x", small}});
            }),
            "output `x` is 2, but its view is 1");
}

TEST(BoundCall, FailsAndGoesOn) {
  for (const char* target : {"c", "interpret"}) {
    const Kernel kernel = Program::from_text("tensor a(n)\ntensor x(n)\nx(i) = 1 / a(i)\n").compile(quick(target));
    std::vector<double> a{2, 0}, x(2);
    const Call call = kernel.bind({{"a", a}}, {{"x", x}});
    EXPECT_EQ(message_of([&] { call(); }), "computing `x(1)` divides by zero");
    a[1] = 4;
    call();
    EXPECT_EQ(x, std::vector<double>({0.5, 0.25}));
  }
}

// Elements before the one that fails are computed by then.
TEST(FailedCall, LeavesOutputsAsTheyWere) {
  const Kernel kernel = Program::from_text("tensor a(n)\ntensor x(n)\nx(i) = 1 / a(i)\n").compile(quick());
  std::vector<double> a{2, 0}, x{7, 8};
  const auto values = [](const Analysis& analysis) {
    const auto made = analysis["x"].values<double>();
    return std::vector<double>(made.begin(), made.end());
  };
  EXPECT_EQ(message_of([&] { kernel.run({{"a", a}}, {{"x", x}}); }), "computing `x(1)` divides by zero");
  EXPECT_EQ(x, std::vector<double>({7, 8}));
  Analysis analysis = kernel.analyse({{"a", a}});
  EXPECT_EQ(message_of([&] { kernel.compute({{"a", a}}, analysis, {{"x", x}}); }), "computing `x(1)` divides by zero");
  EXPECT_EQ(x, std::vector<double>({7, 8}));
  a[1] = 4;
  kernel.compute({{"a", a}}, analysis);
  EXPECT_EQ(values(analysis), std::vector<double>({0.5, 0.25}));
  a = {1, 0};
  EXPECT_EQ(message_of([&] { kernel.compute({{"a", a}}, analysis); }), "computing `x(1)` divides by zero");
  EXPECT_EQ(values(analysis), std::vector<double>({0.5, 0.25}));
}

} // namespace
} // namespace cyclotron::test
