// SPDX-License-Identifier: MIT
// Names, words and brackets of generated C.
#include "backend/c/names.hpp"
#include "backend/c/tidy.hpp"

#include <gtest/gtest.h>

namespace cyclotron::backend::c {
namespace {

TEST(CText, NamesKeepAwayFromC) {
  NameTable names;
  EXPECT_EQ(names.fresh("A"), "A");
  EXPECT_EQ(names.fresh("A"), "A_2");
  for (const char* word : {"int", "class", "INFINITY", "errno", "linux", "I", "NULL", "CYC_LARGE", "cyclotron_call",
                           "INT64_MAX", "_x", "2d", "", "restrict", "EOF", "error"})
    EXPECT_EQ(names.fresh(word), std::string("v_") + word);
  EXPECT_EQ(names.fresh("write"), "write"); // inside a function it hides what it must not call
  NameTable functions;
  EXPECT_EQ(functions.function("write"), "write_kernel");
  EXPECT_EQ(functions.function("cholesky"), "cholesky");
  EXPECT_EQ(functions.function("double"), "v_double");
}

TEST(CText, WordsStandAlone) {
  EXPECT_TRUE(mentions("x = n_2 + n;\n", "n"));
  EXPECT_FALSE(mentions("x = n_2 + an;\n", "n"));
  EXPECT_FALSE(mentions("  // n\n  x = 1;\n", "n"));
  EXPECT_TRUE(mentions("  // n\n  x = n;\n", "n"));
}

TEST(CText, CommentsCannotBeEnded) {
  EXPECT_EQ(harmless("a\nint x;*/\\\r?\?/\"$`.cyc"), "a_int x" + std::string(11, '_') + ".cyc");
}

std::string tidied(const std::string& line) { return without_needless_brackets(line + "\n").substr(0, 200); }

TEST(CText, BracketsAroundWholesAreDropped) {
  EXPECT_EQ(tidied("x = (a + b);"), "x = a + b;\n");
  EXPECT_EQ(tidied("x += ((a + b) * c);"), "x += (a + b) * c;\n");
  EXPECT_EQ(tidied("x = exp((a - b));"), "x = exp(a - b);\n");
  EXPECT_EQ(tidied("x = f((a), ((b)), c);"), "x = f(a, b, c);\n");
  EXPECT_EQ(tidied("if ((a == b)) {"), "if (a == b) {\n");
}

TEST(CText, OtherBracketsStay) {
  for (const char* line :
       {"x = (a + b) * c;", "x = (double)(a + b);", "x = a == (b > c);", "f(e, (const int64_t[]){i, j});",
        "if ((a) && (b)) {", "x = (a ? b : c) + d;", "// x = (a + b);", "#pragma omp simd reduction(+ : x)",
        "y = calloc((size_t)(n) + 1, sizeof *y);", "for (; p < (q); p++)"})
    EXPECT_EQ(tidied(line), std::string(line) + "\n");
}

} // namespace
} // namespace cyclotron::backend::c
