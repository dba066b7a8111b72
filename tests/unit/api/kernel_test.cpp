// SPDX-License-Identifier: MIT
// Compiled programs on borrowed arrays.
#include "matrices.hpp"

#include <array>
#include <span>

namespace cyclotron::test {

namespace {

template <class I> class Width : public testing::Test {};
using Widths = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(Width, Widths);

TYPED_TEST(Width, SparseInputDenseOutput) {
  const Kernel kernel = Program::from_text(product_text).compile(quick());
  Sparse<TypeParam> b = compressed<TypeParam>({{1, 0, 2}, {0, 0, 0}});
  const std::vector<double> c{3, 4, 5};
  std::vector<double> x{-1, -1};
  kernel.run({{"B", b.view()}, {"c", c}}, {{"x", x}});
  EXPECT_EQ(x, (std::vector<double>{13, 0}));
  kernel.run({{"B", csr_view(2, 3, b.positions.data(), b.coordinates.data(), b.values.data())}, {"c", c}}, {{"x", x}});
  EXPECT_EQ(x, (std::vector<double>{13, 0}));
}

TYPED_TEST(Width, SparseOutput) {
  const Kernel kernel = Program::from_text(cholesky_text).compile(quick());
  Sparse<TypeParam> a = arrow<TypeParam>(6);
  const Result r = kernel({{"A", a.view()}});
  const Output factor = r["L"];
  EXPECT_EQ(r.size("n"), 6);
  EXPECT_EQ(factor.format(), "csr");
  EXPECT_EQ(factor.type(), f64);
  EXPECT_EQ(factor.dims(), (std::vector<std::int64_t>{6, 6}));
  EXPECT_EQ(factor.index_bits(), 8 * int(sizeof(TypeParam)));
  EXPECT_EQ(factor.stored(), 21); // all of the lower triangle
  EXPECT_EQ(factor.positions(1), (std::vector<std::int64_t>{0, 1, 3, 6, 10, 15, 21}));
  EXPECT_EQ(factor.coordinates(1)[2], 1);
  EXPECT_EQ(factor.template positions<TypeParam>(1)[6], 21);
  EXPECT_EQ(factor.template values<double>().size(), 21u);
  EXPECT_EQ(factor.at(0, 1), 0);
  expect_factor(a, factor);
}

TYPED_TEST(Width, InterpretedIsTheSame) {
  Sparse<TypeParam> a = arrow<TypeParam>(5);
  const Program program = Program::from_text(cholesky_text);
  const Result interpreted = program.compile(quick("interpret"))({{"A", a.view()}});
  const Result compiled = program.compile(quick())({{"A", a.view()}});
  EXPECT_EQ(interpreted["L"].positions(1), compiled["L"].positions(1));
  EXPECT_EQ(interpreted["L"].coordinates(1), compiled["L"].coordinates(1));
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) EXPECT_NEAR(interpreted["L"].at(i, j), compiled["L"].at(i, j), 1e-12);
  EXPECT_EQ(program.compile(quick("interpret")).source(), "");
}

TEST(Kernel, EmbeddedAlignment) {
  Index i("i"), j("j");
  Size m("m"), n("n");
  Constant gap("gap", -1);
  Tensor a("a", {m}, i32), b("b", {n}, i32), H("H", {m + 1, n + 1}, i32), score("score", {}, i32);
  Program p;
  p += H(i, 0) = gap * i;
  p += H(0, j) = gap * j, where(j >= 1);
  p += H(i, j) = max(H(i - 1, j - 1) + select(a(i - 1) == b(j - 1), 1, -1), H(i - 1, j) + gap, H(i, j - 1) + gap),
            where(i >= 1, j >= 1);
  p += score = H(m, n);
  const std::vector<int> x{0, 1, 2, 3}, y{0, 2, 3};
  int result = 0;
  p.compile(quick()).run({{"a", x}, {"b", y}}, {{"score", view(&result, {})}}); // H is computed and dropped
  EXPECT_EQ(result, 2);
}

TEST(Kernel, TypesOfValues) {
  const Kernel kernel = Program::from_text("tensor a(n): f32\ntensor b(n): i64\ntensor c(n): bool\ntensor y(n): f32\n"
                                           "tensor z(n): i64\ntensor w(n): bool\ny(i) = a(i) + b(i)\nz(i) = 2 * b(i)\n"
                                           "w(i) = not c(i)\n")
                            .compile(quick());
  const std::array<float, 2> a{0.5F, 1.5F};
  std::vector<long> b{1, 2};
  const bool c[2] = {true, false};
  std::array<float, 2> y{};
  std::vector<std::int64_t> z(2);
  std::vector<unsigned char> w(2);
  kernel.run({{"a", a}, {"b", b}, {"c", c}}, {{"y", y}, {"z", std::span(z)}, {"w", view(w.data(), {2})}});
  EXPECT_EQ(y, (std::array<float, 2>{1.5F, 3.5F}));
  EXPECT_EQ(z, (std::vector<std::int64_t>{2, 4}));
  EXPECT_EQ(w, (std::vector<unsigned char>{0, 1}));
}

TEST(Kernel, NumbersAreSizesAndScalars) {
  const Program program =
      Program::from_text("tensor s\ntensor u(n)\nu^0(i) = s\nu^t(i) = u^(t-1)(i) + i : 1 <= t, t <= T\n"
                         "default T = 2\n");
  const Kernel kernel = program.compile(quick());
  EXPECT_EQ(kernel({{"s", 0.5}, {"n", 3}})["u"].at(2), 4.5); // T by its default
  EXPECT_EQ(kernel({{"s", 1}, {"n", 3}, {"T", 10}})["u"].at(2), 21);
  Options all = quick();
  all.all_steps = {"u"};
  const Result r = program.compile(all)({{"s", 1}, {"n", 2}});
  EXPECT_EQ(r["u"].dims(), (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(r["u"].at(0, 1), 1);
  EXPECT_EQ(r["u"].at(2, 1), 3);
}

TEST(Kernel, OnlyWhatIsWanted) {
  const Program program = Program::from_text("tensor a(n)\ntensor H(n+1, n)\ntensor s\n"
                                             "H(0,j) = a(j)\nH(i,j) = H(i-1,j) + a(j) : i >= 1\n"
                                             "s = sum[j](H(n,j))\n");
  for (const char* target : {"c", "interpret"}) {
    Options options = quick(target);
    options.only = {"s"};
    const Kernel kernel = program.compile(options);
    ASSERT_EQ(kernel.outputs().size(), 1u);
    EXPECT_EQ(kernel.outputs()[0].name, "s");
    const std::vector<double> a{1, 2, 3};
    EXPECT_EQ(kernel({{"a", a}})["s"].at(), 24);
    std::vector<double> s{0}, table(12);
    kernel.run({{"a", a}}, {{"s", view(s, {})}});
    EXPECT_EQ(s[0], 24);
    EXPECT_EQ(message_of([&] {
                kernel.run({{"a", a}}, {{"H", view(table, {4, 3})}});
              }),
              "`Options::only` leaves `H` out");
  }
}

TEST(Kernel, OtherFormats) {
  const Kernel kernel =
      Program::from_text("tensor A(m, n): csc\ntensor B(m, n): coo\ntensor C(m, n): dcsr\n"
                         "tensor D(m, n): {dense, bitvector}\ntensor E(m, n): {dense, dense} order (1,0)\n"
                         "tensor y(m)\ny(i) = sum[j](A(i,j) + B(i,j) + C(i,j) + D(i,j) + E(i,j))\n")
          .compile(quick());
  // Each holds a 2 x 3 matrix with 1 at (0, 2) and 10 at (1, 0).
  const std::vector<std::int32_t> pos{0, 1, 1, 2}, rows{1, 0}, two{0, 2}, first{0, 1}, second{2, 0}, one_each{0, 1, 2};
  const std::vector<double> by_column{10, 1}, by_row{1, 10}, column_major{0, 10, 0, 0, 1, 0};
  const std::vector<std::uint64_t> bits{4, 1};
  const Result r =
      kernel({{"A", csc_view(2, 3, pos, rows, by_column)},
              {"B", coo_view<std::int32_t>({2, 3}, two, {first, second}, by_row)},
              {"C", sparse_view<std::int32_t>({2, 3}, dcsr, {{two, first, {}}, {one_each, second, {}}}, by_row)},
              {"D", sparse_view<std::int32_t>({2, 3}, Format({Level::dense, Level::bitvector}),
                                              {{}, {one_each, {}, bits}}, by_row)},
              {"E", view(column_major, {2, 3}, Format({Level::dense, Level::dense}, {1, 0}))}});
  EXPECT_EQ(r["y"].at(0), 5);
  EXPECT_EQ(r["y"].at(1), 50);
}

TEST(Kernel, ElementsOfOutputsInAnyFormat) {
  for (const std::string format : {"coo", "csc", "dcsr", "csf", "{dense, bitvector}", "{bitvector, compressed}",
                                   "dense", "{compressed, dense} order (1,0)"}) {
    const Program program =
        Program::from_text("tensor A(m, n): csr\ntensor X(m, n): " + format + "\nX(i,j) = 2 * A(i,j)\n");
    Sparse<std::int32_t> a = compressed<std::int32_t>({{0, 1, 0}, {0, 0, 0}, {2, 0, 3}});
    const Result r = program.compile(quick("interpret"))({{"A", a.view()}});
    EXPECT_EQ(r["X"].at(0, 1), 2) << format;
    EXPECT_EQ(r["X"].at(1, 1), 0) << format;
    EXPECT_EQ(r["X"].at(2, 0), 4) << format;
    EXPECT_EQ(r["X"].at(2, 1), 0) << format;
    EXPECT_EQ(r["X"].at(2, 2), 6) << format;
  }
}

TEST(Kernel, EmptyTensors) {
  const Kernel kernel = Program::from_text(product_text).compile(quick());
  Sparse<std::int32_t> b;
  std::vector<double> none;
  kernel.run({{"B", b.view()}, {"c", none}}, {{"x", none}});
  Sparse<std::int32_t> a;
  EXPECT_EQ(Program::from_text(cholesky_text).compile(quick())({{"A", a.view()}})["L"].stored(), 0);
}

TEST(Kernel, SaysWhatItTakes) {
  const Kernel kernel = Program::from_text(product_text, "folder/spmv.cyc").compile(quick());
  ASSERT_EQ(kernel.inputs().size(), 2u);
  EXPECT_EQ(kernel.inputs()[0].name, "B");
  EXPECT_EQ(kernel.inputs()[0].format, "csr");
  EXPECT_EQ(kernel.inputs()[0].dims, (std::vector<std::string>{"m", "n"}));
  EXPECT_EQ(kernel.outputs()[0].name, "x");
  EXPECT_EQ(kernel.sizes(), (std::vector<std::string>{"m", "n"}));
  EXPECT_NE(kernel.source().find("spmv"), std::string::npos);
  EXPECT_NE(kernel.source(32), kernel.source(64));
}

TEST(Kernel, OutlivesItsProgram) {
  Kernel kernel = [] { return Program::from_text(product_text).compile(quick()); }();
  Sparse<std::int32_t> b = compressed<std::int32_t>({{2}});
  const std::vector<double> c{3};
  const Output x = [&] { return kernel({{"B", b.view()}, {"c", c}})["x"]; }(); // nor does an output need its result
  EXPECT_EQ(x.at(0), 6);
}

TYPED_TEST(Width, MasksOfSchedules) {
  Options options = quick();
  options.schedule = "order j, k, i\nmask L csc\nmask A csc";
  const Kernel kernel = Program::from_text(cholesky_text).compile(options);
  Sparse<TypeParam> a = arrow<TypeParam>(6);
  expect_factor(a, kernel({{"A", a.view()}})["L"]);
  Analysis analysis = kernel.analyse({{"A", a.view()}});
  for (double& v : a.values) v *= 2;
  kernel.compute({{"A", a.view()}}, analysis);
  expect_factor(a, analysis["L"]);
}

TEST(Options, Schedules) {
  const Program program =
      Program::from_text("tensor A(m, p)\ntensor B(p, n)\ntensor C(m, n)\nC(i,j) = A(i,k) * B(k,j)\n"
                         "schedule rows {\n  order i, k, j\n}\n");
  Index i("i"), j("j"), k("k");
  Options named = quick(), given = quick(), text = quick();
  named.schedule_name = "rows";
  given.schedule = Schedule().order(i, k, j);
  text.schedule = "order i, k, j";
  const std::string source = program.compile(named).source();
  EXPECT_EQ(program.compile(given).source(), source);
  EXPECT_EQ(program.compile(text).source(), source);
  text.schedule = "order k, j, i";
  EXPECT_NE(program.compile(text).source(), source);

  const auto refused = [&](const std::function<void(Options&)>& change) {
    Options options = quick();
    change(options);
    return message_of([&] { program.compile(options); });
  };
  EXPECT_EQ(refused([](Options& o) { o.schedule_name = "row"; }), "there is no schedule `row`");
  EXPECT_EQ(refused([](Options& o) { o.schedule = "order i, q"; }), "`q` names no index of the program, in `order`");
  EXPECT_EQ(refused([](Options& o) { o.schedule = "order i }\ntensor x(n)\nschedule b {"; }),
            "a schedule is given as commands alone");
  EXPECT_EQ(refused([](Options& o) {
              o.schedule = "order i";
              o.schedule_name = "rows";
            }),
            "both a schedule and the name of a schedule are given");
  EXPECT_EQ(refused([](Options& o) { o.target = "fortran"; }), "there is no target `fortran`");
  EXPECT_EQ(refused([](Options& o) { o.all_steps = {"C"}; }), "all_steps: `C` has no steps");
  EXPECT_EQ(refused([](Options& o) { o.all_steps = {"D"}; }), "all_steps: the program has no output `D`");
  EXPECT_EQ(refused([](Options& o) { o.only = {"D"}; }), "only: the program has no output `D`");
  EXPECT_EQ(refused([](Options& o) {
              o.target = "interpret";
              o.schedule_name = "rows";
            }),
            "the target `interpret` does not take the schedule command `order`");
}

} // namespace

} // namespace cyclotron::test
