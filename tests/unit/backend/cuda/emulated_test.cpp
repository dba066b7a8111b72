// SPDX-License-Identifier: MIT
// What the printed text computes, at sizes around the number of lanes, beside plain C++.
#include "run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace cyclotron::backend::cuda {

namespace {

const std::int64_t lane_counts[] = {1, 2, 4, 8, 16, 32};
const std::int64_t sizes_tried[] = {0, 1, 31, 32, 97, 1009};

constexpr const char* convolution = R"(kernel conv lanes $lanes
sizes m, r
in x: f32
in w: f32
out z: f32
workers b = 0 .. (m + $lanes - 1) // $lanes
  var live: bool lanes = lanes(b * $lanes) + i64(lane) < lanes(m)
  var acc: f32 lanes
  for q = 0 .. r unroll 4
    acc = acc + x[b * $lanes + q : 1 if live] * lanes(w[q])
  store z[b * $lanes : 1] = acc if live
)";

TEST(Cuda, ConvolutionInLanes) {
  for (const std::int64_t lanes : lane_counts)
    for (const std::int64_t m : sizes_tried) {
      const std::int64_t r = 5;
      auto x = some_numbers(m + r - 1), w = some_numbers(r, 2);
      std::vector<float> z(static_cast<std::size_t>(m)), wanted(z);
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t q = 0; q < r; ++q)
          wanted[static_cast<std::size_t>(i)] += x[static_cast<std::size_t>(i + q)] * w[static_cast<std::size_t>(q)];
      EXPECT_EQ(
          run({kernel_of(convolution, lanes)}, {{"m", m}, {"r", r}}, {{"x", host(x)}, {"w", host(w)}, {"z", host(z)}}),
          0);
      EXPECT_EQ(z, wanted) << m << " elements, " << lanes << " lanes";
    }
}

// Each output meets the inputs that lie before it: shifts with the vector beside.
constexpr const char* neighbours = R"(kernel neighbours lanes $lanes
sizes n
in x: f32
out up: f32
out down: f32
workers b = 0 .. 1
  var before: f32 lanes
  for t = 0 .. (n + $lanes - 1) // $lanes
    var live: bool lanes = lanes(t * $lanes) + i64(lane) < lanes(n)
    var next: bool lanes = lanes(t * $lanes + $lanes) + i64(lane) < lanes(n)
    var now: f32 lanes = x[t * $lanes : 1 if live]
    store up[t * $lanes : 1] = shift(now, $d, before) if live
    store down[t * $lanes : 1] = shift(now, -$d, x[t * $lanes + $lanes : 1 if next]) if live
    before = now
)";

TEST(Cuda, ShiftsTakeFromTheVectorBeside) {
  for (const std::int64_t lanes : lane_counts)
    for (std::int64_t d = 1; d < lanes; d = d * 2 + 1)
      for (const std::int64_t n : {std::int64_t{1}, lanes, 5 * lanes + 3}) {
        std::string text = neighbours;
        while (text.find("$d") != text.npos) text.replace(text.find("$d"), 2, std::to_string(d));
        auto x = some_numbers(n);
        std::vector<float> up(x.size()), down(x.size()), wanted_up(x.size()), wanted_down(x.size());
        for (std::int64_t i = 0; i < n; ++i) {
          wanted_up[static_cast<std::size_t>(i)] = i >= d ? x[static_cast<std::size_t>(i - d)] : 0;
          wanted_down[static_cast<std::size_t>(i)] = i + d < n ? x[static_cast<std::size_t>(i + d)] : 0;
        }
        run({kernel_of(text, lanes)}, {{"n", n}}, {{"x", host(x)}, {"up", host(up)}, {"down", host(down)}});
        EXPECT_EQ(up, wanted_up) << n << " elements, " << lanes << " lanes, by " << d;
        EXPECT_EQ(down, wanted_down) << n << " elements, " << lanes << " lanes, by " << d;
      }
}

// An inclusive sum: in each vector by shifts over 1, 2, 4, 8, 16 lanes, and the last lane goes on to the next vector.
constexpr const char* scan = R"(kernel scan lanes 32
sizes n
in x: $type
out z: $type
workers b = 0 .. 1
  var carry: $type
  for t = 0 .. (n + 31) // 32
    var live: bool lanes = lanes(t * 32) + i64(lane) < lanes(n)
    var sum: $type lanes = x[t * 32 : 1 if live]
    sum = sum + select(lanes(1i32) <= lane, shift(sum, 1), $type(lanes(0)))
    sum = sum + select(lanes(2i32) <= lane, shift(sum, 2), $type(lanes(0)))
    sum = sum + select(lanes(4i32) <= lane, shift(sum, 4), $type(lanes(0)))
    sum = sum + select(lanes(8i32) <= lane, shift(sum, 8), $type(lanes(0)))
    sum = sum + select(lanes(16i32) <= lane, shift(sum, 16), $type(lanes(0)))
    sum = sum + lanes(carry)
    store z[t * 32 : 1] = sum if live
    carry = extract(sum, 31)
)";

template <class T> void expect_scan(const std::string& type) {
  std::string text = scan;
  while (text.find("$type") != text.npos) text.replace(text.find("$type"), 5, type);
  for (const std::int64_t n : sizes_tried) {
    std::vector<T> x, z(static_cast<std::size_t>(n)), wanted(z);
    for (const float v : some_numbers(n)) x.push_back(static_cast<T>(v * 4));
    std::partial_sum(x.begin(), x.end(), wanted.begin());
    run({kernel_of(text)}, {{"n", n}}, {{"x", host(x)}, {"z", host(z)}});
    EXPECT_EQ(z, wanted) << type << ", " << n << " elements";
  }
}

TEST(Cuda, ScansOfEveryType) {
  expect_scan<float>("f32");
  expect_scan<double>("f64");
  expect_scan<std::int16_t>("i16");
  expect_scan<std::int32_t>("i32");
  expect_scan<std::int64_t>("i64");
}

constexpr const char* truths = R"(kernel truths lanes $lanes
sizes n
in x: i32
in odd: bool
out z: bool
out some: bool
workers b = 0 .. (n + $lanes - 1) // $lanes
  var live: bool lanes = lanes(b * $lanes) + i64(lane) < lanes(n)
  var found: bool lanes = odd[b * $lanes : 1 if live] and (not (x[b * $lanes : 1 if live] == lanes(3i32)) or lanes(false))
  store z[b * $lanes : 1] = found if live
  store some[b] = any(found)
)";

TEST(Cuda, TruthValues) {
  for (const std::int64_t lanes : lane_counts) {
    const std::int64_t n = 77, groups = (n + lanes - 1) / lanes;
    std::vector<std::int32_t> x;
    std::vector<std::uint8_t> odd, z(static_cast<std::size_t>(n), 7), some(static_cast<std::size_t>(groups), 7), wanted,
        wanted_some(some.size());
    for (std::int64_t i = 0; i < n; ++i) {
      x.push_back(static_cast<std::int32_t>(i % 5));
      odd.push_back(i % 7 == 1);
      wanted.push_back(odd.back() && x.back() != 3);
      wanted_some[static_cast<std::size_t>(i / lanes)] |= wanted.back();
    }
    run({kernel_of(truths, lanes)}, {{"n", n}},
        {{"x", host(x)}, {"odd", host(odd)}, {"z", host(z)}, {"some", host(some)}});
    EXPECT_EQ(z, wanted);
    EXPECT_EQ(some, wanted_some) << lanes << " lanes";
  }
}

// Strides 0, 3 and -1, and indices that are vectors.
constexpr const char* strided = R"(kernel strided lanes 16
sizes n
in x: f64
in at: i64
out gathered: f64
out thirds: f64
out backwards: f64
out first: f64
workers b = 0 .. n // 16
  store gathered[b * 16 : 1] = x[at[b * 16 : 1]]
  store thirds[b * 16 : 1] = x[b : 3]
  store backwards[n - 1 - b * 16 : -1] = x[b * 16 : 1]
  store first[lanes(b * 16) + i64(lane)] = x[b * 16 : 0]
)";

TEST(Cuda, StridesAndGathers) {
  const std::int64_t n = 160;
  std::vector<double> x(n), gathered(n), thirds(n), backwards(n), first(n);
  std::vector<std::int64_t> at(n);
  std::iota(x.begin(), x.end(), 1.0);
  for (std::int64_t i = 0; i < n; ++i) at[static_cast<std::size_t>(i)] = i * 37 % n;
  run({kernel_of(strided)}, {{"n", n}},
      {{"x", host(x)},
       {"at", host(at)},
       {"gathered", host(gathered)},
       {"thirds", host(thirds)},
       {"backwards", host(backwards)},
       {"first", host(first)}});
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    EXPECT_EQ(gathered[k], x[static_cast<std::size_t>(at[k])]);
    EXPECT_EQ(thirds[k], x[static_cast<std::size_t>(i / 16 + i % 16 * 3)]);
    EXPECT_EQ(backwards[static_cast<std::size_t>(n - 1 - i)], x[k]);
    EXPECT_EQ(first[k], x[static_cast<std::size_t>(i / 16 * 16)]);
  }
}

// Neighbouring elements that one lane has: moved at once where they lie so that this can be, from `first` on.
constexpr const char* neighbouring = R"(kernel neighbouring lanes 8
sizes n, first
in x: $type
out z: $type
workers b = 0 .. n // (8 * $v)
  var a: $type lanes = x[b * (8 * $v) + first : $v]
  var c: $type lanes = x[b * (8 * $v) + first + 1 : $v]
  $more
  store z[b * (8 * $v) : $v] = c
  store z[b * (8 * $v) + 1 : $v] = a
  $stores
)";

template <class T> void expect_neighbouring(const std::string& type, std::int64_t v) {
  std::string text = neighbouring, more, stores;
  for (std::int64_t k = 2; k < v; ++k) {
    more += fmt::format("var e{0}: $type lanes = x[b * (8 * $v) + first + {0} : $v]\n  ", k);
    stores += fmt::format("store z[b * (8 * $v) + {0} : $v] = e{0}\n  ", k);
  }
  for (const auto& [from, to] : {std::pair<std::string, std::string>{"$more\n  ", more},
                                 {"$stores\n", stores},
                                 {"$type", type},
                                 {"$v", std::to_string(v)}})
    while (text.find(from) != text.npos) text.replace(text.find(from), from.size(), to);
  const auto kernel = kernel_of(text);
  EXPECT_NE(print_cuda(kernel, {}).find("= load_adjacent<"), std::string::npos) << print_cuda(kernel, {});
  EXPECT_NE(print_cuda(kernel, {}).find("  store_adjacent("), std::string::npos);
  const std::int64_t n = 8 * v * 5;
  for (const std::int64_t first : {0, 1}) {
    std::vector<T> x, z(static_cast<std::size_t>(n)), wanted;
    for (const float f : some_numbers(n + first)) x.push_back(static_cast<T>(4 * f));
    for (std::int64_t i = 0; i < n; ++i)
      wanted.push_back(x[static_cast<std::size_t>(first + (i % v == 0 ? i + 1 : i % v == 1 ? i - 1 : i))]);
    run({kernel}, {{"n", n}, {"first", first}}, {{"x", host(x)}, {"z", host(z)}});
    EXPECT_EQ(z, wanted) << type << " by " << v << " from " << first;
  }
}

TEST(Cuda, NeighboursAreMovedAtOnce) {
  expect_neighbouring<float>("f32", 4);
  expect_neighbouring<float>("f32", 2);
  expect_neighbouring<double>("f64", 2);
  expect_neighbouring<std::int16_t>("i16", 8);
}

// Every block turns 128 elements around, by way of shared memory.
constexpr const char* turned = R"(kernel turned lanes 32
sizes n
in x: f32
out z: f32
shared t: f32[128]
blocks o = 0 .. n // 128
  workers w = 0 .. 4
    store t[w * 32 : 1] = x[o * 128 + w * 32 : 1]
  barrier
  workers w = 0 .. 4
    store z[o * 128 + w * 32 : 1] = t[127 - w * 32 : -1]
)";

TEST(Cuda, BlocksShareMemory) {
  for (const std::int64_t blocks : {0, 1, 3}) { // 3: each goes around several times
    KernelOptions options = emulated();
    options.blocks = blocks;
    const std::int64_t n = 128 * 7;
    auto x = some_numbers(n);
    std::vector<float> z(x.size()), wanted;
    for (std::int64_t o = 0; o < n; o += 128)
      for (std::int64_t i = 127; i >= 0; --i) wanted.push_back(x[static_cast<std::size_t>(o + i)]);
    run({kernel_of(turned)}, {{"n", n}}, {{"x", host(x)}, {"z", host(z)}}, options);
    EXPECT_EQ(z, wanted) << blocks << " blocks";
  }
}

// Each worker keeps a row of its own, of a size known when it runs, and reads what other lanes have put there.
constexpr const char* with_scratch = R"(kernel rows lanes $lanes
sizes n, m
in x: f32
out z: f32
scratch s: f32[m]
scratch u: i16[m]
workers i = 0 .. n
  for j = 0 .. m step $lanes
    var live: bool lanes = lanes(j) + i64(lane) < lanes(m)
    store s[j : 1] = x[i * m + j : 1 if live] if live
    store u[j : 1] = i16(lanes(i + j)) + i16(lane) if live
  for j = 0 .. m
    store z[i * m + j] = s[m - 1 - j] + f32(u[j])
)";

TEST(Cuda, ScratchBelongsToItsWorker) {
  for (const std::int64_t lanes : {1, 4, 32})
    for (const std::int64_t m : {1, 31, 64}) {
      const std::int64_t n = 40;
      auto x = some_numbers(n * m);
      std::vector<float> z(x.size()), wanted;
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < m; ++j)
          wanted.push_back(x[static_cast<std::size_t>(i * m + m - 1 - j)] + static_cast<float>(i + j));
      KernelOptions options = emulated();
      options.blocks = 2; // workers take turns
      run({kernel_of(with_scratch, lanes)}, {{"n", n}, {"m", m}}, {{"x", host(x)}, {"z", host(z)}}, options);
      EXPECT_EQ(z, wanted) << lanes << " lanes, rows of " << m;
    }
}

constexpr const char* failing = R"(kernel failing lanes 8
sizes n, limit
in x: i32
workers b = 0 .. n // 8
  fail 3 if lanes(i32(limit)) < x[b * 8 : 1]
  fail 2 if limit == 100 and b == 1
)";

TEST(Cuda, TheSmallestFailureIsTheAnswer) {
  std::vector<std::int32_t> x(64, 1);
  const auto answer = [&](std::int64_t limit) {
    return run({kernel_of(failing)}, {{"n", 64}, {"limit", limit}}, {{"x", host(x)}});
  };
  EXPECT_EQ(answer(5), 0);
  x[37] = 6;
  EXPECT_EQ(answer(5), 3);
  x[37] = 101;
  EXPECT_EQ(answer(100), 2);
  EXPECT_EQ(answer(101), 0);
}

// What one kernel writes the next one reads; what lies between stays on the machine.
TEST(Cuda, SeveralKernels) {
  const auto twice = kernel_of(R"(kernel twice lanes 32
sizes n
in x: f32
out y: f32
workers b = 0 .. n // 32
  store y[b * 32 : 1] = x[b * 32 : 1] * lanes(2.0f)
)");
  const auto plus = kernel_of(R"(kernel plus lanes 8
sizes n
in y: f32
out z: f32
workers b = 0 .. n // 8
  store z[b * 8 : 1] = y[b * 8 : 1] + z[b * 8 : 1]
)");
  const std::int64_t n = 96;
  auto x = some_numbers(n), z = some_numbers(n, 3), wanted = z;
  for (std::size_t i = 0; i < x.size(); ++i) wanted[i] += 2 * x[i];
  run({twice, plus}, {{"n", n}}, {{"x", host(x)}, {"y", {nullptr, 4 * n, true}}, {"z", host(z)}});
  EXPECT_EQ(z, wanted);
}

} // namespace

} // namespace cyclotron::backend::cuda
