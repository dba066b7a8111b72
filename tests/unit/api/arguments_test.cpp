// SPDX-License-Identifier: MIT
// Whatever is wrong with the arguments of a call is said, by name, before anything is written.
#include "matrices.hpp"

namespace cyclotron::test {

namespace {

class ArgumentsTest : public testing::Test {
protected:
  const Kernel kernel = Program::from_text(product_text).compile(quick());
  Sparse<std::int32_t> b = compressed<std::int32_t>({{1, 0, 2}, {0, 3, 0}});
  std::vector<double> c{3, 4, 5}, x{-1, -1};

  // The message of a run with these arguments, which must not touch the output.
  std::string refused(const Arguments& inputs, const Arguments& outputs) {
    std::string message = message_of([&] { kernel.run(inputs, outputs); });
    EXPECT_EQ(x, (std::vector<double>{-1, -1}));
    return message;
  }
  std::string refused(const Arguments& inputs) { return refused(inputs, {{"x", x}}); }
  std::string with_matrix(const View& view) { return refused({{"B", view}, {"c", c}}); }
};

TEST_F(ArgumentsTest, Names) {
  EXPECT_EQ(refused({{"B", b.view()}}), "input `c` is not given");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}, {"d", c}}), "the program has no input or size `d`");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}, {"c", c}}), "`c` is given twice");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}, {"x", x}}), "`x` is an output: its equations say what it is");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}}, {{"y", x}}), "the program has no output `y`");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}}, {{"c", x}}), "`c` is an input, not an output");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}}, {{"x", x}, {"x", x}}), "`x` is given twice");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}}, {{"x", 3}}), "output `x` needs a view, not a number");
}

TEST_F(ArgumentsTest, TypesAndShapes) {
  std::vector<float> f(3);
  EXPECT_EQ(refused({{"B", b.view()}, {"c", f}}), "`c` is declared as f64, but its view holds f32");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", view(c, {3, 1})}}), "`c` has 1 dimension, but its view has 2");
  EXPECT_EQ(refused({{"B", c}, {"c", c}}), "`B` has 2 dimensions, but its view has 1");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", 3.5}}), "`c` has 1 dimension, but a number is given for it");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", x}}), "dimension 1 of the view of `c` is 2, but `n` is 3");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}, {"n", 4}}), "dimension 2 of the view of `B` is 3, but `n` is 4");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}, {"n", 3.0}}), "`n` is a size: give a whole number");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", view(c, {4})}}), "dimension 1 of the view of `c` is 4, but `n` is 3");
  EXPECT_EQ(with_matrix(csr_view(-2, 3, b.positions, b.coordinates, b.values)),
            "the view of `B` has a dimension of -2");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}}, {{"x", view(x.data(), {3})}}), "output `x` is 2, but its view is 3");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}}, {{"x", f}}), "`x` is declared as f64, but its view holds f32");
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}}, {{"x", view(c, {2})}}), "the view of `x`: 3 values for 2 elements");
  const std::vector<double>& fixed = x;
  EXPECT_EQ(refused({{"B", b.view()}, {"c", c}}, {{"x", fixed}}), "output `x` is given as an array of const");
}

TEST_F(ArgumentsTest, Formats) {
  const std::vector<std::int32_t> pos{0, 1, 2, 3};
  EXPECT_EQ(with_matrix(csc_view(2, 3, pos, b.coordinates, b.values)), "`B` is declared as csr, but its view is csc");
  EXPECT_EQ(with_matrix(view(c.data(), {2, 3})), "`B` is declared as csr, but its view is dense");
  EXPECT_EQ(with_matrix(view(c.data(), {2, 3}, csr)),
            "the view of `B`: level 2 (compressed): its arrays are not given");
  EXPECT_EQ(with_matrix(View({{2, 3}, Format({Level::dense}), f64, false, 32, {}, {}})),
            "`B` is declared as csr, but its view is {dense}");
}

TEST_F(ArgumentsTest, Structure) {
  const auto broken = [&](const std::function<void(Sparse<std::int32_t>&)>& change) {
    Sparse<std::int32_t> copy = b;
    change(copy);
    return with_matrix(copy.view());
  };
  const std::string place = "the view of `B`: level 2 (compressed): ";
  EXPECT_EQ(broken([](auto& a) { a.positions[1] = 5; }), place + "positions decrease from 5 to 3 at 2");
  EXPECT_EQ(broken([](auto& a) { a.positions[0] = 1; }), place + "positions begin with 1, not 0");
  EXPECT_EQ(broken([](auto& a) { a.positions[2] = -1; }), place + "the last position is -1");
  EXPECT_EQ(broken([](auto& a) { a.positions[2] = 4; }), place + "3 coordinates, but there must be 4");
  EXPECT_EQ(broken([](auto& a) { a.positions.pop_back(); }), place + "2 positions, but there must be 3");
  EXPECT_EQ(broken([](auto& a) { a.coordinates[1] = 3; }), place + "coordinate 3 at position 1 is outside 0 … 2");
  EXPECT_EQ(broken([](auto& a) { a.coordinates[0] = -7; }), place + "coordinate -7 at position 0 is outside 0 … 2");
  EXPECT_EQ(broken([](auto& a) { a.coordinates[1] = 0; }),
            place + "coordinates 0 and 0 at position 1 are not in rising order");
  EXPECT_EQ(broken([](auto& a) { a.values.pop_back(); }), "the view of `B`: 2 values, but there must be 3");
  EXPECT_EQ(with_matrix(csr_view(2, 3, (const int*)nullptr, b.coordinates.data(), b.values.data())),
            place + "the array of positions is missing");
}

TEST_F(ArgumentsTest, StructureUnchecked) {
  Options options = quick();
  options.validate = false; // then only lengths are looked at
  const Kernel trusting = Program::from_text(product_text).compile(options);
  Sparse<std::int32_t> twice = compressed<std::int32_t>({{1, 1, 0}});
  twice.coordinates = {1, 1}; // not in rising order, yet harmless
  std::vector<double> y(1);
  trusting.run({{"B", twice.view()}, {"c", c}}, {{"x", y}});
  EXPECT_EQ(y[0], 8);
  twice.positions.pop_back();
  EXPECT_EQ(message_of([&] {
              trusting.run({{"B", twice.view()}, {"c", c}}, {{"x", y}});
            }),
            "the view of `B`: level 2 (compressed): 1 positions, but there must be 2");
}

TEST_F(ArgumentsTest, OtherStructures) {
  const Kernel sum_of = Program::from_text("tensor A(m, n): coo\ntensor B(m, n): {dense, bitvector}\ntensor s\n"
                                           "s = A(i,j) * B(i,j)\n")
                            .compile(quick("interpret"));
  const std::vector<double> two{1, 2};
  std::vector<std::int64_t> pos{0, 2}, rows{0, 0}, columns{1, 2}, counts{0, 2};
  std::vector<std::uint64_t> bits{6};
  const auto call = [&] {
    return message_of([&] {
      sum_of({{"A", coo_view<std::int64_t>({1, 3}, pos, {rows, columns}, two)},
              {"B", sparse_view<std::int64_t>({1, 3}, Format({Level::dense, Level::bitvector}),
                                              {{}, {counts, {}, bits}}, two)}});
    });
  };
  EXPECT_EQ(call(), "no error");
  columns = {2, 2};
  EXPECT_EQ(call(), "the view of `A`: level 2 (singleton): coordinates 2 and 2 at position 1 are not in rising order");
  columns = {1, 3};
  EXPECT_EQ(call(), "the view of `A`: level 2 (singleton): coordinate 3 at position 1 is outside 0 … 2");
  columns = {1, 2};
  bits = {14};
  EXPECT_EQ(call(),
            "the view of `B`: level 2 (bitvector): positions give parent 0 2 entries, but 3 of its bits are set");
  bits = {10};
  EXPECT_EQ(call(), "the view of `B`: level 2 (bitvector): a bit of parent 0 is set beyond 2");
}

TEST_F(ArgumentsTest, MixedWidths) {
  const Kernel add = Program::from_text("tensor A(n, n): csr\ntensor B(n, n): csr\ntensor y(n)\n"
                                        "y(i) = sum[j](A(i,j) * B(i,j))\n")
                         .compile(quick());
  Sparse<std::int32_t> narrow = compressed<std::int32_t>({{1}});
  Sparse<std::int64_t> wide = compressed<std::int64_t>({{1}});
  EXPECT_EQ(message_of([&] {
              add({{"A", narrow.view()}, {"B", wide.view()}});
            }),
            "the index arrays of `A` have 32 bits, those of `B` 64");
}

TEST_F(ArgumentsTest, SharedMemory) {
  std::vector<double> both{1, 2, 3};
  Sparse<std::int32_t> square = compressed<std::int32_t>({{1, 0, 2}, {0, 3, 0}, {0, 0, 1}});
  EXPECT_EQ(message_of([&] {
              kernel.run({{"B", square.view()}, {"c", both}}, {{"x", both}});
            }),
            "`x` and `c` share memory");
  EXPECT_EQ(both, (std::vector<double>{1, 2, 3}));
}

TEST_F(ArgumentsTest, Sizes) {
  const Program program = Program::from_text("assume 2 <= n\ntensor u(n)\nu^0(i) = 0\nu^t(i) = 1 : 1 <= t, t <= T\n");
  const Kernel steps = program.compile(quick());
  EXPECT_EQ(message_of([&] { steps({{"n", 3}}); }), "the size `T` is not known");
  EXPECT_EQ(message_of([&] { steps({{"n", 1}, {"T", 1}}); }), "the program assumes `2 <= n`, which does not hold");
  EXPECT_EQ(message_of([&] { steps({{"n", -1}, {"T", 1}}); }), "size `n` = -1 (the caller) is not between 0 and 2^40");
  const Kernel scalars =
      Program::from_text("tensor a: i32\ntensor b: bool\ntensor y\ny = select(b, a, 0)\n").compile(quick());
  EXPECT_EQ(scalars({{"a", 7}, {"b", true}})["y"].at(), 7);
  EXPECT_EQ(message_of([&] {
              scalars({{"a", std::int64_t{1} << 40}, {"b", 1}});
            }),
            "`a` is declared as i32, which cannot hold 1099511627776");
  EXPECT_EQ(message_of([&] { scalars({{"a", 0.5}, {"b", 1}}); }), "`a` is declared as i32, but 0.5 is given for it");
  EXPECT_EQ(message_of([&] { scalars({{"a", 1}, {"b", 2}}); }), "`b` is declared as bool, which cannot hold 2");
}

TEST_F(ArgumentsTest, FailuresOfTheComputation) {
  for (const char* target : {"c", "interpret"}) {
    const Kernel root =
        Program::from_text("tensor a(n)\ntensor y(n)\ny(i) = sqrt(a(i))\n", "root.cyc").compile(quick(target));
    const std::vector<double> a{1, -1};
    try {
      root({{"a", a}});
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.message(), "computing `y(1)` takes the square root of a negative number");
      EXPECT_EQ(e.line(), 3);
    }
  }
}

// A number that cannot be held as it is declared is not made into another.
TEST(Arguments, NumbersThatDoNotFit) {
  const auto given = [](const std::string& type, const Argument& number) {
    const Kernel kernel =
        Program::from_text("tensor s: " + type + "\ntensor y: " + type + "\ny = s\n").compile(quick());
    return kernel({{"s", number}})["y"].at();
  };
  constexpr std::uint64_t large = std::uint64_t{1} << 63;
  EXPECT_EQ(message_of([&] { given("i64", large); }),
            "`s` is declared as i64, but 9.223372036854776e+18 is given for it");
  EXPECT_EQ(given("f64", large), 9223372036854775808.0);
  EXPECT_EQ(given("i64", std::uint64_t{7}), 7);
  EXPECT_EQ(message_of([&] { given("f32", 1e300); }), "`s` is declared as f32, which cannot hold 1e+300");
  EXPECT_EQ(given("f32", std::numeric_limits<double>::infinity()), std::numeric_limits<double>::infinity());
  const Kernel sized = Program::from_text("tensor y(n)\ny(i) = i\n").compile(quick());
  EXPECT_EQ(message_of([&] { sized({{"n", ~std::uint64_t{0}}}); }), "`n` is a size: give a whole number");
}

TEST(Arguments, WhichLevelOfACoordinateListIsWrong) {
  const Kernel kernel = Program::from_text("tensor A(m,n): coo\ntensor y(m)\ny(i) = A(i,j)\n").compile(quick());
  const std::vector<int> positions{0, 3}, rows{0, 1, 1};
  const std::vector<double> values{1, 2, 3};
  const auto with_columns = [&](const std::vector<int>& columns) {
    return message_of([&] { kernel({{"A", coo_view<int>({3, 3}, positions, {rows, columns}, values)}}); });
  };
  EXPECT_EQ(with_columns({0, 2, 2}),
            "the view of `A`: level 2 (singleton): coordinates 2 and 2 at position 2 are not in rising order");
  EXPECT_EQ(with_columns({0, 2, 0}),
            "the view of `A`: level 2 (singleton): coordinates 2 and 0 at position 2 are not in rising order");
  EXPECT_EQ(with_columns({}), "the view of `A`: level 2 (singleton): 0 coordinates, but there must be 3");
}

TEST(Arguments, MovedFrom) {
  Kernel kernel = Program::from_text("tensor s\ntensor y\ny = s\n").compile(quick());
  Result result = kernel({{"s", 1}});
  Analysis analysis = kernel.analyse({{"s", 1}});
  Output output = result["y"];
  double y = 0;
  Call call = kernel.bind({{"s", 1}}, {{"y", view(&y, {})}});
  Expression expression = 1;
  const Kernel a = std::move(kernel);
  const Result b = std::move(result);
  const Analysis c = std::move(analysis);
  const Output d = std::move(output);
  const Call e = std::move(call);
  const Expression f = std::move(expression);
  // NOLINTBEGIN(bugprone-use-after-move): that is what is looked at.
  EXPECT_EQ(message_of([&] { kernel({{"s", 1}}); }), "this kernel was moved from");
  EXPECT_EQ(message_of([&] { (void)kernel.inputs(); }), "this kernel was moved from");
  EXPECT_EQ(message_of([&] { result["y"]; }), "this analysis was moved from");
  EXPECT_EQ(message_of([&] { (void)analysis.size("n"); }), "this analysis was moved from");
  EXPECT_EQ(message_of([&] { a.compute({{"s", 1}}, analysis); }), "this analysis was moved from");
  EXPECT_EQ(message_of([&] { (void)output.at(); }), "this output was moved from");
  EXPECT_EQ(message_of([&] { call(); }), "this call was moved from");
  EXPECT_EQ(message_of([&] { (void)(expression + 1); }), "this expression was moved from");
  // NOLINTEND(bugprone-use-after-move)
}

TEST(Arguments, OfOtherFunctions) {
  EXPECT_EQ(message_of([] { Program::from_file("/"); }), "cannot read `/`: it is a folder");
  const Kernel kernel = Program::from_text("tensor s\ntensor y\ny = s\n").compile(quick());
  EXPECT_EQ(message_of([&] { (void)kernel.source(16); }), "there is no code for indices of 16 bits");
}

} // namespace

} // namespace cyclotron::test
