// SPDX-License-Identifier: MIT
// Tensors from and to files.
#include "matrices.hpp"

#include <filesystem>
#include <fstream>
#include <functional>

namespace cyclotron::test {

namespace {

class FileTest : public testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string& name) const { return (folder / name).string(); }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return path(name);
  }
  // The message without the folder of this run.
  std::string refused(const std::function<void()>& f) const {
    std::string message = message_of(f);
    for (std::size_t at; (at = message.find(folder.string() + "/")) != std::string::npos;)
      message.erase(at, folder.string().size() + 1);
    return message;
  }

  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) /
      (std::string("cyclotron_") + testing::UnitTest::GetInstance()->current_test_info()->name());
};

const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 2\n2 1 -1\n2 2 4\n3 3 3\n";

TEST_F(FileTest, SparseMatrix) {
  for (const int bits : {32, 64}) {
    const Output a = read(file("a.mtx", symmetric), csr, {.index_bits = bits});
    EXPECT_EQ(a.name(), "a.mtx");
    EXPECT_EQ(a.format(), "csr");
    EXPECT_EQ(a.dims(), (std::vector<std::int64_t>{3, 3}));
    EXPECT_EQ(a.index_bits(), bits);
    EXPECT_EQ(a.positions(1), (std::vector<std::int64_t>{0, 2, 4, 5}));
    EXPECT_EQ(a.coordinates(1), (std::vector<std::int64_t>{0, 1, 0, 1, 2}));
    EXPECT_EQ(std::vector<double>(a.values<double>().begin(), a.values<double>().end()),
              (std::vector<double>{2, -1, -1, 4, 3}));
    const Kernel kernel =
        Program::from_text("tensor A(n, n): csr\ntensor y(n)\ny(i) = sum[j](A(i,j))\n").compile(quick());
    EXPECT_EQ(kernel({{"A", a.view()}})["y"].at(1), 3);
  }
}

TEST_F(FileTest, DenseAndOtherTypes) {
  const Output a = read(file("a.mtx", symmetric), dense, {.type = i32});
  EXPECT_EQ(a.format(), "dense");
  EXPECT_EQ(a.type(), i32);
  EXPECT_EQ(a.stored(), 9);
  EXPECT_EQ(a.at(0, 1), -1);
  EXPECT_EQ(a.at(2, 0), 0);
}

TEST_F(FileTest, ColumnAsVector) {
  const std::string column = file("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  EXPECT_EQ(read(column).dims(), (std::vector<std::int64_t>{3, 1}));
  const Output b = read(column, dense, {.dims = {-1}});
  EXPECT_EQ(b.dims(), (std::vector<std::int64_t>{3}));
  EXPECT_EQ(b.at(2), 3);
}

TEST_F(FileTest, DimensionsOfFrostt) {
  const std::string list = file("t.tns", "1 1 1 5\n2 3 1 7\n");
  EXPECT_EQ(read(list, csf).dims(), (std::vector<std::int64_t>{2, 3, 1}));
  EXPECT_EQ(read(list, csf, {.dims = {4, 4, 4}}).dims(), (std::vector<std::int64_t>{4, 4, 4}));
}

TEST_F(FileTest, WritesViewsAndOutputs) {
  const std::vector<std::int32_t> positions{0, 1, 2}, columns{2, 0};
  const std::vector<float> values{1.5, 2.5};
  write(path("v.mtx"), csr_view(2, 3, positions, columns, values));
  const Output v = read(path("v.mtx"), csc, {.type = f32});
  EXPECT_EQ(v.coordinates(1), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(v.at(0, 2), 1.5);
  for (const char* name : {"w.mtx", "w.npy", "w.tns", "w.mtx.gz"}) {
    write(path(name), v);
    EXPECT_EQ(read(path(name), dense, {.dims = {2, 3}}).at(1, 0), 2.5) << name;
  }
}

TEST_F(FileTest, Errors) {
  EXPECT_EQ(refused([&] { read(path("none.mtx")); }), "no such file `none.mtx`");
  EXPECT_EQ(refused([&] { read(path("a.csv")); }),
            "expected a file ending that says the kind of `a.csv`, found `.csv`");
  const std::string a = file("a.mtx", symmetric);
  EXPECT_EQ(refused([&] { read(a, csr, {.index_bits = 16}); }), "index arrays have 32 or 64 bits, not 16");
  EXPECT_EQ(refused([&] { read(file("t.tns", "1 1 1 5\n"), csr); }),
            "`t.tns` holds a tensor of 3 dimensions, which cannot be csr");
  EXPECT_EQ(refused([&] {
              read(file("h.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0.5\n"), csr,
                   {.type = i32});
            }),
            "the value `0.5` at (0, 0) cannot be stored as i32");
  try {
    read(file("broken.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 7\n"), csr);
    FAIL() << "it is read";
  } catch (const Error& error) {
    EXPECT_EQ(error.line(), 3);
  }
  const std::vector<std::int32_t> positions{0, 1, 2}, columns{5, 0};
  const std::vector<double> values{1, 2};
  EXPECT_EQ(refused([&] { write(path("v.mtx"), csr_view(2, 3, positions, columns, values)); }),
            "the view for `v.mtx`: level 2 (compressed): coordinate 5 at position 0 is outside 0 … 2");
  EXPECT_EQ(refused([&] { write(path("nowhere/v.mtx"), view(values)); }),
            "cannot write `nowhere/v.mtx`: there is no folder `nowhere`");
  EXPECT_FALSE(std::filesystem::exists(path("v.mtx")));
}

} // namespace

} // namespace cyclotron::test
