// SPDX-License-Identifier: MIT
// What is said about Matrix Market entries that are wrong, shown whole.
#include "scratch.hpp"

#include <gtest/gtest.h>

namespace cyclotron::tensor {
namespace {

const WrongFile wrong_entries[] = {
    {real_general + "3 3 1\n"
                    "4 1 5\n",
     "error: expected a row from 1 to 3, found `4`\n"
     "  --> a.mtx:3:1\n"
     "   |\n"
     " 3 | 4 1 5\n"
     "   | ^\n"
     "hint: the size line says 3 x 3; rows and columns count from 1\n"},
    {real_general + "3 3 1\n"
                    "1 0 5\n",
     "error: expected a column from 1 to 3, found `0`\n"
     "  --> a.mtx:3:3\n"
     "   |\n"
     " 3 | 1 0 5\n"
     "   |   ^\n"
     "hint: the size line says 3 x 3; rows and columns count from 1\n"},
    {real_general + "3 3 1\n"
                    "1 1.5 5\n",
     "error: expected a column from 1 to 3, found `1.5`\n"
     "  --> a.mtx:3:3\n"
     "   |\n"
     " 3 | 1 1.5 5\n"
     "   |   ^\n"
     "hint: the size line says 3 x 3; rows and columns count from 1\n"},
    {real_general + "3 3 1\n"
                    "1 1 abc\n",
     "error: expected a real number, found `abc`\n"
     "  --> a.mtx:3:5\n"
     "   |\n"
     " 3 | 1 1 abc\n"
     "   |     ^\n"
     "hint: write a number\n"},
    {real_general + "3 3 1\n"
                    "1 1\n",
     "error: expected a real number, found the end of the line\n"
     "  --> a.mtx:3:4\n"
     "   |\n"
     " 3 | 1 1\n"
     "   |    ^\n"
     "hint: each entry of this file has a value: see its first line\n"},
    {real_general + "3 3 1\n"
                    "1\n",
     "error: expected a column from 1 to 3, found the end of the line\n"
     "  --> a.mtx:3:2\n"
     "   |\n"
     " 3 | 1\n"
     "   |  ^\n"
     "hint: the size line says 3 x 3; rows and columns count from 1\n"},
    {real_general + "3 3 1\n"
                    "1 1 5 6\n",
     "error: expected the end of the line, found `6`\n"
     "  --> a.mtx:3:7\n"
     "   |\n"
     " 3 | 1 1 5 6\n"
     "   |       ^\n"
     "hint: each line holds one entry\n"},
    {real_general + "3 3 2\n"
                    "1 1 5\n",
     "error: expected 2 entries, found 1\n"
     "  --> a.mtx:3\n"
     "hint: the file is cut short, or its size line is wrong\n"},
    {real_general + "3 3 1\n"
                    "1 1 5\n"
                    "2 2 6\n",
     "error: expected 1 entry, found another one\n"
     "  --> a.mtx:4:1\n"
     "   |\n"
     " 4 | 2 2 6\n"
     "   | ^\n"
     "hint: correct the number of entries in the size line, or remove this line\n"},
    {real_general + "3 3 1\n"
                    "1 1 1e999\n",
     "error: expected a real number, found `1e999`, which is too large\n"
     "  --> a.mtx:3:5\n"
     "   |\n"
     " 3 | 1 1 1e999\n"
     "   |     ^\n"
     "hint: write a number\n"},
    {real_general + "0 3 1\n"
                    "1 1 5\n",
     "error: expected no entries in a matrix without rows, found `1`\n"
     "  --> a.mtx:3:1\n"
     "   |\n"
     " 3 | 1 1 5\n"
     "   | ^\n"
     "hint: the size line says 0 x 3; rows and columns count from 1\n"},
    {real_general + "3 3 1\n"
                    "1 1 +-5\n",
     "error: expected a real number, found `+-5`\n"
     "  --> a.mtx:3:5\n"
     "   |\n"
     " 3 | 1 1 +-5\n"
     "   |     ^\n"
     "hint: write a number\n"},
    {"%%MatrixMarket matrix coordinate integer general\n"
     "2 2 1\n"
     "1 1 2.5\n",
     "error: expected an integer, found `2.5`\n"
     "  --> a.mtx:3:5\n"
     "   |\n"
     " 3 | 1 1 2.5\n"
     "   |     ^\n"
     "hint: the first line says `integer`: write `real` there\n"},
    {"%%MatrixMarket matrix coordinate integer general\n"
     "2 2 1\n"
     "1 1 9223372036854775808\n",
     "error: expected an integer, found `9223372036854775808`, which is too large\n"
     "  --> a.mtx:3:5\n"
     "   |\n"
     " 3 | 1 1 9223372036854775808\n"
     "   |     ^\n"
     "hint: write a number\n"},
    {"%%MatrixMarket matrix coordinate pattern general\n"
     "2 2 1\n"
     "1 1 1\n",
     "error: expected the end of the line, found `1`\n"
     "  --> a.mtx:3:5\n"
     "   |\n"
     " 3 | 1 1 1\n"
     "   |     ^\n"
     "hint: a `pattern` file lists a row and a column only\n"},
    {"%%MatrixMarket matrix coordinate complex general\n"
     "2 2 1\n"
     "1 1 1\n",
     "error: expected the imaginary part, found the end of the line\n"
     "  --> a.mtx:3:6\n"
     "   |\n"
     " 3 | 1 1 1\n"
     "   |      ^\n"
     "hint: each entry of this file has a value: see its first line\n"},
    {"%%MatrixMarket matrix coordinate real symmetric\n"
     "2 2 1\n"
     "1 2 5\n",
     "error: expected an entry below the diagonal, found (1, 2) above the diagonal\n"
     "  --> a.mtx:3:1\n"
     "   |\n"
     " 3 | 1 2 5\n"
     "   | ^\n"
     "hint: a symmetric file lists the lower triangle only: swap the two, or write `general` in the header\n"},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n"
     "2 2 1\n"
     "1 1 5\n",
     "error: expected an entry below the diagonal, found (1, 1) on the diagonal\n"
     "  --> a.mtx:3:1\n"
     "   |\n"
     " 3 | 1 1 5\n"
     "   | ^\n"
     "hint: the diagonal of a skew-symmetric matrix is zero and is not listed\n"},
    {"%%MatrixMarket matrix coordinate integer skew-symmetric\n"
     "2 2 1\n"
     "2 1 -9223372036854775808\n",
     "error: the mirror image of this entry does not fit 64 bits\n"
     "  --> a.mtx:3:1\n"
     "   |\n"
     " 3 | 2 1 -9223372036854775808\n"
     "   | ^\n"
     "hint: write `real` in the header\n"},
    {"%%MatrixMarket matrix array real general\n"
     "2 2\n"
     "1\n"
     "2\n"
     "3\n",
     "error: expected 4 entries, found 3\n"
     "  --> a.mtx:5\n"
     "hint: the file is cut short, or its size line is wrong\n"},
    {"%%MatrixMarket matrix array real general\n"
     "1 2\n"
     "1\n"
     "2\n"
     "3\n",
     "error: expected 2 entries, found another one\n"
     "  --> a.mtx:5:1\n"
     "   |\n"
     " 5 | 3\n"
     "   | ^\n"
     "hint: correct the number of entries in the size line, or remove this line\n"},
    {"%%MatrixMarket matrix array real general\n"
     "1 2\n"
     "1\n"
     "x\n",
     "error: expected a real number, found `x`\n"
     "  --> a.mtx:4:1\n"
     "   |\n"
     " 4 | x\n"
     "   | ^\n"
     "hint: write a number\n"},
};

TEST(MatrixMarketErrors, Entries) { expect_errors("a.mtx", wrong_entries); }

} // namespace
} // namespace cyclotron::tensor
