// SPDX-License-Identifier: MIT
// Random kernels: a few dozen by day, many more with CYCLOTRON_NIGHTLY=1, from another seed every time.
#include "unit/backend/simd/agreement.hpp"
#include "unit/code/random_kernel.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>

namespace cyclotron::backend::simd {
namespace {

bool by_night() { return std::getenv("CYCLOTRON_NIGHTLY") != nullptr; }

std::uint64_t first_seed() {
  if (const char* text = std::getenv("CYCLOTRON_SEED")) return std::strtoull(text, nullptr, 10);
  return by_night() ? static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) : 1;
}

// So many kernels in one file.
Trials random_trials(std::uint64_t seed, int kernels) {
  std::mt19937_64 random(seed);
  Trials trials;
  for (int k = 0; k < kernels; ++k) {
    const code::RandomKernel made = code::random_kernel(random, fmt::format("kernel_{}", k));
    EXPECT_EQ(problem_of(made.kernel), "") << print(made.kernel);
    EXPECT_EQ(print(kernel_of(print(made.kernel))), print(made.kernel));
    std::vector<Case> cases;
    for (int c = 0; c < 4; ++c)
      cases.push_back({{{"n", static_cast<std::int64_t>(random() % 6)}, {"m", static_cast<std::int64_t>(random() % 6)}},
                       made.elements,
                       c % 2 == 0 ? Contents::small : Contents::any,
                       random()});
    trials.push_back({made.kernel, cases});
  }
  return trials;
}

TEST(SimdRandom, AgreesWithTheInterpreter) {
  const std::uint64_t first = first_seed();
  for (std::uint64_t file = 0; file < (by_night() ? 60 : 1); ++file) {
    SCOPED_TRACE(fmt::format("CYCLOTRON_SEED={}", first + file));
    expect_agreement(random_trials(first + file, 25), {1, true});
    if (HasFailure()) return;
  }
}

} // namespace
} // namespace cyclotron::backend::simd
