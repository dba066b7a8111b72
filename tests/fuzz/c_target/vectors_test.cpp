// SPDX-License-Identifier: MIT
// Equations that differ in names only, side by side in vectors: as the interpreter has them, whatever their number,
// their types and formats, and whatever else is done to their results.
#include "contest.hpp"
#include "random_run.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace cyclotron::fuzz {
namespace {

const std::vector<std::string> vector_flags{"-O1", "-Wall", "-Werror", "-fsanitize=address,undefined",
                                            "-fno-sanitize-recover=all"};

struct VectorCase {
  std::string text, type; // of the vectors; empty: there are none
  std::string holds = ""; // what the C has
};

// `count` solves with one matrix, of which `form` says all but the sum.
std::string solves(int count, const std::string& format, const std::string& type, const std::string& schedule,
                   const std::string& form = "b{0}(i) - {1}") {
  std::string tensors = fmt::format("tensor L(n,n): {} {}\n", type, format), equations;
  for (int k = 0; k < count; ++k) {
    tensors += fmt::format("tensor b{0}(n): {1}\ntensor x{0}(n): {1}\n", k, type);
    const std::string sum = fmt::format("sum[j](L(i,j) * x{}(j))", k);
    equations += fmt::format("x{}(i) = {} : j < i\n", k, fmt::format(fmt::runtime(form), k, sum));
  }
  return tensors + equations + schedule;
}

// Two solves by columns, the second from `start`.
std::string with_start(const std::string& declared, const std::string& start) {
  return "tensor L(n,n): csc\ntensor b(n)\ntensor " + declared + "\ntensor x(n)\ntensor y(n)\nassume n >= 1\n" +
         "x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) : j < i\ny(i) = (" + start +
         " - sum[j](L(i,j) * y(j))) / L(i,i) : j < i\nschedule s { order j, i }\n";
}

std::vector<VectorCase> vector_cases() {
  const std::string rows = "schedule s { order i, j }\n", columns = "schedule s { order j, i }\n";
  const std::string two = "tensor L(n,n): csr\ntensor b(n)\ntensor d(n)\ntensor x(n)\ntensor y(n)\n";
  std::vector<VectorCase> list = {
      {solves(1, "csr", "f64", rows), ""},
      {solves(2, "csr", "f64", rows), "cyc_f64x2"},
      {solves(2, "csc", "f64", columns), "cyc_f64x2"},
      {solves(2, "dcsr", "f64", rows), "cyc_f64x2"},
      {solves(2, "csr", "f32", rows), "cyc_f32x2"},
      {solves(2, "csc", "f32", columns), "cyc_f32x2"},
      {solves(3, "csr", "f64", rows), "cyc_f64x4"},
      {solves(3, "csc", "f64", columns), "cyc_f64x4"},
      {solves(4, "csc", "f32", columns), "cyc_f32x4"},
      {solves(8, "csr", "f64", rows), "cyc_f64x8"},
      {solves(8, "csc", "f64", columns), "cyc_f64x8"},
      {solves(9, "csr", "f64", rows), ""},
      {solves(2, "csr", "i32", rows), ""},
      {solves(2, "csc", "f64", "schedule s {\n  order j, i\n  unroll i by 2\n}\n"), "cyc_f64x2"},
      // The expressions are the same, or they are not.
      {two +
           "x(i) = b(i) - sum[j](2 * L(i,j) * (x(j) - 1)) : j < i\ny(i) = d(i) - sum[j](2 * L(i,j) * (y(j) - 1)) : j < "
           "i\n" +
           rows,
       "cyc_f64x2"},
      {two + "x(i) = b(i) - sum[j](2 * L(i,j) * x(j)) : j < i\ny(i) = d(i) - sum[j](3 * L(i,j) * y(j)) : j < i\n" +
           rows,
       ""},
      {two + "x(i) = b(i) - sum[j](L(i,j) * x(j)) : j < i\ny(i) = d(i) - sum[j](L(i,j) * x(j)) : j < i\n" + rows, ""},
      // Each reads the other's result.
      {two + "x(i) = b(i) - sum[j](L(i,j) * y(j)) : j < i\ny(i) = d(i) - sum[j](L(i,j) * x(j)) : j < i\n" + rows,
       "cyc_f64x2"},
      // Elements that no equation defines, or another one does.
      {two +
           "x(i) = b(i) - sum[j](L(i,j) * x(j)) : j < i, 2 <= i\ny(i) = d(i) - sum[j](L(i,j) * y(j)) : j < i, 2 <= "
           "i\n" +
           rows,
       "cyc_f64x2"},
      {two + "assume n >= 1\nx(0) = 5\ny(0) = 7\nx(i) = b(i) - sum[j](L(i,j) * x(j)) : j < i, 1 <= i\n"
             "y(i) = d(i) - sum[j](L(i,j) * y(j)) : j < i, 1 <= i\n",
       "cyc_f64x2"},
      // Results that are the sums themselves; their inputs are not copied.
      {"tensor A(m,n): csc\ntensor x(n)\ntensor y(n)\ntensor u(m)\ntensor v(m)\nu(i) = A(i,j) * x(j)\n"
       "v(i) = A(i,j) * y(j)\nschedule s { order j, i }\n",
       "cyc_f64x2"},
      {"tensor A(m,n): csr\ntensor x(n)\ntensor y(n)\ntensor u(m)\ntensor v(m)\nu(i) = A(i,j) * x(j)\n"
       "v(i) = A(i,j) * y(j)\nschedule s { order i, j }\n",
       ""},
      // Sums that start out as an input, with either sign; and those that cannot.
      {two + "x(i) = 2 * (b(i) + sum[j](L(i,j) * x(j))) : j < i\ny(i) = 2 * (d(i) + sum[j](L(i,j) * y(j))) : j < i\n" +
           columns,
       "cyc_f64x2"},
      {two + "x(i) = 2 * (b(i) + sum[j](L(i,j) * x(j))) : j < i\ny(i) = 2 * (d(i) - sum[j](L(i,j) * y(j))) : j < i\n" +
           columns,
       "cyc_f64x2"},
      {two + "x(i) = b(i) - sum[j](L(i,j) * x(j)) : j < i\ny(i) = 3 - sum[j](L(i,j) * y(j)) : j < i\n" + columns,
       "cyc_f64x2"},
      {two +
           "x(i) = b(i) - sum[j](L(i,j) * x(j)) : j < i, 2 <= i\ny(i) = d(i) - sum[j](L(i,j) * y(j)) : j < i, 2 <= "
           "i\n" +
           columns,
       "cyc_f64x2"},
      // One that can, beside one that cannot.
      {with_start("d(n)", "d(n - 1 - i)"), "cyc_f64x2"},
      {with_start("d(n)", "d(0)"), "cyc_f64x2"},
      {with_start("d(n): {compressed}", "d(i)"), "cyc_f64x2"},
      {with_start("d(n): {bitvector}", "d(i)"), "cyc_f64x2"},
      {with_start("d(n + 1)", "d(i)"), "cyc_f64x2"},
      // Divisors that all members of a vector share, in several forms, and those that are a member's own.
      {solves(2, "csr", "f64", rows, "(b{0}(i) - {1}) / L(i,i)"), "cyc_f64x2", "/ Lii;"},
      {solves(2, "csc", "f64", columns, "(b{0}(i) - {1}) / L(i,i)"), "cyc_f64x2", "/ Ljj;"},
      {solves(2, "csr", "f64", rows, "(b{0}(i) - {1}) / (1 + L(i,i) * L(i,i))"), "cyc_f64x2", "/ divisor;"},
      {solves(3, "csc", "f64", columns, "(b{0}(i) - {1}) / (1 + L(i,i) * L(i,i))"), "cyc_f64x4", "/ divisor;"},
      {solves(3, "csr", "f32", rows, "(b{0}(i) - {1}) / (1 + L(i,i) * L(i,i))"), "cyc_f32x4", "/ divisor;"},
      {solves(3, "csr", "f32", rows, "(b{0}(i) - {1}) / L(i,i)"), "cyc_f32x4", "/ Lii;"},
      {solves(3, "csc", "f32", columns, "(b{0}(i) - {1}) / L(i,i)"), "cyc_f32x4", "/ Ljj;"},
      {solves(8, "csr", "f64", rows, "b{0}(i) / L(i,i) - 2 * -{1} / L(i,i) * i"), "cyc_f64x8", "/ Lii)"},
      {solves(2, "csr", "f64", rows, "(b{0}(i) - {1}) / (L(i,i) + 3 / L(i,i)) / 2"), "cyc_f64x2", "/ divisor) / 2.0;"},
      {solves(2, "csr", "f64", rows, "(b{0}(i) - {1}) / b{0}(i)"), "cyc_f64x2", "cyc_div_f64(b0_vals[i] - "},
      {solves(2, "csr", "f64", rows, "sqrt(b{0}(i) - {1})"), "cyc_f64x2", "cyc_sqrt_f64("},
      {two +
           "x(i) = (b(i) - sum[j](L(i,j) * x(j))) / L(i,i) : j < i\n"
           "y(i) = (d(i) - sum[j](L(i,j) * y(j))) / L(i,i) + x(i) : j < i\n" +
           rows,
       "cyc_f64x2", "cyc_div_f64("},
      // Results that others read.
      {two + "tensor z(n)\nx(i) = b(i) - sum[j](L(i,j) * x(j)) : j < i\ny(i) = d(i) - sum[j](L(i,j) * y(j)) : j < i\n"
             "z(i) = x(i) * y(i)\n",
       "cyc_f64x2"},
      {two + "x(i) = b(i) - sum[j](L(i,j) * x(j)) : j < i\ny(i) = d(i) - sum[j](L(i,j) * y(j)) : j < i\n"
             "schedule s {\n  order j, i\n  parallel i\n}\n",
       ""},
  };
  return list;
}

TEST(CVectors, AsTheInterpreterHasThem) {
  for (const VectorCase& c : vector_cases()) {
    Contest contest(c.text, vector_flags);
    ASSERT_EQ(contest.start().kind, Verdict::Kind::agrees) << c.text << contest.start().what;
    std::uint64_t seed = 1;
    for (const std::int64_t n : {0, 1, 2, 7, 9, 13, 40}) {
      SizeValues sizes;
      for (const recurrence::Binder& s : contest.program().sizes) sizes[s.name] = s.name == "n" ? n : n / 2 + 1;
      if (n == 0 && c.text.find("assume") != std::string::npos) continue;
      const Verdict v = contest.run(sizes, some_inputs(contest.program(), sizes, {}, ++seed));
      EXPECT_LE(v.kind, Verdict::Kind::unseen) << c.text << "n = " << n << "\n" << v.what;
    }
    const std::string source = contest.source();
    if (c.type.empty()) EXPECT_EQ(source.find("vector_size"), std::string::npos) << c.text;
    else EXPECT_NE(source.find(c.type + " *"), std::string::npos) << c.text << source;
    EXPECT_NE(source.find(c.holds), std::string::npos) << c.text << source;
    EXPECT_EQ(source.find('$'), std::string::npos) << c.text;
  }
}

// Columns and rows of so many entries come to every loop that such sums have: for long ones, for others, for the rest.
TEST(CVectors, LongAndShort) {
  const std::string sums = "tensor A(m,n): {}\ntensor x(n)\ntensor y(n)\ntensor u(m)\ntensor v(m)\n"
                           "u(i) = A(i,j) * x(j)\nv(i) = A(i,j) * y(j)\nschedule s {{ order {} }}\n";
  const std::string solved = "tensor A(n,n): {}\ntensor b(n)\ntensor d(n)\ntensor x(n)\ntensor y(n)\n"
                             "x(i) = b(i) - sum[j](A(i,j) * x(j)) : j < i\n"
                             "y(i) = d(i) - sum[j](A(i,j) * y(j)) : j < i\nschedule s {{ order {} }}\n";
  for (const std::string& text :
       {fmt::format(fmt::runtime(sums), "csc", "j, i"), fmt::format(fmt::runtime(solved), "csr", "i, j"),
        fmt::format(fmt::runtime(sums), "csc", "j, i; unroll i by 3"),
        fmt::format(fmt::runtime(solved), "csc", "j, i")}) {
    Contest contest(text, vector_flags);
    ASSERT_EQ(contest.start().kind, Verdict::Kind::agrees) << text << contest.start().what;
    std::uint64_t seed = 1;
    for (const std::int64_t m : {7, 8, 9, 15, 511, 512, 521, 1023, 1024, 1033}) {
      SizeValues sizes{{"n", text.find("A(n,n)") != std::string::npos ? m : 3}, {"m", m}};
      if (contest.program().sizes.size() == 1) sizes.erase("m");
      const Verdict v = contest.run(sizes, some_inputs(contest.program(), sizes, {{"A", Content::full}}, ++seed));
      EXPECT_EQ(v.kind, Verdict::Kind::agrees) << text << "m = " << m << "\n" << v.what;
    }
  }
}

} // namespace
} // namespace cyclotron::fuzz
