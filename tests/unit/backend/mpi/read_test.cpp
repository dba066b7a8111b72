// SPDX-License-Identifier: MIT
// Files read in parts hold, bit for bit, what one reader finds, and are refused in the same words.
#include "tensor/io.hpp"
#include "world.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace cyclotron::mpi {
namespace {

using tensor::ValueType;
using Sizes = std::vector<std::int64_t>;

std::string numpy_file(const std::string& type, bool fortran, const std::string& shape, const std::string& data) {
  const std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }\n";
  std::string bytes = "\x93NUMPY";
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return bytes + header + data;
}

// Bytes that are sensible numbers of that type: the low bytes count up, in the file's order.
std::string numpy_data(const std::string& type, std::int64_t count) {
  const int size = type[2] - '0';
  std::string data;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto value = static_cast<double>(i % 100) - (type[1] == 'u' || type[1] == 'b' ? 0 : 50);
    std::string bytes(8, '\0');
    if (type[1] == 'f' && size == 8) std::memcpy(bytes.data(), &value, 8);
    const auto narrow = static_cast<float>(value / 3);
    if (type[1] == 'f' && size == 4) std::memcpy(bytes.data(), &narrow, 4);
    const auto whole = static_cast<std::int64_t>(type[1] == 'b' ? i % 3 == 0 : value);
    if (type[1] != 'f') std::memcpy(bytes.data(), &whole, 8);
    bytes.resize(static_cast<std::size_t>(size));
    if (type[0] == '>') std::reverse(bytes.begin(), bytes.end());
    data += bytes;
  }
  return data;
}

std::int64_t product(const Sizes& dims) {
  std::int64_t count = 1;
  for (std::int64_t size : dims) count *= size;
  return count;
}

TEST(ReadNumpy, EveryTypeAndOrder) {
  const SharedFolder folder;
  std::uint64_t seed = 0;
  for (const std::string type : {"<f8", "<f4", "<i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "|b1", ">f8", ">i4"})
    for (bool fortran : {false, true}) {
      SCOPED_TRACE(type);
      const std::string bytes = numpy_file(type, fortran, "(7, 11)", numpy_data(type, 77));
      const std::string plain = folder.put("a.npy", bytes), packed = folder.put("b.npy.gz", gzipped(bytes));
      for (ValueType wanted : {ValueType::f64, ValueType::f32, ValueType::i64, ValueType::i32, ValueType::boolean}) {
        expect_like_sequential(plain, {"A", {7, 11}, wanted}, {}, 8, ++seed);
        expect_like_sequential(packed, {"A", {7, 11}, wanted}, {.elements = 5}, 8, ++seed);
      }
    }
}

TEST(ReadNumpy, EveryShape) {
  const SharedFolder folder;
  const std::pair<const char*, Sizes> shapes[] = {
      {"()", {}},
      {"(0,)", {0}},
      {"(1,)", {1}},
      {"(13,)", {13}},
      {"(3, 0)", {3, 0}},
      {"(1, 9)", {1, 9}},
      {"(9, 1)", {9, 1}},
      {"(3, 4, 5)", {3, 4, 5}},
      {"(2, 1, 3, 2)", {2, 1, 3, 2}},
  };
  for (const auto& [text, dims] : shapes)
    for (bool fortran : {false, true}) {
      SCOPED_TRACE(text);
      const std::string path = folder.put("a.npy", numpy_file("<f8", fortran, text, numpy_data("<f8", product(dims))));
      for (std::uint64_t seed = 1; seed < 6; ++seed)
        expect_like_sequential(path, {"A", dims, ValueType::f64}, {}, 1 + static_cast<int>(seed), seed);
    }
}

TEST(ReadNumpy, RefusesInTheSameWords) {
  const SharedFolder folder;
  const std::string good = numpy_file("<f8", false, "(4, 3)", numpy_data("<f8", 12));
  const std::string files[] = {
      "",
      "not numpy",
      good.substr(0, 20),
      good.substr(0, good.size() - 1),
      good.substr(0, good.size() - 90),
      good + "x",
      numpy_file("<c16", false, "(4, 3)", ""),
      numpy_file("<f8", false, "(3, 4)", numpy_data("<f8", 12)),
      numpy_file("<f8", false, "(12,)", numpy_data("<f8", 12)),
  };
  for (const std::string& bytes : files) {
    expect_like_sequential(folder.put("a.npy", bytes), {"A", {4, 3}, ValueType::f64});
    expect_like_sequential(folder.put("b.npy.gz", gzipped(bytes)), {"A", {4, 3}, ValueType::f64});
  }
  const std::string cut = gzipped(good);
  expect_like_sequential(folder.put("c.npy.gz", cut.substr(0, cut.size() - 12)), {"A", {4, 3}, ValueType::f64});
  expect_like_sequential(folder.path("d.npy"), {"A", {4, 3}, ValueType::f64});
  const std::string fraction = numpy_file("<f4", false, "(1,)", numpy_data("<f4", 1));
  expect_like_sequential(folder.put("e.npy", fraction), {"A", {1}, ValueType::i32});
  Report report;
  EXPECT_FALSE(read(folder.put("f.npy", fraction), {"s", {}, ValueType::f64}, {}, MPI_COMM_WORLD, report.diagnostics));
  EXPECT_EQ(report.text(), "error: `s` has 0 dimensions, but `s` (" + folder.path("f.npy") + ") has 1 (1)\n");
}

// Entries that repeat must be summed in the order of the file: three of one element show where they are not.
std::string coordinate_file(const std::string& field, const std::string& symmetry, int rows, int columns) {
  std::string text;
  int entries = 0;
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) {
      const bool listed = symmetry == "general" || i > j || (i == j && symmetry != "skew-symmetric");
      for (int again = 0; listed && again < ((i + 3 * j) % 4 == 0 ? 3 : (i + j) % 2); ++again, ++entries) {
        text += fmt::format("{}{} {}", entries % 5 == 0 ? "  " : "", i + 1, j + 1);
        if (field == "real") text += fmt::format(" {}", (again == 1 ? 1e16 : 1) * (i - 0.3 * j + 1));
        if (field == "integer") text += fmt::format(" {}", i - 2 * j);
        if (field == "complex") text += fmt::format(" {} {}", i, symmetry == "hermitian" && i == j ? 0 : j + 0.5);
        text += entries % 7 == 0 ? "\r\n" : "\n";
        if (entries % 6 == 0) text += "% a comment\n\n";
      }
    }
  return fmt::format("%%MatrixMarket matrix coordinate {} {}\n% comment\n{} {} {}\n", field, symmetry, rows, columns,
                     entries) +
         text;
}

std::string array_file(const std::string& field, const std::string& symmetry, int rows, int columns) {
  std::string text = fmt::format("%%MatrixMarket matrix array {} {}\n{} {}\n", field, symmetry, rows, columns);
  int count = 0;
  for (int j = 0; j < columns; ++j)
    for (int i = symmetry == "general" ? 0 : symmetry == "skew-symmetric" ? j + 1 : j; i < rows; ++i, ++count) {
      if (field == "real") text += fmt::format("{}", i - 0.1 * j);
      if (field == "integer") text += fmt::format("{}", i * 10 + j);
      if (field == "complex") text += fmt::format("{} {}", i, symmetry == "hermitian" && i == j ? 0 : j + 1);
      text += count % 3 == 0 ? " " : "\n";
    }
  return text;
}

const Limits small_limits[] = {{}, {.text = 1, .elements = 1}, {.text = 7, .elements = 4}, {.text = 100}};

TEST(ReadMatrixMarket, EveryFieldAndSymmetry) {
  const SharedFolder folder;
  std::uint64_t seed = 0;
  for (const std::string field : {"real", "integer", "complex", "pattern"})
    for (const std::string symmetry : {"general", "symmetric", "skew-symmetric", "hermitian"})
      for (bool coordinate : {true, false}) {
        if (field == "pattern" && (!coordinate || symmetry == "skew-symmetric")) continue;
        if (field != "complex" && symmetry == "hermitian") continue;
        SCOPED_TRACE(field + " " + symmetry + (coordinate ? " coordinate" : " array"));
        const std::string bytes =
            coordinate ? coordinate_file(field, symmetry, 9, 9) : array_file(field, symmetry, 9, 9);
        const std::string path = folder.put("a.mtx", bytes), packed = folder.put("b.mtx.gz", gzipped(bytes));
        const Sizes dims = field == "complex" ? Sizes{9, 9, 2} : Sizes{9, 9};
        for (const Limits& limits : {Limits{}, Limits{.text = 40, .elements = 9}})
          for (const std::string& file : {path, packed})
            for (ValueType type : {ValueType::f64, ValueType::boolean})
              expect_like_sequential(file, {"A", dims, type}, limits, 6, ++seed);
      }
}

TEST(ReadMatrixMarket, EverySize) {
  const SharedFolder folder;
  const std::pair<int, int> sizes[] = {{0, 0}, {0, 3}, {3, 0}, {1, 1}, {1, 8}, {8, 1}, {5, 12}};
  for (const auto& [rows, columns] : sizes)
    for (bool coordinate : {true, false}) {
      const std::string bytes =
          coordinate ? coordinate_file("real", "general", rows, columns) : array_file("real", "general", rows, columns);
      const std::string path = folder.put("a.mtx", bytes);
      const std::string unended = folder.put("b.mtx", bytes.substr(0, bytes.find_last_not_of("\r\n") + 1));
      for (const Limits& limits : small_limits) {
        expect_like_sequential(path, {"A", {rows, columns}, ValueType::f64}, limits);
        expect_like_sequential(unended, {"A", {rows, columns}, ValueType::f32}, limits);
        if (rows == 1 || columns == 1) expect_like_sequential(path, {"x", {rows * columns}, ValueType::f64}, limits);
        expect_like_sequential(path, {"A", {rows, columns + 1}, ValueType::f64}, limits);
      }
    }
}

TEST(ReadMatrixMarket, RefusesInTheSameWords) {
  const SharedFolder folder;
  const std::string head = "%%MatrixMarket matrix coordinate real general\n% c\n3 3 4\n";
  const std::string skew = "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 1\n";
  const std::string files[] = {
      "",
      "%%MatrixMarket matrix koordinate real general\n",
      "%%MatrixMarket matrix coordinate real general\n3 3\n",
      "%%MatrixMarket matrix coordinate real general\n3 4 1\n1 1 1\n",
      head,
      head + "1 1 1\n2 2 2\n3 3 3\n",
      head + "1 1 1\n2 2 2\n3 3 3\n1 3 4\n\n% c\n2 3 5\n",
      head + "1 1 1\n2 2 x\n3 3 3\n1 3 y\n",
      head + "1 1 1\n2 2 1\n3 3 3\n1 4 4\n",
      head + "1 1 1\n2 2 1\n3 3\n1 3 4\n",
      head + "1 1 1\n2 2 1\n3 3 1 7\n1 3 4\n",
      head + "1 1 1\n2 2 1\n\n\n0 3 1\n",
      skew + "1 2 3\n",
      skew + "2 1 -9223372036854775808\n",
      "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 1 9223372036854775807\n1 1 1\n",
      "%%MatrixMarket matrix array real general\n3 3\n1 2 3\n4 5 6\n7 8\n",
      "%%MatrixMarket matrix array real general\n3 3\n1 2 3\n4 5 6\n7 8\n9 10\n",
      "%%MatrixMarket matrix array real general\n3 3\n1 2 3\n4 5 6\n7 z\n9\n",
      "%%MatrixMarket matrix array complex general\n3 3\n1 2 3\n",
  };
  for (const std::string& bytes : files)
    for (const Limits& limits : small_limits) {
      SCOPED_TRACE(bytes);
      expect_like_sequential(folder.put("a.mtx", bytes), {"A", {3, 3}, ValueType::f64}, limits);
      expect_like_sequential(folder.put("b.mtx.gz", gzipped(bytes)), {"A", {3, 3}, ValueType::f64}, limits);
    }
  expect_like_sequential(folder.put("c.mtx", head + "1 1 1\n2 2 0.5\n3 3 3\n1 3 4\n"), {"A", {3, 3}, ValueType::i32});
  expect_like_sequential(folder.put("d.mtx", std::string(std::size_t{17} << 20, 'x')), {"A", {3, 3}, ValueType::f64});
  expect_like_sequential(folder.put("e.mtx", head + "1 1 1\n2 2 2\n" + std::string(std::size_t{17} << 20, '7')),
                         {"A", {3, 3}, ValueType::f64});
}

TEST(ReadFrostt, InParts) {
  const SharedFolder folder;
  std::string text = "# a comment\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{} {} {} {}\n", i % 4 + 1, i % 3 + 1, i % 5 + 1, 0.1 * i - 2);
  const std::string files[] = {text, "", "# nothing\n", text + "1 1 1\n", text + "1 1 6 1\n", "7\n" + text};
  for (const std::string& bytes : files)
    for (const Limits& limits : small_limits) {
      expect_like_sequential(folder.put("a.tns", bytes), {"T", {4, 3, 5}, ValueType::f64}, limits);
      expect_like_sequential(folder.put("b.tns.gz", gzipped(bytes)), {"T", {4, 3, 5}, ValueType::f32}, limits);
    }
}

TEST(Read, RealMatrices) {
  for (const auto& [name, dims] : {std::pair<const char*, Sizes>{"LFAT5", {14, 14}},
                                   {"bcsstk01", {48, 48}},
                                   {"cage5", {37, 37}},
                                   {"lpi_itest6", {11, 17}},
                                   {"west0067", {67, 67}}})
    for (const Limits& limits : {Limits{}, Limits{.text = 300}})
      expect_like_sequential(std::string(CYCLOTRON_TEST_MATRICES "/") + name + ".mtx", {"A", dims, ValueType::f64},
                             limits, 12);
}

TEST(Read, TilesOfFiles) {
  const SharedFolder folder;
  const std::string array = folder.put("a.npy", numpy_file("<f8", true, "(6, 8)", numpy_data("<f8", 48)));
  const std::string fraction = folder.put("f.npy", numpy_file("<f4", true, "(6, 8)", numpy_data("<f4", 48)));
  const std::string matrix = folder.put("a.mtx", coordinate_file("real", "general", 6, 8));
  for (const std::string& path : {array, fraction, matrix})
    for (ValueType type : {ValueType::f64, ValueType::f32, ValueType::i32})
      for (const Sizes& dims : {Sizes{3, 2, 2, 4}, Sizes{3, 2, 2, 5}}) {
        Report report;
        const auto recipe = tensor::parse_recipe("tiles(\"" + path + "\", 2, 4)", report.diagnostics);
        expect_like_sequential(*recipe, {"A", dims, type}, {}, 9);
      }
}

TEST(Read, FromMemory) {
  Report report;
  const auto recipe = tensor::parse_recipe("integers(-9, 9, density=0.5)", report.diagnostics);
  for (const char* format : {"dense", "csr", "coo", "csc"}) {
    auto entries = generate(*recipe, {{6, 7}, ValueType::f64, "A"}, report.diagnostics);
    const tensor::Tensor given = *pack(std::move(*entries), *tensor::format_named(format, 2), report.diagnostics);
    Report alone, together;
    const auto whole = convert(given, tensor::dense_format(2), alone.diagnostics);
    const Held held(random_boxes({6, 7}, 8, 3));
    ASSERT_TRUE(read(&given, {"A", {6, 7}, ValueType::f64}, held.parts, MPI_COMM_WORLD, together.diagnostics));
    expect_parts(held.parts, *whole);
    EXPECT_FALSE(read(&given, {"A", {6, 8}, ValueType::f64}, {}, MPI_COMM_WORLD, together.diagnostics));
    EXPECT_EQ(together.text(), "error: `A` is 6 x 7, not 6 x 8\n");
  }
}

TEST(Read, OnlyWhatIsNeeded) {
  const SharedFolder folder;
  const std::string path = folder.put("a.mtx", coordinate_file("real", "general", 9, 9));
  Report report;
  const auto whole = bind_sequentially(path, {"A", {9, 9}, ValueType::f64}, report.diagnostics);
  const Held held(world_rank() == 0 ? std::vector<Box>{{{2, 3}, {4, 2}}} : std::vector<Box>{});
  ASSERT_TRUE(read(path, {"A", {9, 9}, ValueType::f64}, held.parts, MPI_COMM_WORLD, report.diagnostics));
  expect_parts(held.parts, *whole);
}

// Every rank in a folder of its own, so that one name means different files.
class FolderPerRank {
public:
  FolderPerRank() : before_(std::filesystem::current_path()) {
    const std::string mine = folder_.path(std::to_string(world_rank()));
    std::filesystem::create_directory(mine);
    std::filesystem::current_path(mine);
  }
  ~FolderPerRank() { std::filesystem::current_path(before_); }
  void put(const std::string& name, const std::string& bytes) const { std::ofstream(name, std::ios::binary) << bytes; }

private:
  SharedFolder folder_;
  std::filesystem::path before_;
};

TEST(Read, RanksThatSeeDifferentFiles) {
  if (world_size() == 1) GTEST_SKIP() << "one rank sees one file";
  const FolderPerRank folder;
  const bool last = world_rank() == world_size() - 1;
  folder.put("a.npy", numpy_file(last ? "<f4" : "<f8", false, "(4, 3)", numpy_data(last ? "<f4" : "<f8", 12)));
  folder.put("a.mtx", coordinate_file("real", "general", 4, last ? 2 : 3));
  folder.put("b.mtx", coordinate_file("real", "general", 4, 3) + (last ? "% longer\n" : ""));
  if (!last) folder.put("c.npy", numpy_file("<f8", false, "(4, 3)", numpy_data("<f8", 12)));
  const auto message = [](const char* name) {
    Report report;
    EXPECT_FALSE(read(std::string(name), {"A", {4, 3}, ValueType::f64}, {}, MPI_COMM_WORLD, report.diagnostics));
    return report.text();
  };
  const std::string hint = "hint: all ranks must be given the same, and see the same files: use a file system that "
                           "the nodes share\n";
  EXPECT_EQ(message("a.npy"),
            fmt::format("error: `a.npy` is not the same on all ranks: rank 0 finds a 4 x 3 tensor of f64 in {} bytes, "
                        "rank {} finds a 4 x 3 tensor of f32 in {} bytes\n{}",
                        numpy_file("<f8", false, "(4, 3)", "").size() + 96, world_size() - 1,
                        numpy_file("<f4", false, "(4, 3)", "").size() + 48, hint));
  EXPECT_NE(message("a.mtx").find("expected a 4 x 3 tensor, found a 4 x 2 tensor"), std::string::npos);
  EXPECT_NE(message("b.mtx").find("error: `b.mtx` is not the same on all ranks: rank 0 finds coordinates of 4 x 3"),
            std::string::npos);
  EXPECT_NE(message("c.npy").find("error: no such file `c.npy`"), std::string::npos);
}

TEST(Read, RanksThatDisagreeOnTheTensor) {
  if (world_size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  const SharedFolder folder;
  const std::string path = folder.put("a.npy", numpy_file("<f8", false, "(4, 3)", numpy_data("<f8", 12)));
  Report report;
  const std::int64_t rows = world_rank() == 1 ? 5 : 4;
  EXPECT_FALSE(read(path, {"A", {rows, 3}, ValueType::f64}, {}, MPI_COMM_WORLD, report.diagnostics));
  EXPECT_EQ(report.text(), fmt::format("error: `A` is not the same on all ranks: rank 0 finds a 4 x 3 tensor of f64 "
                                       "from `{0}`, rank 1 finds a 5 x 3 tensor of f64 from `{0}`\n"
                                       "hint: all ranks must be given the same, and see the same files: use a file "
                                       "system that the nodes share\n",
                                       path));
}

TEST(Read, PartsThatAreWrong) {
  const SharedFolder folder;
  const std::string path = folder.put("a.mtx", coordinate_file("real", "general", 4, 3));
  const auto message = [&](const std::vector<Box>& boxes) {
    Report report;
    const Held held(boxes);
    EXPECT_FALSE(read(path, {"A", {4, 3}, ValueType::f64}, held.parts, MPI_COMM_WORLD, report.diagnostics));
    return report.text();
  };
  EXPECT_EQ(message({{{3, 0}, {2, 1}}}),
            "error: a part of (2, 1) elements from (3, 0) on does not lie in `A`, a 4 x 3 tensor of f64\n");
  const int last = world_size() - 1;
  std::vector<Box> boxes;
  if (world_rank() == 0) boxes.push_back({{0, 0}, {2, 2}});
  if (world_rank() == last) boxes.push_back({{1, 1}, {2, 2}});
  EXPECT_EQ(message(boxes), fmt::format("error: the element (1, 1) of `A` is in two parts, of rank 0 and of rank {}\n"
                                        "hint: every element belongs to one part of one rank\n",
                                        last));
}

} // namespace
} // namespace cyclotron::mpi
