// SPDX-License-Identifier: MIT
// What is said about FROSTT and NumPy files that are wrong, and files that cannot be read, shown whole.
#include "numpy_bytes.hpp"
#include "scratch.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace cyclotron::tensor {
namespace {

const WrongFile wrong_tensors[] = {
    {"", "error: the file is empty\n"
         "  --> a.tns\n"
         "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
    {"# nothing\n", "error: expected at least one entry, found the end of the file\n"
                    "  --> a.tns:1\n"
                    "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
    {"5\n", "error: expected coordinates and a value, found `5` alone\n"
            "  --> a.tns:1:1\n"
            "   |\n"
            " 1 | 5\n"
            "   | ^\n"
            "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
    {"1 1 1 2\n"
     "1 1 2\n",
     "error: expected a value behind 3 coordinates, found the end of the line\n"
     "  --> a.tns:2:6\n"
     "   |\n"
     " 2 | 1 1 2\n"
     "   |      ^\n"
     "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
    {"1 1 2\n"
     "1 1 1 2\n",
     "error: expected the end of the line behind 2 coordinates and a value, found `2`\n"
     "  --> a.tns:2:7\n"
     "   |\n"
     " 2 | 1 1 1 2\n"
     "   |       ^\n"
     "hint: every entry has as many coordinates as the tensor has dimensions\n"},
    {"0 1 2\n", "error: expected a coordinate of at least 1 in dimension 1, found `0`\n"
                "  --> a.tns:1:1\n"
                "   |\n"
                " 1 | 0 1 2\n"
                "   | ^\n"
                "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
    {"1 -1 2\n", "error: expected a coordinate of at least 1 in dimension 2, found `-1`\n"
                 "  --> a.tns:1:3\n"
                 "   |\n"
                 " 1 | 1 -1 2\n"
                 "   |   ^\n"
                 "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
    {"1 x 2\n", "error: expected a coordinate of at least 1 in dimension 2, found `x`\n"
                "  --> a.tns:1:3\n"
                "   |\n"
                " 1 | 1 x 2\n"
                "   |   ^\n"
                "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
    {"1 1 x\n", "error: expected a value behind 2 coordinates, found `x`\n"
                "  --> a.tns:1:5\n"
                "   |\n"
                " 1 | 1 1 x\n"
                "   |     ^\n"
                "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
    {"1 1 1e999\n", "error: expected a value behind 2 coordinates, found `1e999`, which is too large\n"
                    "  --> a.tns:1:5\n"
                    "   |\n"
                    " 1 | 1 1 1e999\n"
                    "   |     ^\n"
                    "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
    {"1 99999999999999999999 2\n",
     "error: expected a coordinate of at least 1 in dimension 2, found `99999999999999999999`, which is too large\n"
     "  --> a.tns:1:3\n"
     "   |\n"
     " 1 | 1 99999999999999999999 2\n"
     "   |   ^\n"
     "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
    {"1.0 2 3\n", "error: expected a coordinate of at least 1 in dimension 1, found `1.0`\n"
                  "  --> a.tns:1:1\n"
                  "   |\n"
                  " 1 | 1.0 2 3\n"
                  "   | ^\n"
                  "hint: each line holds the coordinates of an entry, counted from 1, and its value\n"},
};

TEST(FrosttErrors, All) { expect_errors("a.tns", wrong_tensors); }

const WrongFile wrong_arrays[] = {
    {"", "error: the file is empty\n"
         "  --> a.npy\n"
         "hint: write the file with `numpy.save(path, array)`\n"},
    {"hello world", "error: expected a NumPy file, which begins with the byte 147 and `NUMPY`, found something else\n"
                    "  --> a.npy\n"
                    "hint: write the file with `numpy.save(path, array)`\n"},
    {numpy_bytes("<f8", false, "(1,)", "12345678", 9),
     "error: expected version 1, 2 or 3 of the NumPy format, found 9\n"
     "  --> a.npy\n"
     "hint: write the file with `numpy.save(path, array)`\n"},
    {numpy_bytes("<f8", false, "(3, 4)", "12345678"), "error: expected 96 bytes of data for the shape 3 x 4, found 8\n"
                                                      "  --> a.npy\n"
                                                      "hint: the file is cut short: write or copy it again\n"},
    {numpy_bytes("<f8", false, "(1,)", "123456789"), "error: expected 8 bytes of data for the shape 1, found more\n"
                                                     "  --> a.npy\n"
                                                     "hint: the file must hold one array\n"},
    {numpy_bytes("|O", false, "(1,)", "12345678"),
     "error: expected an array of numbers, found the element type `|O` (Python objects)\n"
     "  --> a.npy\n"
     "hint: convert the array first, such as with `array.astype('f8')`; these types are read: f4, f8, i1, i2, i4, i8, "
     "u1, u2, u4 and bool\n"},
    {numpy_bytes("<c16", false, "(1,)", "12345678"),
     "error: expected an array of numbers, found the element type `<c16`\n"
     "  --> a.npy\n"
     "hint: convert the array first, such as with `array.astype('f8')`; these types are read: f4, f8, i1, i2, i4, i8, "
     "u1, u2, u4 and bool\n"},
    {numpy_bytes("<u8", false, "(1,)", "12345678"),
     "error: expected an array of numbers, found the element type `<u8`\n"
     "  --> a.npy\n"
     "hint: convert the array first, such as with `array.astype('f8')`; these types are read: f4, f8, i1, i2, i4, i8, "
     "u1, u2, u4 and bool\n"},
    {numpy_file("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}", "12345678"),
     "error: expected an array of numbers, found the element type `[('a', '<f8')]`\n"
     "  --> a.npy\n"
     "hint: convert the array first, such as with `array.astype('f8')`; these types are read: f4, f8, i1, i2, i4, i8, "
     "u1, u2, u4 and bool\n"},
    {numpy_bytes("<f8", false, "(-1,)", ""), "error: expected a size of at least 0 in the header, found `-1,), }`\n"
                                             "  --> a.npy\n"
                                             "hint: write the file with `numpy.save(path, array)`\n"},
    {numpy_file("{'descr': '<f8', 'fortran_order': False}", "12345678"),
     "error: expected the key `shape` in the header, found `}`\n"
     "  --> a.npy\n"
     "hint: write the file with `numpy.save(path, array)`\n"},
    {numpy_file("{'descr': '<f8', 'fortran_order': 0, 'shape': ()}", "12345678"),
     "error: expected `True` or `False` in the header, found `0, 'shape': ()}`\n"
     "  --> a.npy\n"
     "hint: write the file with `numpy.save(path, array)`\n"},
    {numpy_bytes("<f8", false, "(1,)", "").substr(0, 20), "error: the file ends within its header\n"
                                                          "  --> a.npy\n"
                                                          "hint: write the file with `numpy.save(path, array)`\n"},
    {numpy_bytes("<f8", false, "(4000000000, 4000000000)", ""),
     "error: `a.npy`, a 4000000000 x 4000000000 tensor of f64, has more elements than 63 bits can count\n"
     "hint: use a smaller array\n"},
};

TEST(NumpyErrors, All) { expect_errors("a.npy", wrong_arrays); }

TEST(ReadErrors, OtherSizesThanKnown) {
  EXPECT_EQ(read_error("a.mtx", real_general + "3 3 0\n", {3, 4}),
            "error: expected a 3 x 4 tensor, found a 3 x 3 tensor\n"
            "  --> a.mtx:2:1\n"
            "   |\n"
            " 2 | 3 3 0\n"
            "   | ^\n"
            "hint: the sizes follow from the program or from other inputs: use a file that fits them\n");
  EXPECT_EQ(read_error("a.mtx", real_general + "3 3 0\n", {-1}),
            "error: expected a vector, found a 3 x 3 tensor\n"
            "  --> a.mtx:2:1\n"
            "   |\n"
            " 2 | 3 3 0\n"
            "   | ^\n"
            "hint: the sizes follow from the program or from other inputs: use a file that fits them\n");
  EXPECT_EQ(read_error("a.mtx",
                       "%%MatrixMarket matrix coordinate complex general\n"
                       "2 2 0\n",
                       {2, -1}),
            "error: expected a 2 x ? tensor, found a 2 x 2 x 2 tensor (real and imaginary parts)\n"
            "  --> a.mtx:2:1\n"
            "   |\n"
            " 2 | 2 2 0\n"
            "   | ^\n"
            "hint: the sizes follow from the program or from other inputs: use a file that fits them\n");
  EXPECT_EQ(read_error("a.npy", numpy_bytes("|i1", false, "()", "1"), {2, -1}),
            "error: expected a 2 x ? tensor, found a scalar\n"
            "  --> a.npy\n"
            "hint: the sizes follow from the program or from other inputs: use a file that fits them\n");
  EXPECT_EQ(read_error("a.tns", "1 3 1\n", {2, 2}),
            "error: expected a coordinate from 1 to 2 in dimension 2, found `3`\n"
            "  --> a.tns:1:3\n"
            "   |\n"
            " 1 | 1 3 1\n"
            "   |   ^\n"
            "hint: each line holds the coordinates of an entry, counted from 1, and its value\n");
  EXPECT_EQ(read_error("a.tns", "1 1 1 5\n", {2, 2}),
            "error: expected the end of the line behind 2 coordinates and a value, found `5`\n"
            "  --> a.tns:1:7\n"
            "   |\n"
            " 1 | 1 1 1 5\n"
            "   |       ^\n"
            "hint: every entry has as many coordinates as the tensor has dimensions\n");
}

TEST(ReadErrors, DamagedGzip) {
  const std::string good = gzipped(real_general + "2 2 2\n"
                                                  "1 1 5\n"
                                                  "2 2 6\n");
  std::string bad = good;
  bad[bad.size() - 6] ^= 1; // the checksum
  EXPECT_EQ(read_error("a.mtx.gz", good.substr(0, good.size() - 9)),
            "error: the gzipped file ends too early\n"
            "  --> a.mtx.gz\n"
            "hint: the file is damaged or was not copied whole: fetch or write it again\n");
  EXPECT_EQ(read_error("a.mtx.gz", bad),
            "error: the file cannot be read: incorrect data check\n"
            "  --> a.mtx.gz\n"
            "hint: the file is damaged or was not copied whole: fetch or write it again\n");
}

TEST(ReadErrors, Files) {
  const ScratchFolder folder;
  const auto message = [&](const std::string& name) {
    Report report;
    EXPECT_FALSE(read(folder.path(name), {}, report.diagnostics));
    return report.text(folder.prefix());
  };
  folder.put("west0067.mtx", "");
  std::filesystem::create_directory(folder.path("folder.mtx"));
  EXPECT_EQ(message("west067.mtx"), "error: no such file `west067.mtx`\nhint: did you mean `west0067.mtx`?\n");
  EXPECT_EQ(message("other.npy"), "error: no such file `other.npy`\n");
  EXPECT_EQ(message("data/a.npy"), "error: no such file `data/a.npy`\nhint: there is no folder `data` either\n");
  EXPECT_EQ(message("folder.mtx"),
            "error: expected a file, found the folder `folder.mtx`\nhint: name a file in that folder\n");
  EXPECT_EQ(message("a.csv"),
            "error: expected a file ending that says the kind of `a.csv`, found `.csv`\n"
            "hint: `.mtx` (Matrix Market), `.tns` (FROSTT) and `.npy` (NumPy) are known, each also with `.gz`\n");
  EXPECT_EQ(message("matrix"),
            "error: expected a file ending that says the kind of `matrix`, found none\n"
            "hint: `.mtx` (Matrix Market), `.tns` (FROSTT) and `.npy` (NumPy) are known, each also with `.gz`\n");
}

TEST(ReadErrors, UnreadableFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read anything";
  const ScratchFolder folder;
  folder.put("a.mtx", "");
  ::chmod(folder.path("a.mtx").c_str(), 0);
  Report report;
  EXPECT_FALSE(read(folder.path("a.mtx"), {}, report.diagnostics));
  EXPECT_EQ(report.text(folder.prefix()), "error: cannot read `a.mtx`: Permission denied\n");
}

TEST(ReadErrors, TooManyDimensions) {
  std::string line, shape;
  for (int d = 0; d < 300; ++d) line += "1 ", shape += "1, ";
  EXPECT_EQ(read_error("a.npy", numpy_bytes("|i1", false, "(" + shape + ")", "1")),
            "error: expected at most 255 dimensions, found 300\n  --> a.npy\nhint: reshape the array\n");
  const std::string message = read_error("a.tns", line);
  EXPECT_EQ(message.substr(0, message.find('\n')), "error: expected at most 255 coordinates, found 299");
}

TEST(ReadErrors, EndlessLine) {
  const std::string line(17 << 20, 'x');
  EXPECT_EQ(read_error("a.tns", line), "error: a line is longer than 16 MiB\n  --> a.tns:1\n"
                                       "hint: expected a text file with one entry per line\n");
}

} // namespace
} // namespace cyclotron::tensor
