// SPDX-License-Identifier: MIT
// Kernels as a lowering would make them: convolutions, scans, dynamic programming.
#include "unit/backend/simd/agreement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cyclotron::backend::simd {
namespace {

TEST(SimdKernels, Convolution) {
  const auto convolution = [](int lanes) {
    return kernel_of(fmt::format(R"(kernel conv1d_{0} lanes {0}
sizes m, r
in x: f32
in w: f32
out z: f32
workers b = 0 .. (m + {0} - 1) // {0}
  var live: bool lanes = lanes(b * {0}) + i64(lane) < lanes(m)
  var acc: f32 lanes
  for q = 0 .. r unroll 4
    acc = acc + x[b * {0} + q : 1 if live] * lanes(w[q])
  store z[b * {0} : 1] = acc if live
)",
                                 lanes));
  };
  Trials trials;
  for (const int lanes : {1, 2, 4, 8, 16, 32, 64}) {
    std::vector<Case> cases;
    for (const std::int64_t m : {0, 1, 7, 16, 61, 128})
      for (const std::int64_t r : {0, 1, 5, 9})
        cases.push_back({{{"m", m}, {"r", r}}, {{"x", m == 0 ? 0 : m + r}, {"w", r}, {"z", m}}});
    trials.push_back({convolution(lanes), cases});
  }
  expect_agreement(trials);
}

constexpr int all_lanes[] = {1, 2, 4, 8, 16, 32, 64};

// Sums of all that is before, in log steps, the total carried from strip to strip.
TEST(SimdKernels, Scan) {
  Trials trials;
  for (const int lanes : all_lanes) {
    std::string steps;
    for (int d = 1; d < lanes; d *= 2) steps += fmt::format("    s = s + shift(s, {}, none)\n", d);
    const code::Kernel kernel = kernel_of(fmt::format(R"(kernel scan_{0} lanes {0}
sizes n
in x: i64
out y: i64
workers w = 0 .. 1
  var none: i64 lanes
  var total: i64
  for b = 0 .. n step {0}
    var live: bool lanes = lanes(b) + i64(lane) < lanes(n)
    var s: i64 lanes = x[b : 1 if live]
{1}    s = s + lanes(total)
    store y[b : 1] = s if live
    total = extract(s, {2})
)",
                                                      lanes, steps, lanes - 1));
    std::vector<Case> cases;
    for (const std::int64_t n : {0, 1, 2, 31, 64, 97}) cases.push_back({{{"n", n}}, {{"x", n}, {"y", n}}});
    trials.push_back({kernel, cases});
  }
  expect_agreement(trials);
}

// Local alignment of pairs of texts: a lane for each letter of one, the other streams by, a lane a step.
TEST(SimdKernels, Alignment) {
  Trials trials;
  for (const char* type : {"i32", "i16"})
    for (const int lanes : {4, 64})
      trials.push_back({kernel_of(fmt::format(R"(kernel align_{0}_{1} lanes {0}
sizes n, m
in a: {1}
in b: {1}
out best: {1}
workers p = 0 .. n
  var own: {1} lanes = a[p * {0} : 1]
  var letters: {1} lanes
  var h: {1} lanes
  var diagonal: {1} lanes
  var top: {1} lanes
  for t = 0 .. m + {0} - 1
    var entering: {1} = b[p * m + t if t < m]
    letters = shift(letters, 1, lanes(entering))
    var here: bool lanes = i64(lane) <= lanes(t) and lanes(t) - i64(lane) < lanes(m)
    var up: {1} lanes = shift(h, 1, lanes(0{1}))
    var score: {1} lanes = diagonal + select(own == letters, lanes(2{1}), lanes(-1{1}))
    var next: {1} lanes = max(max(score, lanes(0{1})), max(up, h) - lanes(1{1}))
    diagonal = up
    h = select(here, next, h)
    top = max(top, h)
  store best[p * {0} : 1] = top
)",
                                              lanes, type)),
                        {{{{"n", 3}, {"m", 13}}, {{"a", 3 * lanes}, {"b", 39}, {"best", 3 * lanes}}},
                         {{{"n", 2}, {"m", 0}}, {{"a", 2 * lanes}, {"b", 0}, {"best", 2 * lanes}}}}});
  expect_agreement(trials);
}

// A transpose by strides, a permutation by gathers and scatters, with scratch and shared memory.
TEST(SimdKernels, MovesOfAllKinds) {
  Trials trials;
  for (const char* type : {"bool", "i16", "i32", "i64", "f32", "f64"})
    for (const int lanes : {4, 16}) {
      const code::Kernel kernel = kernel_of(fmt::format(R"(kernel moves_{0}_{1} lanes {0}
sizes n
in x: {1}
in p: i32
out y: {1}
out z: {1}
scratch s: {1}[n * 2 + {0}]
shared t: {1}[{0}]
blocks o = 0 .. n
  workers g = 0 .. 1
    store t[0 : 1] = x[o + ({0} - 1) * n : 0 - n]
  barrier
  workers g = 0 .. 1
    store s[n + {0} - 1 : -1] = t[0 : 1] if lane < lanes({0}i32)
    store s[n] = t[0] if 0 < n
    var at: i32 lanes = p[0 : 1] % lanes({0}i32)
    var back: {1} lanes = s[i64(at) + lanes(n)]
    store y[o : n] = back
    store z[lanes(o * {0}) + i64(lane)] = x[at if lane != lanes(1i32)]
)",
                                                        lanes, type));
      std::vector<Case> cases;
      for (const std::int64_t n : {0, 1, 3})
        cases.push_back(
            {{{"n", n}},
             {{"x", std::max<std::int64_t>(n, 1) * lanes}, {"p", lanes}, {"y", n * lanes}, {"z", n * lanes}}});
      trials.push_back({kernel, cases});
    }
  for (auto& [kernel, cases] : trials)
    for (Case& c : cases) c.contents = Contents::any;
  expect_agreement(trials);
}

TEST(SimdKernels, Failures) {
  Trials trials;
  for (const int lanes : {1, 8, 64})
    trials.push_back({kernel_of(fmt::format(R"(kernel failures_{0} lanes {0}
sizes n
in x: i32
fail 9 if n == 2
workers b = 0 .. n
  fail 5 if x[b * {0} : 1] == lanes(7i32)
  fail 3 if b == 3
  if 0 < b
    fail 4 if any(x[b * {0} : 1] == lanes(-7i32))
fail 2147483646 if n == 1
)",
                                            lanes)),
                      {}});
  for (auto& [kernel, cases] : trials)
    for (std::int64_t n = 0; n < 5; ++n)
      for (std::uint64_t seed = 1; seed < 4; ++seed)
        cases.push_back({{{"n", n}}, {{"x", n * kernel.lanes}}, Contents::small, seed});
  expect_agreement(trials);
  expect_agreement(trials, {3, false});
}

// With threads: scratch of each thread's own, and iterations enough to start them.
TEST(SimdKernels, Threads) {
  const code::Kernel kernel = kernel_of(R"(kernel reversed lanes 8
sizes n
in x: i32
out y: i32
scratch s: i32[16]
workers b = n - 1 .. -1 step -1
  for q = 0 .. 2
    store s[q * 8 : 1] = x[b * 16 + q * 8 : 1]
  for q = 0 .. 2
    var v: i32 lanes = s[15 - q * 8 : -1]
    for k = 0 .. 3
      v = v * lanes(3i32) + shift(v, 1, v)
    store y[b * 16 + q * 8 : 1] = v
  fail 7 if x[b] == 8i32
)");
  expect_agreement({{kernel, {{{{"n", 0}}, {{"x", 0}, {"y", 0}}}, {{{"n", 500}}, {{"x", 8000}, {"y", 8000}}}}}},
                   {4, false});
}

// Every name that a kernel may have is one that C, or what stands in front of the kernels, has for itself.
TEST(SimdKernels, NamesThatCHas) {
  expect_agreement(
      R"(kernel main lanes 4
sizes int, i64_min, room, b_end
in f32x4: f32
in memcpy: f32
out memories: f32
scratch own: f32[int]
workers b = 0 .. b_end + 1
  var failed: f32 lanes = f32x4[0 : 1]
  var f32x4_all: f32 = memcpy[0]
  var failed_0: f32 lanes = failed + lanes(f32x4_all)
  store own[0 : 1] = failed_0
  var threads: i64 = min(i64_min, 7) + room
  fail 3 if threads == 4
  store memories[b * 4 : 1] = own[0 : 1] * lanes(f32(threads))
)",
      {{{{"int", 4}, {"i64_min", 1}, {"room", 2}, {"b_end", 2}}, {{"f32x4", 4}, {"memcpy", 1}, {"memories", 12}}}});
}

// The value of a store is known before its first part is stored, and that of an assignment before the first is
// assigned.
TEST(SimdKernels, PartsDoNotSeeEachOther) {
  expect_agreement(R"(kernel parts lanes 64
in x: i64
out y: i64
out z: i64
workers b = 0 .. 1
  var v: i64 lanes = x[0 : 1]
  v = shift(v, 1, v) + lanes(extract(v, 5)) * lanes(select(any(v < lanes(0)), 1, 2))
  store y[0 : 1] = v
  store y[0 : 1] = shift(y[0 : 1], -1, y[0 : 1])
  store y[y[7] % 2 : 1] = y[0 : 1] if y[0 : 1] < lanes(5)
  store z[z[0 : 1] % lanes(64)] = lanes(3) if z[0 : 1] < lanes(z[3])
)",
                   {{{}, {{"x", 64}, {"y", 65}, {"z", 64}}, Contents::small, 5},
                    {{}, {{"x", 64}, {"y", 65}, {"z", 64}}, Contents::any, 6}});
}

} // namespace
} // namespace cyclotron::backend::simd
