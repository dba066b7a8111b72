// SPDX-License-Identifier: MIT
// The kernels by the identities that define them, on random tiles.
#include "fuzz/compiled.hpp"
#include "fuzz/property.hpp"
#include "recurrence/kernels.hpp"

#include <cmath>
#include <map>
#include <random>

namespace cyclotron::recurrence {
namespace {

using fuzz::check_property;

struct KernelCase {
  std::mt19937_64 random{*rc::gen::arbitrary<std::uint64_t>()};
  std::int64_t m = *rc::gen::inRange(0, 6), n = *rc::gen::inRange(0, 6), k = *rc::gen::inRange(0, 6);

  double value() { return static_cast<double>(random() % 2001) / 1000.0 - 1.0; }
  Tile matrix(std::int64_t rows, std::int64_t columns) {
    Tile t{{rows, columns}, std::vector<double>(static_cast<std::size_t>(rows * columns))};
    for (double& v : t.values) v = value();
    return t;
  }
  // Well away from singular, and with rubbish where it must not be read.
  Tile triangular(std::int64_t size, bool lower, bool unit = false) {
    Tile t = matrix(size, size);
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t j = 0; j < size; ++j)
        if (i == j) t.at(i, j) = unit ? std::nan("") : 3 + value();
        else if ((i > j) != lower) t.at(i, j) = std::nan("");
    return t;
  }
};

Tile result_of(const char* name, const std::vector<Tile>& arguments) { return kernel_named(name)->compute(arguments); }

Tile product(const Tile& a, const Tile& b) { return result_of("GEMM", {a, b}); }
Tile transposed(const Tile& a) { return result_of("TRANSPOSE", {a}); }

// The triangle as a full matrix: zeros, and ones on a unit diagonal.
Tile clean(Tile t, bool lower, bool unit = false) {
  for (std::int64_t i = 0; i < t.dims[0]; ++i)
    for (std::int64_t j = 0; j < t.dims[1]; ++j)
      if (i == j) t.at(i, j) = unit ? 1 : t.at(i, j);
      else if ((i > j) != lower) t.at(i, j) = 0;
  return t;
}

void assert_near(const Tile& a, const Tile& b) {
  RC_ASSERT(a.dims == b.dims);
  RC_ASSERT(a.values.size() == b.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i) RC_ASSERT(std::fabs(a.values[i] - b.values[i]) < 1e-9);
}

TEST(Kernels, ProductsByTheirDefinition) {
  check_property(60, [] {
    KernelCase c;
    const Tile a = c.matrix(c.m, c.k), b = c.matrix(c.k, c.n), result = product(a, b);
    RC_ASSERT(result.dims == (std::vector<std::int64_t>{c.m, c.n}));
    for (std::int64_t i = 0; i < c.m; ++i)
      for (std::int64_t j = 0; j < c.n; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < c.k; ++l) sum += a.at(i, l) * b.at(l, j);
        RC_ASSERT(result.at(i, j) == sum);
      }
    assert_near(result_of("GEMM_NT", {a, transposed(b)}), result);
    assert_near(result_of("GEMM_TN", {transposed(a), b}), result);
    assert_near(result_of("SYRK", {a}), product(a, transposed(a)));
    assert_near(transposed(transposed(a)), a);
    Tile column = c.matrix(c.k, 1);
    const Tile vector{{c.k}, column.values};
    RC_ASSERT(result_of("GEMV", {a, vector}).values == product(a, column).values);
    RC_ASSERT(result_of("GEMV", {a, vector}).dims == std::vector<std::int64_t>{c.m});
    RC_ASSERT(result_of("GEMV_T", {transposed(a), vector}).values == product(a, column).values);
    const Tile row = c.matrix(1, c.n);
    RC_ASSERT(result_of("GER", {vector, {{c.n}, row.values}}).values == product(column, row).values);
  });
}

TEST(Kernels, SolvesUndoProducts) {
  check_property(60, [] {
    KernelCase c;
    const Tile x = c.matrix(c.m, c.n), y = c.matrix(c.n, c.m);
    const Tile l = c.triangular(c.m, true), u = c.triangular(c.m, false), unit = c.triangular(c.m, true, true);
    const Tile full_l = clean(l, true), full_u = clean(u, false);
    assert_near(result_of("TRSM", {l, product(full_l, x)}), x);
    assert_near(result_of("TRSM_LLU", {unit, product(clean(unit, true, true), x)}), x);
    assert_near(result_of("TRSM_LLT", {l, product(transposed(full_l), x)}), x);
    assert_near(result_of("TRSM_LUN", {u, product(full_u, x)}), x);
    assert_near(result_of("TRSM_RLN", {l, product(y, full_l)}), y);
    assert_near(result_of("TRSM_RLT", {l, product(y, transposed(full_l))}), y);
    assert_near(result_of("TRSM_RUN", {u, product(y, full_u)}), y);
    const Tile column = c.matrix(c.m, 1);
    const auto vector = [](const Tile& t) { return Tile{{t.dims[0]}, t.values}; };
    assert_near(result_of("TRSV", {l, vector(product(full_l, column))}), vector(column));
    assert_near(result_of("TRSV_LU", {unit, vector(product(clean(unit, true, true), column))}), vector(column));
    assert_near(result_of("TRSV_UN", {u, vector(product(full_u, column))}), vector(column));
  });
}

TEST(Kernels, FactorsMultiplyBack) {
  check_property(60, [] {
    KernelCase c;
    Tile a = result_of("SYRK", {c.matrix(c.m, c.m)});
    for (std::int64_t i = 0; i < c.m; ++i) a.at(i, i) += 4;
    const Tile l = result_of("POTRF", {a});
    assert_near(product(l, transposed(l)), a);
    assert_near(clean(l, true), l); // zero above the diagonal
    const Tile packed = result_of("GETRF", {a});
    assert_near(product(clean(packed, true, true), clean(packed, false)), a);
    RC_ASSERT(result_of("GETRF_L", {a}).values == clean(packed, true, true).values);
    RC_ASSERT(result_of("GETRF_U", {a}).values == clean(packed, false).values);
    for (std::int64_t i = 0; i < c.m; ++i)
      for (std::int64_t j = i + 1; j < c.m; ++j) a.at(i, j) = std::nan(""); // only the lower part is read
    assert_near(result_of("POTRF", {a}), l);
  });
}

tensor::Tensor as_tensor(const Tile& tile) {
  Sources sources;
  Diagnostics diagnostics(sources);
  const tensor::Format format = tensor::dense_format(static_cast<int>(tile.dims.size()));
  return *tensor::pack({tile.dims, {}, tile.values, true}, format, diagnostics);
}

// The definition of a kernel is a program, and the interpreter gives it the meaning that the plain loops have.
TEST(Kernels, DefinitionsMeanTheSame) {
  for (const Kernel& kernel : kernel_table()) {
    fuzz::Compiled compiled(definition_program(kernel));
    ASSERT_TRUE(compiled.accepted()) << kernel.name << compiled.messages();
    check_property(10, [&] {
      KernelCase c;
      const std::map<std::string, std::int64_t> size{{"m", c.m}, {"n", c.n}, {"k", c.k}};
      fuzz::SizeValues sizes;
      std::vector<Tile> arguments;
      fuzz::Tensors inputs;
      for (std::string_view letters : kernel.arguments) {
        const std::int64_t rows = size.at(std::string(1, letters[0]));
        const bool square = letters.size() == 2 && letters[0] == letters[1];
        Tile t = c.matrix(rows, letters.size() == 2 ? size.at(std::string(1, letters[1])) : 1);
        for (std::int64_t i = 0; square && i < rows; ++i) t.at(i, i) = 4 + static_cast<double>(rows) + c.value();
        if (letters.size() == 1) t.dims.resize(1);
        for (char letter : letters) sizes[std::string(1, letter)] = size.at(std::string(1, letter));
        inputs[arguments.empty() ? "A" : "B"] = as_tensor(t);
        arguments.push_back(std::move(t));
      }
      const auto outputs = compiled.interpret(sizes, inputs);
      RC_ASSERT(outputs.has_value());
      const Tile expected = kernel.compute(arguments);
      RC_ASSERT(outputs->at("C").dims == expected.dims);
      for (std::size_t i = 0; i < expected.values.size(); ++i)
        RC_ASSERT(std::fabs(tensor::float_at(outputs->at("C").values, static_cast<std::int64_t>(i)) -
                            expected.values[i]) < 1e-9);
    });
  }
}

// The shape rules of the table are what the kernels do.
TEST(Kernels, ShapeRules) {
  for (const Kernel& kernel : kernel_table()) {
    const auto size = [](char letter) { return letter == 'm' ? 2 : letter == 'n' ? 3 : 4; };
    std::vector<Tile> arguments;
    for (std::string_view letters : kernel.arguments) {
      Tile t;
      std::size_t count = 1;
      for (char letter : letters) t.dims.push_back(size(letter)), count *= static_cast<std::size_t>(size(letter));
      t.values.assign(count, 0.0);
      if (letters.size() == 2 && t.dims[0] == t.dims[1])
        for (std::int64_t i = 0; i < t.dims[0]; ++i) t.at(i, i) = 1;
      arguments.push_back(t);
    }
    std::vector<std::int64_t> expected;
    for (char letter : kernel.result) expected.push_back(size(letter));
    EXPECT_EQ(kernel.compute(arguments).dims, expected) << kernel.name;
    EXPECT_EQ(kernel_named(kernel.name), &kernel);
  }
  EXPECT_EQ(kernel_named("gemm"), nullptr);
  EXPECT_EQ(kernel_names().size(), kernel_table().size());
}

TEST(Kernels, WorkByTheirExtents) {
  const std::map<std::string, std::int64_t> extents = {{"m", 6}, {"k", 5}, {"n", 7}};
  const std::map<std::string_view, double> expected = {
      {"GEMM", 210},     {"GEMM_NT", 210},  {"GEMM_TN", 210},  {"GEMV", 30},      {"GEMV_T", 30},    {"GER", 42},
      {"SYRK", 180},     {"TRSM", 126},     {"TRSM_LLU", 126}, {"TRSM_LLT", 126}, {"TRSM_LUN", 126}, {"TRSM_RLN", 147},
      {"TRSM_RLT", 147}, {"TRSM_RUN", 147}, {"TRSV", 18},      {"TRSV_LU", 18},   {"TRSV_UN", 18},   {"POTRF", 36},
      {"GETRF", 72},     {"GETRF_L", 72},   {"GETRF_U", 72},   {"TRANSPOSE", 0}};
  for (const Kernel& kernel : kernel_table()) {
    std::vector<std::vector<std::int64_t>> dims;
    for (const std::string_view letters : kernel.arguments) {
      dims.emplace_back();
      for (const char letter : letters) dims.back().push_back(extents.at(std::string(1, letter)));
    }
    ASSERT_TRUE(expected.contains(kernel.name)) << kernel.name;
    EXPECT_DOUBLE_EQ(multiply_adds(kernel, dims), expected.at(kernel.name)) << kernel.name;
  }
}

} // namespace
} // namespace cyclotron::recurrence
