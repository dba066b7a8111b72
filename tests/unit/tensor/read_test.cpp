// SPDX-License-Identifier: MIT
// Every kind of file that is read, against what it says when read by hand.
#include "numpy_bytes.hpp"
#include "scratch.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace cyclotron::tensor {
namespace {

using Reals = std::vector<double>;
using Sizes = std::vector<std::int64_t>;

struct MatrixCase {
  std::string header;
  std::string body;
  ValueType type;
  Sizes dims;
  Reals elements; // row-major
};

const MatrixCase matrix_cases[] = {
    {"coordinate real general", "2 3 3\n1 1 1.5\n2 3 -2\n1 3 4e1\n", ValueType::f64, {2, 3}, {1.5, 0, 40, 0, 0, -2}},
    {"coordinate double general", "1 1 1\n1 1 .5\n", ValueType::f64, {1, 1}, {0.5}},
    {"coordinate real symmetric", "2 2 2\n1 1 1\n2 1 5\n", ValueType::f64, {2, 2}, {1, 5, 5, 0}},
    {"coordinate real skew-symmetric", "2 2 1\n2 1 5\n", ValueType::f64, {2, 2}, {0, -5, 5, 0}},
    {"coordinate integer general", "2 2 2\n1 2 7\n2 1 -3\n", ValueType::i64, {2, 2}, {0, 7, -3, 0}},
    {"coordinate integer symmetric", "2 2 2\n2 1 7\n2 2 1\n", ValueType::i64, {2, 2}, {0, 7, 7, 1}},
    {"coordinate integer skew-symmetric", "2 2 1\n2 1 7\n", ValueType::i64, {2, 2}, {0, -7, 7, 0}},
    {"coordinate pattern general", "2 2 2\n1 2\n2 2\n", ValueType::boolean, {2, 2}, {0, 1, 0, 1}},
    {"coordinate pattern symmetric", "2 2 2\n2 1\n1 1\n", ValueType::boolean, {2, 2}, {1, 1, 1, 0}},
    {"coordinate complex general", "1 2 1\n1 2 3 -4\n", ValueType::f64, {1, 2, 2}, {0, 0, 3, -4}},
    {"coordinate complex symmetric", "2 2 1\n2 1 3 -4\n", ValueType::f64, {2, 2, 2}, {0, 0, 3, -4, 3, -4, 0, 0}},
    {"coordinate complex skew-symmetric", "2 2 1\n2 1 3 -4\n", ValueType::f64, {2, 2, 2}, {0, 0, -3, 4, 3, -4, 0, 0}},
    {"coordinate complex hermitian",
     "2 2 2\n2 1 3 -4\n1 1 2 0\n",
     ValueType::f64,
     {2, 2, 2},
     {2, 0, 3, 4, 3, -4, 0, 0}},
    {"array real general", "2 3\n1\n2\n3\n4\n5\n6\n", ValueType::f64, {2, 3}, {1, 3, 5, 2, 4, 6}},
    {"array real symmetric", "2 2\n1\n2\n3\n", ValueType::f64, {2, 2}, {1, 2, 2, 3}},
    {"array real skew-symmetric", "3 3\n1\n2\n3\n", ValueType::f64, {3, 3}, {0, -1, -2, 1, 0, -3, 2, 3, 0}},
    {"array integer general", "2 2\n1 2\n3 4\n", ValueType::i64, {2, 2}, {1, 3, 2, 4}},
    {"array integer symmetric", "2 2\n1\n2\n3\n", ValueType::i64, {2, 2}, {1, 2, 2, 3}},
    {"array integer skew-symmetric", "2 2\n9\n", ValueType::i64, {2, 2}, {0, -9, 9, 0}},
    {"array complex general", "2 1\n1 2\n3 4\n", ValueType::f64, {2, 1, 2}, {1, 2, 3, 4}},
    {"array complex symmetric", "2 2\n1 2\n3 4\n5 6\n", ValueType::f64, {2, 2, 2}, {1, 2, 3, 4, 3, 4, 5, 6}},
    {"array complex skew-symmetric", "2 2\n3 4\n", ValueType::f64, {2, 2, 2}, {0, 0, -3, -4, 3, 4, 0, 0}},
    {"array complex hermitian", "2 2\n1 0\n3 4\n5 0\n", ValueType::f64, {2, 2, 2}, {1, 0, 3, -4, 3, 4, 5, 0}},
    {"coordinate real general", "0 0 0\n", ValueType::f64, {0, 0}, {}},
    {"array real general", "0 3\n", ValueType::f64, {0, 3}, {}},
    {"array real general", "0 9223372036854775807\n", ValueType::f64, {0, 9223372036854775807}, {}},
    {"array real symmetric", "0 0\n", ValueType::f64, {0, 0}, {}},
    {"array real skew-symmetric", "1 1\n", ValueType::f64, {1, 1}, {0}},
};

TEST(MatrixMarket, EveryHeader) {
  for (const MatrixCase& c : matrix_cases) {
    const std::string text = "%%MatrixMarket matrix " + c.header + "\n" + c.body;
    for (const Entries& entries : {read_bytes("a.mtx", text), read_bytes("a.mtx.gz", gzipped(text))}) {
      EXPECT_EQ(type_of(entries.values), c.type) << text;
      EXPECT_EQ(entries.dims, c.dims) << text;
      EXPECT_EQ(dense_view(entries), c.elements) << text;
    }
  }
}

TEST(MatrixMarket, LayoutIsFree) {
  const Entries entries = read_bytes("a.mtx", "%%matrixmarket MATRIX Coordinate REAL general\r\n"
                                              "% a comment\r\n\r\n  %another\n"
                                              "\t2 2\t3  \r\n\n1 1 1\r\n% between\n  2 1   2\n1 2 3");
  EXPECT_EQ(dense_view(entries), (Reals{1, 3, 2, 0}));
}

TEST(MatrixMarket, Numbers) {
  const Entries entries = read_bytes("a.mtx", "%%MatrixMarket matrix array real general\n9 1\n1.0D+03\n+2\n-1d-1\ninf\n"
                                              "-Infinity\nNaN\n1e-400\n4.9e-324\n+.5E2\n");
  const auto& values = std::get<std::vector<double>>(entries.values);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Reals(values.begin(), values.begin() + 5), (Reals{1000, 2, -0.1, infinity, -infinity}));
  EXPECT_TRUE(std::isnan(values[5]));
  EXPECT_EQ(Reals(values.begin() + 6, values.end()), (Reals{0, 4.9e-324, 50}));
}

TEST(MatrixMarket, RepeatedEntriesAreSummed) {
  Report report;
  Entries entries = read_bytes("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 2\n1 1 3\n");
  EXPECT_EQ(entries.count(), 2);
  EXPECT_EQ(dense_view(*pack(entries, *format_named("csr", 2), report.diagnostics)), Reals{5});
}

TEST(MatrixMarket, ColumnAsVector) {
  const std::string sparse = "%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 5\n";
  EXPECT_EQ(read_bytes("a.mtx", sparse).dims, (Sizes{3, 1}));
  EXPECT_EQ(read_bytes("a.mtx", sparse, {-1}).dims, Sizes{3});
  EXPECT_EQ(dense_view(read_bytes("a.mtx", sparse, {3})), (Reals{0, 5, 0}));
  const std::string row = "%%MatrixMarket matrix coordinate real general\n1 3 1\n1 2 5\n";
  EXPECT_EQ(dense_view(read_bytes("a.mtx", row, {3})), (Reals{0, 5, 0}));
  const std::string dense = "%%MatrixMarket matrix array real general\n2 1\n4\n5\n";
  EXPECT_EQ(dense_view(read_bytes("a.mtx", dense, {2})), (Reals{4, 5}));
  const std::string single = "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n";
  EXPECT_EQ(dense_view(read_bytes("a.mtx", single, {1})), Reals{5});
}

TEST(Frostt, RankAndSizesFromTheEntries) {
  const std::string text = "# comment\n\n1 2 3 1.5\n2 1 1 -2\n  # more\n2 1 1 1D0";
  for (const Entries& entries : {read_bytes("a.tns", text), read_bytes("a.tns.gz", gzipped(text))}) {
    EXPECT_EQ(entries.dims, (Sizes{2, 2, 3}));
    EXPECT_EQ(type_of(entries.values), ValueType::f64);
    EXPECT_EQ(dense_view(entries), (Reals{0, 0, 0, 0, 0, 1.5, -1, 0, 0, 0, 0, 0}));
  }
}

TEST(Frostt, KnownSizes) {
  EXPECT_EQ(read_bytes("a.tns", "1 1 1\n", {3, -1}).dims, (Sizes{3, 1}));
  EXPECT_EQ(read_bytes("a.tns", "# nothing\n", {3, 4}).dims, (Sizes{3, 4}));
  EXPECT_EQ(read_bytes("a.tns", "5 2\n").dims, Sizes{5});
}

TEST(Numpy, EveryType) {
  struct Case {
    std::string type;
    std::string bytes;
    ValueType value_type;
    Reals elements;
  };
  const std::string minus_two_le("\xfe\xff\xff\xff", 4), minus_two_be("\xff\xff\xff\xfe", 4);
  const Case cases[] = {
      {"<f8", std::string("\0\0\0\0\0\0\xf8\x3f", 8), ValueType::f64, {1.5}},
      {">f8", std::string("\x3f\xf8\0\0\0\0\0\0", 8), ValueType::f64, {1.5}},
      {"=f8", std::string("\0\0\0\0\0\0\xf8\x3f", 8), ValueType::f64, {1.5}},
      {"<f4", std::string("\0\0\xc0\x3f", 4), ValueType::f32, {1.5}},
      {">f4", std::string("\x3f\xc0\0\0", 4), ValueType::f32, {1.5}},
      {"<i4", minus_two_le, ValueType::i32, {-2}},
      {">i4", minus_two_be, ValueType::i32, {-2}},
      {"<i8", minus_two_le + "\xff\xff\xff\xff", ValueType::i64, {-2}},
      {">i8", "\xff\xff\xff\xff" + minus_two_be, ValueType::i64, {-2}},
      {"|i1", "\xfe", ValueType::i32, {-2}},
      {"<i2", "\xfe\xff", ValueType::i32, {-2}},
      {">i2", "\xff\xfe", ValueType::i32, {-2}},
      {"|u1", "\xfe", ValueType::i32, {254}},
      {"<u2", "\xfe\xff", ValueType::i32, {65534}},
      {">u2", "\xff\xfe", ValueType::i32, {65534}},
      {"<u4", minus_two_le, ValueType::i64, {4294967294}},
      {">u4", minus_two_be, ValueType::i64, {4294967294}},
      {"|b1", "\x01", ValueType::boolean, {1}},
      {"?", "\x02", ValueType::boolean, {1}},
  };
  for (const Case& c : cases)
    for (int version : {1, 2, 3}) {
      const std::string bytes = numpy_bytes(c.type, false, "(1,)", c.bytes, version);
      for (const Entries& entries : {read_bytes("a.npy", bytes), read_bytes("a.npy.gz", gzipped(bytes))}) {
        EXPECT_EQ(type_of(entries.values), c.value_type) << c.type;
        EXPECT_EQ(entries.dims, Sizes{1});
        EXPECT_EQ(dense_view(entries), c.elements) << c.type;
      }
    }
}

TEST(Numpy, Shapes) {
  const std::string six = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(dense_view(read_bytes("a.npy", numpy_bytes("|i1", false, "(2, 3)", six))), (Reals{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(dense_view(read_bytes("a.npy", numpy_bytes("|i1", true, "(2, 3)", six))), (Reals{1, 3, 5, 2, 4, 6}));
  const Entries cube = read_bytes("a.npy", numpy_bytes("|i1", true, "(1, 2, 3)", six));
  EXPECT_EQ(cube.dims, (Sizes{1, 2, 3}));
  EXPECT_EQ(dense_view(cube), (Reals{1, 3, 5, 2, 4, 6}));
  const Entries scalar = read_bytes("a.npy", numpy_bytes("|i1", false, "()", "\x07"));
  EXPECT_EQ(scalar.dims, Sizes{});
  EXPECT_EQ(dense_view(scalar), Reals{7});
  EXPECT_EQ(read_bytes("a.npy", numpy_bytes("<f8", false, "(3, 0)", "")).dims, (Sizes{3, 0}));
  EXPECT_EQ(read_bytes("a.npy", numpy_bytes("<f8", false, "(4611686018427387904, 4611686018427387904, 0)", "")).count(),
            0);
}

// What `read` says and finds, from the first lines where they tell.
TEST(ReadDims, AreThoseOfTheWhole) {
  const ScratchFolder folder;
  const std::string matrix = "%%MatrixMarket matrix coordinate real general\n3 1 1\n2 1 5\n";
  const std::pair<std::string, std::string> files[] = {
      {"a.mtx", matrix},
      {"b.mtx.gz", gzipped(matrix)},
      {"c.mtx", "%%MatrixMarket matrix array complex general\n1 1\n1 2\n"},
      {"d.mtx", "%%MatrixMarket matrix"},
      {"e.npy", numpy_bytes("<f8", true, "(2, 1)", std::string(16, '\0'))},
      {"f.npy", numpy_bytes("<f8", true, "(2, 1)", std::string(15, '\0'))},
      {"g.npy", "x"},
      {"h.tns", "2 3 1.5\n1 7 2\n"},
      {"i.tns", ""},
      {"j.tns", "2 x 1\n"},
      {"k.txt", ""},
  };
  for (const auto& [name, bytes] : files)
    for (const Sizes& known : {Sizes{}, Sizes{-1}, Sizes{-1, -1}, Sizes{3, -1}}) {
      const std::string path = folder.put(name, bytes);
      Report whole, dims;
      const auto entries = read(path, {known}, whole.diagnostics);
      const auto found = read_dims(path, {known}, dims.diagnostics);
      EXPECT_EQ(dims.text(), whole.text());
      EXPECT_EQ(found.value_or(Sizes{-7}), entries ? entries->dims : Sizes{-7}) << name;
    }
  Report report;
  const std::string cut = folder.put("l.mtx", matrix.substr(0, 60)); // without its entry
  EXPECT_EQ(read_dims(cut, {}, report.diagnostics), (Sizes{3, 1}));
}

} // namespace
} // namespace cyclotron::tensor
