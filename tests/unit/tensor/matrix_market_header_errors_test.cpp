// SPDX-License-Identifier: MIT
// What is said about Matrix Market headers that are wrong, shown whole.
#include "scratch.hpp"

#include <gtest/gtest.h>

namespace cyclotron::tensor {
namespace {

const WrongFile wrong_headers[] = {
    {"", "error: the file is empty\n"
         "  --> a.mtx\n"
         "hint: a Matrix Market file begins with a line such as `%%MatrixMarket matrix coordinate real general`\n"},
    {"hello\n",
     "error: expected `%%MatrixMarket`, found `hello`\n"
     "  --> a.mtx:1:1\n"
     "   |\n"
     " 1 | hello\n"
     "   | ^\n"
     "hint: a Matrix Market file begins with a line such as `%%MatrixMarket matrix coordinate real general`\n"},
    {"1 2 3\n",
     "error: expected `%%MatrixMarket`, found `1`\n"
     "  --> a.mtx:1:1\n"
     "   |\n"
     " 1 | 1 2 3\n"
     "   | ^\n"
     "hint: a Matrix Market file begins with a line such as `%%MatrixMarket matrix coordinate real general`\n"},
    {"%%MatrixMarket\n",
     "error: expected `matrix` in the header, found the end of the line\n"
     "  --> a.mtx:1:15\n"
     "   |\n"
     " 1 | %%MatrixMarket\n"
     "   |               ^\n"
     "hint: a Matrix Market file begins with a line such as `%%MatrixMarket matrix coordinate real general`\n"},
    {"%%MatrixMarket vector array real general\n",
     "error: expected a matrix, found `vector`: Matrix Market vectors are not read\n"
     "  --> a.mtx:1:16\n"
     "   |\n"
     " 1 | %%MatrixMarket vector array real general\n"
     "   |                ^\n"
     "hint: write the vector as a matrix of one column\n"},
    {"%%MatrixMarket tensor coordinate real general\n",
     "error: expected `matrix` in the header, found `tensor`\n"
     "  --> a.mtx:1:16\n"
     "   |\n"
     " 1 | %%MatrixMarket tensor coordinate real general\n"
     "   |                ^\n"
     "hint: a Matrix Market file begins with a line such as `%%MatrixMarket matrix coordinate real general`\n"},
    {"%%MatrixMarket matrix coordinat real general\n",
     "error: expected `coordinate` or `array` in the header, found `coordinat`\n"
     "  --> a.mtx:1:23\n"
     "   |\n"
     " 1 | %%MatrixMarket matrix coordinat real general\n"
     "   |                       ^\n"
     "hint: did you mean `coordinate`?\n"},
    {"%%MatrixMarket matrix coordinate float general\n",
     "error: expected `real`, `integer`, `complex`, `pattern` or `double` in the header, found `float`\n"
     "  --> a.mtx:1:34\n"
     "   |\n"
     " 1 | %%MatrixMarket matrix coordinate float general\n"
     "   |                                  ^\n"
     "hint: a Matrix Market file begins with a line such as `%%MatrixMarket matrix coordinate real general`\n"},
    {"%%MatrixMarket matrix coordinate real symetric\n",
     "error: expected `general`, `symmetric`, `skew-symmetric` or `hermitian` in the header, found `symetric`\n"
     "  --> a.mtx:1:39\n"
     "   |\n"
     " 1 | %%MatrixMarket matrix coordinate real symetric\n"
     "   |                                       ^\n"
     "hint: did you mean `symmetric`?\n"},
    {"%%MatrixMarket matrix coordinate real general 5\n",
     "error: expected the end of the header, found `5`\n"
     "  --> a.mtx:1:47\n"
     "   |\n"
     " 1 | %%MatrixMarket matrix coordinate real general 5\n"
     "   |                                               ^\n"
     "hint: a Matrix Market file begins with a line such as `%%MatrixMarket matrix coordinate real general`\n"},
    {"%%MatrixMarket matrix array pattern general\n",
     "error: an `array` file cannot be `pattern`: it would have no values\n"
     "  --> a.mtx:1:1\n"
     "   |\n"
     " 1 | %%MatrixMarket matrix array pattern general\n"
     "   | ^\n"
     "hint: correct the first line of the file\n"},
    {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
     "error: a `pattern` file cannot be `skew-symmetric`: it has no signs\n"
     "  --> a.mtx:1:1\n"
     "   |\n"
     " 1 | %%MatrixMarket matrix coordinate pattern skew-symmetric\n"
     "   | ^\n"
     "hint: correct the first line of the file\n"},
    {"%%MatrixMarket matrix coordinate real hermitian\n", "error: only a `complex` file can be `hermitian`\n"
                                                          "  --> a.mtx:1:1\n"
                                                          "   |\n"
                                                          " 1 | %%MatrixMarket matrix coordinate real hermitian\n"
                                                          "   | ^\n"
                                                          "hint: correct the first line of the file\n"},
    {real_general + "% only comments\n", "error: expected the size of the matrix, found the end of the file\n"
                                         "  --> a.mtx:2\n"
                                         "hint: the first line behind the comments gives the numbers of rows and "
                                         "columns, and in a `coordinate` file of entries\n"},
    {real_general + "3 x 4\n", "error: expected the number of columns, found `x`\n"
                               "  --> a.mtx:2:3\n"
                               "   |\n"
                               " 2 | 3 x 4\n"
                               "   |   ^\n"
                               "hint: the first line behind the comments gives the numbers of rows and columns, and in "
                               "a `coordinate` file of entries\n"},
    {real_general + "-3 3 1\n", "error: expected the number of rows, found `-3`\n"
                                "  --> a.mtx:2:1\n"
                                "   |\n"
                                " 2 | -3 3 1\n"
                                "   | ^\n"
                                "hint: the first line behind the comments gives the numbers of rows and columns, and "
                                "in a `coordinate` file of entries\n"},
    {real_general + "3 3\n", "error: expected the number of entries, found the end of the line\n"
                             "  --> a.mtx:2:4\n"
                             "   |\n"
                             " 2 | 3 3\n"
                             "   |    ^\n"
                             "hint: the first line behind the comments gives the numbers of rows and columns, and in a "
                             "`coordinate` file of entries\n"},
    {real_general + "3 3 1 1\n", "error: expected the end of the line, found `1`\n"
                                 "  --> a.mtx:2:7\n"
                                 "   |\n"
                                 " 2 | 3 3 1 1\n"
                                 "   |       ^\n"
                                 "hint: the size of a `coordinate` file is its rows, columns and entries\n"},
    {real_general + "3 99999999999999999999 1\n",
     "error: expected the number of columns, found `99999999999999999999`, which does not fit 63 bits\n"
     "  --> a.mtx:2:3\n"
     "   |\n"
     " 2 | 3 99999999999999999999 1\n"
     "   |   ^\n"
     "hint: the first line behind the comments gives the numbers of rows and columns, and in a `coordinate` file of "
     "entries\n"},
    {"%%MatrixMarket matrix coordinate real symmetric\n"
     "3 4 1\n",
     "error: expected a square matrix, found 3 x 4\n"
     "  --> a.mtx:2:1\n"
     "   |\n"
     " 2 | 3 4 1\n"
     "   | ^\n"
     "hint: only square matrices are symmetric: write `general` in the header\n"},
    {"%%MatrixMarket matrix array real general\n"
     "3 4 12\n",
     "error: expected the end of the line, found `12`\n"
     "  --> a.mtx:2:5\n"
     "   |\n"
     " 2 | 3 4 12\n"
     "   |     ^\n"
     "hint: the size of an `array` file is its rows and columns\n"},
};

TEST(MatrixMarketErrors, Header) { expect_errors("a.mtx", wrong_headers); }

} // namespace
} // namespace cyclotron::tensor
