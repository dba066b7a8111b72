// SPDX-License-Identifier: MIT
// The text itself, where that is the point: names, launches, what is hoisted.
#include "run.hpp"

namespace cyclotron::backend::cuda {

namespace {

std::string printed(const std::string& text, std::int64_t lanes = 32) {
  return print_cuda(kernel_of(text, lanes), PrintOptions{});
}

TEST(PrintCuda, AWholeKernel) {
  EXPECT_EQ(printed(R"(kernel conv1d lanes 16
sizes m, r
in x: f32
in w: f32
out z: f32
workers b = 0 .. (m + 15) // 16
  var live: bool lanes = lanes(b * 16) + i64(lane) < lanes(m)
  var acc: f32 lanes
  for q = 0 .. r unroll 4
    acc = acc + x[b * 16 + q : 1 if live] * lanes(w[q])
  store z[b * 16 : 1] = acc if live
)"),
            R"(extern "C" __global__ void __launch_bounds__(256)
conv1d_kernel(i64 m, i64 r, const f32 *__restrict__ x, const f32 *__restrict__ w, f32 *__restrict__ z) {
  const int lane = threadIdx.x % 16;
  const i64 group = (i64)blockIdx.x * (blockDim.x / 16) + threadIdx.x / 16;
  const i64 groups = (i64)gridDim.x * (blockDim.x / 16);
  const i64 b_end = (m + 15) >> 4;
  for (i64 b = group; b < b_end; b += groups) {
    const bool live = b * 16 + (i64)lane < m;
    f32 acc = 0.0f;
    #pragma unroll 4
    for (i64 q = 0; q < r; ++q) {
      acc = acc + (live ? load(x, b * 16 + q + lane) : 0.0f) * load(w, q);
    }
    if (live) store(z, b * 16 + lane, acc);
  }
}
)");
}

// A vector that has been read is exchanged before the statement that wants it, not in a part that some lanes leave out.
TEST(PrintCuda, ExchangesStandBeforeWhatWantsThem) {
  EXPECT_EQ(printed(R"(kernel k lanes 8
sizes n
in x: i32
out z: i32
workers b = 0 .. n
  var v: i32 lanes = x[b * 8 : 1]
  store z[b * 8 : 1] = select(v < lanes(3i32), x[i64(shift(v, 1, v)) if v < lanes(9i32)], lanes(extract(v, 2))) if v < lanes(7i32)
  if any(v == lanes(0i32))
    store z[b] = 1i32
)"),
            R"(extern "C" __global__ void __launch_bounds__(256)
k_kernel(i64 n, const i32 *__restrict__ x, i32 *__restrict__ z) {
  const int lane = threadIdx.x % 8;
  const unsigned group_mask = 0xffu << (threadIdx.x % 32 / 8 * 8);
  const i64 group = (i64)blockIdx.x * (blockDim.x / 8) + threadIdx.x / 8;
  const i64 groups = (i64)gridDim.x * (blockDim.x / 8);
  for (i64 b = group; b < n; b += groups) {
    const i32 v = load(x, b * 8 + lane);
    const i32 exchanged_0 = shift<8, 1, i32>(group_mask, lane, v, v);
    const i32 exchanged_1 = extract<8>(group_mask, v, 2);
    __syncwarp(group_mask);
    if (v < 7) store(z, b * 8 + lane, v < 3 ? (v < 9 ? load(x, (i64)exchanged_0) : 0) : exchanged_1);
    const bool exchanged_2 = any_lane(group_mask, v == 0);
    if (exchanged_2) {
      __syncwarp(group_mask);
      if (lane == 0) store(z, b, 1);
    }
  }
}
)");
}

// The lanes of a group meet where one may store or load what another has stored, and where it is certain that none
// does they need not: stripes of a vector, and neighbours that one lane has.
TEST(PrintCuda, LanesMeetBetweenStores) {
  EXPECT_EQ(printed(R"(kernel k lanes 32
sizes n
in x: f32
out y: f32
out z: f32
out u: f32
workers b = 0 .. n
  var v: f32 lanes = x[b * 64 : 2]
  var w: f32 lanes = x[b * 64 + 1 : 2]
  store y[b * 64 : 1] = v
  store y[b * 64 + 32 : 1] = w
  store y[b * 64 + 33 : 1] = w
  store z[b * 64 : 2] = w
  store z[b * 64 + 1 : 2] = v
  store u[b * 32 : 1] = u[b * 32 + 31 : -1] + v
)"),
            R"(extern "C" __global__ void __launch_bounds__(256)
k_kernel(i64 n, const f32 *__restrict__ x, f32 *__restrict__ y, f32 *__restrict__ z, f32 *u) {
  const int lane = threadIdx.x % 32;
  const unsigned group_mask = 0xffffffffu;
  const i64 group = (i64)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const i64 groups = (i64)gridDim.x * (blockDim.x / 32);
  for (i64 b = group; b < n; b += groups) {
    const Adjacent<f32, 2> adjacent_0 = load_adjacent<2>(x, b * 64 + 2ll * lane);
    const f32 v = adjacent_0.at[0];
    const f32 w = adjacent_0.at[1];
    __syncwarp(group_mask);
    store(y, b * 64 + lane, v);
    store(y, b * 64 + 32 + lane, w);
    __syncwarp(group_mask);
    store(y, b * 64 + 33 + lane, w);
    __syncwarp(group_mask);
    const Adjacent<f32, 2> adjacent_1 = {{w, v}};
    store_adjacent(z, b * 64 + 2ll * lane, adjacent_1);
    const f32 stored_0 = load(u, b * 32 + 31 + -1ll * lane) + v;
    __syncwarp(group_mask);
    store(u, b * 32 + lane, stored_0);
    __syncwarp(group_mask);
  }
}
)");
}

// Words of C++ and CUDA, and our own: `for` cannot come, as it is a word of the code IR too.
TEST(PrintCuda, NamesThatAreTaken) {
  const std::string text = printed(R"(kernel int lanes 4
sizes double, group, group_
in load: f32
out threadIdx: f32
workers while = 0 .. double
  var exchanged_0: f32 = load[while]
  store threadIdx[while + group + group_] = exchanged_0
)");
  EXPECT_EQ(text, R"(extern "C" __global__ void __launch_bounds__(256)
int_kernel(i64 double_, i64 group_, i64 group__, const f32 *__restrict__ load_, f32 *__restrict__ threadIdx_) {
  const int lane = threadIdx.x % 4;
  const i64 group = (i64)blockIdx.x * (blockDim.x / 4) + threadIdx.x / 4;
  const i64 groups = (i64)gridDim.x * (blockDim.x / 4);
  for (i64 while_ = group; while_ < double_; while_ += groups) {
    const f32 own_exchanged_0 = load(load_, while_);
    if (lane == 0) store(threadIdx_, while_ + group_ + group__, own_exchanged_0);
  }
}
)");
}

// Loops beside each other with one name, whose bounds are computed once.
TEST(PrintCuda, BoundsAreComputedOnce) {
  const std::string text = printed(R"(kernel k lanes 1
sizes n
in x: i64
out z: i64
workers b = 0 .. n step 2
  var last: i64 = x[b]
  for q = last .. x[b + 1]
    last = last + 1
  for q = n .. last step -3
    store z[q] = last
)");
  EXPECT_NE(text.find("  for (i64 b = group * 2; b < n; b += groups * 2) {"), text.npos) << text;
  EXPECT_NE(text.find("    const i64 q_end = load(x, b + 1);\n    for (i64 q = last; q < q_end; ++q) {"), text.npos)
      << text;
  EXPECT_NE(text.find("    const i64 q_end2 = last;\n    for (i64 q = n; q > q_end2; q += -3) {"), text.npos) << text;
}

TEST(PrintCuda, LaunchShapes) {
  const auto workers = kernel_of(R"(kernel k lanes 32
sizes n
out z: i64
workers b = 0 .. n step 2
  store z[b] = b
)");
  const Room room{100, 4};
  const auto shape = [&](const code::Kernel& k, std::int64_t n, std::int64_t threads) {
    const LaunchShape s = launch_shape(k, {n}, threads, room);
    return std::pair(s.blocks, s.threads);
  };
  using Shape = std::pair<std::int64_t, std::int64_t>;
  EXPECT_EQ(shape(workers, 0, 256), Shape(1, 64));
  EXPECT_EQ(shape(workers, 40, 256), Shape(10, 64));           // 20 workers, two to a block: little work is spread out
  EXPECT_EQ(shape(workers, 160'000, 256), Shape(10'000, 256)); // eight to a block
  EXPECT_EQ(shape(workers, std::int64_t{1} << 60, 256), Shape(2147483647, 256));
  const auto blocks = kernel_of(R"(kernel k lanes 16
sizes n
out z: i64
blocks o = 0 .. n
  workers w = 0 .. 12
    store z[w] = o
)");
  EXPECT_EQ(block_threads(blocks, {}), 192); // a group for each of its workers
  EXPECT_EQ(shape(blocks, 70, 192), Shape(70, 192));
  const auto by_data = kernel_of(R"(kernel k lanes 16
sizes n
in x: i64
out z: i64
workers b = 0 .. x[n]
  store z[b] = b
)");
  EXPECT_EQ(shape(by_data, 7, 256), Shape(400, 256)); // as many as there is room for
  const auto scratch = kernel_of(R"(kernel k lanes 16
sizes n
out z: i64
scratch s: i64[n]
workers b = 0 .. n
  store s[0] = b
  store z[b] = s[0]
)");
  EXPECT_EQ(shape(scratch, 1'000'000, 256), Shape(400, 256));
}

} // namespace

} // namespace cyclotron::backend::cuda
