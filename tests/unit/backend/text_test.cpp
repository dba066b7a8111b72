// SPDX-License-Identifier: MIT
// Names, words and brackets of generated C.
#include "backend/c/names.hpp"
#include "backend/c/tidy.hpp"
#include "backend/c/vector_text.hpp"

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

// `x` is member 0 of 2, `y` member 1, in `xy`.
const std::string x = member_mark(0, 2), y = member_mark(1, 2);

TEST(VectorText, AllMembersInOneStatement) {
  EXPECT_EQ(without_member_marks("  t" + x + " += v[p] * xy[j]" + x + ";\n  t" + y + " += v[p] * xy[j]" + y + ";\n"),
            "  t += v[p] * xy[j];\n");
  EXPECT_EQ(without_member_marks("t" + x + " = (t_0" + x + " + 2.0);\nt" + y + " = (t_0" + y + " + 2.0);\n"),
            "t = (t_0 + 2.0);\n");
  EXPECT_EQ(with_suffix("t" + x, "_0"), "t_0" + x);
  EXPECT_EQ(without_mark("t" + x), "t");
}

TEST(VectorText, OthersAreElements) {
  const auto elements = [](const std::string& first, const std::string& second) {
    return without_member_marks(first + "\n" + second + "\n");
  };
  // Another operand, another order, a call, a choice, nothing but a number, another member's value.
  EXPECT_EQ(elements("t" + x + " += b * s" + x + ";", "t" + y + " += d * s" + y + ";"),
            "t[0] += b * s[0];\nt[1] += d * s[1];\n");
  EXPECT_EQ(elements("t" + y + " += s" + y + ";", "t" + x + " += s" + x + ";"), "t[1] += s[1];\nt[0] += s[0];\n");
  EXPECT_EQ(elements("t" + x + " = sqrt(s" + x + ");", "t" + y + " = sqrt(s" + y + ");"),
            "t[0] = sqrt(s[0]);\nt[1] = sqrt(s[1]);\n");
  EXPECT_EQ(elements("t" + x + " = p ? s" + x + " : 0;", "t" + y + " = p ? s" + y + " : 0;"),
            "t[0] = p ? s[0] : 0;\nt[1] = p ? s[1] : 0;\n");
  EXPECT_EQ(elements("t" + x + " = 0.0;", "t" + y + " = 0.0;"), "t[0] = 0.0;\nt[1] = 0.0;\n");
  EXPECT_EQ(elements("t" + x + " += s" + y + ";", "t" + y + " += s" + x + ";"), "t[0] += s[1];\nt[1] += s[0];\n");
  EXPECT_EQ(elements("t" + x + " += s" + x + ";", "u" + x + " += s" + x + ";"), "t[0] += s[0];\nu[0] += s[0];\n");
}

} // namespace
} // namespace cyclotron::backend::c
