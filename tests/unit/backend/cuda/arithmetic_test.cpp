// SPDX-License-Identifier: MIT
// Arithmetic of every type at the edges of what it holds, beside plain C++.
#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cyclotron::backend::cuda {

namespace {

// Numbers that C++ would not let overflow, divisions that round down, and the least and greatest of NaN.
constexpr const char* arithmetic = R"(kernel arithmetic lanes 4
sizes n
in a: $type
in b: $type
out z: $type
workers i = 0 .. n // 4
  var x: $type lanes = a[i * 4 : 1]
  var y: $type lanes = b[i * 4 : 1]
  store z[i * 40 : 1] = x + y
  store z[i * 40 + 4 : 1] = x - y
  store z[i * 40 + 8 : 1] = x * y
  store z[i * 40 + 12 : 1] = min(x, y)
  store z[i * 40 + 16 : 1] = max(x, y)
  store z[i * 40 + 20 : 1] = -x
  store z[i * 40 + 24 : 1] = abs(x)
  store z[i * 40 + 28 : 1] = $more1
  store z[i * 40 + 32 : 1] = $more2
  store z[i * 40 + 36 : 1] = x / y
)";

code::Kernel arithmetic_of(const std::string& type, const std::string& more1, const std::string& more2) {
  std::string text = arithmetic;
  for (const auto& [from, to] :
       {std::pair<std::string, std::string>{"$type", type}, {"$more1", more1}, {"$more2", more2}})
    while (text.find(from) != text.npos) text.replace(text.find(from), from.size(), to);
  return kernel_of(text);
}

__extension__ typedef __int128 Wide;

// Through 128 bits, and what is left of them.
template <class T> std::vector<T> whole_results(const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> results;
  for (std::size_t first = 0; first < a.size(); first += 4)
    for (int op = 0; op < 10; ++op)
      for (std::size_t l = first; l < first + 4; ++l) {
        const Wide x = a[l], y = b[l];
        Wide down = x / y;
        if (x % y < 0) --down; // y > 0 where it matters
        const Wide all[] = {x + y, x - y,          x * y, x < y ? x : y, x > y ? x : y,
                            -x,    x < 0 ? -x : x, down,  x - down * y,  x / y};
        results.push_back(static_cast<T>(static_cast<std::uint64_t>(all[op])));
      }
  return results;
}

template <class T> void expect_whole(const std::string& type) {
  const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
  std::vector<T> a = {least, most, -7, 7, -1, 0, 3, least}, b = {1, most, 2, 2, 16, 9, most, 3}, z(80);
  run({arithmetic_of(type, "x // y", "x % y")}, {{"n", 8}}, {{"a", host(a)}, {"b", host(b)}, {"z", host(z)}});
  EXPECT_EQ(z, whole_results(a, b)) << type;
  std::fill(b.begin(), b.end(), T{8}); // by a number that is known, which is a shift
  run({arithmetic_of(type, "x // " + type + "(lanes(8))", "x % " + type + "(lanes(8))")}, {{"n", 8}},
      {{"a", host(a)}, {"b", host(b)}, {"z", host(z)}});
  EXPECT_EQ(z, whole_results(a, b)) << type;
}

TEST(Cuda, WholeNumbersWrapAround) {
  expect_whole<std::int16_t>("i16");
  expect_whole<std::int32_t>("i32");
  expect_whole<std::int64_t>("i64");
}

template <class T> void expect_floating(const std::string& type) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> a = {1.5, nan, 2, -inf}, b = {-2.25, 1, nan, inf}, z(40);
  run({arithmetic_of(type, "sqrt(abs(x)) + exp(y)", "pow(abs(x), y) + log(abs(y))")}, {{"n", 4}},
      {{"a", host(a)}, {"b", host(b)}, {"z", host(z)}});
  for (std::size_t l = 0; l < 4; ++l) {
    const T x = a[l], y = b[l], none = std::isnan(x) || std::isnan(y) ? nan : T{0};
    const T all[] = {x + y,
                     x - y,
                     x * y,
                     std::min(x, y) + none,
                     std::max(x, y) + none,
                     -x,
                     std::abs(x),
                     std::sqrt(std::abs(x)) + std::exp(y),
                     std::pow(std::abs(x), y) + std::log(std::abs(y)),
                     x / y};
    for (std::size_t op = 0; op < 10; ++op) {
      const T got = z[op * 4 + l];
      if (std::isnan(all[op])) EXPECT_TRUE(std::isnan(got)) << type << ", operation " << op << ", lane " << l;
      else if (std::isinf(all[op])) EXPECT_EQ(got, all[op]) << type << ", operation " << op << ", lane " << l;
      else EXPECT_NEAR(got, all[op], 1e-6 * (1 + std::abs(all[op]))) << type << ", operation " << op << ", lane " << l;
    }
  }
}

TEST(Cuda, FloatingPoint) {
  expect_floating<float>("f32");
  expect_floating<double>("f64");
}

// Bits, conversions and numbers at the edges of their types, as single numbers and counting down.
TEST(Cuda, NumbersAndConversions) {
  const auto kernel = kernel_of(R"(kernel numbers lanes 2
sizes n
out z: i64
out f: f32
workers b = 0 .. 1
  var hash: i64 = 1469598103934665603
  for i = 9 .. -1 step -1
    hash = (hash ^ i) * 1099511628211
  store z[0] = hash
  store z[1] = -9223372036854775808
  store z[2] = i64(-2147483648i32)
  store z[3] = i64(i16(n * 70000))
  store z[4] = (n & 12) | 1
  store z[5] = i64(f32(n) * 0.3f)
  store z[6] = i64(bool(n)) + i64(n < 3)
  store z[7] = select(n == 5, 3000000000, 1)
  store f[0] = inff
  store f[1] = -inff
  store f[2] = f32(16777217)
  store f[3] = f32(-1.5e-3)
)");
  std::vector<std::int64_t> z(8);
  std::vector<float> f(4);
  run({kernel}, {{"n", 13}}, {{"z", host(z)}, {"f", host(f)}});
  std::uint64_t hash = 1469598103934665603u;
  for (std::uint64_t i = 10; i-- > 0;) hash = (hash ^ i) * 1099511628211u;
  const std::vector<std::int64_t> wanted = {static_cast<std::int64_t>(hash),
                                            std::numeric_limits<std::int64_t>::min(),
                                            -2147483648ll,
                                            static_cast<std::int16_t>(910000),
                                            13,
                                            3,
                                            1,
                                            1};
  EXPECT_EQ(z, wanted);
  EXPECT_EQ(f, (std::vector<float>{INFINITY, -INFINITY, 16777216.0f, -1.5e-3f}));
}

} // namespace

} // namespace cyclotron::backend::cuda
