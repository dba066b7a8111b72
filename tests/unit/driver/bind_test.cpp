// SPDX-License-Identifier: MIT
// Inputs and sizes from the command line, files and defaults: what wins, and what is said when nothing fits.
#include "driver/bind.hpp"

#include "driver/pipelines.hpp"
#include "tensor/io.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace cyclotron::driver {
namespace {

class Binding : public ::testing::Test {
protected:
  Binding() : folder_(std::filesystem::temp_directory_path() / ("cyclotron_bind_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Binding() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }

  // Sizes and inputs of a program; nothing, with the report in said_, where they cannot be had.
  std::optional<BoundInputs> bind(const std::string& text, const std::vector<Assignment>& given = {}) {
    Sources sources;
    Diagnostics diagnostics(sources);
    const FrontEndResult front_end = run_front_end(sources.add("a.cyc", text), {}, diagnostics);
    EXPECT_TRUE(front_end.checked) << diagnostics.render(false);
    auto result = bind_inputs(front_end.checked->program(), given, folder_.string(), sources, diagnostics);
    said_ = diagnostics.render(false);
    EXPECT_EQ(result.has_value(), !diagnostics.failed());
    return result;
  }
  std::int64_t size(const std::optional<BoundInputs>& bound, const std::string& name) const {
    return bound ? bound->bindings.sizes.at(name) : -1;
  }
  std::vector<double> values(const std::optional<BoundInputs>& bound, const std::string& name) const {
    std::vector<double> list;
    if (!bound) return list;
    const tensor::Entries entries = tensor::unpack(bound->bindings.tensors.at(name));
    for (std::int64_t i = 0; i < entries.count(); ++i) list.push_back(tensor::float_at(entries.values, i));
    return list;
  }
  void expect_said(const std::string& part) const { EXPECT_NE(said_.find(part), std::string::npos) << said_; }

  std::filesystem::path folder_;
  std::string said_;
};

const std::string copies = "tensor a(n)\ntensor y(n)\ny(i) = a(i)\n";
using List = std::vector<double>;

TEST_F(Binding, Defaults) {
  const auto bound = bind(copies + "default a = [1, 2.5, 4]\n");
  EXPECT_EQ(size(bound, "n"), 3);
  EXPECT_EQ(values(bound, "a"), (List{1, 2.5, 4}));
  EXPECT_EQ(bound->origin.at("a"), "[1, 2.5, 4]");
}

TEST_F(Binding, DefaultsFollowGivenSizes) {
  EXPECT_EQ(size(bind(copies + "default a = random(n=20, seed=1)\n"), "n"), 20);
  EXPECT_EQ(size(bind(copies + "default a = random(n=20, seed=1)\n", {{"n", "4"}}), "n"), 4);
  EXPECT_EQ(size(bind(copies + "default a = random(seed=1)\ndefault n = 7\n"), "n"), 7);
  EXPECT_EQ(size(bind(copies + "default a = random(seed=1)\ndefault n = 7\n", {{"n", "0"}}), "n"), 0);
}

TEST_F(Binding, GivenValuesReplaceDefaults) {
  EXPECT_EQ(values(bind(copies + "default a = [1, 2, 3]\n", {{"a", "[7, 8]"}}), "a"), (List{7, 8}));
  EXPECT_EQ(values(bind("tensor s\ntensor y\ny = s\ndefault s = 1\n", {{"s", "-2.5"}}), "s"), List{-2.5});
  EXPECT_EQ(values(bind("tensor s: bool\ntensor y: bool\ny = s\n", {{"s", "true"}}), "s"), List{1});
  const auto generated = bind(copies + "default n = 9\n", {{"a", "ones:n=4"}});
  EXPECT_EQ(size(generated, "n"), 4) << said_; // data given by the caller is stronger than a default
}

TEST_F(Binding, Files) {
  const std::string column = file("column.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  const std::string row = file("row.mtx", "%%MatrixMarket matrix coordinate real general\n1 4 2\n1 2 5\n1 4 6\n");
  file("default.mtx", "%%MatrixMarket matrix array real general\n2 1\n8\n9\n");
  EXPECT_EQ(values(bind(copies, {{"a", column}}), "a"), (List{1, 2, 3}));
  EXPECT_EQ(values(bind(copies, {{"a", row}}), "a"), (List{0, 5, 0, 6}));
  EXPECT_EQ(values(bind(copies + "default a = \"default.mtx\"\n"), "a"), (List{8, 9})); // beside the program
}

// Matrix Market has no vectors, so a matrix of one column stands for one. NumPy has them, so there it does not.
TEST_F(Binding, Columns) {
  Sources sources;
  Diagnostics diagnostics(sources);
  auto column = tensor::zeros({3, 1}, tensor::ValueType::f64, "c", diagnostics);
  std::get<std::vector<double>>(column->values) = {4, 5, 6};
  const std::string path = (folder_ / "column.npy").string();
  ASSERT_TRUE(tensor::write(path, *column, diagnostics)) << diagnostics.render(false);
  EXPECT_FALSE(bind(copies, {{"a", path}}));
  expect_said("expected a vector, found a 3 x 1 tensor");
  EXPECT_EQ(size(bind(copies, {{"a", file("empty.mtx", "%%MatrixMarket matrix array real general\n0 1\n")}}), "n"), 0)
      << said_;
}

TEST_F(Binding, Types) {
  const std::string whole = "tensor a(n): i32\ntensor y(n): i32\ny(i) = a(i)\n";
  EXPECT_EQ(values(bind(whole, {{"a", "[1, -2]"}}), "a"), (List{1, -2}));
  EXPECT_FALSE(bind(whole, {{"a", "[1, 2.5]"}}));
  expect_said("not whole");
  EXPECT_FALSE(bind(whole, {{"a", "[1, 3000000000]"}}));
  EXPECT_FALSE(bind(whole, {{"a", file("real.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2.5\n")}}));
}

TEST_F(Binding, Mistakes) {
  EXPECT_FALSE(bind(copies));
  expect_said("input `a` is not given");
  EXPECT_FALSE(bind(copies, {{"y", "[1]"}}));
  expect_said("`y` is an output");
  EXPECT_FALSE(bind(copies, {{"q", "[1]"}}));
  expect_said("no input or size `q`");
  EXPECT_FALSE(bind(copies, {{"a", "[1]"}, {"a", "[2]"}}));
  expect_said("given twice");
  EXPECT_FALSE(bind(copies, {{"a", "no_such_file.mtx"}}));
  EXPECT_FALSE(bind(copies, {{"a", "data.csv"}}));
  expect_said("ending");
  EXPECT_FALSE(bind(copies, {{"a", "[[1], [2, 3]]"}}));
  EXPECT_FALSE(bind(copies, {{"a", "[[1, 2], [3, 4]]"}}));
  EXPECT_FALSE(bind(copies, {{"a", "[1, 2]"}, {"n", "3"}}));
  EXPECT_FALSE(bind(copies, {{"a", "[1, 2]"}, {"n", "x"}}));
  EXPECT_FALSE(bind(copies, {{"a", "[1, 2]"}, {"n", "2.5"}}));
  expect_said("whole number");
  EXPECT_FALSE(bind(copies, {{"a", "[1, 2]"}, {"n", ""}}));
  EXPECT_FALSE(bind(copies, {{"a", ""}}));
  EXPECT_FALSE(bind(copies, {{"a", "1\ntensor z"}}));
  EXPECT_FALSE(bind(copies, {{"a", "nonsense:n=3"}}));
  EXPECT_FALSE(bind("assume 3 <= n\n" + copies, {{"a", "[1, 2]"}}));
  expect_said("does not hold");
}

TEST_F(Binding, SizesThatNothingFixes) {
  EXPECT_FALSE(bind("tensor y(n)\ny(i) = 1\n"));
  expect_said("the size `n` is not known");
  EXPECT_EQ(size(bind("tensor y(n)\ny(i) = 1\n", {{"n", "5"}}), "n"), 5);
  EXPECT_FALSE(bind("tensor y(n)\ny(i) = 1\n", {{"n", "-5"}}));
  EXPECT_FALSE(bind("tensor y(n)\ny(i) = 1\n", {{"n", "9999999999999"}}));
  EXPECT_FALSE(bind("tensor y(n)\ny(i) = 1\n", {{"n", "99999999999999999999999"}}));
}

// One generator may bring the size that another waits for, in either order.
TEST_F(Binding, GeneratorsWaitForEachOther) {
  const std::string two = "tensor a(n)\ntensor b(n)\ntensor y(n)\ny(i) = a(i) + b(i)\n";
  EXPECT_EQ(size(bind(two + "default a = random(seed=1)\ndefault b = random(n=6, seed=2)\n"), "n"), 6) << said_;
  EXPECT_EQ(size(bind(two + "default b = random(n=6, seed=2)\ndefault a = random(seed=1)\n"), "n"), 6) << said_;
  EXPECT_EQ(size(bind(two + "default a = random(n=5, seed=1)\ndefault b = random(n=6, seed=2)\n"), "n"), 5)
      << said_; // the first decides
}

} // namespace
} // namespace cyclotron::driver
