// SPDX-License-Identifier: MIT
// Nobody holds a whole tensor: what reading, making, writing and comparing take beside the parts is counted.
#include "backend/mpi/data/difference.hpp"
#include "backend/mpi/data/write.hpp"
#include "world.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<std::int64_t> bytes_held{0}, most_held{0};

#ifdef __SANITIZE_ADDRESS__ // which counts itself
} // namespace
#else
void* take(std::size_t size) {
  void* memory = std::malloc(size > 0 ? size : 1);
  if (!memory) throw std::bad_alloc();
  const std::int64_t held = bytes_held += static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::int64_t most = most_held;
  while (held > most && !most_held.compare_exchange_weak(most, held)) {}
  return memory;
}

void give_back(void* memory) noexcept {
  if (memory) bytes_held -= static_cast<std::int64_t>(::malloc_usable_size(memory));
  std::free(memory);
}

} // namespace

void* operator new(std::size_t size) { return take(size); }
void* operator new[](std::size_t size) { return take(size); }
void operator delete(void* memory) noexcept { give_back(memory); }
void operator delete[](void* memory) noexcept { give_back(memory); }
void operator delete(void* memory, std::size_t) noexcept { give_back(memory); }
void operator delete[](void* memory, std::size_t) noexcept { give_back(memory); }
#endif

namespace cyclotron::mpi {
namespace {

constexpr std::int64_t n = 1200, tile = 100;
const Declaration matrix{"A", {n, n}, tensor::ValueType::f64};
constexpr std::int64_t whole = n * n * 8;
const Limits limits{.text = 1 << 16, .elements = 1 << 14};

std::vector<Box> cyclic_tiles() {
  std::vector<Box> boxes;
  for (std::int64_t i = 0; i < n / tile; ++i)
    for (std::int64_t j = 0; j < n / tile; ++j)
      if ((i + 2 * j) % world_size() == world_rank()) boxes.push_back({{i * tile, j * tile}, {tile, tile}});
  return boxes;
}

// The most that is held at a time beside what was held before.
template <class Work> std::int64_t most_of(const Work& work) {
  const std::int64_t before = bytes_held;
  most_held = before;
  work();
  return most_held - before;
}

TEST(Memory, NobodyHoldsAWholeTensor) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer has its own allocations";
#endif
  if (world_size() < 3) GTEST_SKIP() << "the share of few ranks is not much less than the whole";
  const SharedFolder folder;
  const Held held(cyclic_tiles());
  Report report;
  for (const char* text : {"random", "spd", "triangular(upper=1)", "stochastic", "random(density=0.3)",
                           "spd(density=0.01)", "tridiagonal"}) {
    const Source recipe = *tensor::parse_recipe(text, report.diagnostics);
    EXPECT_LT(
        most_of([&] { EXPECT_TRUE(read(recipe, matrix, held.parts, MPI_COMM_WORLD, report.diagnostics, limits)); }),
        whole * 6 / 10)
        << text;
  }
  for (const char* name : {"a.npy", "a.mtx"}) {
    const std::string path = folder.path(name);
    EXPECT_LT(
        most_of([&] { EXPECT_TRUE(write(path, matrix, held.parts, MPI_COMM_WORLD, report.diagnostics, 1 << 15)); }),
        whole / 2)
        << name;
    EXPECT_LT(most_of([&] { EXPECT_TRUE(read(path, matrix, held.parts, MPI_COMM_WORLD, report.diagnostics, limits)); }),
              whole / 2)
        << name;
    EXPECT_LT(most_of([&] {
                const auto found = max_difference(held.parts, matrix, path, MPI_COMM_WORLD, report.diagnostics, limits);
                EXPECT_TRUE(found && found->largest == 0) << report.text();
              }),
              whole * 8 / 10)
        << name;
  }
}

} // namespace
} // namespace cyclotron::mpi
