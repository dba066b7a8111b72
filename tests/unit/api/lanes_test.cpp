// SPDX-License-Identifier: MIT
// Programs in the lanes of vector registers and of an emulated GPU, on borrowed arrays, against the interpreter.
#include "matrices.hpp"

#include <thread>

namespace cyclotron::test {

namespace {

const char* const targets[] = {"simd", "cuda"};

Options in_lanes(const std::string& target) {
  Options options = quick(target);
  options.emulate = true;
  return options;
}

const std::vector<int> sizes{0, 1, 2, 7, 31, 64, 101};

std::vector<double> some(int count, int start) {
  std::vector<double> list;
  for (int i = 0; i < count; ++i) list.push_back(((start + i) * 37 % 101 - 50) / 8.0);
  return list;
}

void expect_same(const Kernel& kernel, const Kernel& interpreted, const Arguments& inputs, const std::string& output) {
  const Output got = kernel(inputs)[output], wanted = interpreted(inputs)[output];
  EXPECT_EQ(got.dims(), wanted.dims());
  const auto a = got.values<double>(), b = wanted.values<double>();
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << i << " of " << a.size();
}

TEST(Lanes, AgreeWithTheInterpreterAtAllSizes) {
  const Program program = Program::from_text("tensor A(m, n)\ntensor x(n)\ntensor y(m)\ny(i) = A(i,j) * x(j)\n");
  const Kernel interpreted = program.compile(quick("interpret"));
  for (const char* target : targets) {
    const Kernel kernel = program.compile(in_lanes(target));
    for (const int m : sizes)
      for (const int n : {0, 1, 5}) {
        const auto a = some(m * n, 1), x = some(n, 7);
        expect_same(kernel, interpreted, {{"A", view(a, {m, n})}, {"x", x}}, "y");
      }
  }
}

TEST(Lanes, OneSequenceAgainstAnother) {
  const Program program = Program::from_text("tensor a(m): i32\ntensor b(n): i32\ntensor H(m+1, n+1): i32\n"
                                             "tensor score: i32\n"
                                             "H(i,0) = -1 * i\nH(0,j) = -1 * j : j >= 1\n"
                                             "H(i,j) = max(H(i-1,j-1) + select(a(i-1) == b(j-1), 1, -1), "
                                             "H(i-1,j) - 1, H(i,j-1) - 1) : i >= 1, j >= 1\nscore = H(m,n)\n");
  const Kernel interpreted = program.compile(quick("interpret"));
  for (const char* target : targets) {
    Options options = in_lanes(target);
    options.only = {"score"};
    const Kernel kernel = program.compile(options);
    ASSERT_EQ(kernel.outputs().size(), 1u);
    for (const int m : {0, 1, 13, 40}) {
      std::vector<int> a, b;
      for (int i = 0; i < m; ++i) a.push_back(i * i % 5);
      for (int i = 0; i < 17; ++i) b.push_back(i % 4);
      int score = 100;
      kernel.run({{"a", a}, {"b", b}}, {{"score", view(&score, {})}});
      EXPECT_EQ(score, interpreted({{"a", a}, {"b", b}})["score"].at()) << target << ", m = " << m;
    }
  }
}

TEST(Lanes, ConvertWhatIsSparse) {
  const Program program = Program::from_text("tensor B(m, n): csr\ntensor c(n)\ntensor x(m)\ntensor D(m, n): csr\n"
                                             "tensor E(m, n): {dense, dense} order (1,0)\n"
                                             "x(i) = B(i,j) * c(j)\nD(i,j) = 2 * B(i,j)\nE(i,j) = B(i,j) + i\n");
  for (const char* target : targets) {
    const Kernel kernel = program.compile(in_lanes(target));
    Sparse<std::int64_t> b = compressed<std::int64_t>({{1, 0, 2}, {0, 3, 0}});
    const std::vector<double> c{3, 4, 5};
    const Result r = kernel({{"B", b.view()}, {"c", c}});
    EXPECT_EQ(r["x"].at(0), 13);
    EXPECT_EQ(r["x"].at(1), 12);
    EXPECT_EQ(r["D"].stored(), 3);
    EXPECT_EQ(r["D"].index_bits(), 64);
    EXPECT_EQ(r["D"].at(0, 2), 4);
    EXPECT_EQ(r["E"].values<double>()[1], 1); // column by column
    EXPECT_EQ(r["E"].at(1, 1), 4);

    Analysis analysis = kernel.analyse({{"B", b.view()}, {"c", c}});
    std::vector<double> values(3);
    b.values[2] = 30;
    kernel.compute({{"B", b.view()}, {"c", c}}, analysis, {{"D", analysis["D"].view(values)}});
    EXPECT_EQ(values, (std::vector<double>{2, 4, 60}));
    kernel.compute({{"B", b.view()}, {"c", c}}, analysis);
    EXPECT_EQ(analysis["x"].at(1), 120);
  }
}

TEST(Lanes, WhatNoEquationDefinesIsZero) {
  for (const char* target : targets) {
    const Kernel kernel = Program::from_text("tensor x(n): f32\ntensor y(n+1): f32\ny(i) = 2 * x(i) : 1 <= i < n\n")
                              .compile(in_lanes(target));
    const std::vector<float> x{1, 2, 3};
    std::vector<float> y{9, 9, 9, 9};
    kernel.run({{"x", x}}, {{"y", y}});
    EXPECT_EQ(y, (std::vector<float>{0, 4, 6, 0}));
  }
}

TEST(Lanes, ArraysBeginAnywhere) {
  for (const char* target : targets) {
    const Kernel kernel =
        Program::from_text("tensor x(n): i64\ntensor y(n): i64\ny(i) = 3 * x(i)\n").compile(in_lanes(target));
    std::vector<std::int64_t> x(72), y(72, -1);
    for (std::size_t i = 0; i < 72; ++i) x[i] = static_cast<std::int64_t>(i);
    kernel.run({{"x", view(x.data() + 1, {70})}}, {{"y", view(y.data() + 1, {70})}});
    EXPECT_EQ(y.front(), -1);
    EXPECT_EQ(y[70], 210);
    EXPECT_EQ(y.back(), -1);
  }
}

TEST(Lanes, NumbersThatDoNotFitAreNamed) {
  const Program program = Program::from_text("tensor a(m, n): i32\ntensor S(m, n): i32\nS(i,j) = a(i,j) : i == 0\n"
                                             "S(i,j) = S(i-1,j) + a(i,j) : i >= 1\n");
  const std::vector<int> a{2000000000, 5, 1000000000, 6};
  for (const char* target : targets) {
    const Kernel kernel = program.compile(in_lanes(target));
    std::vector<int> s(4);
    const auto call = [&] { kernel.run({{"a", view(a, {2, 2})}}, {{"S", view(s, {2, 2})}}); };
    EXPECT_EQ(message_of(call), "an integer overflows while computing `S(1, 0)`");
    const std::vector<int> small{1, 2, 3, 4};
    kernel.run({{"a", view(small, {2, 2})}}, {{"S", view(s, {2, 2})}});
    EXPECT_EQ(s, (std::vector<int>{1, 2, 4, 6}));
  }
}

TEST(Lanes, DivisionByZeroLeavesOutputsAsTheyWere) {
  for (const char* target : targets) {
    const Kernel kernel = Program::from_text("tensor a(n)\ntensor x(n)\nx(i) = 12 / a(i)\n").compile(in_lanes(target));
    std::vector<double> a{2, 0}, x{7, 8};
    EXPECT_EQ(message_of([&] { kernel.run({{"a", a}}, {{"x", x}}); }), "computing `x(1)` divides by zero");
    EXPECT_EQ(x, (std::vector<double>{7, 8}));
    a[1] = 6;
    kernel.run({{"a", a}}, {{"x", x}});
    EXPECT_EQ(x, (std::vector<double>{6, 2}));
  }
}

TEST(Lanes, SchedulesForLanes) {
  const Program program = Program::from_text("assume 1 <= r <= n\ntensor x(n)\ntensor w(r)\ntensor z(n - r + 1)\n"
                                             "z(c) = x(c+q) * w(q)\n"
                                             "schedule sbm { spacetime (c, q) -> (s, t) = [1 1; 0 1] }\n");
  const Kernel interpreted = program.compile(quick("interpret"));
  for (const char* target : targets) {
    Options options = in_lanes(target);
    options.schedule_name = "sbm";
    const Kernel kernel = program.compile(options);
    const auto x = some(150, 3), w = some(5, 4);
    expect_same(kernel, interpreted, {{"x", x}, {"w", w}}, "z");
    options.schedule_name = "";
    options.schedule = "order c, q";
    EXPECT_EQ(message_of([&] { program.compile(options); }),
              std::string("the target `") + target + "` does not take the schedule command `order`");
  }
}

TEST(Lanes, TheSourceIsThere) {
  const Program program = Program::from_text("tensor x(n)\ntensor y(n)\ny(i) = 3 * x(i)\n");
  EXPECT_NE(program.compile(in_lanes("simd")).source().find("int64_t"), std::string::npos);
  EXPECT_NE(program.compile(in_lanes("cuda")).source().find("__global__"), std::string::npos);
}

TEST(Lanes, OptionsThatDoNotFit) {
  const Program program = Program::from_text("tensor u(n)\nu^0(i) = i\nu^t(i) = u^(t-1)(i) + 1 : 1 <= t, t <= 3\n");
  Options options = in_lanes("simd");
  options.all_steps = {"u"};
  try {
    program.compile(options);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "lanes keep only the last step of a tensor");
    EXPECT_TRUE(e.unsupported());
  }
  options.all_steps = {};
  options.sizes = {{"m", 3}};
  EXPECT_EQ(message_of([&] { program.compile(options); }), "sizes: the program has no size `m`");
  options.sizes = {{"n", 3}};
  const Kernel kernel = program.compile(options);
  EXPECT_EQ(kernel({})["u"].at(2), 5);
  EXPECT_EQ(message_of([&] { kernel({{"n", 4}}); }), "size `n` is 3 by `Options::sizes`, but 4 by the caller");
  options.target = "array";
  EXPECT_EQ(message_of([&] { program.compile(options); }), "there is no target `array`");
}

TEST(Lanes, SeveralThreads) {
  const Program program = Program::from_text("tensor x(n)\ntensor y(n)\ny(i) = x(i) * x(i)\n");
  for (const char* target : targets) {
    const Kernel kernel = program.compile(in_lanes(target));
    std::vector<double> last(4);
    const auto work = [&](std::size_t number) {
      const std::vector<double> x(50, static_cast<double>(number));
      std::vector<double> y(50);
      const Call call = kernel.bind({{"x", x}}, {{"y", y}});
      for (int round = 0; round < 5; ++round) call();
      last[number] = y.back();
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t) threads.emplace_back(work, t);
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(last, (std::vector<double>{0, 1, 4, 9}));
  }
}

} // namespace
} // namespace cyclotron::test
