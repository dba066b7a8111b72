// SPDX-License-Identifier: MIT
// What kernels from C++ look like: what is known is computed. And how much scratch a kernel needs.
#include "unit/code/read.hpp"

#include "code/build.hpp"

#include <limits>

namespace cyclotron::code {
namespace {

using namespace build;

const Expr size = variable("n");
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max(),
                       least = std::numeric_limits<std::int64_t>::min();

TEST(CodeBuild, SumsAreFolded) {
  EXPECT_EQ(print(add(number(2), number(3))), "5");
  EXPECT_EQ(print(add(size, number(0))), "n");
  EXPECT_EQ(print(add(number(3), size)), "n + 3");
  EXPECT_EQ(print(add(add(size, number(2)), number(-3))), "n - 1");
  EXPECT_EQ(print(sub(add(size, number(2)), number(2))), "n");
  EXPECT_EQ(print(sub(size, number(-3))), "n + 3");
  EXPECT_EQ(print(sub(size, size)), "n - n");
  EXPECT_EQ(print(add(number(most), number(1))), "9223372036854775807 + 1");
  EXPECT_EQ(print(add(add(size, number(most)), number(1))), "n + 9223372036854775807 + 1");
  EXPECT_EQ(print(sub(size, number(least))), "n - -9223372036854775808");
  EXPECT_EQ(print(add(number(32767, Scalar::i16), number(1, Scalar::i16))), "32767i16 + 1i16");
  EXPECT_EQ(print(add(spread(number(2)), spread(number(3)))), "lanes(5)");
  EXPECT_EQ(print(add(real(0.0), real(1.0))), "0.0 + 1.0");
}

TEST(CodeBuild, ProductsAndQuotientsAreFolded) {
  EXPECT_EQ(print(mul(number(1), size)), "n");
  EXPECT_EQ(print(mul(size, number(0))), "0");
  EXPECT_EQ(print(mul(number(3), size)), "n * 3");
  EXPECT_EQ(print(floor_div(number(-7), number(2))), "-4");
  EXPECT_EQ(print(mod(number(-7), number(2))), "1");
  EXPECT_EQ(print(mod(number(least), number(192))), "64");
  EXPECT_EQ(print(floor_div(size, number(1))), "n");
  EXPECT_EQ(print(floor_div(number(7), number(0))), "7 // 0");
  EXPECT_EQ(print(min(number(7), number(2))), "2");
  EXPECT_EQ(print(max(number(7), size)), "max(7, n)");
}

TEST(CodeBuild, ConditionsAreFolded) {
  EXPECT_EQ(print(less(number(1), number(2))), "true");
  EXPECT_EQ(print(less_equal(spread(number(3)), spread(number(2)))), "lanes(false)");
  EXPECT_EQ(print(equal(number(3), size)), "3 == n");
  EXPECT_EQ(print(logical_and(truth(true), less(size, number(2)))), "n < 2");
  EXPECT_EQ(print(logical_and(less(size, number(2)), truth(false))), "false");
  EXPECT_EQ(print(logical_or(less(size, number(2)), truth(false))), "n < 2");
  EXPECT_EQ(print(logical_and({}, less(size, number(2)))), "n < 2");
  EXPECT_EQ(print(logical_not(logical_not(less(size, number(2))))), "n < 2");
  EXPECT_EQ(print(select(truth(false), size, number(2))), "2");
  EXPECT_EQ(print(convert(Scalar::i32, number(7))), "7i32");
  EXPECT_EQ(print(convert(Scalar::i16, number(70000))), "i16(70000)");
  EXPECT_EQ(print(shift(size, 0)), "n");
}

TEST(CodeScratch, EveryMemoryBeginsAtAMultiple) {
  const Kernel kernel = kernel_of("kernel k lanes 4\nsizes n, m\nscratch a: f32[n - 20]\nscratch b: i16[(n + m) // 2]\n"
                                  "shared t: f64[9]\nfail 1 if n < 1\n");
  EXPECT_EQ(scratch_bytes(kernel, {20, 20}, false), 64);        // nothing, and 20 of 2 bytes
  EXPECT_EQ(scratch_bytes(kernel, {37, 28}, false), 128 + 64);  // 17 of 4 bytes, and 32 of 2
  EXPECT_EQ(scratch_bytes(kernel, {37, 29}, false), 128 + 128); // 17 of 4 bytes, and 33 of 2
  EXPECT_EQ(scratch_bytes(kernel, {0, -3}, false), 0);          // less than nothing is nothing
  EXPECT_EQ(scratch_bytes(kernel, {37, 28}, true), 128 + 64 + 128);
}

TEST(CodeScratch, MoreThanFitsIsTheLargestNumber) {
  const auto bytes = [](const std::string& elements, std::int64_t number_of) {
    return scratch_bytes(kernel_of("kernel k lanes 4\nsizes n\nscratch a: f64[" + elements + "]\nscratch b: f64[" +
                                   elements + "]\nfail 1 if n < 1\n"),
                         {number_of}, false);
  };
  EXPECT_EQ(bytes("n * n", std::int64_t{1} << 40), most);
  EXPECT_EQ(bytes("n + n", most), most);
  EXPECT_EQ(bytes("n", most / 8), most);
  EXPECT_EQ(bytes("n", most / 12), most);
  EXPECT_EQ(bytes("0 - n", least), most);
  const std::string all = "n % 8 + n // 8 + n / 8 + min(n, 3) + max(n, 3)";
  EXPECT_EQ(bytes(all, -9), 0);       // 7 - 2 - 1 - 9 + 3
  EXPECT_EQ(bytes(all, 17), 2 * 256); // 1 + 2 + 2 + 3 + 17, of 8 bytes
}

} // namespace
} // namespace cyclotron::code
